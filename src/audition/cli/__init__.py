"""The command line: it prints and exits, and nobody else does."""
