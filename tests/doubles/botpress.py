"""A Botpress bot on loopback: its chat API, its cloud API and its dev server, scripted, with faults on demand.

    double = Double({"hello": Act(say=["Hi"])})
    async with double.serving():
        ...                     # double.chat_url, double.cloud_url, double.dev_url

What a turn provokes has happened before its request is answered, so no test has to wait. Time is counted, not measured:
every thing that happens is a millisecond after the one before.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

Payload = dict[str, Any]
BEGINNING_MS = 1_750_000_000_000
STATE_NAMES = {"bot": "botState", "user": "userState", "conversation": "state"}


@dataclass(kw_only=True)
class Flow:
    """A workflow that runs. `final`: how it ends, None: it goes on. `after_polls`: it ends when listed so often."""

    name: str
    input: Payload = field(default_factory=dict)
    final: str | None = "completed"
    after_polls: int = 0
    traced: bool = True


@dataclass(kw_only=True)
class Act:
    """What the bot does on a turn. A text in `say` stands for a text payload.

    `late` is said when the next turn comes in, just before it. `error`: the handler fails. `handled` False: no handler
    takes the turn up, though what is said is said. `hangs`: the handler never ends. `drops_after`: the chat streams
    break after so many messages. `took_ms`: how long the handler says it took.
    """

    say: Sequence[str | Payload] = ()
    tools: Sequence[Payload] = ()
    models: Sequence[Payload] = ()
    flows: Sequence[Flow] = ()
    state: Mapping[str, Payload] = field(default_factory=dict)
    late: Sequence[str | Payload] = ()
    error: str | None = None
    handled: bool = True
    hangs: bool = False
    drops_after: int | None = None
    took_ms: int = 40


@dataclass(kw_only=True)
class Fault:
    """An answer in place of the right one, for the next `times` requests whose method and path begin so."""

    begins: str
    status: int = 500
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int = 1


@dataclass
class Talk:
    """What a callable script is told: the double, the conversation and user of the turn, and the turn itself."""

    double: "Double"
    conversation: str
    user: str
    text: str | None
    event: Payload | None

    def state(self, scope: str) -> Payload:
        """Return the state of a scope, as stored."""
        ids = {"bot": self.double.bot_id, "user": self.double.cloud_id(self.user), "conversation": self.conversation}
        return self.double.stored(scope, ids[scope]) or {}


Script = Mapping[str, Act] | Callable[[Talk], Act]


class Double:
    """A bot. `script`: what it does by what the user says (`event:KIND` by the event's `kind`), or a callable.

    `flows`: the workflows that the API may trigger, by name. `encryption_key` None: users get their keys from here.
    """

    def __init__(
        self, script: Script, *, flows: Mapping[str, Flow] | None = None, encryption_key: str | None = None
    ) -> None:
        self._script, self._flows = script, flows or {}
        self.encryption_key = encryption_key
        self.token, self.bot_id, self.workspace_id = "bp_pat_secret", "bot-1", "space-1"
        self.url = ""
        self.faults: list[Fault] = []
        self.duplicates = False
        self.swapped: set[str] = set()
        self.channels: list[object] = ["chat.channel"]
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.users: dict[str, Payload] = {}
        self.conversations: dict[str, str] = {}
        self.messages: list[Payload] = []
        self.events: list[Payload] = []
        self.states: dict[tuple[str, str], Payload | None] = {}
        self.workflows: dict[str, Payload] = {}
        self.spans: dict[str, dict[str, Payload]] = {}
        self._pending: dict[str, Flow] = {}
        self._late: dict[str, Sequence[str | Payload]] = {}
        self._listening: dict[str, list[asyncio.Queue[str | None]]] = {}
        self._tracing: dict[str, list[asyncio.Queue[str | None]]] = {}
        self._count = 0

    @property
    def chat_url(self) -> str:
        """Return the base URL of the chat API."""
        return f"{self.url}/chat"

    def sent(self, begins: str) -> list[Any]:
        """Return the bodies of the requests whose method and path begin so."""
        return [body for method, path, _, body in self.requests if f"{method} {path}".startswith(begins)]

    def stored(self, scope: str, id: str) -> Payload | None:
        """Return the state of a scope; None when there is none."""
        payload = self.states.get((scope, id))
        return None if payload is None else payload.get("value")

    def speak(self, conversation: str, *said: str | Payload) -> None:
        """Let the bot say something of its own accord."""
        for one in said:
            self._message(conversation, "bot-user", as_payload(one), by_bot=True)

    def cloud_id(self, user: str) -> str:
        """Return what the cloud API calls a user: another name than the chat's, where the chat's was chosen."""
        return f"cloud-{user}" if self.encryption_key else user

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Double"]:
        """Serve on a free port of this machine."""
        app = web.Application(middlewares=[self._noting], client_max_size=10_000_000)
        app.add_routes(self._routes())
        runner = web.AppRunner(app, shutdown_timeout=0.5, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            for queues in (*self._listening.values(), *self._tracing.values()):
                for queue in queues:
                    queue.put_nowait(None)
            await runner.cleanup()

    @contextmanager
    def serving_in_a_thread(self) -> Iterator["Double"]:
        """Serve from a thread, for those who run loops of their own."""
        ready, over = threading.Event(), asyncio.Event()
        loops: list[asyncio.AbstractEventLoop] = []

        async def serve() -> None:
            loops.append(asyncio.get_running_loop())
            async with self.serving():
                ready.set()
                await over.wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        ready.wait(10)
        try:
            yield self
        finally:
            loops[0].call_soon_threadsafe(over.set)
            thread.join(10)

    def _routes(self) -> list[web.RouteDef]:
        chat, state = "/chat", "/v1/chat/states/{scope}/{id}/{name}"
        return [
            web.get(f"{chat}/hello", self._hello),
            web.get(f"{chat}/hello/", self._hello),
            web.post(f"{chat}/users", self._create_user),
            web.post(f"{chat}/users/get-or-create", self._get_or_create_user),
            web.get(f"{chat}/users/me", self._get_or_create_user),
            web.post(f"{chat}/conversations", self._create_conversation),
            web.get(chat + "/conversations/{id}/messages", self._list_messages),
            web.get(chat + "/conversations/{id}/listen", self._listen),
            web.post(f"{chat}/messages", self._create_message),
            web.post(f"{chat}/events", self._create_event),
            web.get(state, self._get_state),
            web.post(state, self._set_state),
            web.patch(state, self._patch_state),
            web.post(f"{state}/get-or-set", self._get_or_set_state),
            web.post("/v1/chat/workflows", self._create_workflow),
            web.get("/v1/chat/workflows", self._list_workflows),
            web.get("/v1/chat/workflows/{id}", self._get_workflow),
            web.get("/v1/chat/conversations/{id}/participants", self._participants),
            web.get("/v1/admin/bots/{id}", self._get_bot),
            web.get("/v1/files/{id}", self._get_file),
            web.get("/content/{scope}/{id}", self._content),
            web.get("/api/traces/stream", self._trace),
            web.get("/api/agent", self._agent),
        ]

    @web.middleware
    async def _noting(self, request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        """Note a request, and answer it with a fault or as it should be."""
        raw = await request.read()
        body = json.loads(raw) if raw else None
        self.requests.append((request.method, request.path_qs, dict(request.headers), body))
        for fault in self.faults:
            if fault.times > 0 and f"{request.method} {request.path}".startswith(fault.begins):
                fault.times -= 1
                if isinstance(fault.body, str):
                    return web.Response(text=fault.body, status=fault.status, headers=fault.headers)
                return web.json_response(fault.body, status=fault.status, headers=fault.headers)
        if request.path.startswith("/v1/") and request.headers.get("Authorization") != f"Bearer {self.token}":
            return refused(401, "Unauthorized", "the token is not valid")
        answered: web.StreamResponse = await handler(request)
        return answered

    # the chat API

    async def _hello(self, request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async def _create_user(self, request: web.Request) -> web.Response:
        if self.encryption_key:
            return refused(403, "Forbidden", "this bot takes only users with keys of their own", status=200)
        user = self._new_user((await request.json()).get("id") or self._id("user"))
        return web.json_response({"user": user, "key": self._sign(user["id"])}, status=201)

    async def _get_or_create_user(self, request: web.Request) -> web.Response:
        id = self._user_of(request)
        if id is None:
            return refused(401, "Unauthorized", "the user key is not valid")
        return web.json_response({"user": self.users.get(id) or self._new_user(id)})

    async def _create_conversation(self, request: web.Request) -> web.Response:
        user = self._user_of(request)
        if user is None or user not in self.users:
            return refused(401, "Unauthorized", "the user key is not valid")
        id = self._id("conversation")
        self.conversations[id] = user
        self.spans[id] = {}
        conversation = {"id": id, "createdAt": self._now(), "updatedAt": self._now()}
        return web.json_response({"conversation": conversation}, status=201)

    async def _list_messages(self, request: web.Request) -> web.Response:
        if self._user_of(request) is None:
            return refused(401, "Unauthorized", "the user key is not valid")
        held = [one for one in self.messages if one["conversationId"] == request.match_info["id"]]
        newest_first = [{key: one[key] for key in one if key != "isBot"} for one in reversed(held)]
        first = int(request.query.get("nextToken", "0"))
        meta = {"nextToken": str(first + 2)} if len(newest_first) > first + 2 else {}
        return web.json_response({"messages": newest_first[first : first + 2], "meta": meta})

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        if self._user_of(request) is None:
            return refused(401, "Unauthorized", "the user key is not valid")
        return await self._stream(request, self._listening, request.match_info["id"], ["data: ping\n\n"])

    async def _create_message(self, request: web.Request) -> web.Response:
        user, body = self._user_of(request), await request.json()
        if user is None:
            return refused(401, "Unauthorized", "the user key is not valid")
        conversation = body["conversationId"]
        self._say_late(conversation)
        message = self._message(conversation, user, body["payload"], by_bot=False)
        self._perform(Talk(self, conversation, user, body["payload"].get("text"), None))
        return web.json_response({"message": {key: message[key] for key in message if key != "isBot"}}, status=201)

    async def _create_event(self, request: web.Request) -> web.Response:
        user, body = self._user_of(request), await request.json()
        if user is None:
            return refused(401, "Unauthorized", "the user key is not valid")
        conversation, payload = body["conversationId"], body["payload"]
        self._say_late(conversation)
        event = {
            "id": self._id("event"),
            "createdAt": self._now(),
            "payload": payload,
            "conversationId": conversation,
            "userId": user,
        }
        self.events.append(event)
        self._emit(self._listening, conversation, chat_frame("event_created", {**event, "isBot": False}))
        self._perform(Talk(self, conversation, user, None, payload))
        return web.json_response({"event": event}, status=201)

    # the cloud API

    async def _get_state(self, request: web.Request) -> web.Response:
        key = request.match_info["scope"], request.match_info["id"]
        payload = self.states.get(key)
        if payload is None:
            return refused(404, "ResourceNotFound", "there is no such state")
        if key[0] in self.swapped:
            payload = {"location": {"type": "file", "key": f"{key[0]}~{key[1]}"}}
        return web.json_response(self._state(request, payload) | {"meta": {"cached": False}})

    async def _set_state(self, request: web.Request) -> web.Response:
        key = request.match_info["scope"], request.match_info["id"]
        payload = self.states[key] = (await request.json())["payload"]
        return web.json_response(self._state(request, payload))

    async def _patch_state(self, request: web.Request) -> web.Response:
        key = request.match_info["scope"], request.match_info["id"]
        payload = self.states[key] = {**(self.states.get(key) or {}), **(await request.json())["payload"]}
        return web.json_response(self._state(request, payload))

    async def _get_or_set_state(self, request: web.Request) -> web.Response:
        key = request.match_info["scope"], request.match_info["id"]
        payload = self.states[key] = self.states.get(key) or (await request.json())["payload"]
        return web.json_response(self._state(request, payload) | {"meta": {"cached": False}})

    async def _create_workflow(self, request: web.Request) -> web.Response:
        body = await request.json()
        row = self._row(body["name"], body.get("input") or {}, body.get("conversationId", ""), body.get("userId"))
        asked = dict(row)
        if flow := self._flows.get(body["name"]):
            self._run(flow, row)
        return web.json_response({"workflow": asked}, status=201)

    async def _list_workflows(self, request: web.Request) -> web.Response:
        wanted = request.query.get("conversationId")
        rows = [row for row in self.workflows.values() if wanted in (None, row["conversationId"])]
        answer = web.json_response({"workflows": [dict(row) for row in reversed(rows)], "meta": {}})
        for row in rows:
            self._go_on(row)
        return answer

    async def _get_workflow(self, request: web.Request) -> web.Response:
        row = self.workflows.get(request.match_info["id"])
        return (
            refused(404, "ResourceNotFound", "no such workflow")
            if row is None
            else web.json_response({"workflow": row})
        )

    async def _participants(self, request: web.Request) -> web.Response:
        user = self.cloud_id(self.conversations[request.match_info["id"]])
        return web.json_response({"participants": [{"id": user, "tags": {}}], "meta": {}})

    async def _get_bot(self, request: web.Request) -> web.Response:
        chat = {"name": "chat", "webhookId": "chat", "enabled": True}
        return web.json_response({"bot": {"id": self.bot_id, "name": "double", "integrations": {"int-1": chat}}})

    async def _get_file(self, request: web.Request) -> web.Response:
        scope, _, id = request.match_info["id"].partition("~")
        return web.json_response({"file": {"id": request.match_info["id"], "url": f"{self.url}/content/{scope}/{id}"}})

    async def _content(self, request: web.Request) -> web.Response:
        return web.json_response(self.stored(request.match_info["scope"], request.match_info["id"]))

    # the dev server

    async def _trace(self, request: web.Request) -> web.StreamResponse:
        conversation = request.query.get("attributeValue", "")
        spans = list(self.spans.get(conversation, {}).values())
        snapshot = f"retry: 3000\n\nevent: snapshot\ndata: {json.dumps({'spans': spans})}\n\n"
        return await self._stream(request, self._tracing, conversation, [snapshot, "event: keepalive\ndata: {}\n\n"])

    async def _agent(self, request: web.Request) -> web.Response:
        return web.json_response({"name": "double", "conversations": [{"channel": one} for one in self.channels]})

    # what the bot does

    def _perform(self, talk: Talk) -> None:
        if callable(self._script):
            act = self._script(talk)
        else:
            key = talk.text if talk.event is None else f"event:{talk.event.get('kind')}"
            act = self._script.get(str(key), Act(handled=False))
        trace, name = self._id("trace"), "handler.conversation" if talk.event is None else "handler.event"
        handler = self._span(talk.conversation, trace, name) if act.handled else None
        if act.hangs:
            return
        for model in act.models:
            self._close(self._span(talk.conversation, trace, "cognitive.request", data=model))
        for tool in act.tools:
            status = "error" if "error" in tool else "ok"
            data = {f"autonomous.tool.{key}": value for key, value in tool.items()}
            self._close(self._span(talk.conversation, trace, "autonomous.tool", data=data), status)
        for scope, writes in act.state.items():
            self._write(talk, trace, scope, writes)
        for flow in act.flows:
            self._run(flow, self._row(flow.name, flow.input, talk.conversation, talk.user))
        for index, said in enumerate(act.say):
            if index == act.drops_after:
                self._drop(talk.conversation)
            self._close(self._span(talk.conversation, trace, "chat.sendMessage"))
            self._message(talk.conversation, "bot-user", as_payload(said), by_bot=True)
        if handler is not None:
            self._count += act.took_ms
            self._close(handler, "error" if act.error else "ok", error=act.error)
        self._late[talk.conversation] = act.late

    def _say_late(self, conversation: str) -> None:
        self.speak(conversation, *self._late.pop(conversation, ()))

    def _message(self, conversation: str, user: str, payload: Payload, *, by_bot: bool) -> Payload:
        message = {
            "id": self._id("message"),
            "createdAt": self._now(),
            "payload": payload,
            "userId": user,
            "conversationId": conversation,
            "isBot": by_bot,
        }
        self.messages.append(message)
        for _ in range(2 if self.duplicates else 1):
            self._emit(self._listening, conversation, chat_frame("message_created", message))
        return message

    def _write(self, talk: Talk, trace: str, scope: str, writes: Payload) -> None:
        ids = {"bot": self.bot_id, "user": self.cloud_id(talk.user), "conversation": talk.conversation}
        value = {**talk.state(scope), **writes}
        self.states[scope, ids[scope]] = {"value": value, "location": {"type": "state"}}
        data = {"type": scope, "name": STATE_NAMES[scope], "state.changed_keys": list(writes)}
        self._close(self._span(talk.conversation, trace, "state.save", data=data))

    def _row(self, name: str, input: Payload, conversation: str, user: str | None) -> Payload:
        row = {
            "id": self._id("workflow"),
            "name": name,
            "status": "pending",
            "input": input,
            "output": {},
            "conversationId": conversation,
            "userId": user,
            "createdAt": self._now(),
            "updatedAt": self._now(),
            "timeoutAt": self._now(),
            "tags": {},
        }
        self.workflows[row["id"]] = row
        return row

    def _run(self, flow: Flow, row: Payload) -> None:
        row["status"] = "in_progress"
        self._pending[row["id"]] = flow
        if flow.after_polls == 0:
            self._finish(flow, row)
        elif flow.traced:
            self._flow_span(row, "continue")

    def _go_on(self, row: Payload) -> None:
        """Let a workflow that is asked after come nearer to its end."""
        flow = self._pending.get(row["id"])
        if flow is not None and flow.after_polls > 0:
            self._pending[row["id"]] = Flow(
                name=flow.name, final=flow.final, after_polls=flow.after_polls - 1, traced=flow.traced
            )
            if flow.after_polls == 1:
                self._finish(flow, row)

    def _finish(self, flow: Flow, row: Payload) -> None:
        row["status"] = flow.final or "in_progress"
        if flow.traced:
            self._flow_span(row, flow.final or "continue")

    def _flow_span(self, row: Payload, final: str) -> None:
        data = {"workflow.name": row["name"], "workflow.status.initial": "pending", "workflow.status.final": final}
        span = self._span(row["conversationId"], self._id("trace"), "handler.workflow", data=data, workflow=row["id"])
        self._close(span)

    # spans and streams

    def _span(
        self, conversation: str, trace: str, name: str, *, data: Payload | None = None, workflow: str | None = None
    ) -> Payload:
        span = {
            "id": {"trace": trace, "span": self._id("span"), "parent": None},
            "name": name,
            "label": name,
            "status": "running",
            "timing": {"startedAt": self._tick()},
            "context": {"botId": self.bot_id, "conversationId": conversation, "workflowId": workflow},
            "tier": "concise",
            "data": data or {},
            "resource": {"environment": "development", "versions": {}},
        }
        self._show(span)
        return span

    def _close(self, span: Payload, status: str = "ok", *, error: str | None = None) -> None:
        ended = self._tick()
        timing = {"startedAt": span["timing"]["startedAt"], "endedAt": ended}
        self._show({**span, "status": status, "timing": timing} | ({"error": error} if error else {}))

    def _show(self, span: Payload) -> None:
        conversation = span["context"]["conversationId"]
        self.spans.setdefault(conversation, {})[span["id"]["span"]] = span
        self._emit(self._tracing, conversation, f"event: update\ndata: {json.dumps({'span': span})}\n\n")

    def _emit(self, streams: dict[str, list[asyncio.Queue[str | None]]], conversation: str, frame: str) -> None:
        for queue in streams.get(conversation, ()):
            queue.put_nowait(frame)

    def _drop(self, conversation: str) -> None:
        for queue in self._listening.pop(conversation, ()):
            queue.put_nowait(None)

    async def _stream(
        self,
        request: web.Request,
        streams: dict[str, list[asyncio.Queue[str | None]]],
        conversation: str,
        first: Sequence[str],
    ) -> web.StreamResponse:
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        streams.setdefault(conversation, []).append(queue)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        for frame in first:
            await response.write(frame.encode())
        while (queued := await queue.get()) is not None:
            await response.write(queued.encode())
        return response

    # small things

    def _new_user(self, id: str) -> Payload:
        self.users[id] = {"id": id, "createdAt": self._now(), "updatedAt": self._now()}
        return self.users[id]

    def _sign(self, user: str) -> str:
        key = (self.encryption_key or "a key of the server's own").encode()
        head, body = (
            base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
            for part in ({"alg": "HS256", "typ": "JWT"}, {"id": user})
        )
        return f"{head.decode()}.{body.decode()}.{signature(key, head + b'.' + body)}"

    def _user_of(self, request: web.Request) -> str | None:
        """Return whose key a request carries; None when it is not signed with our key."""
        key = (self.encryption_key or "a key of the server's own").encode()
        head_and_body, _, signed = request.headers.get("x-user-key", "").rpartition(".")
        if not head_and_body or signed != signature(key, head_and_body.encode()):
            return None
        body = head_and_body.split(".")[1]
        id: str = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["id"]
        return id

    def _state(self, request: web.Request, payload: Payload) -> Payload:
        told = {key: request.match_info[key] for key in ("id", "name")} | {"type": request.match_info["scope"]}
        return {
            "state": {
                **told,
                "botId": self.bot_id,
                "createdAt": self._now(),
                "updatedAt": self._now(),
                "payload": payload,
            }
        }

    def _id(self, noun: str) -> str:
        return f"{noun}-{self._tick()}"

    def _tick(self) -> int:
        self._count += 1
        return BEGINNING_MS + self._count

    def _now(self) -> str:
        return (
            datetime.fromtimestamp(self._tick() / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        )


def as_payload(said: str | Payload) -> Payload:
    """Return a payload; a text is one of type text."""
    return {"type": "text", "text": said} if isinstance(said, str) else said


def chat_frame(type: str, data: Payload) -> str:
    """Return a frame of the chat's stream."""
    return f"event: message\ndata: {json.dumps({'type': type, 'data': data})}\n\n"


def signature(key: bytes, signed: bytes) -> str:
    """Return the signature of a token."""
    return base64.urlsafe_b64encode(hmac.new(key, signed, hashlib.sha256).digest()).rstrip(b"=").decode()


def refused(code: int, type: str, message: str, *, status: int | None = None) -> web.Response:
    """Return an error as the APIs write it; `status` None: that of the error."""
    body = {"code": code, "type": type, "message": message, "id": "err-1"}
    return web.json_response(body, status=code if status is None else status)
