"""`python -m audition`: the command line."""

from audition.cli.main import main

main()
