# One-command loops for developers. `make dev` first; VENV names the environment.
VENV ?= .venv
PYTHON := $(VENV)/bin/python
BUILD ?= build/dev
K ?=
JOBS ?= $(shell nproc)
CMAKE := $(VENV)/bin/cmake
CXX_SOURCES := $(shell git ls-files '*.cc' '*.h')
# Tells pip to build in this environment, so that later builds compile only what changed.
EDITABLE := --no-build-isolation -Cbuild-dir=build/python
ifneq ($(shell command -v ccache),)
  EDITABLE += -Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache
  LAUNCHER := -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
endif

.PHONY: help dev build test test-slow test-cpp lint format types stubs asan tsan fuzz demo bench instructions wheel sdist ci clean

help: ## Show the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

dev: ## Make the environment and an editable install.
	test -d $(VENV) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install -q -U pip
	$(PYTHON) -m pip install -q scikit-build-core nanobind cmake ninja
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PYTHON) -m pip install -q $(EDITABLE) -e '.[dev,test]'

build: ## Compile what changed and install it, editable.
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PYTHON) -m pip install -q $(EDITABLE) --no-deps -e .

test: ## Run the Python tests (K=expression selects).
	$(PYTHON) -m pytest $(if $(K),-k "$(K)") tests

test-slow: ## Run the slow Python tests.
	$(PYTHON) -m pytest -m slow tests

test-cpp: ## Build and run the C++ tests.
	$(CMAKE) -S . -B $(BUILD) -G Ninja $(LAUNCHER) -DXGRAMMAR_BUILD_PYTHON=OFF -DXGRAMMAR_BUILD_TESTS=ON
	$(CMAKE) --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure $(if $(K),-R "$(K)")

asan: ## Run the C++ tests under the address and undefined behaviour sanitizers.
	$(MAKE) test-cpp BUILD=build/asan LAUNCHER="$(LAUNCHER) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DXGRAMMAR_SANITIZE=address,undefined"

tsan: ## Run the C++ tests under the thread sanitizer.
	$(MAKE) test-cpp BUILD=build/tsan LAUNCHER="$(LAUNCHER) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DXGRAMMAR_SANITIZE=thread"

lint: ## Check style of Python and C++.
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/clang-format --dry-run -Werror $(CXX_SOURCES)

format: ## Format Python and C++.
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/clang-format -i $(CXX_SOURCES)

types: ## Check types.
	$(VENV)/bin/mypy

stubs: ## Regenerate the stub of the extension.
	$(PYTHON) -m nanobind.stubgen -q -m xgrammar._core -P -o python/xgrammar/_core.pyi

FUZZ_TARGETS := ebnf regex lark json_schema structural_tag
T ?= 60
fuzz: ## Run every fuzz target for T seconds (FUZZ_TARGETS="lark regex" selects), with Clang 14.
	$(CMAKE) -S . -B build/fuzz -G Ninja $(LAUNCHER) -DCMAKE_CXX_COMPILER=clang++-14 -DXGRAMMAR_BUILD_PYTHON=OFF \
	  -DXGRAMMAR_BUILD_FUZZERS=ON -DXGRAMMAR_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -DNDEBUG"
	$(CMAKE) --build build/fuzz -j $(JOBS) --target $(addprefix fuzz_,$(FUZZ_TARGETS))
	$(PYTHON) tests/fuzz/make_corpus.py build/fuzz/corpus
	mkdir -p build/fuzz/found
	set -e; for target in $(FUZZ_TARGETS); do \
	  build/fuzz/tests/fuzz/fuzz_$$target -dict=tests/fuzz/$$target.dict -max_total_time=$(T) -timeout=10 \
	    -rss_limit_mb=3000 -max_len=2048 -print_final_stats=1 -artifact_prefix=build/fuzz/found/ build/fuzz/corpus/$$target; \
	done

demo: ## Generate random text that satisfies a schema.
	$(PYTHON) -m xgrammar demo

bench: ## Run the benchmark.
	$(PYTHON) -m tests.bench

instructions: ## Count the instructions of fixed workloads (needs valgrind); UPDATE=1 tracks the new counts.
	$(CMAKE) -S . -B build/instructions -G Ninja $(LAUNCHER) -DXGRAMMAR_BUILD_PYTHON=OFF -DXGRAMMAR_BUILD_BENCH=ON
	$(CMAKE) --build build/instructions -j $(JOBS)
	$(PYTHON) -m tests.bench.instructions $(if $(UPDATE),--update)

wheel: ## Build a wheel into dist/.
	$(PYTHON) -m pip wheel -q --no-build-isolation --no-deps -w dist .

sdist: ## Build a source archive into dist/.
	$(PYTHON) -c "from scikit_build_core.build import build_sdist; print(build_sdist('dist'))"

ci: ## Run everything that CI runs.
	bash .ci/run

clean: ## Remove everything that was built.
	rm -rf build dist
