"""How many requests a member may send."""

from audition.service.limits import Limiter


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def test_a_minute_s_requests_may_come_at_once_and_then_none() -> None:
    limiter = Limiter(clock=Clock())

    found = [limiter.take(1, 60).wait_s for _ in range(61)]

    assert found == [0] * 60 + [1]


def test_the_bucket_fills_as_time_goes_by() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    for _ in range(60):
        limiter.take(1, 60)

    clock.now += 2

    assert [limiter.take(1, 60).wait_s for _ in range(3)] == [0, 0, 1]


def test_members_do_not_touch_each_other() -> None:
    limiter = Limiter(clock=Clock())
    limiter.take(1, 1)

    assert limiter.take(1, 1).wait_s == 60
    assert limiter.take(2, 1).wait_s == 0


def test_what_is_left_is_told() -> None:
    limiter = Limiter(clock=Clock())

    assert limiter.take(1, 60).headers() == {"RateLimit-Policy": '"member";q=60;w=60', "RateLimit": '"member";r=59;t=1'}


def test_who_must_wait_is_told_how_long() -> None:
    limiter = Limiter(clock=Clock())
    limiter.take(1, 2)
    limiter.take(1, 2)

    assert limiter.take(1, 2).headers()["Retry-After"] == "30"
