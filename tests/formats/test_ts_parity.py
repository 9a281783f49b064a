"""What is read without running a file is what running it gives: the same evals, in the same order."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from audition.documents.located import Mark, plain
from audition.formats._ts_documents import documents_of
from audition.formats._ts_node import find_node, run_files
from audition.formats._ts_static import StaticReader
from audition.formats._ts_values import HOLE, JsList, JsObject

FOLDER = Path(__file__).with_name("botpress") / "read"
FILES = sorted(FOLDER.glob("*.eval.*"))

NODE = find_node()
pytestmark = [pytest.mark.parity, pytest.mark.skipif(NODE is None, reason="needs node 22.15 or newer")]


@pytest.fixture(scope="module")
def reader() -> StaticReader:
    return StaticReader({})


@pytest.fixture(scope="module")
def ran(reader: StaticReader) -> Any:
    return run_files(str(NODE), [str(path) for path in FILES], reader.workspace)


def documents(offers: list[tuple[str, object, Mark]], path: Path) -> tuple[object, list[str]]:
    found, faults = documents_of(offers, str(path), path.name)
    return plain(found), [fault.message for fault in faults]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_read_as_node_reads_it(path: Path, reader: StaticReader, ran: Any) -> None:
    read = reader.read(str(path))
    exports = ran[str(path)].exports

    assert read.problems == ()
    assert sorted(exports) == sorted(offer.name for offer in read.offers)
    assert documents([(one.name, one.value, one.mark) for one in read.offers], path) == documents(
        [(one.name, exports[one.name], one.mark) for one in read.offers], path
    )


PRELUDE = """
const WORD = 'word'
const NUMBER = 42
const NESTED = { a: { b: [1, 'two', { c: null }] }, 'odd key': true, word: 'ключ' } as const
const LIST = ['x', ...[1, 2], NESTED.a]
enum Level { Low, High = 5, Next, Name = 'name' }
"""

numbers = st.one_of(
    st.integers(0, 10**6).map(str),
    st.integers(0, 2**70).map(str),
    st.integers(0, 2**40).map(hex),
    st.integers(0, 255).map(lambda number: f"0b{number:b}"),
    st.floats(0, 1e300, allow_nan=False).map(repr),
    st.sampled_from(["1_000.5", "0XfF", "1e21", "1e-7", ".5", "5.", "123456789012345680000", "1E5"]),
)
quoted = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
texts = st.one_of(
    quoted.map(json.dumps),
    quoted.map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(
        [
            r"'\u{1F600}'",
            r"'\x41\
b'",
            r"'it\'s'",
            "'\\\\d+'",
            "String.raw`\\d${WORD}\\``",
            "`a\nb`",
        ]
    ),
)
names = st.sampled_from(
    ["WORD", "NUMBER", "NESTED", "LIST", "NESTED.a.b", "NESTED['odd key']", "NESTED.a.b[2]", "LIST[0]", "LIST.length",
     "Level.Low", "Level.Next", "Level.Name", "Level[5]", "WORD.length", "WORD[1]", "NESTED?.a?.b", "LIST[99]",
     "(NESTED as any).nothing", "(NESTED as any).nothing?.more.still", "process.env.NO_SUCH_NAME ?? 'lit'"]
)  # fmt: skip
leaves = st.one_of(numbers, texts, names, st.sampled_from(["true", "false", "null", "undefined", "/a+/i", "NaN"]))
keys = st.one_of(
    st.sampled_from(["a", "b", "if", "$x", "_", "'q-k'", "3", "1.5", "[WORD]", "[`t${NUMBER}`]", "[Level.Name]"]),
    quoted.map(lambda text: json.dumps(f"k{text}")),
)
BINARY = ["+", "-", "*", "/", "%", "**", "===", "!==", "<", ">", "<=", ">=", "&&", "||", "??", "==", "!="]


def without_doubles(pairs: list[str]) -> list[str]:
    """Return entries of which none has the key of another: that is refused, where JavaScript forgets the first."""
    return list({pair.partition(": ")[0]: pair for pair in pairs}.values())


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.one_of(
        st.tuples(keys, inner).map(": ".join),
        st.sampled_from(["...NESTED", "WORD", "...undefined", "...(false && NESTED)"]),
    )
    items = st.one_of(inner, st.sampled_from(["...LIST", "...NESTED.a.b"]))
    return st.one_of(
        st.lists(items, max_size=4).map(lambda parts: f"[{', '.join(parts)}]"),
        st.lists(pairs, max_size=4).map(lambda parts: f"({{ {', '.join(without_doubles(parts))} }})"),
        st.tuples(inner, st.sampled_from(BINARY), inner).map(lambda parts: "(({}) {} ({}))".format(*parts)),
        st.tuples(inner, inner, inner).map(lambda parts: "(({}) ? ({}) : ({}))".format(*parts)),
        st.tuples(st.sampled_from(["!", "-", "+", "void "]), inner).map(lambda parts: "({}({}))".format(*parts)),
        st.tuples(quoted, inner).map(lambda parts: f"`{parts[0].translate(ESCAPED)}${{{parts[1]}}}`"),
        inner.map(lambda one: f"({one}) as const"),
        inner.map(lambda one: f"(({one})! satisfies unknown)"),
        inner.map(lambda one: f"Object.freeze({one})"),
    )


ESCAPED = str.maketrans({"`": "\\`", "\\": "\\\\", "$": "\\$"})
expressions = st.recursive(leaves, larger, max_leaves=8)


def comparable(value: object) -> object:
    """Return a value in which what is not a number equals itself."""
    if isinstance(value, JsObject):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, JsList):
        return [comparable(item) for item in value]
    return "not a number" if value != value else value


@settings(max_examples=10, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.lists(expressions, min_size=40, max_size=40))
def test_generated_expressions_that_are_read_mean_what_node_says(
    tmp_path_factory: pytest.TempPathFactory, sources: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("generated").resolve()
    tried, kept = folder / "tried.eval.ts", folder / "kept.eval.ts"
    tried.write_text(PRELUDE + "".join(f"export const e{n} = {s}\n" for n, s in enumerate(sources)), encoding="utf-8")
    offers = StaticReader({}).read(str(tried)).offers
    readable = [(f"e{n}", s) for n, s in enumerate(sources) if f"e{n}" in {o.name for o in offers if _whole(o.value)}]

    kept.write_text(PRELUDE + "".join(f"export const {name} = {s}\n" for name, s in readable), encoding="utf-8")
    reader = StaticReader({})
    read = {offer.name: comparable(offer.value) for offer in reader.read(str(kept)).offers}
    [ran] = run_files(str(NODE), [str(kept)], reader.workspace).values()

    assert ran.error == ""
    assert len(readable) >= 4  # else nothing was compared
    assert {name: comparable(value) for name, value in (ran.exports or {}).items()} == read


def _whole(value: object) -> bool:
    """Tell whether nothing of a value is a hole."""
    if isinstance(value, JsObject):
        return all(map(_whole, value.values()))
    return all(map(_whole, value)) if isinstance(value, JsList) else value is not HOLE
