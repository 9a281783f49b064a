"""The Botpress chat API: users and their keys, conversations, messages and events. Source: @botpress/chat 0.5.5."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from audition.agents._botpress_calls import Answer, Caller
from audition.agents._botpress_payloads import rendered
from audition.errors import AgentError
from audition.llm.transport import Transport

_MOST_PAGES = 100
_HINTS = {
    401: "the user key was refused: is the variable that 'encryption_key_env' names the bot's encryption key?",
    403: "a bot with an encryption key takes no other users: set 'encryption_key_env'",
    404: "is the chat integration installed, and the webhook id the one it shows?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the bot. `created_ms`: when, by the server's clock, since the epoch; None: not known.

    `arrived_s`: when it came in, by the loop's clock. `listed`: it was asked for, and may have been there for a while.
    """

    id: str
    text: str
    created_ms: float | None
    arrived_s: float
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A turn that was sent. `created_ms` by the server's clock; `elapsed_ms`: how long the successful attempt took."""

    created_ms: float | None
    elapsed_ms: float


class ChatUser:
    """A user of the bot. `id` is the chat's; `foreign`: we chose it, so the other APIs know the user by another."""

    def __init__(self, caller: Caller, user_id: str, key: str, *, foreign: bool) -> None:
        self._caller, self.id, self.foreign = caller, user_id, foreign
        self.headers: Mapping[str, str] = {"x-user-key": key}

    async def start_conversation(self) -> str:
        """Open a conversation and return its id.

        Raises: AgentError.
        """
        answer = await self._caller.call("POST", "/conversations", {}, repeatable=False)
        return _id_of(answer.content, "conversation")

    def listen_url(self, conversation: str) -> str:
        """Return where the events of a conversation are streamed."""
        return f"{self._caller.base_url}/conversations/{quote(conversation, safe='')}/listen"

    async def say(self, conversation: str, text: str) -> Sent:
        """Say something. It is said once: nothing is sent again that may have been heard.

        Raises: AgentError.
        """
        body = {"conversationId": conversation, "payload": {"type": "text", "text": text}}
        return _sent(await self._caller.call("POST", "/messages", body, repeatable=False), "message")

    async def push(self, conversation: str, payload: Mapping[str, object]) -> Sent:
        """Push an event, which reaches the bot as `chat:custom`.

        Raises: AgentError.
        """
        body = {"conversationId": conversation, "payload": payload}
        return _sent(await self._caller.call("POST", "/events", body, repeatable=False), "event")

    async def messages(self, conversation: str, now_s: float) -> list[Said]:
        """Return what the bot has said in a conversation, in the order in which it was said.

        Raises: AgentError.
        """
        path = f"/conversations/{quote(conversation, safe='')}/messages"
        said: list[Said] = []
        token: str | None = None
        for _ in range(_MOST_PAGES):
            answer = await self._caller.call("GET", path + (f"?nextToken={quote(token, safe='')}" if token else ""))
            said.extend(self._of_the_bot(answer.content.get("messages"), now_s, listed=True))
            token = _object(answer.content, "meta").get("nextToken")
            if not token:
                break
        return sorted(said, key=lambda one: one.created_ms or 0.0)

    def heard(self, content: Mapping[str, Any], now_s: float) -> Said | None:
        """Return what the bot says in an event of the stream; None for every other event."""
        if content.get("type") != "message_created":
            return None
        return next(self._of_the_bot([content.get("data")], now_s, listed=False), None)

    def _of_the_bot(self, messages: object, now_s: float, *, listed: bool) -> Iterator[Said]:
        for message in messages if isinstance(messages, list) else ():
            if not isinstance(message, Mapping):
                continue
            # the stream says whose a message is, the list does not
            by_bot = message.get("isBot", message.get("userId") != self.id)
            payload = message.get("payload")
            if by_bot and isinstance(payload, Mapping) and isinstance(message.get("id"), str):
                created_ms = epoch_ms(message.get("createdAt"))
                text = rendered(payload)
                yield Said(id=message["id"], text=text, created_ms=created_ms, arrived_s=now_s, listed=listed)


async def connect(
    transport: Transport, base_url: str, *, encryption_key: str | None, new_id: str, secrets: tuple[str, ...] = ()
) -> ChatUser:
    """Return a new user: the server chooses its id and key, or, with an encryption key, we do.

    Raises: AgentError.
    """
    nobody = Caller(transport, base_url, headers={}, secrets=secrets, hints=_HINTS)
    if encryption_key is None:
        created = (await nobody.call("POST", "/users", {}, repeatable=False)).content
        user_id, key = _id_of(created, "user"), created.get("key")
        if not isinstance(key, str):
            raise AgentError("the chat API made a user without a key", by_agent=False)
    else:
        user_id, key = new_id, signed_key(new_id, encryption_key)
    caller = Caller(transport, base_url, headers={"x-user-key": key}, secrets=(key, *secrets), hints=_HINTS)
    if encryption_key is not None:
        await caller.call("POST", "/users/get-or-create", {})
    return ChatUser(caller, user_id, key, foreign=encryption_key is not None)


def signed_key(user_id: str, encryption_key: str) -> str:
    """Return the key of a user: a JSON Web Token that names it. Source: RFC 7519; HS256 is HMAC with SHA-256."""
    head = _base64url(json.dumps({"alg": "HS256", "typ": "JWT"}, separators=(",", ":")).encode())
    body = _base64url(json.dumps({"id": user_id}, separators=(",", ":")).encode())
    signature = hmac.new(encryption_key.encode(), head + b"." + body, hashlib.sha256).digest()
    return b".".join([head, body, _base64url(signature)]).decode()


def epoch_ms(created_at: object) -> float | None:
    """Return an ISO 8601 time as milliseconds since the epoch; None for anything else."""
    try:
        return datetime.fromisoformat(str(created_at)).timestamp() * 1000
    except ValueError:
        return None


def _base64url(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def _sent(answer: Answer, noun: str) -> Sent:
    created = _object(answer.content, noun).get("createdAt")
    return Sent(created_ms=epoch_ms(created), elapsed_ms=answer.elapsed_ms)


def _id_of(content: Mapping[str, Any], noun: str) -> str:
    found = _object(content, noun).get("id")
    if not isinstance(found, str) or not found:
        raise AgentError(f"the chat API made a {noun} without an id", by_agent=False)
    return found


def _object(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = content.get(key)
    return found if isinstance(found, Mapping) else {}
