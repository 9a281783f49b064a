"""From paths to a suite: which files are found, which are read, and what is wrong with all of them."""

import gc
from pathlib import Path

import pytest

from audition.errors import LoadError
from audition.formats import gather, load


def put(path: Path, *names: str, text: str = "") -> Path:
    """Write an eval file with an eval of each name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    evals = [f"name: {name}\nconversation: [{{user: hi, expectSilence: true}}]\n" for name in names]
    path.write_text(text or "---\n".join(evals), encoding="utf-8")
    return path


def names_at(*paths: Path) -> list[str]:
    gathered = gather(paths)
    assert [str(fault) for fault in gathered.faults] == []
    return [an_eval.name for an_eval in gathered.suite.evals]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "evals"


CODE = "x = {'name': 'coded', 'conversation': [{'user': 'a', 'expectSilence': True}]}\n"


def test_folders_are_searched_to_the_bottom_in_the_order_of_names(folder: Path) -> None:
    put(folder / "b.eval.yaml", "b1", "b2")
    put(folder / "a.eval.yml", "a")
    put(folder / "A.EVAL.YAML", "upper")
    put(folder / "sub" / "deep" / "d.eval.yaml", "d")
    put(folder / "aside" / "c.eval.json", text='{"name":"c","conversation":[{"user":"a","expectSilence":true}]}')

    assert names_at(folder) == ["upper", "a", "b1", "b2", "c", "d"]


def test_hidden_and_installed_files_are_passed_over(folder: Path) -> None:
    put(folder / "a.eval.yaml", "a")
    for place in (".git/x", ".venv/x", "node_modules/x", "__pycache__/x", ".hidden"):
        put(folder / f"{place}.eval.yaml", place)
    put(folder / "notes.yaml", "not an eval file")

    assert names_at(folder) == ["a"]


def test_links_that_lead_back_are_followed_once(folder: Path) -> None:
    put(folder / "a.eval.yaml", "a")
    elsewhere = put(folder.parent / "shared" / "s.eval.yaml", "s").parent
    (folder / "again").symlink_to(folder)
    (folder / "b.eval.yaml").symlink_to(folder / "a.eval.yaml")
    (folder / "linked").symlink_to(elsewhere)

    assert names_at(folder) == ["a", "s"]


def test_a_file_reached_twice_is_read_once(folder: Path) -> None:
    path = put(folder / "a.eval.yaml", "a")

    assert names_at(path, folder, path, folder / ".." / "evals") == ["a"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.eval.yaml", "there is no such file or folder"),
        ("plain.yaml", "no file format reads this; names of eval files end in .eval.js, .eval.json, "),
        ("a\0b.eval.yaml", "this cannot be read"),
        ("dangling.eval.yaml", "there is no such file or folder"),
    ],
    ids=["missing", "suffix", "zero byte", "dangling link"],
)
def test_a_path_that_leads_to_no_eval_file_is_a_fault(folder: Path, name: str, words: str) -> None:
    put(folder / "plain.yaml", "a")
    (folder / "dangling.eval.yaml").symlink_to(folder / "nowhere")

    [fault] = gather([folder / name]).faults

    assert words in str(fault)


def test_a_broken_file_does_not_stop_the_others(folder: Path) -> None:
    put(folder / "a.eval.yaml", "a")
    put(folder / "b.eval.yaml", text="name: [\n")
    put(folder / "c.eval.json", text="{")
    put(folder / "d.eval.yaml", "d")
    (folder / "e.eval.yaml").symlink_to(folder / "e.eval.yaml")

    gathered = gather([folder])

    assert [an_eval.name for an_eval in gathered.suite.evals] == ["a", "d"]
    assert [Path(fault.where.path).name for fault in gathered.faults] == ["b.eval.yaml", "c.eval.json", "e.eval.yaml"]


def test_a_name_taken_in_another_file_is_a_fault_that_names_both_places(folder: Path) -> None:
    one, two = put(folder / "a.eval.yaml", "other", "twin"), put(folder / "b.eval.yaml", "twin", "last")

    gathered = gather([folder])

    assert [an_eval.name for an_eval in gathered.suite.evals] == ["other", "twin", "last"]
    assert [str(fault) for fault in gathered.faults] == [
        f"{two}:1:1: the name 'twin' is taken: another eval has it, at {one}:4:1; names are unique across a run"
    ]


def test_a_file_that_must_be_run_is_left_alone_when_it_is_only_found(folder: Path) -> None:
    path = put(folder / "a.eval.py", text="raise SystemExit('this ran')\n")

    gathered = gather([folder])

    assert (gathered.suite.evals, gathered.faults) == ((), ())
    assert gathered.warnings == (
        f"{path}: not read, since that runs the code in it; name the file itself to have it read",
    )


@pytest.mark.parametrize("order", [[".", "a.eval.py"], ["a.eval.py", "."]], ids=["found first", "named first"])
def test_a_file_that_must_be_run_is_read_when_it_is_named(folder: Path, order: list[str]) -> None:
    put(folder / "a.eval.py", text=CODE)

    assert names_at(*(folder / name for name in order)) == ["coded"]


def test_a_file_that_must_be_run_is_read_when_code_is_allowed(folder: Path) -> None:
    put(folder / "a.eval.py", text=CODE)

    assert [an_eval.name for an_eval in load(folder, allow_code=True).evals] == ["coded"]


def test_a_folder_without_eval_files_is_a_warning(folder: Path) -> None:
    put(folder / "notes.yaml", "a")

    gathered = gather([folder])

    assert gathered.faults == ()
    assert [warning.split(";")[0] for warning in gathered.warnings] == [f"{folder}: no eval file is in here"]


def test_an_eval_file_that_no_format_reads_is_a_warning(folder: Path) -> None:
    put(folder / "a.eval.yaml", "a")
    other = put(folder / "b.eval.yalm", "b")

    assert gather([folder]).warnings == (f"{other}: not read, since no file format reads such files",)


def test_a_suite_is_called_like_the_paths_it_comes_from(folder: Path) -> None:
    path = put(folder / "a.eval.yaml", "a")

    assert gather([folder, path]).suite.name == "evals, a.eval.yaml"


def test_loading_raises_with_every_fault_of_every_file(folder: Path) -> None:
    put(folder / "a.eval.yaml", text="name: a\ntyp: x\nconversation: [{usr: a}]\n")
    put(folder / "b.eval.json", text="{")

    with pytest.raises(LoadError) as raised:
        load([str(folder), folder / "missing"])

    assert len(raised.value.faults) == 4


def test_loading_takes_one_path_or_several_as_text_or_path(folder: Path) -> None:
    path = put(folder / "a.eval.yaml", "a")

    assert load(str(path)) == load(path) == load([path])


def test_reading_leaves_the_garbage_collector_as_it_was(folder: Path) -> None:
    gather([put(folder / "a.eval.yaml", text="name: [\n")])

    assert gc.isenabled()


# case: google/adk-python#5039
def test_names_never_become_paths(folder: Path) -> None:
    names = ["../../etc/passwd", "..%2f..%2fsecret", "a/../../b", "C:\\x", "..", "con", "a" * 500]
    put(folder / "a.eval.yaml", *(f"'{name}'" for name in names))

    assert names_at(folder) == names
    assert [path.name for path in folder.parent.rglob("*")] == ["evals", "a.eval.yaml"]


CUSTOM = "name: a\nconversation: [{user: hi}]\noutcome: {custom: [{function: shop.metrics.kind}]}\n"


@pytest.mark.parametrize(
    ("allowed", "names"),
    [({}, []), ({"allow_code": True}, ["a"]), ({"allow_code": True, "no_exec": True}, [])],
    ids=["not allowed", "allowed", "forbidden"],
)
def test_a_check_that_runs_a_function_is_a_fault_unless_code_is_allowed(
    folder: Path, allowed: dict[str, bool], names: list[str]
) -> None:
    path = put(folder / "a.eval.yaml", text=CUSTOM)

    gathered = gather([path], **allowed)

    assert [an_eval.name for an_eval in gathered.suite.evals] == names
    assert [str(fault) for fault in gathered.faults] == [
        f"{path}:3:20: a custom check runs the function it names; --allow-code allows it"
    ] * (1 - len(names))


def test_code_may_name_functions_that_are_run(folder: Path) -> None:
    evals = "x = {'name': 'a', 'conversation': [{'user': 'hi'}], 'outcome': {'custom': [{'function': 'shop.kind'}]}}\n"

    assert names_at(put(folder / "a.eval.py", text=evals)) == ["a"]


def test_a_dict_with_a_scenario_is_an_eval_too(folder: Path) -> None:
    held = "{'startingPrompt': 'hi', 'plan': 'Ask.'}"
    evals = f"x = {{'name': 'a', 'scenario': {held}, 'outcome': {{'state': [{{'path': 'bot.n', 'equals': 1}}]}}}}\n"

    assert names_at(put(folder / "a.eval.py", text=evals)) == ["a"]
