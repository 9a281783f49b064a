"""The store in memory; what all stores promise is in `contracts/test_stores.py`."""

import pytest

from audition.errors import Conflict, NotFound
from audition.store.memory import only_id


def test_of_ids_that_begin_alike_the_whole_one_is_meant() -> None:
    assert only_id("ab", ["ab", "abc"]) == "ab"


def test_the_only_id_that_begins_so_is_meant() -> None:
    assert only_id("a", ["abc"]) == "abc"


def test_an_id_that_nobody_has_tells_where_to_look() -> None:
    with pytest.raises(NotFound, match="no run called 'x'") as caught:
        only_id("x", [])

    assert caught.value.hint == "audition runs lists those there are"


def test_ids_that_begin_alike_are_named() -> None:
    with pytest.raises(Conflict, match="abc, abd") as caught:
        only_id("ab", ["abc", "abd"])

    assert caught.value.hint == "write more of the id"
