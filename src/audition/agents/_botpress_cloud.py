"""The Botpress cloud API: state, workflows and files of a bot. Source: @botpress/client 1.45.0."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from audition.agents._botpress_calls import Caller, Refused
from audition.errors import AgentError
from audition.evals import WorkflowTrigger
from audition.llm.transport import Transport, TransportError

STATE_NAMES = {"bot": "botState", "user": "userState", "conversation": "state"}
"""What the state of each scope is called. Source: Botpress ADK runtime, built-in states."""

_MOST_PAGES = 20
_WORKFLOW_ENDS_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who asks, and for which bot. `token_from`: where the token came from, for messages."""

    token: str = field(repr=False)
    bot_id: str
    workspace_id: str | None = None
    api_url: str = "https://api.botpress.cloud"
    token_from: str = "token_env"


class Cloud:
    """The state and the workflows of one bot."""

    def __init__(self, transport: Transport, account: Account) -> None:
        self._transport, self.bot_id = transport, account.bot_id
        headers = {"Authorization": f"Bearer {account.token}", "x-bot-id": account.bot_id}
        if account.workspace_id:
            headers["x-workspace-id"] = account.workspace_id
        self._caller = Caller(
            transport, account.api_url, headers=headers, secrets=(account.token,), hints=_hints(account)
        )

    async def webhook_id(self) -> str:
        """Return the webhook id of the bot's chat integration, by which its chat is reached.

        Raises: AgentError when the bot has none.
        """
        answer = await self._caller.call("GET", f"/v1/admin/bots/{quote(self.bot_id, safe='')}")
        integrations = _object(_object(answer.content.get("bot")).get("integrations"))
        for integration in integrations.values():
            found = _object(integration)
            if found.get("name") == "chat" and isinstance(found.get("webhookId"), str):
                return str(found["webhookId"])
        hint = "install the integration 'chat' in the bot"
        raise AgentError(f"the bot {self.bot_id!r} has no chat integration", by_agent=False, hint=hint)

    async def state(self, scope: str, id: str) -> Mapping[str, Any] | None:
        """Return the state of a scope (`bot`, `user` or `conversation`); None when there is none yet.

        Raises: AgentError.
        """
        try:
            answer = await self._caller.call("GET", _state_path(scope, id))
        except Refused as refused:
            if refused.status == 404:
                return None
            raise
        payload = _object(answer.content.get("state")).get("payload")
        location = _object(_object(payload).get("location"))
        value = _object(payload).get("value")
        if location.get("type") == "file":
            value = await self._content_of(str(location.get("key")))
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise AgentError(f"the {scope} state is no object", by_agent=False)
        return value

    async def set_state(self, scope: str, id: str, value: Mapping[str, object] | None) -> None:
        """Put a state in place of what was there; None leaves none, so that the bot begins with its defaults.

        Raises: AgentError.
        """
        payload = {"value": value, "location": {"type": "state"}}
        await self._caller.call("POST", _state_path(scope, id), {"payload": payload})

    async def trigger(self, trigger: WorkflowTrigger, *, user: str, conversation: str) -> Mapping[str, Any]:
        """Ask for a workflow and return what the API says of it.

        Raises: AgentError.
        """
        body = {
            "name": trigger.name,
            "input": trigger.input,
            "status": "pending",
            "userId": user,
            "conversationId": conversation,
            "timeoutAt": (datetime.now(UTC) + _WORKFLOW_ENDS_AFTER).isoformat(timespec="milliseconds"),
        }
        answer = await self._caller.call("POST", "/v1/chat/workflows", body, repeatable=False)
        return _object(answer.content.get("workflow"))

    async def workflows(self, conversation: str) -> list[Mapping[str, Any]]:
        """Return what the API says of the workflows of a conversation, the oldest first.

        Raises: AgentError.
        """
        rows = await self._listed(f"/v1/chat/workflows?conversationId={quote(conversation, safe='')}", "workflows")
        return sorted(rows, key=lambda row: str(row.get("createdAt")))

    async def participants(self, conversation: str) -> list[str]:
        """Return the ids of those who take part in a conversation, as this API knows them.

        Raises: AgentError.
        """
        rows = await self._listed(f"/v1/chat/conversations/{quote(conversation, safe='')}/participants", "participants")
        return [str(row.get("id")) for row in rows]

    async def _listed(self, path: str, noun: str) -> list[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = []
        token: object = None
        for _ in range(_MOST_PAGES):
            next_page = f"{'&' if '?' in path else '?'}nextToken={quote(str(token), safe='')}" if token else ""
            content = (await self._caller.call("GET", path + next_page)).content
            found = content.get(noun)
            rows += [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []
            token = _object(content.get("meta")).get("nextToken")
            if not token:
                break
        return rows

    async def _content_of(self, file_id: str) -> object:
        """Return what a file holds: a long state is kept in one. Its address is signed, so it takes no key."""
        answer = await self._caller.call("GET", f"/v1/files/{quote(file_id, safe='')}")
        url = str(_object(answer.content.get("file")).get("url"))
        try:
            reply = await self._transport.request_json("GET", url)
            if reply.status == 200:
                return json.loads(reply.body)
            why = f"answered {reply.status}"
        except TransportError as error:
            why = error.message
        except ValueError:
            why = "does not hold JSON"
        raise AgentError(f"the file that holds a long state cannot be read: {why}", by_agent=False)


def _hints(account: Account) -> dict[int, str]:
    return {
        401: f"the token was refused: set a personal access token in {account.token_from}",
        403: f"the token in {account.token_from} may not see this bot: check it, and 'workspace_id'",
        404: "check 'bot_id' and 'workspace_id'",
    }


def _state_path(scope: str, id: str) -> str:
    return f"/v1/chat/states/{scope}/{quote(id, safe='')}/{STATE_NAMES[scope]}"


def _object(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}
