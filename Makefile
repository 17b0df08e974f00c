# Everything one can do here. Needs make and Python 3.11 or 3.12; the rest is installed into .venv.

VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --no-loadscope-reorder

# The first interpreter that runs and is new enough: a pyenv shim can exist and refuse to start.
SUITED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))
PYTHON ?= $(shell for python in python3.11 python3.12 python3; do \
	$$python -c '$(SUITED)' >/dev/null 2>&1 && { command -v $$python; break; }; done)

# What is installed names the folder it is in, and an interpreter that may be gone one day. So the
# stamp says where that was done; elsewhere, as in a folder with another name or a copy, it is done again.
HERE := '$(subst ','\'',$(CURDIR))'
INSTALLED_IN := $(shell $(BIN)/python -c '' 2>/dev/null && cat $(STAMP) 2>/dev/null)

# Nothing here asks the network for a model or reports to anyone.
export HF_HUB_OFFLINE ?= 1
export RAY_USAGE_STATS_ENABLED ?= 0

# Images often set it. The tests start hundreds of processes, and each would compile the same modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-full lint types bench lock clean elsewhere

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## Install the locked versions and the research-agent command into .venv

demo: setup ## Research a question over bundled documents; no key, no network
	$(BIN)/research-agent demo

test: lint types ## Lint, type-check and test; what .ci/run runs
	$(PYTEST) -m "not full" --durations=25

test-full: lint types ## The same, and the long crash, tamper and quality tests
	CRASH_EVERYWHERE=1 $(PYTEST)

lint: setup ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## mypy --strict, tests included
	$(BIN)/python -m mypy

bench: setup ## Run the benchmarks
	$(BIN)/python bench/run.py

lock: setup ## Update requirements.lock (UPGRADE=1 takes newer versions)
	cp requirements.lock $(VENV)/requirements.lock
	$(BIN)/python -m piptools compile --quiet --extra dev --allow-unsafe --strip-extras \
		--no-header --no-annotate --no-emit-options $(if $(UPGRADE),--upgrade) \
		--output-file $(VENV)/requirements.lock pyproject.toml
	{ grep '^#' requirements.lock; grep -vE '^(#|$$|nvidia-|cuda-|triton)' $(VENV)/requirements.lock \
		| sed 's/+cpu$$//'; } > $(VENV)/requirements.new
	mv $(VENV)/requirements.new requirements.lock

clean: ## Remove caches and build output; .venv stays
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name .git -prune -o -name .venv -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(STAMP): requirements.lock pyproject.toml | $(BIN)/python
	@$(BIN)/python -c '$(SUITED)' || { \
		echo "research-agent needs Python 3.11 or 3.12, and $(VENV) was made with another."; \
		echo "Remove that folder, and run make again."; \
		exit 1; } >&2
	@echo "Installing requirements.lock into $(VENV): some minutes and 3 GB of disk the first time"
	@test ! -s $@ || test "$$(cat $@)" = $(HERE) || $(BIN)/python -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --requirement requirements.lock
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@printf '%s\n' $(HERE) >$@

ifneq ($(CURDIR),$(INSTALLED_IN))
$(STAMP): elsewhere
endif

$(BIN)/python:
	@'$(PYTHON)' -c '$(SUITED)' 2>/dev/null || { \
		echo "research-agent needs Python 3.11 or 3.12, and '$(or $(PYTHON),python3)' is neither."; \
		echo "Install one, or name it: make setup PYTHON=/path/to/python3.11"; \
		exit 1; } >&2
	@'$(PYTHON)' -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "Could not create $(VENV). On Debian or Ubuntu: apt install python3-venv"; \
		exit 1; } >&2
