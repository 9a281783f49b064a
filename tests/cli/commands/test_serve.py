"""`audition serve`: what it refuses, and what it says when it is there."""

import socket
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.service_runs import served


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_database_that_cannot_be_kept_is_a_wrong_question(empty: Any, command: str) -> None:
    result = empty.invoke(command, "--database", "mysql://somewhere/audition")

    assert result.exit_code == 2
    assert "nothing can be kept in 'mysql'" in result.stderr


def test_an_address_that_is_taken_is_a_wrong_question(empty: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = empty.invoke("serve", "--no-worker", "--port", str(taken.getsockname()[1]))

    assert result.exit_code == 2
    assert "choose another" in result.stderr


def test_the_database_is_the_one_that_was_named(tmp_path: Path) -> None:
    with served(tmp_path, "--no-worker", "--database", "kept/here.db") as service:
        service.end()

    assert (tmp_path / "kept" / "here.db").exists()
    assert not (tmp_path / ".audition").exists()
