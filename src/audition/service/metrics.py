"""What the service counts while it runs, and how Prometheus reads it. Source: Prometheus text format 0.0.4."""

import threading
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the groups in which durations of requests are counted, seconds."""

_LATELY_S = 5.0
"""How old counts of the database may be: anybody may ask for them, and they take it some work."""

Found = tuple[Mapping[str, Mapping[str, int]], int]
"""How many `runs` by status and `results` by outcome there are, and how many workers are alive."""

_Sample = tuple[str, Mapping[str, object], float]
"""What follows the family's name, the labels, the value."""


class Metrics:
    """Counts of this process since it started. Safe for several threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._counting = clock, threading.Lock()
        self._lately: tuple[Found, float] | None = None
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._groups: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._login_failures: Counter[str] = Counter()

    def count_request(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count a request that was answered. `route` is the path of the route, not of the request."""
        with self._lock:
            self._requests[method, route, status] += 1
            groups = self._groups.setdefault(route, [0] * (len(BUCKETS_S) + 1))
            groups[bisect_left(BUCKETS_S, duration_s)] += 1
            self._seconds[route] += duration_s

    def count_login_failure(self, reason: str) -> None:
        """Count a login that was refused."""
        with self._lock:
            self._login_failures[reason] += 1

    def lately(self, count: Callable[[], Found]) -> Found:
        """Return what was counted in the database a moment ago, or count anew."""
        with self._counting:
            if self._lately is None or self._clock() - self._lately[1] >= _LATELY_S:
                self._lately = count(), self._clock()
            return self._lately[0]

    def render(self, counted: Found) -> str:
        """Return everything as text."""
        found, workers = counted
        with self._lock:
            requests, failures = dict(self._requests), dict(self._login_failures)
            durations = [sample for route in self._groups for sample in self._histogram(route)]
        labelled = [("", {"method": m, "route": r, "status": s}, n) for (m, r, s), n in requests.items()]
        lines = [
            *_family("http_requests_total", "counter", "requests answered", labelled),
            *_family("http_request_duration_seconds", "histogram", "how long answers took", durations),
            *_family("login_failures_total", "counter", "logins refused", _by("reason", failures)),
            *_family("runs", "gauge", "runs by status", _by("status", found["runs"])),
            *_family("results", "gauge", "results of runs by outcome", _by("outcome", found["results"])),
            *_family("workers", "gauge", "workers alive", [("", {}, workers)]),
            *_family("queue_length", "gauge", "runs that wait", [("", {}, found["runs"].get("pending", 0))]),
        ]
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str) -> Iterator[_Sample]:
        so_far = 0
        for end, count in zip((*BUCKETS_S, "+Inf"), self._groups[route], strict=True):
            so_far += count
            yield "_bucket", {"route": route, "le": end}, so_far
        yield "_sum", {"route": route}, round(self._seconds[route], 6)
        yield "_count", {"route": route}, so_far


def _by(label: str, counts: Mapping[str, int]) -> list[_Sample]:
    return [("", {label: value}, count) for value, count in sorted(counts.items())]


def _family(name: str, kind: str, told: str, samples: Iterable[_Sample]) -> Iterator[str]:
    yield f"# HELP audition_{name} {told}"
    yield f"# TYPE audition_{name} {kind}"
    for suffix, labels, value in samples:
        inner = ",".join(f'{label}="{_escaped(given)}"' for label, given in labels.items())
        yield f"audition_{name}{suffix}{'{' + inner + '}' if inner else ''} {value}"


def _escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
