"""Scripts of scripted models: which files may be read, what they hold, and what they answer to messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from audition.documents.files import JSON_SUFFIXES, YAML_SUFFIXES, read_document
from audition.documents.located import mark_at, plain
from audition.documents.shape import Anything, Faults, Field, ListOf, MapOf, Number, Record, Text, read_all
from audition.errors import Fault, LoadError, SettingsError, Where
from audition.llm import Message
from audition.text import fold

_PART = re.compile(r"\w[\w .-]*(?<![. ])")
"""A folder or file on the way to a script: no name that means something to a file system, a shell or a URL."""

_OF_OTHERS = "For context: "
"""How a message begins by which ADK tells an agent what another one did; no user has said it. Source: google-adk."""

_CALL = Record(
    "call",
    tool=Field(Text(min_length=1), required=True, doc="The tool's name."),
    arguments=Field(MapOf(Anything()), doc="What it is called with."),
)
_ANSWER = {
    "calls": Field(
        ListOf(ListOf(_CALL, min_items=1, or_one=True)),
        doc="Tool calls, made one after another; those in a list of their own are made at once.",
    ),
    "reply": Field(Anything(), doc="What is said once all calls have their results: a text, or any value as JSON."),
    "error": Field(Text(min_length=1), doc="The model cannot be asked, and this is why."),
    "delayMs": Field(Number(minimum=0), doc="How long the model takes for each message, milliseconds."),
}
SCRIPT = Record(
    "script",
    turns=Field(ListOf(Record("turn", **_ANSWER)), doc="Answers to the first, second, … message of the user."),
    answers=Field(
        ListOf(
            Record(
                "answer",
                when=Field(
                    ListOf(Text(min_length=1), min_items=1, or_one=True),
                    doc="Texts that the user's last message must hold, all of them.",
                ),
                system=Field(
                    ListOf(Text(min_length=1), min_items=1, or_one=True),
                    doc="Texts that the instruction must hold, all of them.",
                ),
                **_ANSWER,
            )
        ),
        doc="Answers to what is said; the first that is meant is taken. Turns come before them.",
    ),
    otherwise=Field(Record("answer", **_ANSWER), doc="The answer where no other is meant; without it, an error."),
)
"""What a script may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A tool call that is made."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model does when it is asked: calls in rounds, then a reply; an `error` in place of both."""

    when: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    rounds: tuple[tuple[ScriptedCall, ...], ...] = ()
    reply: object = None
    error: str | None = None
    delay_s: float = 0.0

    def is_meant(self, said: str, instruction: str) -> bool:
        """Say whether this is the answer to what was said; both texts are folded."""
        return all(one in said for one in self.when) and all(one in instruction for one in self.system)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script; nothing is kept between answers, so the same messages have the same answer."""

    name: str
    turns: tuple[Answer, ...] = ()
    answers: tuple[Answer, ...] = ()
    otherwise: Answer | None = None

    def answer_to(self, messages: Sequence[Message]) -> tuple[Answer | None, int]:
        """Return the answer to messages, None when none is written, and how many rounds of its calls are done."""
        instruction = fold("\n".join(one.content for one in messages if one.role == "system"))
        places = [index for index, one in enumerate(messages) if _is_said(one)]
        said = fold(messages[places[-1]].content) if places else ""
        done = sum(1 for one in messages[places[-1] if places else 0 :] if one.tool_requests)
        if 0 < len(places) <= len(self.turns):
            return self.turns[len(places) - 1], done
        meant = (one for one in self.answers if one.is_meant(said, instruction))
        return next(meant, self.otherwise), done


def is_script(name: str) -> bool:
    """Say whether a model's name is that of a file rather than what it says."""
    return Path(name).suffix.lower() in YAML_SUFFIXES | JSON_SUFFIXES


def script_in(folder: str | None, name: str) -> Script:
    """Return the script of that name in a folder; names are relative and stay inside it, symbolic links too.

    Raises: SettingsError for a name that is none or does not exist, LoadError with every fault of the file.
    """
    path = _path_in(folder, name)
    try:
        status = path.stat()
    except OSError:
        raise _missing(folder, name) from None
    return _read(path, name, status.st_mtime_ns, status.st_size)


def _path_in(folder: str | None, name: str) -> Path:
    if folder is None:
        hint = "set [service] scripts in audition.toml to the folder that holds the scripts"
        raise SettingsError(f"there is no folder for the script {name!r}", key="service.scripts", hint=hint)
    if not all(_PART.fullmatch(part) for part in name.split("/")):
        hint = "name a file inside the folder of [service] scripts, as front_desk/orders.yaml"
        raise SettingsError(f"{name!r} is no name of a script", key="models", hint=hint)
    try:
        root = Path(folder).resolve(strict=True)
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise _missing(folder, name) from None
    if not path.is_relative_to(root):
        raise SettingsError(f"the script {name!r} leads out of the folder of scripts", key="models")
    if not path.is_file():
        raise _missing(folder, name)
    return path


def _missing(folder: str | None, name: str) -> SettingsError:
    hint = f"scripts are looked for in {folder}; [service] scripts in audition.toml names another folder"
    return SettingsError(f"there is no script {name!r}", key="models", hint=hint)


@lru_cache(maxsize=64)
def _read(path: Path, name: str, _changed_at: int, _size: int) -> Script:
    documents, faults = read_document(path)
    if not faults and len(documents) != 1:
        faults = [Fault(f"a script is one document, not {len(documents)}", Where(name))]
    if faults:
        raise LoadError([Fault(one.message, _told(one.where, name), one.hint) for one in faults])
    read, wrong = read_all(SCRIPT, documents[0])
    found = cast("dict[str, Any]", read)
    if not wrong:
        more = Faults()
        _review(found, more)
        wrong = more.found
    if wrong:
        places = [Where(name, *(mark_at(documents[0], fault.path) or ())) for fault in wrong]
        raise LoadError([Fault(one.message, where, one.hint) for one, where in zip(wrong, places, strict=True)])
    return Script(
        name=name,
        turns=tuple(map(_answer, found.get("turns", ()))),
        answers=tuple(map(_answer, found.get("answers", ()))),
        otherwise=_answer(found["otherwise"]) if "otherwise" in found else None,
    )


def _told(where: Where, name: str) -> Where:
    """Return a place in a script without the folders above, which are nobody's business who only names the script."""
    return Where(name, where.line, where.column)


def _review(found: Mapping[str, Any], faults: Faults) -> None:
    """Report what no single key shows: a script that answers nothing, and answers that do nothing or too much."""
    answers = list(_every_answer(found))
    if not answers:
        faults.add("the script has no answer", (), "write turns, answers or otherwise")
    for path, answer in answers:
        if "error" in answer and ("calls" in answer or "reply" in answer):
            faults.add("an 'error' stands in place of calls and a reply", (*path, "error"))
        elif not {"error", "calls", "reply"} & answer.keys():
            faults.add("the answer has neither 'calls' nor 'reply'", path, "for silence, write reply: null")


def _every_answer(found: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    for key in ("turns", "answers"):
        yield from (((key, index), answer) for index, answer in enumerate(found.get(key, ())))
    if "otherwise" in found:
        yield ("otherwise",), found["otherwise"]


def _answer(found: Mapping[str, Any]) -> Answer:
    return Answer(
        when=tuple(map(fold, found.get("when", ()))),
        system=tuple(map(fold, found.get("system", ()))),
        rounds=tuple(tuple(map(_call, together)) for together in found.get("calls", ())),
        reply=plain(found.get("reply")),
        error=found.get("error"),
        delay_s=found.get("delayMs", 0) / 1000,
    )


def _call(found: Mapping[str, Any]) -> ScriptedCall:
    arguments = plain(found.get("arguments", {}))
    return ScriptedCall(tool=found["tool"], arguments=cast("dict[str, object]", arguments))


def _is_said(message: Message) -> bool:
    return message.role == "user" and not message.content.startswith(_OF_OTHERS)
