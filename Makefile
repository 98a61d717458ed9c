# Two commands do it all on a fresh machine: `make demo` and `make test`. Python 3.11 or newer is all they need.
PYTHON ?= python3
DATA ?= data
JOBS ?= 1
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test lint dist bench clean

demo: $(READY)
	$(BIN)/jigsolve demo

test: $(READY) lint
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# installed once, and again only when what it is made from changes; ready is written last
$(READY): pyproject.toml requirements-dev.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "jigsolve needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -e ".[dev]" -c requirements-dev.lock
	touch $(READY)

# builds, then proves the wheel in an empty environment
dist: $(READY)
	rm -rf dist build/empty
	$(BIN)/python -m build --quiet --no-isolation
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet dist/*.whl
	build/empty/bin/jigsolve --help
	cd build/empty && bin/jigsolve demo --out demo
	cd build/empty && bin/jigsolve solve demo/puzzle.png --output solved.png --layout layout.json
	cd build/empty && bin/jigsolve score layout.json demo/truth.json
	rm -rf build/empty
	ls -l dist

# the paper's tables: DATA holds one folder of pictures a set (mit, mcgill)
bench: $(READY)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 2 --solver default paper --jobs $(JOBS)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 --solver balanced --jobs $(JOBS)

clean:
	rm -rf .venv build dist jigsolve-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
