"""The shape of one check as written: a record whose keys may be in camelCase too, and which must be able to fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from audition.documents.located import Path
from audition.documents.shape import Faults, Record, Schema, snake_case

Review = Callable[[Mapping[str, object], Path, Faults], None]
"""Reports what is wrong with a record as a whole, once each of its keys is right."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A record with the seed's snake_case keys; camelCase is taken as well, and comes out as they are declared."""

    record: Record
    review: Review | None = None

    def read(self, value: object, path: Path, faults: Faults) -> object:
        """Return the record in its canonical spelling; faults point at the keys as they are written."""
        if not isinstance(value, Mapping):
            return self.record.read(value, path, faults)
        written = {key: self._canonical(key, value) for key in value}
        known = len(faults.found)
        found = self.record.read({written[key]: item for key, item in value.items()}, path, faults)
        self._point_at_what_is_written({new: key for key, new in written.items()}, path, faults, known)
        if self.review and len(faults.found) == known:
            self.review(found, path, faults)
        return found

    def schema(self) -> Schema:
        """Return the record's schema, with both spellings of each key."""
        schema = self.record.schema()
        properties = schema["properties"]
        if isinstance(properties, dict):
            properties |= {_camel_case(name): shape for name, shape in properties.items()}
        return schema

    def _canonical(self, key: object, value: Mapping[str, object]) -> object:
        name = snake_case(key) if isinstance(key, str) else key
        return name if name in self.record.fields and name not in value else key

    def _point_at_what_is_written(
        self, written: Mapping[object, object], path: Path, faults: Faults, known: int
    ) -> None:
        depth = len(path)
        for index in range(known, len(faults.found)):
            fault = faults.found[index]
            key = written.get(fault.path[depth]) if len(fault.path) > depth else None
            if isinstance(key, str):
                faults.found[index] = replace(fault, path=(*path, key, *fault.path[depth + 1 :]))


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
