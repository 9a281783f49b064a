"""`audition schema`: what editors are told of eval files."""

import json
from typing import Any

import jsonschema_rs


def test_the_schema_takes_a_right_file_and_refuses_a_wrong_one(empty: Any) -> None:
    schema = json.loads(empty.invoke("schema").stdout)

    right = {"name": "a", "conversation": [{"user": "hi", "assert": {"response": [{"contains": "hello"}]}}]}
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid(right)
    assert not validator.is_valid({**right, "converstion": []})


def test_the_schema_can_be_written_to_a_file(empty: Any) -> None:
    assert empty.invoke("schema", "--output", "schema.json").stdout == ""

    assert "$schema" in json.loads(empty.folder.joinpath("schema.json").read_text(encoding="utf-8"))
