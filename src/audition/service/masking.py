"""The secrets that the service knows, masked in whatever comes back, before any of it is kept."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from audition.results import CheckResult, TrialResult, Verdict
from audition.settings import Settings, environment
from audition.text import without_credentials
from audition.transcript import Trouble
from audition.wire import decode_result, encode_result

MASK = "***"

Text = TypeVar("Text", str, str | None)


def secrets_in(settings: Settings) -> tuple[str, ...]:
    """Return what must be written nowhere: keys and headers of providers, and what the service logs in with itself."""
    held = [secret for provider in settings.providers.values() for secret in provider.secrets]
    oidc = settings.service.oidc
    if oidc is not None and oidc.client_secret_env is not None:
        held.append(environment().get(oidc.client_secret_env, ""))
    return tuple(secret for secret in held if secret)


class Masking:
    """Masks secrets by their values wherever they stand, and in errors also by the words before them.

    What agents and tools say of their own accord is data, and stays: only the values in `secrets` are masked in it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        written = {form for secret in secrets for form in (secret, _as_json(secret)) if secret}
        self._secrets = sorted(written, key=len, reverse=True)

    def result(self, result: TrialResult) -> TrialResult:
        """Return a result without secrets."""
        text = encode_result(result) if self._secrets else ""
        if any(secret in text for secret in self._secrets):
            for secret in self._secrets:
                text = text.replace(secret, MASK)
            result = decode_result(text, row="result")
        return _with_plain_errors(result)


def _with_plain_errors(result: TrialResult) -> TrialResult:
    """Return a result whose errors, and the agent's own, show no credentials; of tools' failures none does."""
    if result.verdict in (Verdict.PASS, Verdict.SKIP):
        return result
    seen = result.transcript
    exchanges = tuple(replace(one, trouble=_trouble(one.trouble)) if one.trouble else one for one in seen.exchanges)
    return replace(
        result,
        error=_told(result.error),
        checks=tuple(map(_check, result.checks)),
        transcript=replace(seen, exchanges=exchanges, trouble=_trouble(seen.trouble)),
    )


def _check(check: CheckResult) -> CheckResult:
    if check.verdict is not Verdict.ERROR and check.category != "agent":
        return check
    votes = tuple(vote if vote.raw is not None else replace(vote, reason=_told(vote.reason)) for vote in check.votes)
    return replace(check, reason=_told(check.reason), votes=votes)


def _trouble(trouble: Trouble | None) -> Trouble | None:
    if trouble is None:
        return None
    return replace(trouble, message=_told(trouble.message), detail=_told(trouble.detail))


def _told(text: Text) -> Text:
    return text if text is None else without_credentials(text)


def _as_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
