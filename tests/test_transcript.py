"""What happened, as data: what several usages come to."""

import pytest

from audition.transcript import Usage, total


@pytest.mark.parametrize(
    ("usages", "whole"),
    [
        ([], Usage()),
        ([Usage(calls=1, input_tokens=2)], Usage(calls=1, input_tokens=2)),
        (
            [Usage(calls=1, input_tokens=2, cost_usd=0.5), Usage(calls=1, output_tokens=3, cost_usd=0.25)],
            Usage(calls=2, cost_usd=0.75),
        ),
    ],
    ids=["none", "one", "an unknown count stays unknown"],
)
def test_usages_add_up(usages, whole):
    assert total(usages) == whole
