"""The steps that bring the service's database up to date; `store.migrations` takes them."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where they are."""

VERSION = 1
"""The number of the last one."""
