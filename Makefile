# Two commands do it all on a fresh machine: `make demo` and `make test`. Python 3.11 or newer is all they need.
PYTHON ?= python3
DATA ?= data
JOBS ?= 1
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test quick lint browser screenshots fuzz audit licences dist bench clean

demo: $(READY)
	$(BIN)/jigsolve demo

test: $(READY) lint browser
	$(BIN)/python -m pytest

# about half a minute: the data model, the stages one by one, files
QUICK := geometry layout layout_file scores puzzle pins piece_classes normalise workers relaxation compatibility \
	dissimilarity blocks calibration board holes assembly grouping pipeline render files piece_files picture_files \
	samples verdict package bands
quick: $(READY)
	$(BIN)/python -m pytest $(QUICK:%=tests/test_%.py)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# tests drive a real browser: the system's Chromium, installed where that may be done, or else Playwright's own
browser: $(READY)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get update -qq; apt-get install -y -qq chromium; }; } \
	|| $(BIN)/playwright install chromium

# the pictures of the page in docs/, by the tests that look at it
screenshots: $(READY) browser
	JIGSOLVE_SCREENSHOTS=1 $(BIN)/python -m pytest tests/test_page_browser.py

# installed once, and again only when what it is made from changes; ready is written last
$(READY): pyproject.toml requirements-dev.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "jigsolve needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -e ".[dev]" -c requirements-dev.lock
	touch $(READY)

# a million cases against every reader and the solver; what breaks is kept in tests/corpus
CASES ?= 1000000
fuzz: $(READY)
	$(BIN)/python tests/fuzz.py --cases $(CASES)

# known weaknesses of the pinned versions; needs the network and pip-audit, which is no part of development otherwise
audit: $(READY)
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --requirement requirements-dev.lock --no-deps --disable-pip

licences: $(READY)
	$(BIN)/python docs/make_licences.py

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
	cd build/empty && bin/jigsolve solve demo/puzzle.png --effort fast --report report.html
	build/empty/bin/python -c 'from jigsolve.page.app import _respond_static; [_respond_static(n) for n in ("index.html", "main.js", "view.js", "look.css")]'
	rm -rf build/empty
	ls -l dist

# the paper's tables: DATA holds one folder of pictures a set (mit, mcgill)
bench: $(READY)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 2 --solver default paper --jobs $(JOBS)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 --solver balanced --jobs $(JOBS)
	$(BIN)/jigsolve bench report results

clean:
	rm -rf .venv build dist jigsolve-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
