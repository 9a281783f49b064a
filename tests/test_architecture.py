"""The shape of the code: floors, sizes, circles and vendors. Source: architecture, section 3; standard library only."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "audition"

FLOORS = {
    "evals": 0, "transcript": 0, "results": 0, "subjects": 0, "errors": 0, "registry": 0, "text": 0,
    "providers": 0, "documents": 0,
    "scoring": 1, "statistics": 1, "llm": 1, "wire": 1, "settings": 1, "settings_service": 0,
    "formats": 2, "agents": 2, "users": 2, "judges": 2, "store": 2, "reports": 2,
    "engine": 3,
    "library": 4, "cli": 4, "pytest_plugin": 4, "adk_compat": 4, "service": 4,
    "__init__": 5, "__main__": 5,
}  # fmt: skip
"""The floor of each module or folder at the root of the package; see docs/decisions for what was added and why."""

VENDORS = {
    "aiohttp": "llm/transport.py",
    "alembic": "store/migrations/__init__.py",
    "genai_prices": "llm/prices.py",
    "boto3": "llm/_bedrock.py",
    "botocore": "llm/_bedrock.py",
    "argon2": "service/passwords.py",
    "authlib": "service/oidc.py",
    "dbos": "service/runs.py",
    "google": "agents/adk.py",
    "httpx2": "agents/tools/mcp.py",
    "joserfc": "service/oidc.py",
    "jsonschema_rs": "agents/subject/_tool_modes.py",
    "mcp": "agents/tools/mcp.py",
    "pydantic": "wire.py",
    "pydantic_ai": "llm/pydantic_ai.py",
    "regex": "scoring/patterns.py",
    "tree_sitter": "formats/_ts_parsing.py",
    "tree_sitter_typescript": "formats/_ts_parsing.py",
    "yaml": "documents/yaml.py",
}
"""Each vendor, and the one file that may import it."""

FREE_VENDORS = {
    "click": "cli/", "fastapi": "service/", "google": "agents/", "pydantic": "service/", "pytest": "pytest_plugin/",
    "rich": "cli/", "rich_click": "cli/", "sqlalchemy": "store/", "starlette": "service/", "uvicorn": "service/",
}  # fmt: skip
"""Vendors that belong to a whole folder."""

MODULES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    """Return the root module or folder a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """Yield the dotted names of all imports of a file, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def module_file(dotted: str) -> Path | None:
    """Return the file of a module of ours, or None when the name is no module."""
    base = SOURCE.joinpath(*dotted.split(".")[1:])
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file() and candidate.relative_to(SOURCE).parts:
            return candidate
    return None


def own_imports(path: Path) -> set[Path]:
    """Return the files of ours that a file imports."""
    named = (module_file(name) for name in imports_of(path) if name.startswith("audition."))
    return {found for found in named if found is not None and found != path}


def test_every_part_stands_on_a_floor() -> None:
    assert {part_of(path) for path in MODULES} <= FLOORS.keys()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_lower_floors_and_its_own_folder(path: Path) -> None:
    part, floor = part_of(path), FLOORS[part_of(path)]

    wrong = {
        str(other.relative_to(SOURCE))
        for other in own_imports(path)
        if part_of(other) != part and not (FLOORS[part_of(other)] < floor or FLOORS[part_of(other)] == floor == 0)
    }

    assert wrong == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_has_at_most_400_lines_and_says_what_it_holds(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(text))


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {path: own_imports(path) for path in MODULES}

    while leaves := [path for path, needs in graph.items() if not needs & graph.keys()]:
        for leaf in leaves:
            del graph[leaf]

    assert {str(path.relative_to(SOURCE)) for path in graph} == set()


def test_each_vendor_is_imported_in_one_place() -> None:
    known = set(sys.stdlib_module_names) | {"audition"}
    wrong = []
    for path in MODULES:
        name = str(path.relative_to(SOURCE))
        for vendor in {dotted.split(".")[0] for dotted in imports_of(path)} - known:
            if VENDORS.get(vendor) != name and not name.startswith(FREE_VENDORS.get(vendor, "//")):
                wrong.append(f"{name} imports {vendor}")

    assert wrong == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_command_line_prints_and_only_settings_reads_the_environment(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert "print" not in calls or part_of(path) == "cli"
    assert not {"os.environ", "os.getenv"} & (attributes | calls) or part_of(path) == "settings"
