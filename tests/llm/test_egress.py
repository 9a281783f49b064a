"""Which addresses may be reached on behalf of somebody who is not trusted."""

from collections.abc import Iterable

import pytest

from audition.errors import SettingsError
from audition.llm.egress import Egress, Guard, RefusedEgress
from audition.llm.transport import Transport, TransportError

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "https://shop.example:8443/a?b=c#d",
        "http://8.8.8.8/",
        "http://[2606:4700:4700::1111]:8080/",
        "http://[64:ff9b::808:808]/",
        "http://xn--bcher-kva.example/",
        "http://a_b.shop-1.example/%7Bid%7D",
        "http://127.0.0.1.nip.example/",
    ],
)
def test_what_looks_public_may_be_asked(url: str) -> None:
    assert Egress().fault(url) is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://" + "a" * 8000, "longer"),
        ("https://shop.example:0/", "port 0"),
        ("https://shop.example:99999/", "no URL"),
        ("https://[::1/", "no URL"),
        ("https:///path", "name"),
        ("https://bücher.example/", "name"),
        ("https://shop.example./", "dot at its end"),
        ("https://10.0.0.1/", "10.0.0.1 is not a public address"),
    ],
)
def test_why_a_url_is_not_asked_is_said(url: str, words: str) -> None:
    assert words in str(Egress().fault(url))


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        ("10.1.0.0/16", "http://10.1.2.3/"),
        ("10.1.2.3", "http://10.1.2.3/"),
        ("[::1]", "http://[::1]/"),
        ("fd00::/8", "http://[fd00:ec2::254]/"),
    ],
)
def test_an_address_that_is_allowed_may_be_asked(allowed: str, url: str) -> None:
    assert Egress([allowed]).fault(url) is None
    assert Egress(["10.2.0.0/16"]).fault(url) is not None


@pytest.mark.parametrize("host", ["http://inside", "inside:80", "", "10.0.0.0/99", "0x7f.1", "a b", "*.example"])
def test_a_host_that_is_none_is_an_error_of_the_settings(host: str) -> None:
    with pytest.raises(SettingsError, match="is no host"):
        Egress([host])


async def test_a_name_that_is_allowed_vouches_for_itself_alone() -> None:
    async def lookup(host: str, port: int) -> Iterable[str]:
        return ["10.0.0.7"]

    egress = Egress(["Inside.example."], lookup=lookup)

    assert await egress.addresses("inside.EXAMPLE", 80) == ("10.0.0.7",)
    with pytest.raises(RefusedEgress):
        await egress.addresses("outside.example", 80)
    with pytest.raises(RefusedEgress):
        await egress.addresses("10.0.0.7", 80)


async def test_a_host_without_addresses_is_not_known() -> None:
    async def lookup(host: str, port: int) -> Iterable[str]:
        return []

    with pytest.raises(OSError, match="no address"):
        await Egress(lookup=lookup).addresses("shop.example", 80)


def test_no_socket_is_made_for_an_address_that_was_not_checked() -> None:
    with pytest.raises(RefusedEgress):
        Guard(Egress()).socket((2, 1, 6, "", ("127.0.0.1", 80)))


@pytest.mark.parametrize("url", ["http://127.0.0.1:8/", "http://１２７.0.0.1:8080/", "http://localhost:8080/"])
async def test_a_transport_says_why_it_asks_nobody_and_asks_once(url: str) -> None:
    transport = Transport(timeout_s=5, egress=Egress())

    with pytest.raises(TransportError, match="is not asked") as raised:
        await transport.post_json(url, {})

    await transport.close()
    assert raised.value.attempts == 1


async def test_a_stream_is_guarded_too() -> None:
    transport = Transport(timeout_s=5, egress=Egress())

    with pytest.raises(TransportError, match="is not asked"):
        async with transport.stream("http://127.0.0.1:8080/", silence_s=5):
            pass

    await transport.close()
