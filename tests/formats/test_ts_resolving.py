"""Where imports lead."""

from pathlib import Path

import pytest

from audition.formats._ts_resolving import Resolver
from audition.formats._ts_static import StaticReader


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def resolved(root: Path, source: str, importer: str = "evals/a.eval.ts") -> str | None:
    found = StaticReader({}).workspace.resolve(source, str(root / importer))
    return None if found is None else str(Path(found).relative_to(root))


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("./shared", "evals/shared.ts"), ("./shared.ts", "evals/shared.ts"), ("./shared.js", "evals/shared.ts"),
        ("../lib", "lib/index.mts"), ("../lib/data.json", "lib/data.json"), ("../lib/data", "lib/data.json"),
        ("../lib/v1.2", "lib/v1.2.ts"), ("./missing", None), ("zod", None), ("node:fs", None), ("./a\0b", None),
        ("./" + "x" * 5000, None), (".", None), ("", None), ("..", None),
    ],
    ids=lambda value: str(value)[:20].replace("\0", "0"),
)  # fmt: skip
def test_a_path_leads_to_the_file_it_means(root: Path, source: str, file: str | None) -> None:
    for name in ("evals/shared.ts", "lib/index.mts", "lib/data.json", "lib/v1.2.ts"):
        put(root / name)

    assert resolved(root, source) == file


def test_a_file_of_the_very_name_comes_before_one_of_another_suffix(root: Path) -> None:
    put(root / "evals/both.js")
    put(root / "evals/both.ts")

    assert (resolved(root, "./both.js"), resolved(root, "./both")) == ("evals/both.js", "evals/both.ts")


@pytest.mark.parametrize(
    ("config", "source", "file"),
    [
        ('{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}', "@/a", "src/a.ts"),
        ('{"compilerOptions": {"paths": {"@/*": ["./none/*", "./src/*"]}}}', "@/a", "src/a.ts"),
        ('{"compilerOptions": {"baseUrl": "src", "paths": {"@/*": ["*"]}}}', "@/a", "src/a.ts"),
        ('{"compilerOptions": {"baseUrl": "./src"}}', "a", "src/a.ts"),
        ('{"compilerOptions": {"paths": {"@/*": ["./none/*"], "@/a*": ["./src/a*"]}}}', "@/a", "src/a.ts"),
        ('{"compilerOptions": {"paths": {"only": ["./src/a.ts"]}}}', "only", "src/a.ts"),
        ('{"compilerOptions": {"paths": {"*": ["./src/*"]}}}', "a", "src/a.ts"),
        ('{ // comment\n "compilerOptions": {"paths": {"@/*": ["./src/*"],},}, }', "@/a", "src/a.ts"),
        ('{"extends": "./base", "compilerOptions": {"strict": true}}', "@base/a", "src/a.ts"),
        ('{"extends": ["./base.json"]}', "@base/a", "src/a.ts"),
        ('{"extends": "shared/tsconfig.json"}', "@package/a", "src/a.ts"),
        ('{"extends": "./tsconfig.json"}', "@/a", None),
        ('{"extends": "./missing.json", "compilerOptions": {"paths": 5}}', "@/a", None),
        ('{"compilerOptions": {"paths": {"@/*": "./src/*", "a": [5]}}}', "@/a", None),
        ("{ broken", "@/a", None),
        ("[]", "@/a", None),
    ],
    ids=["paths", "second", "with base", "base", "longest", "exact", "star", "comments", "extends", "list", "package",
         "itself", "missing", "no list", "broken", "no object"],
)  # fmt: skip
def test_the_nearest_tsconfig_says_where_names_lead(root: Path, config: str, source: str, file: str | None) -> None:
    put(root / "src/a.ts")
    put(root / "base.json", '{"compilerOptions": {"paths": {"@base/*": ["./src/*"]}}}')
    put(
        root / "node_modules/shared/tsconfig.json",
        '{"compilerOptions": {"paths": {"@package/*": ["../../src/*"]}}}',
    )
    put(root / "tsconfig.json", config)

    assert resolved(root, source, "evals/deep/a.eval.ts") == file


def test_each_tsconfig_is_read_once(root: Path) -> None:
    put(root / "tsconfig.json", "{}")
    read: list[str] = []
    resolver = Resolver(lambda file: read.append(file))

    for folder in ("a", "a/b", "c"):
        resolver.resolve("x", str(root / folder / "one.ts"))

    assert read == [str(root / "tsconfig.json")]
