"""Where an import leads: files beside the one that imports, and the paths of the nearest tsconfig.json.

Source: TypeScript, module resolution `bundler`.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

SOURCE_SUFFIXES = (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs")
"""The ends of the names of files that can be imported, tried in this order when a name has none."""

MAX_EXTENDED = 10
"""The most files that one tsconfig.json may extend, one after the other."""

_WRITTEN_AS = {".js": (".ts",), ".mjs": (".mts",), ".cjs": (".cts",)}

ReadObject = Callable[[str], object]
"""Reads a file of JSON with comments; anything that is no object stands for one that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Config:
    """What a tsconfig.json says of paths: folders are absolute, `base` None means that there is no `baseUrl`."""

    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    base: str | None = None


class Resolver:
    """Finds the files that imports name; each tsconfig.json is read once."""

    def __init__(self, read_object: ReadObject) -> None:
        self._read_object = read_object
        self._configs: dict[str, _Config] = {}

    def resolve(self, source: str, importer: str) -> str | None:
        """Return the real path of the file that `source` names in the file `importer`, or None."""
        if source.startswith((".", "/")):
            return _existing(os.path.join(os.path.dirname(importer), source))
        config = self._config_for(os.path.dirname(importer))
        for candidate in _mapped(source, config):
            if (found := _existing(candidate)) is not None:
                return found
        return None

    def _config_for(self, folder: str) -> _Config:
        if folder not in self._configs:
            file, above = os.path.join(folder, "tsconfig.json"), os.path.dirname(folder)
            if os.path.isfile(file):
                self._configs[folder] = self._read(file, MAX_EXTENDED)
            else:
                self._configs[folder] = _Config() if above == folder else self._config_for(above)
        return self._configs[folder]

    def _read(self, file: str, levels: int) -> _Config:
        content = self._read_object(file)
        found = _Config()
        if not isinstance(content, Mapping):
            return found
        extended = content.get("extends")
        for name in [extended] if isinstance(extended, str) else extended if isinstance(extended, list) else []:
            other = _extended(str(name), os.path.dirname(file))
            if other is not None and levels:
                found = _over(found, self._read(other, levels - 1))
        options = content.get("compilerOptions")
        return _over(found, _own(options, os.path.dirname(file))) if isinstance(options, Mapping) else found


def _own(options: Mapping[str, object], folder: str) -> _Config:
    base_url, written = options.get("baseUrl"), options.get("paths")
    base = os.path.join(folder, base_url) if isinstance(base_url, str) else None
    paths = {}
    for pattern, targets in written.items() if isinstance(written, Mapping) else ():
        names = [target for target in targets if isinstance(target, str)] if isinstance(targets, list) else []
        paths[str(pattern)] = tuple(os.path.join(base or folder, name) for name in names)
    return _Config(paths, base)


def _over(below: _Config, above: _Config) -> _Config:
    return _Config(above.paths or below.paths, above.base or below.base)


def _extended(name: str, folder: str) -> str | None:
    if name.startswith((".", "/")):
        whole = os.path.join(folder, name)
        return next((file for file in (whole, f"{whole}.json") if os.path.isfile(file)), None)
    while True:
        whole = os.path.join(folder, "node_modules", name)
        for file in (whole, f"{whole}.json", os.path.join(whole, "tsconfig.json")):
            if os.path.isfile(file):
                return file
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)


def _mapped(source: str, config: _Config) -> Iterator[str]:
    """Yield the paths that may be meant: those of the pattern with the longest beginning, then below `baseUrl`."""
    fitting = [pattern for pattern in config.paths if _fits(pattern, source)]
    if fitting:
        pattern = max(fitting, key=lambda one: (one == source, len(one.partition("*")[0])))
        before, star, after = pattern.partition("*")
        rest = source[len(before) : len(source) - len(after)] if star else ""
        yield from (target.replace("*", rest, 1) for target in config.paths[pattern])
    if config.base is not None:
        yield os.path.join(config.base, source)


def _fits(pattern: str, source: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == source
    return len(source) >= len(before) + len(after) and source.startswith(before) and source.endswith(after)


def _existing(path: str) -> str | None:
    """Return the real path of the file that a path without its suffix may mean, or None."""
    if "\0" in path:
        return None
    stem, suffix = os.path.splitext(path)
    candidates = [path, *(stem + other for other in _WRITTEN_AS.get(suffix, ()))]
    candidates += [path + other for other in (*SOURCE_SUFFIXES, ".json")]
    candidates += [os.path.join(path, f"index{other}") for other in SOURCE_SUFFIXES]
    for candidate in candidates:
        if os.path.isfile(candidate):
            return os.path.realpath(candidate)
    return None
