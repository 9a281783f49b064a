"""A folder as a registry."""

import pytest

from audition.errors import UnknownName
from audition.registry import Folder

USERS = Folder("user", "audition.users")


def test_the_file_name_is_the_name() -> None:
    assert USERS.get("script").__name__ == "audition.users.script"


def test_a_wrong_name_says_what_was_probably_meant() -> None:
    with pytest.raises(UnknownName, match="no user called 'scirpt'\n  did you mean 'script'") as raised:
        USERS.get("scirpt")

    assert raised.value.nearest == "script"


@pytest.mark.parametrize("name", ["", ".", "..", "a.b", "os.path", "_private", "../evals", "__init__"], ids=repr)
def test_no_name_reaches_outside_the_folder(name: str) -> None:  # case: google/adk-python#5039
    with pytest.raises(UnknownName):
        USERS.get(name)


def test_a_folder_within_is_no_name() -> None:
    with pytest.raises(UnknownName, match="no kind of agent called 'tools'"):
        Folder("kind of agent", "audition.agents").get("tools")


def test_names_are_listed_without_private_files() -> None:
    names = USERS.names()

    assert "script" in names
    assert not [name for name in names if name.startswith("_")]
