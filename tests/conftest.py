"""What all tests share."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio alone: it is what audition runs on."""
    return "asyncio"
