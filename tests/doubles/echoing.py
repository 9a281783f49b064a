"""A server that says back what it was sent: what every careless endpoint does with a key sooner or later."""

import http.server
import json
import threading
from types import TracebackType
from typing import Self


class Echoing(http.server.ThreadingHTTPServer):
    """Serves, while it is open, models and a tool on the loopback; `url` is where. `asked` holds the paths, in order.

    The model `broken` refuses every key and shows it. All others call each tool they have once, then say what headers
    they were sent. What is at `/tool` answers with its headers, its query, and `also`.
    """

    def __init__(self, also: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.also, self.asked = also, list[str]()
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()
        self._thread.join()
        super().__exit__(kind, error, at)


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Echoing

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self._answer(200, {"headers": dict(self.headers), "path": self.path, "also": self.server.also})

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
        if self.path.startswith("/tool"):
            self._answer(200, {"headers": dict(self.headers), "path": self.path, "also": self.server.also})
        elif asked["model"] == "broken":
            self._answer(401, {"error": {"message": f"Incorrect API key provided: {dict(self.headers)}"}})
        elif asked.get("tools") and all(one["role"] != "tool" for one in asked["messages"]):
            calls = [
                {
                    "id": f"c{number}",
                    "type": "function",
                    "function": {"name": one["function"]["name"], "arguments": "{}"},
                }
                for number, one in enumerate(asked["tools"])
            ]
            self._answer(200, _said({"role": "assistant", "content": None, "tool_calls": calls}))
        else:
            bare = [text for value in self.headers.values() for text in value.split()]
            self._answer(200, _said({"role": "assistant", "content": f"I was sent {dict(self.headers)}, {bare}"}))

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _said(message: dict[str, object]) -> dict[str, object]:
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
