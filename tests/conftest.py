"""What all tests share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio alone: it is what audition runs on."""
    return "asyncio"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Return a function that compares a text with `tests/golden/<name>`; AUDITION_BLESS=1 writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("AUDITION_BLESS") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run make bless, and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
