"""The options of a Botpress agent: where the bot is, what may be seen of it, and how long to wait for what."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from audition.agents import Surroundings
from audition.agents._botpress_cloud import Account
from audition.agents._options import read_options
from audition.documents.shape import Choice, Field, Number, Record, Text
from audition.errors import SettingsError
from audition.text import shorten

OPTIONS = Record(
    "botpress agent",
    "Settings of a Botpress bot.",
    dev_server=Field(
        Text(min_length=1), doc="The dev server, as http://localhost:3001, or adk for the one that runs: shows tools."
    ),
    agent_path=Field(
        Text(min_length=1), doc="The ADK project's folder: tells the bot's ids, and which agent is meant."
    ),
    chat_api_url=Field(
        Text(min_length=1), doc="Where chats are served, for a webhook id; default https://chat.botpress.cloud."
    ),
    api_url=Field(Text(min_length=1), doc="The cloud API; default https://api.botpress.cloud."),
    token_env=Field(Text(min_length=1), doc="The environment variable with a personal access token: shows state."),
    credentials=Field(Choice(("adk",)), doc="Take the token from ~/.adk/credentials."),
    profile=Field(Text(min_length=1), doc="The profile in ~/.adk/credentials; default the current one."),
    bot_id=Field(Text(min_length=1), doc="The bot; needed beside a token."),
    workspace_id=Field(Text(min_length=1), doc="The bot's workspace."),
    encryption_key_env=Field(
        Text(min_length=1), doc="The environment variable with the chat integration's encryption key."
    ),
    settle_ms=Field(Number(above=0), doc="A turn is over when nothing new is traced for this long; default 1500."),
    quiet_ms=Field(Number(above=0), doc="Without traces: … when nothing is said for this long; default 1500."),
    silence_window_ms=Field(
        Number(above=0), doc="Without traces: how long silence is listened for; default the idle timeout, at most 5000."
    ),
    poll_ms=Field(Number(above=0), doc="How often a workflow that is waited for is asked after; default 500."),
    at_once=Field(
        Number(minimum=1, whole=True), doc="How many trials may run side by side; default 1: bot state is shared."
    ),
)

CHAT_URL = "https://chat.botpress.cloud"
ASK_THE_BOT = "bot"
"""The reference `botpress:bot`: the bot that options name is asked for its webhook id."""

_API_URL = "https://api.botpress.cloud"
_SECONDS = {"settle_ms": "settle_s", "quiet_ms": "quiet_s", "silence_window_ms": "silence_s", "poll_ms": "poll_s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """How long to wait for what, seconds.

    `settle_s`: a turn is over when no span has come for so long after its handler ended, `settle_cap_s` at most.
    `quiet_s`: without traces, when no message has come for so long. `silence_s`: without traces, how long silence is
    listened for; None: the idle timeout, at most 5 s. `poll_s`: how often a workflow is asked after.

    Source: Botpress engine (settle 1.5 s, cap 15 s).
    """

    settle_s: float = 1.5
    settle_cap_s: float = 15.0
    quiet_s: float = 1.5
    silence_s: float | None = None
    poll_s: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class BotpressOptions:
    """What was chosen.

    `account` None: no token, so no state; `dev_server` None: no traces, so no tools. `chat_url` None: the bot is to be
    asked for it, which takes an account.
    """

    chat_url: str | None
    chat_api_url: str = CHAT_URL
    dev_server: str | None = None
    agent_path: str | None = None
    account: Account | None = None
    encryption_key: str | None = field(default=None, repr=False)
    windows: Windows = Windows()
    at_once: int = 1


def read_botpress_options(where: str, options: Mapping[str, object], around: Surroundings) -> BotpressOptions:
    """Return what a reference and its options come to; keys are taken from the surroundings' secrets.

    Raises: SettingsError for options that are wrong or do not go together, and for a key that is not there.
    """
    found: dict[str, Any] = read_options("botpress", OPTIONS, options)
    folder = around.root / found["agent_path"] if "agent_path" in found else None
    given = {_SECONDS[key]: found[key] / 1000 for key in _SECONDS if key in found}
    key_env = found.get("encryption_key_env")
    account = _account(found, folder, around)
    chat_api_url = _url(found["chat_api_url"], "chat_api_url") if "chat_api_url" in found else CHAT_URL
    if where == ASK_THE_BOT and account is None:
        hint = "set 'token_env' and 'bot_id', or write the webhook id itself"
        raise SettingsError("only with a token can the bot be asked for its webhook id", key="agent", hint=hint)
    return BotpressOptions(
        chat_url=None if where == ASK_THE_BOT else _chat_url(where, chat_api_url),
        chat_api_url=chat_api_url,
        dev_server=_dev_server(found["dev_server"]) if "dev_server" in found else None,
        agent_path=None if folder is None else str(folder.absolute()),
        account=account,
        encryption_key=None if key_env is None else _secret(key_env, "encryption_key_env", around),
        windows=Windows(**given),
        at_once=found.get("at_once", 1),
    )


def _dev_server(text: str) -> str:
    """Return the URL of the dev server; `adk` stands for the one whose port the ADK has noted.

    Raises: SettingsError when it has noted none.
    """
    if text != "adk":
        return _url(text, "dev_server")
    path = Path.home() / ".adk" / "console.port"
    try:
        return f"http://localhost:{int(path.read_text(encoding='utf-8'))}"
    except (OSError, ValueError):
        hint = "start adk dev, or write the server's URL"
        raise SettingsError(f"{path} tells no port", key=_key("dev_server"), hint=hint) from None


def _chat_url(where: str, chat_api_url: str) -> str:
    if "://" in where:
        return _url(where, "agent")
    if not re.fullmatch(r"[\w-]+", where, re.ASCII):
        hint = "write botpress:WEBHOOK_ID, the webhook id of the bot's chat integration, or botpress:URL"
        raise SettingsError(f"{shorten(where, 60)!r} is no webhook id and no URL", key="agent", hint=hint)
    return f"{chat_api_url}/{where}"


def _url(text: str, key: str) -> str:
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        hint = "write it with its scheme, as http://localhost:3001"
        raise SettingsError(f"{shorten(text, 60)!r} is no URL", key=_key(key), hint=hint)
    return text.rstrip("/")


def _account(found: Mapping[str, Any], folder: Path | None, around: Surroundings) -> Account | None:
    stored = _profile(found.get("profile")) if found.get("credentials") == "adk" else {}
    if "token_env" in found:
        token, token_from = _secret(found["token_env"], "token_env", around), f"the variable {found['token_env']}"
    elif stored:
        token, token_from = stored["token"], "~/.adk/credentials (adk login)"
    else:
        return None
    ids = _ids(folder, dev="dev_server" in found)
    bot_id = found.get("bot_id") or ids.get("bot")
    if not bot_id:
        hint = "set 'bot_id', or 'agent_path' to the folder of the ADK project"
        raise SettingsError("a token says nothing without the bot it is for", key=_key("bot_id"), hint=hint)
    return Account(
        token=token,
        token_from=token_from,
        bot_id=bot_id,
        workspace_id=found.get("workspace_id") or ids.get("workspace") or stored.get("workspaceId"),
        api_url=_url(found.get("api_url") or stored.get("apiUrl") or _API_URL, "api_url"),
    )


def _secret(name: str, key: str, around: Surroundings) -> str:
    value = around.secrets.get(name, "").strip()
    if not value:
        raise SettingsError(f"the variable {name} is not set", key=_key(key), hint=f"set {name} in the environment")
    return value


def _profile(name: str | None) -> dict[str, str]:
    """Return a profile of the ADK's credentials.

    Raises: SettingsError when the file is not there or has no such profile. Nothing of what it holds is told.
    """
    path = Path.home() / ".adk" / "credentials"
    content = _json_file(path)
    profiles = content.get("profiles")
    chosen = name or content.get("currentProfile")
    profile = profiles.get(chosen) if isinstance(profiles, Mapping) else None
    if not isinstance(profile, Mapping) or not isinstance(profile.get("token"), str):
        hint = "log in with adk login, or name a profile with 'profile', or set 'token_env' instead"
        raise SettingsError(f"{path} has no token for the profile {chosen!r}", key=_key("credentials"), hint=hint)
    return {key: value for key, value in profile.items() if isinstance(value, str)}


def _ids(folder: Path | None, *, dev: bool) -> dict[str, str]:
    """Return the ids that an ADK project's files tell; a dev server runs the bot that `agent.local.json` names."""
    if folder is None:
        return {}
    linked, local = _json_file(folder / "agent.json"), _json_file(folder / "agent.local.json")
    told = {"bot": local.get("devId") if dev else linked.get("botId"), "workspace": linked.get("workspaceId")}
    return {key: value for key, value in told.items() if isinstance(value, str)}


def _json_file(path: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one for a file that is not there or holds none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _key(name: str) -> str:
    return name if name == "agent" else f"agent.{name}"
