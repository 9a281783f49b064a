"""An endpoint of language models that counts: no answer is like another, so that a replay can be told from asking."""

import http.server
import json
import threading
from types import TracebackType
from typing import Self


class Endpoint(http.server.ThreadingHTTPServer):
    """Serves, while it is open: `judge` gives grade 5 with a numbered reason, all others say `answer no 1`, `2` …

    `asked` holds the models in the order in which they were asked; `settings` are those by which it is `local`.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.lock = threading.Lock()
        self.settings = f'[providers.local]\nbase_url = "http://127.0.0.1:{self.server_port}/v1"\nattempts = 1\n'
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()
        self._thread.join()
        super().__exit__(kind, error, at)

    def answer(self, model: str) -> str:
        """Return what a model says next."""
        with self.lock:
            self.asked.append(model)
            number = self.asked.count(model)
        if model == "judge":
            return json.dumps({"reason": f"reason {number}", "score": 5})
        return f"answer no {number}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": self.server.answer(asked["model"])}
        usage = {"prompt_tokens": 7, "completion_tokens": 5}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
