# Every target sets up what it needs; a fresh machine needs Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help venv demo demo-llm serve test campaigns check lint types docs bench bless lock clean

help:  ## say what the targets do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

venv: .venv/ready  ## make .venv with audition, all extras and the test tools

.venv/ready: pyproject.toml requirements.lock
	@echo "setting up .venv (once; about half a minute)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

lock:  ## write requirements.lock anew
	@test -d .venv || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--all-extras --group dev pyproject.toml --custom-compile-command "make lock" --output-file requirements.lock

demo: venv  ## run the evals of examples/support_desk against its agent
	@$(BIN)/python -m examples.demo

demo-llm: venv  ## run evals against a real small language model on this machine
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements-llm.lock
	@$(BIN)/python -m examples.demo_llm

serve: export AUDITION_OWNER_EMAIL ?= owner@example.com
serve: export AUDITION_OWNER_PASSWORD ?= correct-horse-battery
serve: venv  ## start the service in examples/front_desk; its walk_through.sh shows what it can do
	@cd examples/front_desk && ../../$(BIN)/audition serve

test: venv  ## run all tests but the slow campaigns
	@$(BIN)/python -m pytest -n auto -m "not slow"

campaigns: venv  ## run the slow campaigns: thousands of random and damaged files (about two minutes)
	@$(BIN)/python -m pytest -n auto -m slow

check: lint types  ## everything that needs no test run: lint, format, types, architecture
	@$(BIN)/python -m pytest tests/test_architecture.py

lint: venv
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: venv
	@$(BIN)/mypy

docs: venv  ## write docs/reference anew from the code
	@$(BIN)/python -m docs.generate

bench: venv  ## run the benchmarks; each prints its figure beside that of a plain loop
	@$(BIN)/python -m benchmarks

bless: venv  ## rewrite the golden files from what the code says now (review the diff)
	@AUDITION_BLESS=1 $(BIN)/python -m pytest tests/reports tests/judges

clean:  ## remove what the targets made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
