"""A small agent behind HTTP, with the standard library alone: python server.py [PORT]."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STATES: dict[str, dict] = {}


class Agent(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seed = asked.get("setup", {}).get("state", {})
        state = STATES.setdefault(asked["session"], {"user": {}, "conversation": {}} | seed)
        if asked["new_conversation"]:
            state["conversation"] = {}
        said, name = asked["turn"].get("user"), state["user"].get("name", "stranger")
        state["conversation"]["last"] = said
        replies = [] if said is None else [f"Hello {name}, you said: {said}"]
        answer = json.dumps({"replies": replies, "state": state, "tool_calls": [], "workflows": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Agent)
    print(f"http://127.0.0.1:{server.server_port}/turn", flush=True)
    server.serve_forever()
