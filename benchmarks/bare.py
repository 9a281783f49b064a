"""The plain loops: the same calls as audition makes, and no more than a line of JSON for each.

`python bare.py gather COUNT` calls a function, `python bare.py http COUNT AT_ONCE URL` a server, and `python bare.py
judged COUNT AT_ONCE URL JUDGE` a server and then a judge about its answer; each writes `bare.jsonl` and prints how many
CPU seconds that took.
"""

import asyncio
import json
import sys
import time
from pathlib import Path


async def reply(text: str) -> str:
    """Answer at once."""
    return f"You said: {text}"


async def gather(count: int) -> list[str]:
    """Return a line for each of `count` calls to a function that answers at once."""

    async def one(number: int) -> str:
        said = await reply(f"hello {number}")
        return _line(number, said, "you said" in said.lower())

    return list(await asyncio.gather(*(one(number) for number in range(count))))


async def http(count: int, at_once: int, url: str) -> list[str]:
    """Return a line for each of `count` posts to a server, `at_once` at a time."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as client:

        async def one(number: int) -> str:
            body = {"model": "canned", "messages": [{"role": "user", "content": f"hello {number}"}]}
            async with client.post(url, json=body) as response:
                said = await response.text()
            return _line(number, said, "how can i help" in said.lower())

        return list(await asyncio.gather(*(one(number) for number in range(count))))


async def judged(count: int, at_once: int, url: str, judge: str) -> list[str]:
    """Return a line for each of `count` cases, `at_once` at a time: a post to a server, and one to a judge."""
    import aiohttp

    turns = asyncio.Semaphore(at_once)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as client:

        async def post(to: str, body: object) -> str:
            async with client.post(to, json=body) as response:
                return await response.text()

        async def one(number: int) -> str:
            async with turns:
                said = await post(url, {"turn": {"user": f"hello {number}"}})
                body = {"model": "canned", "messages": [{"role": "user", "content": f"Is this good? {said}"}]}
                grade = json.loads(await post(judge, body))["choices"][0]["message"]["content"]
            return _line(number, said, json.loads(grade)["score"] >= 3)

        return list(await asyncio.gather(*(one(number) for number in range(count))))


def _line(number: int, said: str, held: bool) -> str:
    return json.dumps({"name": f"eval {number}", "verdict": "pass" if held else "fail", "reply": said})


def main(loop: str, *arguments: str) -> None:
    """Run a loop and write its lines."""
    begun = time.process_time()
    count = int(arguments[0])
    loops = {"gather": gather, "http": http, "judged": judged}
    lines = asyncio.run(loops[loop](count, *map(int, arguments[1:2]), *arguments[2:]))
    Path("bare.jsonl").write_text("\n".join(lines), encoding="utf-8")
    print(time.process_time() - begun)


if __name__ == "__main__":
    main(*sys.argv[1:])
