"""Logging in through an OpenID Connect provider: whom it lets in, and whom not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from tests.doubles.oidc_provider import CLIENT_ID, CODE, Provider, provider

from audition.service import oidc
from audition.service.app import create_app
from audition.service.context import Service
from audition.settings_service import Oidc
from audition.store.service import people

pytest.importorskip("authlib")

LOGIN, CALLBACK = "/api/v1/auth/oidc/login", "/api/v1/auth/oidc/callback"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    """Return a provider that all tests share: its keys take a while to make."""
    with provider() as opened:
        yield opened


@pytest.fixture
def double(running: Provider) -> Provider:
    """Return the provider as it is when nobody has changed it."""
    running.claims, running.discovery, running.asked = {}, {}, {}
    running.signs_with, running.has_signature = running.key, True
    return running


@pytest.fixture
def client(service: Service, double: Provider) -> TestClient:
    """Return a browser at a service that has the provider, and Ada as a member."""
    add = {"email": "ada@example.com", "name": "Ada", "role": "editor", "password_hash": None}
    service.database.write(lambda connection: people.add_member(connection, **add))
    return browser(service, double)


def browser(service: Service, double: Provider, **settings: Any) -> TestClient:
    """Return a browser at a service with the provider."""
    oidc_settings = Oidc(issuer=double.issuer, client_id=CLIENT_ID, **settings)
    given = replace(service.settings, service=replace(service.settings.service, oidc=oidc_settings))
    return TestClient(create_app(replace(service, settings=given)), follow_redirects=False)


def log_in(client: TestClient, double: Provider) -> Response:
    """Go to the provider and come back."""
    return client.get(CALLBACK, params=double.authorize(client.get(LOGIN).headers["Location"]))


def test_the_browser_is_sent_to_the_provider_with_proofs_that_nobody_can_guess(
    client: TestClient, double: Provider
) -> None:
    answer = client.get(LOGIN)

    double.authorize(answer.headers["Location"])
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{double.issuer}/authorization?")
    assert double.asked["redirect_uri"] == f"http://testserver{CALLBACK}"
    assert (double.asked["response_type"], double.asked["code_challenge_method"]) == ("code", "S256")
    assert min(len(double.asked[name]) for name in ("state", "nonce", "code_challenge")) >= 32
    cookie = answer.headers["Set-Cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=lax", "Max-Age=600", "Path=/api/v1/auth/oidc"))


def test_a_member_whom_the_provider_vouches_for_gets_a_session(client: TestClient, double: Provider) -> None:
    answer = log_in(client, double)

    assert answer.status_code == 200
    assert list(answer.json()) == ["token", "expires_at", "member"]
    assert answer.headers["Cache-Control"] == "no-store"
    me = client.get("/api/v1/auth/me", headers={"Authorization": f"Bearer {answer.json()['token']}"}).json()
    assert (me["member"]["email"], me["role"]) == ("ada@example.com", "editor")


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody-else"},
        {"aud": [CLIENT_ID, "somebody-else"]},
        {"aud": [CLIENT_ID, "somebody-else"], "azp": "somebody-else"},
        {"iss": "http://127.0.0.1:1"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "true"},
        {"email": None},
        {"email": "nobody"},
    ],
    ids=str,
)
def test_a_token_that_does_not_fit_lets_nobody_in(
    client: TestClient, double: Provider, claims: dict[str, object]
) -> None:
    double.claims = claims

    assert log_in(client, double).status_code == 401


def test_a_token_for_several_that_names_this_service_lets_in(client: TestClient, double: Provider) -> None:
    double.claims = {"aud": [CLIENT_ID, "somebody-else"], "azp": CLIENT_ID}

    assert log_in(client, double).status_code == 200


def _signed_by_another(double: Provider) -> None:
    double.signs_with = double.foreign


def _unsigned(double: Provider) -> None:
    double.has_signature = False


@pytest.mark.parametrize("forge", [_signed_by_another, _unsigned], ids=["another key", "no signature"])
def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(
    client: TestClient, double: Provider, forge: Callable[[Provider], None]
) -> None:
    forge(double)

    answer = log_in(client, double)

    assert answer.status_code == 401
    assert "cannot be trusted" in answer.json()["detail"]


@pytest.mark.parametrize(
    "params",
    [
        {"code": CODE, "state": "guessed"},
        {"code": CODE},
        {"state": "x"},
        {"error": "access_denied", "state": "x"},
        {},
    ],
    ids=["another state", "no state", "no code", "refused", "nothing"],
)
def test_who_did_not_begin_here_does_not_end_here(client: TestClient, double: Provider, params: dict[str, str]) -> None:
    double.authorize(client.get(LOGIN).headers["Location"])

    assert client.get(CALLBACK, params=params).status_code == 401


def test_another_browser_cannot_end_a_login(client: TestClient, double: Provider, service: Service) -> None:
    back = double.authorize(client.get(LOGIN).headers["Location"])

    assert browser(service, double).get(CALLBACK, params=back).status_code == 401


def test_a_code_that_the_provider_does_not_know_lets_nobody_in(client: TestClient, double: Provider) -> None:
    back = double.authorize(client.get(LOGIN).headers["Location"])

    assert client.get(CALLBACK, params=back | {"code": "another"}).status_code == 401


def test_somebody_new_is_a_member_only_where_the_settings_say_as_what(service: Service, double: Provider) -> None:
    refused = log_in(browser(service, double), double)
    taken = log_in(browser(service, double, role="viewer"), double)

    assert refused.status_code == 403
    assert taken.json()["member"] | {"created_at": "", "updated_at": ""} == {
        "id": 1,
        "email": "ada@example.com",
        "name": "Ada",
        "role": "viewer",
        "created_at": "",
        "updated_at": "",
    }


def test_a_role_that_is_none_is_told(service: Service, double: Provider) -> None:
    answer = log_in(browser(service, double, role="king"), double)

    assert (answer.status_code, service.database.read(people.count_members)) == (400, 0)


@pytest.mark.parametrize("issuer", ["http://provider.example", "ftp://127.0.0.1"])
def test_a_provider_must_be_reached_over_https(service: Service, double: Provider, issuer: str) -> None:
    double.issuer, kept = issuer, double.issuer
    client = browser(service, double)
    double.issuer = kept

    assert client.get(LOGIN).status_code == 400


@pytest.mark.parametrize(
    ("discovery", "status"),
    [({"issuer": "https://evil.example"}, 400), ({"token_endpoint": "http://evil.example/token"}, 400)],
    ids=["another issuer", "an endpoint without https"],
)
def test_a_provider_must_be_what_it_says(
    client: TestClient, double: Provider, discovery: dict[str, str], status: int
) -> None:
    double.discovery = discovery

    assert client.get(LOGIN).status_code == status


def test_a_provider_that_does_not_answer_is_told(service: Service, double: Provider) -> None:
    kept, double.issuer = double.issuer, "http://127.0.0.1:9"
    client = browser(service, double)
    double.issuer = kept

    assert client.get(LOGIN).status_code == 503


@pytest.mark.parametrize("path", [LOGIN, CALLBACK])
def test_without_a_provider_there_is_no_way_to_one(service: Service, path: str) -> None:
    assert TestClient(create_app(service)).get(path).status_code == 404


@pytest.mark.parametrize("text", ["", "a.b", "a.b.c.d", "a..c"])
def test_a_ticket_that_is_none_is_none(text: str) -> None:
    assert oidc.decode_ticket(text) is None
