"""`make demo`: the real command, run in examples/support_desk; once where all is well, once where it is not."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parent / "support_desk"

INTRODUCTION = """\
examples/support_desk is a small support desk that works by plain rules, in Python: no language model, no key, no
network. Its evals say how it should behave; audition holds the conversations and judges them.
"""

FAILURES = """
Now three evals that are wrong on purpose (examples/support_desk/broken): this is what a failure looks like. Two of
them fail, because the desk does something else than they say; one is an error, because it needs a judge and there is
none, so nobody can tell. audition ends with exit code 1.
"""


def main() -> int:
    """Run both; return 0 when the first passes and the second fails, as they should."""
    print(INTRODUCTION)
    good = audition("run", "--allow-code")
    print(FAILURES)
    bad = audition("run", "broken")
    as_expected = (good, bad) == (0, 1)
    print(f"\nExit codes: {good} where everything should pass, {bad} where something should fail", end="")
    print(": as it should be." if as_expected else ": it should have been 0 and 1!")
    return 0 if as_expected else 1


def audition(*arguments: str) -> int:
    """Run the audition command in the project's folder, whatever the environment says about agents and judges."""
    print(f"$ cd examples/support_desk && audition {' '.join(arguments)}", flush=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUDITION_")}
    return subprocess.run([sys.executable, "-m", "audition", *arguments], cwd=PROJECT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
