"""What is masked in a result, and what stays."""

from dataclasses import replace
from pathlib import Path

import pytest

from audition.providers import Provider
from audition.results import CheckResult, TrialResult, Verdict, Vote
from audition.service.masking import Masking, secrets_in
from audition.settings import Settings
from audition.settings_service import Oidc, ServiceSettings
from audition.transcript import Exchange, Reply, ToolCall, Transcript, Trouble

SECRET = 'sk-"quoted"-123456'
SPOKEN = "Authorization: Bearer canary-of-nobody"


def result(**more: object) -> TrialResult:
    """Return a result of one exchange, whose reply and tool say a secret."""
    call = ToolCall(name="find", arguments={"key": SECRET}, result={SECRET: [f"with {SECRET}"]})
    exchange = Exchange(user="When?", replies=(Reply(text=f"It is {SECRET}."),), tool_calls=(call,))
    made = TrialResult(eval_name="a", verdict=Verdict.PASS, transcript=Transcript(exchanges=(exchange,)))
    return replace(made, **more)  # type: ignore[arg-type]  # fields of a result


def test_a_known_secret_is_masked_wherever_it_stands() -> None:
    (exchange,) = Masking([SECRET]).result(result()).transcript.exchanges

    assert exchange.replies[0].text == "It is ***."
    assert exchange.tool_calls[0].arguments == {"key": "***"}
    assert exchange.tool_calls[0].result == {"***": ["with ***"]}


def test_of_two_secrets_the_longer_leaves_no_rest() -> None:
    said = result(error="abcdef-long")

    assert Masking(["abcdef", "abcdef-long"]).result(said).error == "***"


def test_what_is_said_is_data_though_it_looks_like_a_secret() -> None:
    said = result(transcript=Transcript(exchanges=(Exchange(replies=(Reply(text=SPOKEN),)),)))

    assert Masking([]).result(said) == said


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.FAIL])
def test_errors_and_troubles_show_no_credentials(verdict: Verdict) -> None:
    trouble = Trouble(message=SPOKEN, by_agent=True, detail=SPOKEN)
    checks = (
        CheckResult(category="agent", check="answers", verdict=verdict, reason=SPOKEN),
        CheckResult(category="criteria", check="c", verdict=Verdict.ERROR, votes=(Vote(reason=SPOKEN),)),
    )
    transcript = Transcript(exchanges=(Exchange(trouble=trouble),), trouble=trouble)

    masked = Masking([]).result(result(verdict=verdict, error=SPOKEN, checks=checks, transcript=transcript))

    assert "canary" not in repr(masked)


def test_a_judge_that_has_answered_is_quoted_word_for_word() -> None:
    vote = Vote(reason=SPOKEN, raw=SPOKEN)
    check = CheckResult(category="criteria", check="c", verdict=Verdict.FAIL, reason=SPOKEN, votes=(vote,))
    said = result(verdict=Verdict.FAIL, checks=(check,))

    assert Masking([]).result(said) == said


def test_secrets_are_those_of_providers_and_of_logging_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("THE_SECRET", "oidc-secret")
    oidc = Oidc(issuer="https://id.example.com", client_id="a", client_secret_env="THE_SECRET")
    providers = {"acme": Provider(name="acme", api_key="key-123456", headers={"X-Api-Key": "Key header-123456"})}

    found = secrets_in(Settings(root=tmp_path, providers=providers, service=ServiceSettings(oidc=oidc)))

    assert found == ("key-123456", "Key header-123456", "header-123456", "oidc-secret")
