# Everything a newcomer needs: `make demo` and `make test`. Each target sets up what it needs in .venv, once.
PYTHON ?= python3
BIN := .venv/bin
KERNEL := CMakeLists.txt pyproject.toml $(wildcard src/truegrade/_kernel/*)

.DELETE_ON_ERROR: # an environment without pip is no environment
.PHONY: demo test test-slow test-oldest newcomer browser crowdkit pandas2 sanitize portable lint format bench bench-large bench-dask reproduce docs dist clean

demo: .venv/.installed
	$(BIN)/truegrade demo

test: .venv/.installed .venv/.test-tools
	$(BIN)/python -m pytest

test-slow: .venv/.installed .venv/.test-tools
	$(BIN)/python -m pytest -m slow

# The same with the oldest versions of everything that pyproject.toml admits.
test-oldest:
	sh tools/oldest.sh $(PYTHON)

# How long a newcomer waits: from a fresh clone to a report on their own file.
newcomer:
	sh tools/newcomer.sh

# The report's tests drive a real browser, and skip where there is none. This installs it (as root, on Debian).
browser: .venv/.installed .venv/.test-tools
	sh tools/browser.sh
	$(BIN)/python -m pip install --quiet --group browser

# Our crowd-kit classes beside crowd-kit itself, which gets an environment of its own. With RECORD=tests/golden/... it is
# kept for `make test`.
RECORD ?= .venv/crowdkit.json
crowdkit: .venv/.installed .venv/.test-tools
	$(BIN)/python -c 'import sys; from bench.crowdkit import install; sys.exit(install() or None)'
	.venv/crowd-kit/bin/python -P tools/record_crowdkit.py > $(RECORD)
	TRUEGRADE_CROWDKIT_RECORD=$(RECORD) $(BIN)/python -m pytest tests/parity/test_crowdkit.py

# The tests of frames under pandas 2; those of the suite itself have the newest.
FRAMES := frames frame_types gold encode evaluation crowdkit sklearn
pandas2: .venv/.installed .venv/.test-tools .venv/pandas-2
	PYTHONPATH=.venv/pandas-2 $(BIN)/python -c 'import pandas; assert pandas.__version__ < "3", pandas.__version__'
	PYTHONPATH=.venv/pandas-2 $(BIN)/python -m pytest -p no:cacheprovider \
		$(FRAMES:%=tests/unit/test_%.py) tests/parity/test_crowdkit.py

# The kernel's tests on a build that watches memory, undefined behaviour and races.
sanitize: .venv/.build-tools .venv/.test-tools
	sh tools/kernel_variant.sh $(BIN)/python address,undefined
	sh tools/kernel_variant.sh $(BIN)/python thread

# The kernel's tests on what is built for machines other than x86-64.
portable: .venv/.build-tools .venv/.test-tools
	sh tools/kernel_variant.sh $(BIN)/python portable

lint: .venv/.installed .venv/.test-tools .venv/.lint-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror src/truegrade/_kernel/*.?pp

format: .venv/.lint-tools
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i src/truegrade/_kernel/*.?pp

# make bench ONLY="reading imports" runs some; without ONLY all.
bench: .venv/.installed .venv/.test-tools
	$(BIN)/python -m bench $(ONLY)

# Fits from disk of 1, 10 and 100 million ratings: 15 GB of room, half an hour. make bench-large SIZES="1 10" takes a minute.
bench-large: .venv/.installed .venv/.test-tools
	$(BIN)/python -m bench._large $(SIZES)

# Fits of 1 and 10 million ratings on local Dask clusters of 1, 2 and 4 workers: some minutes. SIZES="1" takes one.
bench-dask: .venv/.installed .venv/.test-tools
	$(BIN)/python -m bench._dask $(SIZES)

# The paper's section 4 on the data that TRUEGRADE_DATA holds; the pages in docs/reproduction come from here.
reproduce: .venv/.installed
	$(BIN)/truegrade reproduce -o docs/reproduction

# The site, in docs/_build/index.html. A warning is an error: no dead link, no page outside the navigation.
docs: .venv/.installed .venv/.docs-tools
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs 2 docs docs/_build

# What is released: a source distribution and a wheel for each of PYTHONS, checked, installed afresh and run.
PYTHONS ?= $(BIN)/python
dist: .venv/.installed .venv/.release-tools
	sh tools/dist.sh $(abspath $(BIN)) $(PYTHONS)

clean:
	rm -rf .venv build dist docs/_build demo-output

.venv/bin/python:
	sh tools/need.sh $(PYTHON)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# One group of pyproject.toml each: build, test, lint, docs, release.
.venv/.%-tools: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

.venv/.installed: $(KERNEL) .venv/.build-tools
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

.venv/pandas-2: | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-deps --target $@ "pandas>=2.2,<3" pytz
