"""Where an import leads: files beside the one that imports, and the paths of the nearest tsconfig.json.

Source: TypeScript, module resolution `bundler`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os.path import realpath
from pathlib import Path

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

    paths: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    base: Path | None = None


class Resolver:
    """Finds the files that imports name; each tsconfig.json is read once."""

    def __init__(self, read_object: ReadObject) -> None:
        self._read_object = read_object
        self._configs: dict[Path, _Config] = {}

    def resolve(self, source: str, importer: str) -> str | None:
        """Return the real path of the file that `source` names in the file `importer`, or None."""
        if source.startswith((".", "/")):
            return _existing(Path(importer).parent / source)
        config = self._config_for(Path(importer).parent)
        for candidate in _mapped(source, config):
            if (found := _existing(candidate)) is not None:
                return found
        return None

    def _config_for(self, folder: Path) -> _Config:
        if folder not in self._configs:
            file, above = folder / "tsconfig.json", folder.parent
            if _is_file(file):
                self._configs[folder] = self._read(file, MAX_EXTENDED)
            else:
                self._configs[folder] = _Config() if above == folder else self._config_for(above)
        return self._configs[folder]

    def _read(self, file: Path, levels: int) -> _Config:
        content = self._read_object(str(file))
        found = _Config()
        if not isinstance(content, Mapping):
            return found
        extended = content.get("extends")
        for name in [extended] if isinstance(extended, str) else extended if isinstance(extended, list) else []:
            other = _extended(str(name), file.parent)
            if other is not None and levels:
                found = _over(found, self._read(other, levels - 1))
        options = content.get("compilerOptions")
        return _over(found, _own(options, file.parent)) if isinstance(options, Mapping) else found


def _own(options: Mapping[str, object], folder: Path) -> _Config:
    base_url, written = options.get("baseUrl"), options.get("paths")
    base = folder / base_url if isinstance(base_url, str) else None
    paths = {}
    for pattern, targets in written.items() if isinstance(written, Mapping) else ():
        names = [target for target in targets if isinstance(target, str)] if isinstance(targets, list) else []
        paths[str(pattern)] = tuple((base or folder) / name for name in names)
    return _Config(paths, base)


def _over(below: _Config, above: _Config) -> _Config:
    return _Config(above.paths or below.paths, above.base or below.base)


def _extended(name: str, folder: Path) -> Path | None:
    """Return the file that a tsconfig.json extends: beside it, or in a package."""
    if name.startswith((".", "/")):
        candidates = [folder / name, folder / f"{name}.json"]
    else:
        packages = [above / "node_modules" for above in (folder, *folder.parents)]
        ends = (name, f"{name}.json", f"{name}/tsconfig.json")
        candidates = [package / end for package in packages for end in ends]
    return next((file for file in candidates if _is_file(file)), None)


def _mapped(source: str, config: _Config) -> Iterator[Path]:
    """Yield the paths that may be meant: those of the pattern with the longest beginning, then below `baseUrl`."""
    fitting = [pattern for pattern in config.paths if _fits(pattern, source)]
    if fitting:
        pattern = max(fitting, key=lambda one: (one == source, len(one.partition("*")[0])))
        before, star, after = pattern.partition("*")
        rest = source[len(before) : len(source) - len(after)] if star else ""
        yield from (Path(str(target).replace("*", rest, 1)) for target in config.paths[pattern])
    if config.base is not None:
        yield config.base / source


def _fits(pattern: str, source: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == source
    return len(source) >= len(before) + len(after) and source.startswith(before) and source.endswith(after)


def _existing(path: Path) -> str | None:
    """Return the real path of the file that a path without its suffix may mean, or None."""
    candidates = [path, *(path.with_suffix(other) for other in _WRITTEN_AS.get(path.suffix, ()))]
    if path.name:
        candidates += [path.with_name(path.name + other) for other in (*SOURCE_SUFFIXES, ".json")]
    candidates += [path / f"index{other}" for other in SOURCE_SUFFIXES]
    return next((realpath(candidate) for candidate in candidates if _is_file(candidate)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no path at all (a zero byte, or too long), or none that we may look at
        return False
