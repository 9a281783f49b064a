"""Amazon Bedrock's client, boto3: one that asks once, blocks nobody who gives it up, and stays on this machine if told.

The only file that knows boto3.
"""

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any

from audition.errors import ModelError
from audition.providers import Provider

_LONGEST_TO_CONNECT_S = 10
_LONGEST_SILENCE_S = 3600
"""When a connection that nobody waits for any more is dropped; the limit of a call is its caller's."""

_MOST_CONNECTIONS = 50

_LOCAL = ("env", "shared-credentials-file", "config-file", "ec2-credentials-file", "boto-config")
"""Where AWS's tools look for keys without asking anybody."""

_REGION = "set AWS_DEFAULT_REGION, or name a region in the AWS profile"
_KEYS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"

_Answers = SimpleQueue[Callable[[], Any]]
_answers: contextvars.ContextVar[_Answers] = contextvars.ContextVar("audition_bedrock_answers")


class GivenUp(Exception):
    """Nobody waits for the answer any more."""


class Client:
    """What pydantic-ai asks of boto3's client: its `meta`, and `converse`, within `may_be_given_up`."""

    def __init__(self, client: Any) -> None:
        self._client, self.meta = client, client.meta

    def converse(self, **request: Any) -> Any:
        """Return what the endpoint answers.

        It is asked from a thread that ends with the process: boto3 cannot be interrupted, and a server that drips
        would hold up whoever waits for it for ever.

        Raises: GivenUp when nobody waits any more, ModelError for what no attempt can mend, boto3's own errors.
        """
        answers, context = _answers.get(), contextvars.copy_context()

        def ask() -> None:
            answers.put(_outcome(lambda: self._client.converse(**request)))

        Thread(target=context.run, args=(ask,), name="bedrock", daemon=True).start()
        return _readable(answers.get())


@contextmanager
def may_be_given_up() -> Iterator[None]:
    """Let the call made within end when this does, even if its answer never comes."""
    answers: _Answers = SimpleQueue()
    token = _answers.set(answers)
    try:
        yield
    finally:
        answers.put(_nobody_waits)
        _answers.reset(token)


def client_of(provider: Provider) -> Client:
    """Return a client; the key is the provider's, else what AWS's tools find. It takes half a second of CPU.

    Raises: ModelError without a region or keys, ImportError without boto3.
    """
    import boto3  # type: ignore[import-untyped]  # it comes without types
    from botocore.config import Config  # type: ignore[import-untyped]  # as boto3
    from botocore.exceptions import BotoCoreError, NoRegionError  # type: ignore[import-untyped]  # as boto3

    try:
        session = _session(provider)
        if not provider.api_key and session.get_credentials() is None and session.get_auth_token() is None:
            raise ModelError(f"no AWS credentials for the provider {provider.name!r}", hint=_KEYS)
        config = Config(
            retries={"total_max_attempts": 1},  # asking again is for us
            connect_timeout=_LONGEST_TO_CONNECT_S,
            read_timeout=_LONGEST_SILENCE_S,
            max_pool_connections=_MOST_CONNECTIONS,
            **({"signature_version": "bearer"} if provider.api_key else {}),
            **({"proxies": {}} if provider.offline else {}),
        )
        made = boto3.Session(botocore_session=session).client(
            "bedrock-runtime", config=config, endpoint_url=provider.base_url or None
        )
    except NoRegionError:
        raise ModelError(f"no AWS region for the provider {provider.name!r}", hint=_REGION) from None
    except BotoCoreError as error:
        raise ModelError(f"{provider.name}: {error}", hint=_KEYS) from error
    except ValueError as error:  # a base_url that is none
        raise ModelError(f"{provider.name}: {error}", hint=f"check [providers.{provider.name}] base_url") from error
    made.meta.events.register("response-received.bedrock-runtime", _whole)
    return Client(made)


def _session(provider: Provider) -> Any:
    from botocore.session import Session  # type: ignore[import-untyped]  # as boto3
    from botocore.tokens import FrozenAuthToken  # type: ignore[import-untyped]  # as boto3

    session = Session()
    if provider.api_key:
        token = FrozenAuthToken(provider.api_key)
        session.get_auth_token = lambda **_: token
        session.get_credentials = lambda: None
    elif provider.offline:
        resolver = session.get_component("credential_provider")
        for source in [one.METHOD for one in resolver.providers if one.METHOD not in _LOCAL]:
            resolver.remove(source)
    return session


def _whole(response_dict: Any = None, **_: Any) -> None:
    """Refuse a reply that is cut short: boto3 takes what there is of it for all."""
    from botocore.exceptions import ResponseStreamingError

    length = response_dict["headers"].get("content-length") if response_dict else None
    if length is not None and length.isdecimal() and len(response_dict["body"]) < int(length):
        raise ResponseStreamingError(error="the reply is cut short")


def _outcome(call: Callable[[], Any]) -> Callable[[], Any]:
    """Return what gives the call's answer, or raises what it raised, in the thread that waits for it."""
    try:
        answer = call()
    except Exception as error:  # it is raised where it is waited for
        raised = error

        def fail() -> None:
            raise raised

        return fail
    return lambda: answer


def _nobody_waits() -> None:
    raise GivenUp


def _readable(outcome: Callable[[], Any]) -> Any:
    """Return an outcome, boto3's own errors in our words; those of the connection and refusals are passed on."""
    from botocore import exceptions as boto  # type: ignore[import-untyped]  # as boto3

    try:
        return outcome()
    except (boto.HTTPClientError, boto.ConnectionError):
        raise
    except (boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError) as error:
        raise ModelError(f"bedrock: {error}", hint=_KEYS) from None
    except boto.BotoCoreError as error:
        raise ModelError(f"bedrock: {error}") from None
