"""Botpress's own npm clients speak with our double as with the real thing."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.botpress import Act, Double, Flow

pytestmark = pytest.mark.parity

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
LIMIT_S = 240

CARD = {
    "type": "card",
    "title": "Plan",
    "subtitle": "Pro",
    "actions": [{"action": "say", "label": "Buy", "value": "b"}],
}
OPTIONS = [{"label": "Red", "value": "r"}]
PAYLOADS: list[dict[str, Any]] = [
    {"type": "markdown", "markdown": "**hi**"},
    {"type": "image", "imageUrl": "http://x/i.png"},
    {"type": "audio", "audioUrl": "http://x/a.mp3"},
    {"type": "video", "videoUrl": "http://x/v.mp4"},
    {"type": "file", "fileUrl": "http://x/f.pdf", "title": "Bill"},
    {"type": "location", "latitude": 45.5, "longitude": -73, "title": "Shop"},
    CARD,
    {"type": "carousel", "items": [CARD]},
    {"type": "choice", "text": "Which?", "options": OPTIONS},
    {"type": "dropdown", "text": "Which?", "options": OPTIONS},
    {"type": "bloc", "items": [{"type": "text", "text": "a"}]},
    {"type": "text", "text": "goodbye"},
]
"""One message of each type that the clients know, a text last."""


@pytest.fixture(scope="module")
def modules() -> Path:
    """Return the folder of the npm packages; it is filled once, with npm."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        pytest.skip("node and npm are not installed: Botpress's own clients cannot be asked")
    if not MODULES.is_dir():
        with tempfile.TemporaryDirectory(dir=HERE, prefix=".npm-") as folder:
            shutil.copy(HERE / "package.json", folder)
            command = [
                npm,
                "install",
                "--no-audit",
                "--no-fund",
                "--no-package-lock",
                "--ignore-scripts",
                "--silent",
                "--fetch-retries=0",
            ]
            try:
                subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=LIMIT_S)
                Path(folder, "node_modules").replace(MODULES)
            except (subprocess.SubprocessError, OSError) as error:
                if not MODULES.is_dir():
                    pytest.skip(f"npm could not install Botpress's clients: {error}")
    return MODULES


@pytest.fixture(scope="module")
def told(modules: Path) -> Any:
    """Return what the clients made of the double."""
    script = {"show everything": Act(say=PAYLOADS), "event:ping": Act()}
    plain = Double(script, flows={"welcome": Flow(name="welcome")})
    encrypted = Double({}, encryption_key="the encryption key")
    with plain.serving_in_a_thread(), encrypted.serving_in_a_thread():
        finished = subprocess.run(
            [
                "node",
                str(HERE / "botpress_clients.cjs"),
                str(modules),
                plain.chat_url,
                plain.url,
                plain.token,
                plain.bot_id,
                encrypted.chat_url,
                str(encrypted.encryption_key),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_a_message_is_said_and_every_type_of_reply_is_heard(told: dict[str, Any]) -> None:
    said = {"type": "text", "text": "show everything"}

    assert told["message"] == said
    heard = [one for one in told["heard"] if "unknown" not in one]
    assert heard == [{"isBot": False, "payload": said}, *({"isBot": True, "payload": one} for one in PAYLOADS)]


def test_nothing_but_signs_of_life_is_unknown_to_the_clients(told: dict[str, Any]) -> None:
    assert {one["unknown"] for one in told["heard"] if "unknown" in one} <= {"ping"}


def test_an_event_is_pushed_and_heard(told: dict[str, Any]) -> None:
    assert (told["event"], told["pushed"]) == ({"kind": "ping"}, {"kind": "ping"})


def test_messages_are_listed_page_by_page(told: dict[str, Any]) -> None:
    assert sorted(told["listed"]) == sorted(["text", *(one["type"] for one in PAYLOADS)])


def test_a_user_is_known_again_by_its_key(told: dict[str, Any]) -> None:
    assert told["resumed"]
    assert told["refusedKey"].startswith("401")


def test_users_are_signed_with_the_encryption_key_and_others_refused_with_a_200(told: dict[str, Any]) -> None:
    assert told["encryptedUser"] == "ada"
    assert told["refusedUser"].endswith("this bot takes only users with keys of their own")


def test_state_is_made_set_and_read(told: dict[str, Any]) -> None:
    place = {"location": {"type": "state"}}

    assert told["noState"].startswith("404")
    assert told["madeState"] == {"value": {"plan": "pro"}, **place}
    assert told["setState"] == told["gotState"] == {"value": {"plan": "free"}, **place}
    assert told["refusedToken"].startswith("401")


def test_a_workflow_is_asked_for_and_looked_at(told: dict[str, Any]) -> None:
    assert told["workflows"] == ["pending", ["completed"], {"n": 1}]


def test_the_bot_tells_the_webhook_of_its_chat(told: dict[str, Any]) -> None:
    assert told["webhookId"] == "chat"
