"""A turn may take so long and so many steps, and ends for one reason."""

import pytest

from audition.agents.subject._course import Course, Stopped
from audition.transcript import Trouble


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_our_own_waiting_is_not_the_turns_time():
    clock = Clock()
    course = Course(1, clock=clock)
    course.begin(30)

    clock.now += 50
    course.waited(45)

    assert course.left_s() == 25


def test_a_turn_that_has_no_time_left_is_late():
    clock = Clock()
    course = Course(1, clock=clock)
    course.begin(30)
    clock.now += 30

    with pytest.raises(Stopped):
        course.left_s()

    assert course.trouble == Trouble(message="no answer within 30 s", by_agent=True)


def test_the_first_reason_counts():
    course = Course(1)

    course.stop("the model is down", by_agent=False)
    course.stop("something that followed from it", by_agent=True)

    assert course.trouble == Trouble(message="the model is down", by_agent=False)


def test_a_new_turn_begins_without_trouble_and_with_all_its_steps():
    course = Course(1)
    course.begin(30)
    course.step()
    course.stop("over", by_agent=True)

    course.begin(30)
    course.step()

    assert course.trouble is None


@pytest.mark.parametrize(
    ("wished", "expected"),
    [
        (("a", "b"), ["a", "b"]),
        (("a", "a", "a"), ["a", "a_2", "a_3"]),
        (("", ""), ["call_1", "call_2"]),
        (("call_2", "", ""), ["call_2", "call_2_2", "call_3"]),
    ],
    ids=["as wished", "repeated", "lacking", "taken"],
)
def test_ids_of_calls_are_unique(wished: tuple[str, ...], expected: list[str]):
    course = Course(1)

    own = [course.own_id(one) for one in wished]

    assert len(set(own)) == len(own)
    assert own[0] == expected[0]
