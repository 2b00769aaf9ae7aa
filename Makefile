# Every target sets up what it needs in .venv; nothing outside this folder is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench torture drive-emulator clean

demo: .venv/installed
	$(BIN)/council-vault demo

test: .venv/installed-dev
	$(BIN)/python -m pytest -n auto --cov --cov-report=term $(PYTEST_ARGS)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/installed-dev
	$(BIN)/python -m pytest tests/benchmarks -q -s --timeout=0 --benchmark-disable-gc

torture: .venv/installed-dev
	$(BIN)/python -m pytest tests/torture -q -s --timeout=0 --full

drive-emulator: .venv/installed-dev
	cd tests && ../$(BIN)/python -m support.drive_emulator $(EMULATOR_ARGS)

.venv/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch .venv/installed $@

clean:
	rm -rf .venv .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache dist build
