# Two commands do it all on a fresh machine: `make demo` and `make test`. Python 3.11 or newer is all they need.
PYTHON ?= python3
DATA ?= data
JOBS ?= 1
BIN := .venv/bin
RUNNABLE := .venv/runnable
READY := .venv/ready
AXE := .venv/axe/node_modules/axe-core/axe.min.js

.PHONY: demo test quick lint browser screenshots moving-picture fuzz coverage mutants audit licences docs docs-links dist bench clean

demo: $(RUNNABLE)
	$(BIN)/jigsolve demo

test: $(READY) lint browser
	$(BIN)/python -m pytest

# about half a minute: the data model, the stages one by one, files
quick: $(READY)
	$(BIN)/python -m pytest @tests/quick.txt

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# tests drive a real browser: the system's Chromium, installed where that may be done, or else Playwright's own
browser: $(READY) $(AXE)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get update -qq; apt-get install -y -qq chromium; }; } \
	|| $(BIN)/playwright install chromium

# the accessibility checker that the browser tests run inside the page
$(AXE): $(READY)
	@command -v npm >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get update -qq; apt-get install -y -qq npm; }; } \
	|| { echo "Expected npm, which installs axe-core for the browser tests."; exit 1; }
	npm install --silent --no-audit --no-fund --prefix .venv/axe axe-core@4.10.3
	touch $@

# the pictures of the page in docs/, by the tests that look at it
screenshots: $(READY) browser
	JIGSOLVE_SCREENSHOTS=1 $(BIN)/python -m pytest tests/test_page_browser.py tests/test_page_browser_fragments.py

# the moving picture of the README, by the program itself
moving-picture: $(READY)
	mkdir -p build
	$(BIN)/jigsolve scramble src/jigsolve/io/samples/cat.webp --piece 30 --output build/puzzle.png
	$(BIN)/jigsolve solve build/puzzle.png --output build/solved.png --animation docs/demo.gif

# the program alone; installed once, and again only when what it is made from changes
$(RUNNABLE): pyproject.toml requirements-dev.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "jigsolve needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -e . -c requirements-dev.lock
	touch $(RUNNABLE)

# and what development needs
$(READY): $(RUNNABLE)
	$(BIN)/python -m pip install --quiet -e ".[dev]" -c requirements-dev.lock
	touch $(READY)

# a million cases against every reader and the solver; what breaks is kept in tests/corpus
CASES ?= 1000000
fuzz: $(READY)
	$(BIN)/python tests/fuzz.py --cases $(CASES)

# branch coverage of all tests; needs coverage, which is no part of development otherwise
coverage: $(READY) browser
	$(BIN)/python -m pip install --quiet "coverage>=7.10"
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered

# small faults in the data model, layout files and calibration, which tests must notice; needs cosmic-ray, likewise
MUTATED := puzzle/geometry puzzle/layout puzzle/scores io/layout_file confidence/calibration
SAMPLE ?= 60
mutants: $(READY)
	$(BIN)/python -m pip install --quiet "cosmic-ray>=8.4"
	for module in $(MUTATED); do $(BIN)/python tests/mutate.py src/jigsolve/$$module.py --sample $(SAMPLE) || exit 1; done

# known weaknesses of the pinned versions; needs the network and pip-audit, which is no part of development otherwise
audit: $(READY)
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --requirement requirements-dev.lock --no-deps --disable-pip

licences: $(READY)
	$(BIN)/python docs/make_licences.py

# what the site and a release need beyond development
RELEASE_READY := .venv/release-ready
$(RELEASE_READY): $(READY) requirements-docs.lock
	$(BIN)/python -m pip install --quiet -e ".[docs,release]" -c requirements-dev.lock -c requirements-docs.lock
	touch $(RELEASE_READY)

# the site in build/site: every page, the reference, examples executed; warnings are errors; needs no network
docs: $(RELEASE_READY)
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html docs build/site
	@echo "build/site/index.html"

# links that leave the site; needs the network
docs-links: $(RELEASE_READY)
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder linkcheck docs build/links

# builds wheel and sdist, then proves them in empty environments of every Python at hand
PYTHONS ?= $(shell for v in 3.11 3.12 3.13 3.14; do python$$v -c pass 2>/dev/null && echo python$$v; done)
dist: $(RELEASE_READY)
	rm -rf dist
	$(BIN)/python -m build --quiet --no-isolation
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python packaging/try_install.py dist/*.whl dist/*.tar.gz --python $(or $(PYTHONS),$(PYTHON))
	ls -l dist

# the paper's tables: DATA holds one folder of pictures a set (mit, mcgill)
bench: $(READY)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 2 --solver default paper --jobs $(JOBS)
	$(BIN)/jigsolve bench $(DATA)/mit $(DATA)/mcgill --piece 28 --type 1 --solver balanced --jobs $(JOBS)
	$(BIN)/jigsolve bench report results

clean:
	rm -rf .venv build dist .coverage* jigsolve-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
