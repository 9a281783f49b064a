"""The `evals` block of a Botpress agent's config."""

from pathlib import Path

import pytest

from audition.errors import LoadError
from audition.formats._botpress_config import BotpressConfig, read_config, with_agent_config
from audition.settings import load_settings

WHOLE = "idleTimeout: 20_000, judgePassThreshold: 4, judgeModel: 'openai:gpt-4o'"
SAID = BotpressConfig(idle_timeout_ms=20_000, judge_pass_threshold=4, judge_model="openai:gpt-4o")
NOTHING = BotpressConfig()


def config(folder: Path, text: str) -> tuple[BotpressConfig, list[str]]:
    (folder / "agent.config.ts").write_text(text, encoding="utf-8")
    found, faults = read_config(folder)
    return found, [str(fault).removeprefix(f"{folder}/") for fault in faults]


@pytest.mark.parametrize(
    "text",
    [
        f"import {{ defineConfig }} from '@botpress/runtime'\nexport default defineConfig({{ evals: {{ {WHOLE} }} }})",
        f"export default {{ evals: {{ {WHOLE} }} }}",
        f"const all = defineConfig({{ evals: {{ {WHOLE} }} }} satisfies Config)\nexport default all",
        f"const evals = {{ {WHOLE} }} as const\nexport default defineConfig({{ name: secret(), evals }})",
        f"const base = {{ {WHOLE} }}\nexport default defineConfig({{ evals: {{ ...base }} }})",
        f"const base = {{ evals: {{ {WHOLE} }} }}\nexport default defineConfig({{ ...base, name: 'x' }})",
        f"import {{ z }} from 'zod'\nstart()\nexport default defineConfig({{ evals: {{ {WHOLE} }}, bot: z.any() }})",
        f"export default defineConfig(({{ 'evals': {{ {WHOLE} }} }} as Config))",
    ],
    ids=["usual", "plain", "constant", "shorthand", "spread", "spread block", "other code", "types"],
)
def test_the_block_is_found_however_it_is_written(tmp_path: Path, text: str) -> None:
    assert config(tmp_path, text) == (SAID, [])


@pytest.mark.parametrize(
    "text",
    ["export default defineConfig({ name: 'x' })", "export const other = 1", "// nothing", "export default {}"],
    ids=["no block", "no default", "empty", "empty object"],
)
def test_a_config_without_the_block_says_nothing(tmp_path: Path, text: str) -> None:
    assert config(tmp_path, text) == (NOTHING, [])


def test_a_folder_without_a_config_says_nothing(tmp_path: Path) -> None:
    assert read_config(tmp_path) == (NOTHING, ())


def test_a_part_of_the_block_is_enough(tmp_path: Path) -> None:
    found, _ = config(tmp_path, "export default defineConfig({ evals: { judgeModel: 'fast' } })")

    assert found == BotpressConfig(judge_model="fast")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "export default defineConfig({ evals: { judgePassThreshold: 6 } })",
            "1:40: evals: 'judgePassThreshold' must be",
        ),
        ("export default defineConfig({ evals: { idleTimeout: '5' } })", "1:40: evals: 'idleTimeout' must be a number"),
        ("export default defineConfig({ evals: { judgemodel: 'x' } })", "did you mean 'judgeModel'?"),
        ("export default defineConfig({ evals: { judgeModel: undefined } })", "the value of 'judgeModel' is undefined"),
        ("export default defineConfig({ evals: 5 })", "evals: this must be an object"),
        ("export default defineConfig({ evals: f() })", "1:38: the call 'f()' cannot be read"),
        ("export default defineConfig({ evals: { idleTimeout: f() } })", "1:53: the call 'f()' cannot be read"),
        ("export default make({ evals: {} })", "1:16: the call 'make({ evals: {} })' cannot be read"),
        ("export default defineConfig({ ...f() })", "the call 'f()' cannot be read"),
        ("export default defineConfig({", "not TypeScript"),
    ],
    ids=["range", "kind", "unknown", "undefined", "no object", "call", "call inside", "maker", "spread", "syntax"],
)
def test_a_block_that_cannot_be_understood_is_a_fault(tmp_path: Path, text: str, fault: str) -> None:
    found, faults = config(tmp_path, text)

    assert found == NOTHING
    assert fault in faults[0]


def test_a_config_says_what_the_projects_own_file_leaves_open(tmp_path: Path) -> None:
    (tmp_path / "agent.config.ts").write_text(
        "export default defineConfig({ evals: { idleTimeout: 5000, judgePassThreshold: 4, judgeModel: 'best' } })",
        encoding="utf-8",
    )
    (tmp_path / "audition.toml").write_text("[options]\njudgePassThreshold = 2\n", encoding="utf-8")

    settings = with_agent_config(load_settings(tmp_path, {"AUDITION_JUDGE_MODEL": "fast"}))

    assert (settings.idle_timeout_ms, settings.judge_pass_threshold, settings.judge_model) == (5000, 2, "fast")


def test_a_config_that_is_wrong_is_no_reason_to_fall_back_in_silence(tmp_path: Path) -> None:
    (tmp_path / "agent.config.ts").write_text(
        "export default defineConfig({ evals: { judgePassThreshold: 9 } })", encoding="utf-8"
    )

    with pytest.raises(LoadError, match="from 1 to 5"):
        with_agent_config(load_settings(tmp_path, {}))
