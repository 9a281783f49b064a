"""An OpenID Connect provider on the loopback, with keys of its own; what it says in its tokens can be changed."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT_ID, SECRET, CODE = "audition-client", "client-secret", "the-code"


class Provider:
    """Says of whoever comes that it is Ada, unless `claims` says otherwise."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.key, self.foreign = RSAKey.generate_key(2048, auto_kid=True), RSAKey.generate_key(2048, auto_kid=True)
        self.signs_with = self.key
        self.claims: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.has_signature = True
        self.asked: dict[str, str] = {}

    def authorize(self, url: str) -> dict[str, str]:
        """Take somebody who was sent to the provider, and return what their browser takes back."""
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        return {"code": CODE, "state": self.asked["state"]}

    def answer(self, path: str, form: Mapping[str, str]) -> tuple[int, object]:
        """Return the status and the body for a request."""
        if path == "/.well-known/openid-configuration":
            places = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token")}
            return 200, {"issuer": self.issuer, **places, "jwks_uri": f"{self.issuer}/jwks", **self.discovery}
        if path == "/jwks":
            return 200, KeySet([self.key]).as_dict(private=False)
        if path == "/token" and self._is_right(form):
            return 200, {"access_token": "a", "token_type": "Bearer", "id_token": self._id_token()}
        return 400, {"error": "invalid_grant"}

    def _is_right(self, form: Mapping[str, str]) -> bool:
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_proven = self.asked.get("code_challenge") == challenge and self.asked["code_challenge_method"] == "S256"
        return is_proven and form.get("code") == CODE and form.get("redirect_uri") == self.asked["redirect_uri"]

    def _id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": "42", "aud": CLIENT_ID, "iat": now, "exp": now + 300}
        claims |= {"nonce": self.asked["nonce"], "email": "Ada@example.com", "email_verified": True, "name": "Ada"}
        claims |= self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.has_signature:
            return jwt.encode({"alg": "RS256", "kid": self.signs_with.kid}, claims, self.signs_with)
        parts = ({"alg": "none"}, claims)
        return ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts) + "."


@contextmanager
def provider() -> Iterator[Provider]:
    """Open a provider for as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._send({name: values[0] for name, values in parse_qs(body).items()})

        def _send(self, form: Mapping[str, str]) -> None:
            status, body = double.answer(urlsplit(self.path).path, form)
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        double = Provider(server.server_port)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield double
        server.shutdown()
        thread.join()
