"""What every store promises, and every store keeping it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from audition.errors import Conflict, NotFound
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.store import Store
from audition.store.memory import MemoryStore
from audition.store.sql import SqlStore, sqlite_url
from audition.store.sqlite_recorder import SqliteRecorder
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Usage

RUN = Run(id="r1", started_at="2026-01-01T10:00:00+00:00", agent="function:shop.bot:reply", total=3, paths=("evals",))
TRANSCRIPT = Transcript(
    baseline=State(bot={"count": 1}),
    exchanges=(
        Exchange(
            user="grüß dich 👋",
            replies=(Reply(text="hello\x00 \N{RIGHT-TO-LEFT OVERRIDE}", at_ms=1.5),),
            tool_calls=(ToolCall(name="look", arguments={"a": [1, 2.5, None, True]}, result={"deep": {"er": []}}),),
            usage=Usage(calls=1, input_tokens=2**40),
        ),
    ),
)
CHECK = CheckResult(category="response", check='contains: "x"', verdict=Verdict.FAIL, turn=0, where="a.eval.yaml:3:1")


def result(name: str = "greeting", trial: int = 1, verdict: Verdict = Verdict.FAIL) -> TrialResult:
    """Return a result with something in every corner."""
    return TrialResult(eval_name=name, trial=trial, verdict=verdict, checks=(CHECK,), transcript=TRANSCRIPT)


class StoreContract:
    """Subclasses offer a fixture `store` with an empty store."""

    def test_a_run_comes_back_as_it_began(self, store: Store) -> None:
        store.begin(RUN)

        assert store.run("r1") == RUN

    def test_a_run_comes_back_as_it_ended(self, store: Store) -> None:
        ended = replace(RUN, status="completed", passed=2, failed=1, duration_ms=12.5, warnings=("slow",))
        store.begin(RUN)

        store.finish(ended)

        assert store.run("r1") == ended

    def test_results_come_back_as_they_were(self, store: Store) -> None:
        saved = [result("b"), result("a", trial=2), result("a")]
        store.begin(RUN)

        store.save("r1", saved)

        assert list(store.results("r1")) == saved

    def test_results_come_in_the_order_in_which_they_were_first_saved(self, store: Store) -> None:
        store.begin(RUN)
        store.save("r1", [result("b"), result("a")])
        store.save("r1", [result("c"), result("b", verdict=Verdict.PASS)])

        found = [(kept.eval_name, kept.verdict.value) for kept in store.results("r1")]

        assert found == [("b", "pass"), ("a", "fail"), ("c", "fail")]

    def test_a_result_saved_twice_is_kept_once(self, store: Store) -> None:
        store.begin(RUN)
        store.save("r1", [result(verdict=Verdict.ERROR), result(verdict=Verdict.FAIL)])

        store.save("r1", [result(verdict=Verdict.PASS)])

        assert [kept.verdict for kept in store.results("r1")] == [Verdict.PASS]

    def test_more_results_than_fit_on_a_page_come_back_whole(self, store: Store) -> None:
        saved = [result(trial=trial) for trial in range(1, 1002)]
        store.begin(RUN)

        store.save("r1", saved)

        assert list(store.results("r1")) == saved

    def test_runs_keep_their_results_apart(self, store: Store) -> None:
        store.begin(RUN)
        store.begin(replace(RUN, id="r2"))
        store.save("r1", [result("a")])
        store.save("r2", [result("a"), result("b")])

        assert [kept.eval_name for kept in store.results("r1")] == ["a"]

    def test_a_run_without_results_has_none(self, store: Store) -> None:
        store.begin(RUN)
        store.save("r1", [])

        assert list(store.results("r1")) == []

    def test_runs_are_listed_newest_first(self, store: Store) -> None:
        for number in (2, 3, 1):
            store.begin(replace(RUN, id=f"r{number}", started_at=f"2026-01-0{number}T00:00:00+00:00"))

        assert [run.id for run in store.runs(limit=2)] == ["r3", "r2"]

    def test_an_empty_store_lists_nothing(self, store: Store) -> None:
        assert store.runs(limit=10) == []

    @pytest.mark.parametrize("list_it", [True, False], ids=["listed", "by id"])
    def test_a_run_that_was_killed_counts_the_results_it_holds(self, store: Store, list_it: bool) -> None:
        verdicts = [Verdict.PASS, Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIP]
        store.begin(RUN)

        store.save("r1", [result(trial=trial, verdict=verdict) for trial, verdict in enumerate(verdicts, 1)])

        found = store.runs(limit=1)[0] if list_it else store.run("r1")
        assert (found.passed, found.failed, found.errors, found.skipped) == (2, 1, 1, 1)

    def test_the_beginning_of_an_id_is_enough(self, store: Store) -> None:
        store.begin(replace(RUN, id="0197ab"))
        store.begin(replace(RUN, id="0298cd"))

        assert store.run("0197").id == "0197ab"

    def test_a_whole_id_is_found_though_others_begin_with_it(self, store: Store) -> None:
        store.begin(replace(RUN, id="0197"))
        store.begin(replace(RUN, id="0197ab"))

        assert store.run("0197").id == "0197"

    def test_a_beginning_that_several_share_is_a_conflict_that_names_them(self, store: Store) -> None:
        store.begin(replace(RUN, id="0197ab"))
        store.begin(replace(RUN, id="0197cd"))

        with pytest.raises(Conflict, match="'0197': 0197ab, 0197cd"):
            store.run("0197")

    @pytest.mark.parametrize("asked", ["r2", "r11", "R1", "%", "r_"])
    def test_an_id_that_nobody_has_is_not_found(self, store: Store, asked: str) -> None:
        store.begin(RUN)

        with pytest.raises(NotFound, match=asked):
            store.run(asked)

    def test_an_eval_name_of_half_characters_and_nulls_is_kept(self, store: Store) -> None:
        store.begin(RUN)

        store.save("r1", [result("a\ud800\x00b")])

        assert len(list(store.results("r1"))) == 1


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()


class TestSqlOnSqlite(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqlStore(sqlite_url(tmp_path / "history.db"))
        yield store
        store.close()


class RecordedAndRead(SqlStore):
    """What the light recorder writes, read by the full store."""

    def __init__(self, path: Path) -> None:
        self._recorder = SqliteRecorder(path)
        super().__init__(sqlite_url(path))

    def begin(self, run: Run) -> None:
        self._recorder.begin(run)

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        self._recorder.save(run_id, results)

    def finish(self, run: Run) -> None:
        self._recorder.finish(run)

    def close(self) -> None:
        self._recorder.close()
        super().close()


class TestSqliteRecorder(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = RecordedAndRead(tmp_path / "history.db")
        yield store
        store.close()


class TestSqlOnPostgres(StoreContract):
    @pytest.fixture
    def store(self, postgres: str) -> Iterator[Store]:
        from sqlalchemy import text

        store = SqlStore(postgres)
        yield store
        with store._engine.begin() as connection:
            connection.execute(text("DROP TABLE runs, results, audition_version"))
        store.close()
