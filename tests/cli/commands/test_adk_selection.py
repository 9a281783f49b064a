"""Which eval sets and cases the arguments of `audition adk eval` mean."""

from pathlib import Path

import pytest

from audition.cli.commands._adk_selection import Wanted, insist_on_cases, unique_names, wanted_sets
from audition.errors import LoadError, UnknownName


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an agent's folder with one set, in a current folder with two files."""
    monkeypatch.chdir(tmp_path)
    for name in ("one.evalset.json", "two.test.json", "home/smoke.evalset.json"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("{}", encoding="utf-8")
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["one.evalset.json"], {"one.evalset.json": ()}),
        (["one.evalset.json:a,b"], {"one.evalset.json": ("a", "b")}),
        (["one.evalset.json: a ,, b,"], {"one.evalset.json": ("a", "b")}),
        (["one.evalset.json:"], {"one.evalset.json": ()}),
        (["one.evalset.json:a:b"], {"one.evalset.json": ("a:b",)}),
        (["one.evalset.json", "two.test.json:c"], {"one.evalset.json": (), "two.test.json": ("c",)}),
        (["one.evalset.json:a", "one.evalset.json:b,a"], {"one.evalset.json": ("a", "b")}),
        (["one.evalset.json", "one.evalset.json:b"], {"one.evalset.json": ("b",)}),
        (["smoke:a"], {"home/smoke.evalset.json": ("a",)}),
    ],
    ids=str,
)
def test_arguments_name_files_or_sets_of_the_agent_and_cases_behind_a_colon(
    folder: Path, arguments: list[str], expected: dict[str, tuple[str, ...]]
) -> None:
    found = wanted_sets(arguments, folder)

    here = Path.cwd()
    assert {str((here / one.path).relative_to(here)): one.ids for one in found} == expected


def test_a_colon_behind_the_letter_of_a_drive_begins_no_list_of_cases(folder: Path) -> None:
    with pytest.raises(LoadError) as caught:
        wanted_sets(["C:\\sets\\one.json:a,b"], folder)

    assert caught.value.faults[0].where.path == "C:\\sets\\one.json"


def test_every_missing_file_is_named_with_a_near_miss(folder: Path) -> None:
    with pytest.raises(LoadError) as caught:
        wanted_sets(["one.evalset.json", "tow.test.json", "nowhere/three.json"], folder)

    assert str(caught.value) == (
        "tow.test.json: there is no such file; did you mean 'two.test.json'?\nnowhere/three.json: there is no such file"
    )


# ADK takes a first file that is missing for the id of a set, and complains of its slashes.
def test_a_first_file_that_is_missing_is_a_missing_file(folder: Path) -> None:
    with pytest.raises(LoadError, match=r"one\.evalset\.jsn|there is no such file"):
        wanted_sets(["sets/one.evalset.json"], folder)


def test_an_unknown_set_is_told_with_a_near_miss(folder: Path) -> None:
    with pytest.raises(UnknownName, match="smok") as caught:
        wanted_sets(["smok"], folder)

    assert caught.value.hint == "did you mean 'smoke'?"


def test_an_agent_without_a_folder_has_no_sets(folder: Path) -> None:
    with pytest.raises(LoadError):
        wanted_sets(["smoke"], None)


def test_an_unknown_case_is_told_with_a_near_miss() -> None:
    wanted = Wanted(path=Path("one.evalset.json"), ids=("lights", "heatnig"))

    with pytest.raises(UnknownName, match=r"no eval case in one\.evalset\.json called 'heatnig'") as caught:
        insist_on_cases(wanted, ["lights", "heating"])

    assert caught.value.hint == "did you mean 'heating'?"


def test_cases_of_one_id_in_several_sets_get_the_id_of_their_set_in_front() -> None:
    names = unique_names([("a", "x"), ("a", "y"), ("b", "x")])

    assert names == {("a", "x"): "a/x", ("a", "y"): "y", ("b", "x"): "b/x"}
