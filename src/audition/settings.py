"""Settings: what a project says in `audition.toml` or `[tool.audition]`, and what the environment says over it."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from audition.documents.shape import Anything, Field, Flag, ListOf, MapOf, Number, Record, ShapeFault, Text, read_all
from audition.errors import SettingsError, Where
from audition.providers import Allowance, Provider, is_loopback
from audition.settings_service import SERVICE, ServiceSettings, service_settings

FILE_NAME = "audition.toml"
"""The file of a project's settings; a `pyproject.toml` with `[tool.audition]` does as well."""

PROVIDERS = MappingProxyType(
    {
        "openai": Provider(name="openai", base_url="https://api.openai.com/v1", api_key_env="OPENAI_API_KEY"),
        "ollama": Provider(name="ollama", base_url="http://127.0.0.1:11434/v1"),
        "google": Provider(name="google", protocol="pydantic_ai", api_key_env="GOOGLE_API_KEY"),
        "anthropic": Provider(name="anthropic", protocol="pydantic_ai", api_key_env="ANTHROPIC_API_KEY"),
        # Its client takes a thread for each call, and gets 40: a call that waited for one would count as slow.
        "bedrock": Provider(name="bedrock", protocol="pydantic_ai", max_at_once=40),
        "scripted": Provider(
            name="scripted", protocol="scripted", input_usd_per_million=0.0, output_usd_per_million=0.0
        ),
    }
)
"""The providers that are known without settings; `[providers.NAME]` changes one or adds another."""

MODELS = MappingProxyType({"fast": "openai:gpt-4o-mini", "best": "openai:gpt-4o"})
"""The names of models that are known without settings; `[models]` changes one or adds another."""

_PROVIDER = Record(
    "provider",
    base_url=Field(Text(min_length=1), doc="where its endpoints begin, as https://api.openai.com/v1"),
    api_key_env=Field(Text(min_length=1), doc="the environment variable that holds its key"),
    headers=Field(MapOf(Text()), doc="headers sent with every request"),
    timeout_s=Field(Number(above=0), doc="longest wait for one attempt, seconds"),
    attempts=Field(Number(minimum=1, whole=True), doc="how often a request is tried"),
    protocol=Field(Text(min_length=1), doc="how it is spoken to: a file of audition/llm"),
    requests_per_minute=Field(Number(minimum=1, whole=True), doc="how many requests its models get in a minute"),
    tokens_per_minute=Field(Number(minimum=1, whole=True), doc="how many tokens they take in a minute, both ways"),
    max_at_once=Field(Number(minimum=1, whole=True), doc="how many requests are under way at once"),
    input_usd_per_million=Field(Number(minimum=0), doc="what a million input tokens cost, US dollars"),
    output_usd_per_million=Field(Number(minimum=0), doc="what a million output tokens cost, US dollars"),
)

_MODEL = Field(Text(min_length=1), required=True, doc="PROVIDER:MODEL, or a name of [models]")
_JUDGE = Record(
    "judge",
    model=Field(Text(min_length=1), doc="PROVIDER:MODEL, or a name of [models]"),
    models=Field(ListOf(Text(min_length=1), min_items=1), doc="several models, an odd number, that judge by majority"),
    votes=Field(
        Number(minimum=1, maximum=99, whole=True),
        doc="how often a question is asked, an odd number: by default once of each model",
    ),
)

SETTINGS = Record(
    "settings",
    evals=Field(ListOf(Text(min_length=1), min_items=1, or_one=True), doc="the files and folders that hold the evals"),
    concurrency=Field(Number(minimum=1, whole=True), doc="how many evals run side by side"),
    trials=Field(Number(minimum=1, whole=True), doc="how often each eval is run"),
    timeout_s=Field(Number(above=0), doc="longest time for one eval, its judging included, seconds"),
    history=Field(Text(min_length=1), doc="the file that keeps the runs, or the URL of a database"),
    offline=Field(Flag(), doc="whether every connection that would leave this machine is refused"),
    agent=Field(MapOf(Anything()), doc="`use` names the agent, as KIND:WHERE; other keys are options of that kind"),
    options=Field(
        Record(
            "options",
            idleTimeout=Field(Number(above=0, whole=True), doc="longest wait for the agent on one turn, milliseconds"),
            judgePassThreshold=Field(Number(minimum=1, maximum=5, whole=True), doc="the grade that passes, 1 to 5"),
        ),
        doc="what holds for every eval that says nothing else",
    ),
    judge=Field(_JUDGE, doc="the model that judges, or several that vote"),
    lint=Field(
        Record(
            "lint",
            ignore=Field(ListOf(Text(min_length=1), or_one=True), doc="the codes of findings that are not told, as L5"),
            tools=Field(ListOf(Text(min_length=1)), doc="the names of all tools that the agent has"),
        ),
        doc="what `audition lint` holds against the texts that judges are asked about",
    ),
    users=Field(
        Record("users table", model=_MODEL),
        doc="the model that plays simulated users",
    ),
    budget=Field(
        Record(
            "budget",
            max_cost_usd=Field(Number(above=0), doc="what the language models of a run may cost, US dollars"),
            max_calls=Field(Number(minimum=1, whole=True), doc="how often they may be called"),
            max_tokens=Field(Number(minimum=1, whole=True), doc="how many tokens they may take, both ways"),
        ),
        doc="what the models of one run may spend, those of agents, judges and simulated users together",
    ),
    service=Field(SERVICE, doc="what holds for `audition serve` and `audition worker`"),
    models=Field(MapOf(Text(min_length=1)), doc="names for models, as fast = PROVIDER:MODEL"),
    providers=Field(MapOf(_PROVIDER), doc="where models are served"),
)
"""What the file may hold."""

_BY_URL = ("openai_compatible", "openai_responses")
"""The protocols that need to be told where."""

_SAME_NAME = ("concurrency", "trials", "timeout_s", "history", "offline")
_OPTIONS = {"idleTimeout": "idle_timeout_ms", "judgePassThreshold": "judge_pass_threshold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a project asks for where the command line says nothing.

    `root` is the folder of `file`, or where the search began when there is none (`file` is None). `evals` and
    `history` are relative to `root` unless absolute; `history` may be the URL of a database. `concurrency` None: as
    many as suit the agent, up to 8.
    `timeout_s` None: no limit for a whole eval. `agent`, `judge_model` and `user_model` None: none was named.
    `judge_models`: those that vote, empty for one model; `judge_model` is then the name of all, joined by ` + `.
    `judge_votes` None: one for each model.
    `agent_options` go to agents of the kind that `[agent] use` names. `idle_timeout_ms` and `judge_pass_threshold`
    (1..5) are the Botpress eval format's. `budget` is what the language models of one run may spend. `offline`: no
    connection may leave this machine. `lint_ignore` are codes of lint rules; `lint_tools` are the names of all tools of
    the agent, None for not known. `service` is for `audition serve` and `audition worker`. `given` names what the file
    says itself, apart from defaults.
    """

    root: Path
    file: Path | None = None
    evals: tuple[str, ...] = ("evals",)
    concurrency: int | None = None
    trials: int = 1
    timeout_s: float | None = None
    history: str = ".audition/history.db"
    agent: str | None = None
    agent_options: Mapping[str, object] = field(default_factory=dict, repr=False)
    idle_timeout_ms: int = 30_000
    judge_pass_threshold: int = 3
    offline: bool = False
    judge_model: str | None = None
    judge_models: tuple[str, ...] = ()
    judge_votes: int | None = None
    user_model: str | None = None
    budget: Allowance = Allowance()
    lint_ignore: tuple[str, ...] = ()
    lint_tools: frozenset[str] | None = None
    service: ServiceSettings = ServiceSettings()
    given: frozenset[str] = frozenset()
    models: Mapping[str, str] = field(default_factory=lambda: MODELS)
    providers: Mapping[str, Provider] = field(default_factory=lambda: PROVIDERS)

    @property
    def history_place(self) -> str:
        """Return where the runs are kept: the path of a file, or the URL of a database as it is written."""
        return self.history if "://" in self.history else str(self.root / self.history)


def environment() -> Mapping[str, str]:
    """Return the variables of this process: the one place that reads them."""
    return os.environ


def go_offline(settings: Settings) -> Settings:
    """Return the settings with every connection kept on this machine.

    Raises: SettingsError for a history that is kept elsewhere.
    """
    host = urlsplit(settings.history).hostname if "://" in settings.history else None
    if host is not None and not is_loopback(host):
        hint = 'name a file, as history = ".audition/history.db"'
        raise SettingsError(f"offline: refused to keep the history on {host}", key="history", hint=hint)
    providers = {name: replace(provider, offline=True) for name, provider in settings.providers.items()}
    return replace(settings, offline=True, providers=providers)


def providers_of(settings: Settings) -> Mapping[str, Provider]:
    """Return the providers of a project; those of scripted models know the folder of the scripts."""
    folder = str(settings.root / settings.service.scripts)
    scripted = {
        name: replace(provider, folder=folder)
        for name, provider in settings.providers.items()
        if provider.protocol == "scripted"
    }
    return {**settings.providers, **scripted}


def wants_traceback(environ: Mapping[str, str]) -> bool:
    """Say whether faults of audition itself are to be shown with their traceback."""
    return environ.get("AUDITION_DEBUG", "0") not in ("", "0")


def wants_colour(environ: Mapping[str, str]) -> bool:
    """Say whether a terminal may be written to in colours. Source: no-color.org."""
    return not environ.get("NO_COLOR")


def load_settings(start: Path, environ: Mapping[str, str]) -> Settings:
    """Return the settings that hold in a folder: those of the nearest file at or above it, the environment's over them.

    Raises: SettingsError naming every fault of the file, or a variable that cannot be.
    """
    file, content = _find(start.absolute())
    settings = Settings(root=start.absolute()) if file is None else _from_file(file, content)
    settings = _with_keys(_with_environment(settings, environ), environ)
    return go_offline(settings) if settings.offline else settings


def options_for(settings: Settings, reference: str) -> Mapping[str, object]:
    """Return the options that go with an agent: those of the settings, when it is of the kind they are written for."""
    same_kind = settings.agent is not None and _kind(settings.agent) == _kind(reference)
    return settings.agent_options if same_kind else {}


def _kind(reference: str) -> str:
    return reference.partition(":")[0]


def _find(start: Path) -> tuple[Path | None, object]:
    for folder in (start, *start.parents):
        if (own := folder / FILE_NAME).is_file():
            return own, _parse(own)
        if (shared := folder / "pyproject.toml").is_file():
            tool = _parse(shared).get("tool")
            if isinstance(tool, dict) and "audition" in tool:
                return shared, tool["audition"]
    return None, {}


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}", key=file.name) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: is not UTF-8 text", key=file.name, hint="save it as UTF-8") from error
    except RecursionError as error:
        raise SettingsError(f"{file}: is nested too deeply", key=file.name) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(_syntax_error(file, str(error)), key=file.name, hint="mend the TOML there") from error


def _syntax_error(file: Path, said: str) -> str:
    """Return what tomllib said with the place in front; up to Python 3.13 it tells the place in words only."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", said, re.DOTALL)
    if not found:
        return f"{file}: {said}"
    return f"{Where(str(file), int(found[2]), int(found[3]))}: {found[1]}"


def _from_file(file: Path, content: object) -> Settings:
    read, faults = read_all(SETTINGS, content)
    found: dict[str, Any] = read if isinstance(read, dict) else {}
    faults = faults or _wrong_together(found)
    if faults:
        raise _settings_error(file, faults)
    return replace(Settings(root=file.parent, file=file), **_as_settings(found))


def _as_settings(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the file says in the words of `Settings`; what it does not say is left out."""
    given: dict[str, Any] = {key: found[key] for key in _SAME_NAME if key in found}
    given |= {_OPTIONS[key]: value for key, value in found.get("options", {}).items()}
    if "evals" in found:
        given["evals"] = tuple(found["evals"])
    if "agent" in found:
        given["agent"] = found["agent"]["use"]
        given["agent_options"] = {key: value for key, value in found["agent"].items() if key != "use"}
    lint = found.get("lint", {})
    return given | {
        "lint_ignore": tuple(lint.get("ignore", ())),
        "lint_tools": frozenset(lint["tools"]) if "tools" in lint else None,
        "given": frozenset({*given} | ({"judge_model"} if "judge" in found else set())),
        **_judges(found.get("judge", {})),
        "user_model": found.get("users", {}).get("model"),
        "budget": Allowance(**found.get("budget", {})),
        "service": service_settings(found.get("service", {})),
        "models": MODELS | found.get("models", {}),
        "providers": _providers(found.get("providers", {})),
    }


def _judges(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the judge in the words of `Settings`; several models have one name together."""
    models = tuple(found.get("models", ()))
    name = " + ".join(models) if models else found.get("model")
    return {"judge_model": name, "judge_models": models, "judge_votes": found.get("votes")}


def _wrong_judge(found: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a judge although each key is well-formed by itself; None for nothing."""
    models, votes = len(found.get("models", ())), found.get("votes", 1)
    if bool(models) == ("model" in found):
        return "the judge has both 'model' and 'models'" if models else "the judge has no 'model'"
    if votes % 2 == 0 or (models and models % 2 == 0):
        return "the judge needs an odd number of models and votes, so that there is a majority"
    if models and "votes" in found and votes % models:
        return f"the judge's {votes} votes cannot be the same number for each of {models} models"
    return None


def _wrong_together(found: Mapping[str, Any]) -> list[ShapeFault]:
    """Return what is wrong although each key is well-formed by itself."""
    faults = []
    if "agent" in found and not (isinstance(found["agent"].get("use"), str) and found["agent"]["use"]):
        faults.append(ShapeFault("the agent has no 'use'", ("agent",), 'name it: use = "function:shop.bot:reply"'))
    if "judge" in found and (wrong := _wrong_judge(found["judge"])):
        faults.append(ShapeFault(wrong, ("judge",)))
    for name, provider in _providers(found.get("providers", {})).items():
        if not provider.base_url.startswith(("http://", "https://")) and provider.protocol in _BY_URL:
            message, hint = "the provider needs a base_url", 'such as base_url = "http://127.0.0.1:8080/v1"'
            faults.append(ShapeFault(message, ("providers", name), hint))
    return faults


def _providers(written: Mapping[str, Mapping[str, Any]]) -> dict[str, Provider]:
    changed = {name: replace(PROVIDERS.get(name, Provider(name=name)), **keys) for name, keys in written.items()}
    return PROVIDERS | changed


def _settings_error(file: Path, faults: Sequence[ShapeFault]) -> SettingsError:
    lines = []
    for fault in faults:
        key, advice = ".".join(map(str, fault.path)), f"; {fault.hint}" if fault.hint else ""
        lines.append(f"{file}: {key}: {fault.message}{advice}" if key else f"{file}: {fault.message}{advice}")
    return SettingsError("\n".join(lines), key=".".join(map(str, faults[0].path)) or file.name)


def _with_environment(settings: Settings, environ: Mapping[str, str]) -> Settings:
    changed: dict[str, Any] = {}
    if agent := environ.get("AUDITION_AGENT"):
        changed |= {"agent": agent, "agent_options": options_for(settings, agent)}
    if model := environ.get("AUDITION_JUDGE_MODEL"):
        changed |= {"judge_model": model, "given": settings.given | {"judge_model"}}
    if concurrency := environ.get("AUDITION_CONCURRENCY"):
        if not re.fullmatch(r"[1-9]\d{0,5}", concurrency, re.ASCII):
            message = f"AUDITION_CONCURRENCY must be a whole number of 1 or more, not {concurrency!r}"
            raise SettingsError(message, key="AUDITION_CONCURRENCY")
        changed["concurrency"] = int(concurrency)
    if offline := environ.get("AUDITION_OFFLINE"):
        changed["offline"] = offline != "0"
    return replace(settings, **changed)


def _with_keys(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """Fill in each provider's key from its variable; an empty variable counts as none."""
    keyed = {
        name: replace(provider, api_key=environ.get(provider.api_key_env or "") or None)
        for name, provider in settings.providers.items()
    }
    return replace(settings, providers=keyed)
