"""Logging in through an OpenID Connect provider. Source: OpenID Connect Core 1.0, section 3.1; RFC 7636 (PKCE)."""

import secrets
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audition.errors import MissingExtra, SettingsError
from audition.providers import is_loopback
from audition.service.problems import Problem
from audition.settings_service import Oidc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from authlib.integrations.httpx_client import OAuth2Client  # type: ignore[import-untyped]  # it has no types

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""How identity tokens may be signed: only with keys of which the provider alone has the private half."""

_LEEWAY_S = 60
_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What has to come back, or to be shown, when somebody returns from the provider; it stays in their browser."""

    state: str
    nonce: str
    verifier: str

    def encode(self) -> str:
        """Return it as one word."""
        return f"{self.state}.{self.nonce}.{self.verifier}"


def decode_ticket(text: str) -> Ticket | None:
    """Return the ticket that was encoded, None for what is none."""
    parts = text.split(".")
    return Ticket(state=parts[0], nonce=parts[1], verifier=parts[2]) if len(parts) == 3 and all(parts) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who somebody is, as the provider vouches for. `email` is one that it has verified."""

    email: str
    name: str


def way_to_provider(settings: Oidc, secret: str | None, *, redirect_uri: str) -> tuple[str, Ticket]:
    """Return where to send somebody who logs in, and the ticket for their way back.

    Raises: Problem 503 when the provider does not answer; SettingsError when it is not who the settings say.
    """
    ticket = Ticket(state=_random(), nonce=_random(), verifier=_random(48))
    with _client(settings, secret, redirect_uri) as client:
        found = _discovered(client, settings)
        url, _ = client.create_authorization_url(
            found["authorization_endpoint"], state=ticket.state, nonce=ticket.nonce, code_verifier=ticket.verifier
        )
    return str(url), ticket


def identity_of(settings: Oidc, secret: str | None, ticket: Ticket, code: str, *, redirect_uri: str) -> Identity:
    """Return who has come back from the provider with a code.

    Raises: Problem 401 when the provider does not vouch for them, 503 when it does not answer.
    """
    from authlib.integrations.base_client.errors import OAuthError  # type: ignore[import-untyped]  # it has no types

    with _client(settings, secret, redirect_uri) as client:
        found = _discovered(client, settings)
        try:
            token = client.fetch_token(found["token_endpoint"], code=code, code_verifier=ticket.verifier)
        except OAuthError as error:
            raise Problem(401, "the provider does not know this login; begin again") from error
        keys = _document(client, found["jwks_uri"])
    return _verified(settings, ticket, token.get("id_token"), keys)


def _verified(settings: Oidc, ticket: Ticket, id_token: object, keys: Any) -> Identity:
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    wanted = jwt.JWTClaimsRegistry(
        leeway=_LEEWAY_S,
        iss={"essential": True, "value": settings.issuer},
        aud={"essential": True, "value": settings.client_id},
        nonce={"essential": True, "value": ticket.nonce},
        exp={"essential": True},
        iat={"essential": True},
        sub={"essential": True},
    )
    try:
        claims = jwt.decode(str(id_token), KeySet.import_key_set(keys), algorithms=_ALGORITHMS).claims
        wanted.validate(claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise Problem(401, "what the provider says of this login cannot be trusted") from error
    # A token for several parties says which of them asked for it.
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != settings.client_id:
        raise Problem(401, "what the provider says of this login is meant for somebody else")
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email or claims.get("email_verified") is not True:
        raise Problem(401, "the provider has not verified the address of this login")
    return Identity(email=email.lower(), name=str(claims.get("name") or email)[:120])


@contextmanager
def _client(settings: Oidc, secret: str | None, redirect_uri: str) -> "Iterator[OAuth2Client]":
    try:
        from authlib.integrations.httpx_client import OAuth2Client
    except ModuleNotFoundError as error:
        raise MissingExtra("oidc", needed_for="logging in through OpenID Connect") from error
    # What authlib sends requests with depends on its version: httpx or httpx2.
    sender = next(base for base in OAuth2Client.__mro__ if base.__name__ == "Client")
    troubles = import_module(sender.__module__.partition(".")[0]).HTTPError
    with OAuth2Client(
        settings.client_id,
        secret,
        token_endpoint_auth_method="client_secret_basic" if secret else "none",
        scope="openid email profile",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        timeout=_TIMEOUT_S,
        trust_env=False,
    ) as client:
        try:
            yield client
        except troubles as error:
            raise Problem(503, "the provider that logs people in does not answer") from error


def _discovered(client: "OAuth2Client", settings: Oidc) -> Mapping[str, Any]:
    """Return what the provider says of itself. Source: OpenID Connect Discovery 1.0, sections 4.1 to 4.3."""
    _insist_on_https(settings.issuer)
    found = _document(client, settings.issuer.rstrip("/") + "/.well-known/openid-configuration")
    if found.get("issuer") != settings.issuer:
        raise SettingsError(f"the provider is not {settings.issuer!r}, as it says itself", key="service.oidc.issuer")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        _insist_on_https(str(found.get(name)))
    return found


def _document(client: "OAuth2Client", url: str) -> Mapping[str, Any]:
    answer = client.request("GET", url, withhold_token=True)
    try:
        found = answer.json() if answer.status_code == 200 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Problem(503, "the provider that logs people in does not answer as it should")
    return found


def _insist_on_https(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise SettingsError(f"a provider must be reached over https, not by {url!r}", key="service.oidc.issuer")


def _random(length: int = 24) -> str:
    return secrets.token_urlsafe(length)
