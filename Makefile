# The front door. Every target does its own set-up: packages, configuration, build.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
SEEDS ?= 1000
SEED ?= $(shell date +%s)
SECONDS_EACH := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),60)
SECONDS_OF_SIEGE := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),600)
TIDY_LIMIT ?= 16
STEP := tests/checks/step
CODE = find src testkit tests bench sim \( -name '*.h' -o -name '*.cc' \) -print0
export PROA_STARTED := $(shell date +%s)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export JOBS

.DEFAULT_GOAL := help
.PHONY: help build up test clients client-suites conformance components operators differential oracle runtimes vm bench sim siege fuzz lint format tsan messages clean deps-build deps-test configure

help:  ## this list
	@printf 'Proa: Kubernetes in one small binary. Targets:\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nOptions: JOBS=n (processes at once, now $(JOBS)), ARGS="..." (for make up, make vm, make differential, make messages), SECONDS=n (for make fuzz, make siege), SEEDS=n (for make sim), SEED=n (for make siege)\n'

build: deps-build configure  ## the program, at build/proa
	@cmake --build --preset release --target proa

up: build  ## build and start Proa on this machine; Ctrl-C stops it
	@build/proa up $(ARGS)

# A failed step does not stop the others, except those that depend on it. The summary lists all results.
test: export PROA_SUMMARY := $(CURDIR)/build/summary
test: deps-test  ## everything that must hold: house rules, lint, sanitizers, fuzzers, all tests
	@rm -rf $(PROA_SUMMARY)
	@$(MAKE) -s -k -j1 test-steps || true
	@tests/checks/summary $(PROA_SUMMARY)

clients: deps-test  ## the Go clients that the tests drive, where Go is at hand; kept outside of the tree
	@for client in kubectl check kms-plugin; do PROA_BUILD_CLIENTS=1 tests/clients/build-go $$client || [ $$? -eq 77 ] || exit 1; done

client-suites: deps-test build  ## the suites of kubectl, helm, client-go and the Python and JavaScript clients; SUITES=names, FOCUS=regex
	@PROA_BUILD_CLIENTS=1 tests/clients/suites/run $(SUITES)

conformance: deps-test build  ## upstream's conformance suite in a lab; FOCUS=regex, SKIP=regex, FAILED=1, PROCS=n, NODES=n (0: what needs no node), LIST=file
	@PROA_BUILD_CLIENTS=1 tests/conformance/run $(LIST)

components: deps-test build  ## upstream's controller manager and scheduler against our API server; MINUTES=n
	@PROA_BUILD_CLIENTS=1 tests/conformance/components

operators: deps-test build  ## cert-manager, prometheus-operator and kubebuilder's sample against our API server and upstream's; MINUTES=n, OPERATORS=names
	@PROA_BUILD_CLIENTS=1 MINUTES=$(or $(MINUTES),5) OPERATORS="$(OPERATORS)" tests/operators/run

differential: deps-test build  ## generated requests to our API server and upstream's, compared; ARGS="--seed 7 --requests 50000"
	@PROA_BUILD_CLIENTS=1 tests/differential/run $(ARGS)

ORACLES := apply cel custom definition policy
oracle: deps-test configure  ## apply, CEL, custom resources, definitions and admission policies beside upstream's own, by generated cases; CASES=n, SEED=n, ORACLES=names
	@for oracle in $(ORACLES); do PROA_BUILD_CLIENTS=1 tests/clients/build-go $$oracle-oracle >/dev/null || exit 1; done
	@cmake --build --preset release --target $(ORACLES:%=%_oracle_test)
	@export PROA_ORACLE_SEQUENCES=$(or $(CASES),20000) PROA_CEL_CASES=$(or $(CASES),20000) PROA_CEL_RULES=$(or $(CASES),5000) \
	    PROA_CUSTOM_CASES=$(or $(CASES),20000) PROA_DEFINITION_CASES=$(or $(CASES),5000) PROA_POLICY_CASES=$(or $(CASES),5000) \
	    PROA_ORACLE_SEED=$(or $(SEED),1) PROA_CEL_SEED=$(or $(SEED),1) PROA_CUSTOM_SEED=$(or $(SEED),1) PROA_DEFINITION_SEED=$(or $(SEED),1) \
	    PROA_POLICY_SEED=$(or $(SEED),1); \
	  failed=0; cd build && for oracle in $(ORACLES); do ./$${oracle}_oracle_test --gtest_brief=1 || failed=1; done; exit $$failed

runtimes: deps-test configure  ## the tests of a node with every containerd and OCI runtime there is; TESTS="pods_test ..."
	@cmake --build --preset release --target proa system_tests
	@PROA_BUILD_CLIENTS=1 tests/node/runtimes $(TESTS)

vm: deps-test build-all  ## the tests of nodes on a Debian with systemd and cgroups v2, in qemu; ARGS="COMMAND ..."
	@packaging/install-deps vm
	@tests/vm/run $(ARGS)

bench: deps-test configure  ## every benchmark; the tables also go to build/bench/
	@cmake --build --preset release --target benches
	@bench/run build

sim: deps-test configure  ## the simulated cluster with SEEDS=1000 for every workload
	@cmake --build --preset release --target sim_test
	@PROA_SIM_SEEDS=$(SEEDS) build/sim_test

siege: deps-test configure  ## all attacks in random order on a small server, for SECONDS=600; SEED=n repeats them
	@cmake --build --preset release --target proa siege_test
	@PROA_SIEGE_SEED=$(SEED) PROA_SIEGE_SECONDS=$(SECONDS_OF_SIEGE) build/siege_test

fuzz: deps-test build-asan  ## every fuzzer for SECONDS=60 each
	@tests/fuzz/run build/asan $(SECONDS_EACH)

lint: deps-test  ## house rules, formatting, clang's warnings and thread-safety analysis, clang-tidy on all files
	@$(STEP) 'house rules' $(MAKE) -s check
	@$(STEP) 'clang-format' $(MAKE) -s check-format
	@$(STEP) 'clang: warnings and thread safety' $(MAKE) -s build-asan
	@$(STEP) 'clang-tidy' $(MAKE) -s check-tidy TIDY=--all

format: deps-test  ## bring all code into the house's format
	@$(CODE) | xargs -0 clang-format -i

tsan: deps-test  ## the unit tests of all rooms under the thread sanitizer
	@$(STEP) 'build with the thread sanitizer' $(MAKE) -s build-tsan
	@$(STEP) 'unit tests with the thread sanitizer' tests/checks/run_ctest tsan build/tsan

messages:  ## every help text, line of output, error and log line in one list; ARGS="src/cli ..."
	@tests/checks/messages $(ARGS)

clean:  ## remove everything that was built
	@rm -rf build

# Parts of the targets above.
.PHONY: check check-format check-tidy build-all build-asan build-tsan build-tsan-concurrent

deps-build:
	@packaging/install-deps build run

deps-test:
	@packaging/install-deps build run test

configure:
	@test -f build/build.ninja || cmake --preset release

check:
	@tests/checks/house_test
	@tests/checks/house
	@tests/checks/summary_test
	@tests/checks/fields_test
	@tests/checks/fields

check-format:
	@$(CODE) | xargs -0 clang-format --dry-run -Werror

check-tidy:
	@cmake --preset lint >/dev/null
	@tests/checks/tidy $(TIDY)

# Tests of rooms run with sanitizers, and are not compiled a second time.
build-all: configure
	@cmake --build --preset release --target proa system_tests benches

# Programs that do not run with sanitizers are compiled there, but not linked: clang's warnings and its thread-safety
# analysis are errors, for every file.
build-asan build-tsan: build-%:
	@test -f build/$*/build.ninja || cmake --preset $*
	@cmake --build --preset $*

build-tsan-concurrent:
	@test -f build/tsan/build.ninja || cmake --preset tsan
	@cmake --build --preset tsan-concurrent

# The steps of `make test`, one after the other.
STEPS := house format release asan fuzz unit tsan-build tsan tidy clients system
.PHONY: test-steps $(STEPS:%=step-%)
test-steps: $(STEPS:%=step-%)
step-fuzz step-unit: step-asan
step-tsan: step-tsan-build
step-system: step-release step-clients

step-house:
	@$(STEP) 'house rules' $(MAKE) -s check
step-format:
	@$(STEP) 'clang-format' $(MAKE) -s check-format
step-release:
	@$(STEP) 'release build' $(MAKE) -s build-all
step-asan:
	@$(STEP) 'build with clang: sanitizers, warnings, thread-safety analysis' $(MAKE) -s build-asan
step-fuzz:
	@$(STEP) 'fuzzers: the seeds and a few seconds each' env FUZZ_SEED=1 tests/fuzz/run build/asan 3
step-unit:
	@$(STEP) 'unit tests with ASan and UBSan' tests/checks/run_ctest asan build/asan
step-tsan-build:
	@$(STEP) 'build with TSan: base, store, http, client' $(MAKE) -s build-tsan-concurrent
step-tsan:
	@$(STEP) 'unit tests with TSan: base, store, http, client' tests/checks/run_ctest tsan-concurrent build/tsan
step-tidy:
	@$(STEP) 'clang-tidy on changed files' env LIMIT=$(TIDY_LIMIT) $(MAKE) -s check-tidy
# Without Go or its module proxy, tests that need these clients are skipped.
step-clients:
	@$(STEP) 'Go clients for the tests: kubectl, client-go' $(MAKE) -s clients
step-system:
	@$(STEP) 'tests of the whole' tests/checks/run_ctest release build -L system
