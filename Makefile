# make demo   from nothing to the main job on the packaged example
# make test   the whole test suite
# make check  ruff, mypy --strict, import arrows
# make bench  every benchmark, each against its peer in the same run
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OUT ?= out/demo
SOURCES := pyproject.toml constraints.txt CMakeLists.txt $(shell find native -name '*.cpp' -o -name '*.hpp')

.PHONY: demo test check bench fuzz install clean

demo: $(STAMP)
	$(BIN)/storymeter demo --out $(OUT)

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/unit/test_arrows.py

bench: $(STAMP)
	for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# a million hostile inputs per kernel, under AddressSanitizer and UBSan
fuzz:
	cmake -S . -B build/fuzz -DSTORYMETER_FUZZ=ON && cmake --build build/fuzz -j
	for program in build/fuzz/fuzz_*; do [ -x $$program ] && $$program 1000000 1 || exit 1; done

install: $(STAMP)

$(STAMP): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all,test]'
	touch $@

clean:
	rm -rf $(VENV) build out artefacts
