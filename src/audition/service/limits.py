"""How many requests a member may send: a bucket of a minute's requests that fills as it is emptied."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_MOST_BUCKETS = 10_000
"""More members than this at once are not counted apart: full buckets are thrown away then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What is left: `remaining` requests now, all of `limit` in `reset_s` seconds. `wait_s` > 0: not this one."""

    limit: int
    remaining: int
    reset_s: int
    wait_s: int

    def headers(self) -> dict[str, str]:
        """Return what clients are told. Source: IETF draft-ietf-httpapi-ratelimit-headers."""
        told = {
            "RateLimit-Policy": f'"member";q={self.limit};w=60',
            "RateLimit": f'"member";r={self.remaining};t={self.reset_s}',
        }
        return told | ({"Retry-After": str(self.wait_s)} if self.wait_s else {})


class Limiter:
    """Counts the requests of each member in this process. Safe for several threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._buckets: dict[int, tuple[float, float]] = {}

    def take(self, member_id: int, per_minute: int) -> Allowed:
        """Take one request out of a member's bucket, if there is one."""
        with self._lock:
            now, each_s = self._clock(), 60.0 / per_minute
            if len(self._buckets) >= _MOST_BUCKETS:
                self._buckets.clear()
            left, seen = self._buckets.get(member_id, (float(per_minute), now))
            left = min(per_minute, left + (now - seen) / each_s)
            may = left >= 1.0
            left -= 1.0 if may else 0.0
            self._buckets[member_id] = (left, now)
        return Allowed(
            limit=per_minute,
            remaining=int(left),
            reset_s=math.ceil((per_minute - left) * each_s),
            wait_s=0 if may else math.ceil((1.0 - left) * each_s),
        )
