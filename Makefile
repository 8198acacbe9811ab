# Every target makes its own virtual environment; a second run starts at once.
# PYTHON picks the interpreter (3.11 or newer), VENV the folder.
VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
# Half of their time tests wait for processes of their own: three workers keep two cores busy.
PYTEST_WORKERS ?= 3
# The long sets give a sample of their cases, drawn by the commit; without this, all (tests/sampling.py).
SAMPLE ?= --sample=head
# Some images set it. Then each process would compile all modules anew: a command would start a second later.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-whole check lint types layers unit spark bench docs clean help

help:
	@echo "make demo   ask real questions of the embedded sample database"
	@echo "make test   everything CI checks: style, types, layers, tests; of the long sets a sample"
	@echo "make test-whole   the same with all of the long sets (three times as long; before a release)"
	@echo "make bench  measure what docs/figures.md reports (long)"

$(RUN_STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Fathom needs Python 3.11 or newer; none was found. Set PYTHON=/path/to/python3."; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) (once, about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on -q -e ".[web]"
	@touch $@

$(DEV_STAMP): $(RUN_STAMP)
	@echo "Adding the development tools (once) ..."
	@$(BIN)/python -m pip install --disable-pip-version-check -q "pip>=25.1"
	@$(BIN)/python -m pip install --disable-pip-version-check --no-compile -q -e ".[postgres,mysql,trino,bigquery,snowflake,spark,databricks,models,local,mcp,web,analysis]" --group dev
	@touch $@

demo: $(RUN_STAMP)
	@$(BIN)/fathom demo

# What is quick to fail comes first. Spark takes one core, types take the other.
test: lint layers unit
	@$(MAKE) --no-print-directory -j 2 types spark

test-whole:
	@$(MAKE) --no-print-directory test SAMPLE=

check: lint types layers

lint: $(DEV_STAMP)
	@echo "ruff ..."; $(BIN)/ruff check -q . && $(BIN)/ruff format --check -q .

types: $(DEV_STAMP)
	@echo "mypy ..."; $(BIN)/mypy

layers: $(DEV_STAMP)
	@echo "import layers ..."; $(BIN)/lint-imports

unit: $(DEV_STAMP)
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal -m "not spark" $(SAMPLE) --durations 40

# In one process: each further one would start a Spark of its own. Not beside the other tests: it would take
# seven times as long, and a query that is to be stopped within seconds would take a minute.
spark: $(DEV_STAMP)
	@$(BIN)/python -m pytest -m spark $(SAMPLE) tests/databases tests/rights

bench: $(DEV_STAMP)
	@$(BIN)/python -m pip install --disable-pip-version-check -q --group bench
	@$(BIN)/python -m bench

docs: $(DEV_STAMP)
	@$(BIN)/python -m tests.docs.commands_page
	@$(BIN)/python -m tests.docs.methods_page
	@$(BIN)/python -m tests.docs.rules_page
	@$(BIN)/python -m tests.docs.notebooks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
