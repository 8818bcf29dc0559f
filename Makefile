# LOOM's workshop. Two targets are all a new machine needs: `make run` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
FIRST ?= 20000
PROGRAMS ?= 20000
QUICK := tests/house/test_imports_follow_the_arrows.py tests/house/test_generated_pages.py \
  tests/dialects/test_operators.py tests/frontend/test_mlir_errors.py \
  tests/lower/test_lowering_shapes.py tests/model/test_reference.py \
  tests/model/test_examples.py tests/netlist/test_netlist_checks.py tests/emit/test_emit.py
PEER_PYTHON ?=
DEEP_MINUTES ?= 25
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

SUITE ?= build/suite

.DEFAULT_GOAL := help
.PHONY: help run systems systems-placed suite test quick deep nightly check format docs site golden prove floats fuzz mutants campaign units costs calibrate speed slurm peers by-hand bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "LOOM needs Python 3.11 or newer; set PYTHON to one" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[c,python,sim]'
	@touch $@

$(TOOLS): $(READY)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt \
	  -e '.[c,python,sim,bus,registers,package,report,optimal,cluster,explore,lint,formal,judge,docs,dev]'
	@touch $@

run: $(READY) ## compile and co-simulate the examples
	@$(BIN)/python -m loom_sim.suite examples

systems: $(TOOLS) ## co-simulate the examples behind a bus with cocotbext-axi
	@$(BIN)/python -m loom_sim.stream_systems examples/systems/convolve.c examples/systems/convolve_streams.py
	@$(BIN)/python -m loom_sim.systems axi4lite examples/c/fir.c examples/systems/fir_on_axi4lite.py
	@$(BIN)/python -m loom_sim.systems axi4 examples/c/fir.c examples/systems/fir_in_memory.py
	@$(BIN)/python -m loom_sim.systems axi4 examples/spmv.mlir examples/systems/spmv_in_memory.py

systems-placed: $(TOOLS) ## area of wrapper and kernel apart, Fmax of both on ECP5; docs/systems.md
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[synth]'
	$(BIN)/python -m tools.systems --page docs/systems.md

suite: $(READY) ## co-simulate the C and Python examples against their own runs; goes on where it was
	@$(BIN)/loom regress examples/c examples/python -k "not anchors" -j $(JOBS) --cache $(SUITE)/rows \
	  --junit $(SUITE)/suite.xml --html $(SUITE)/suite.html

test: $(TOOLS) ## every test, in Verilator too; deep ones if what they look at changed, for DEEP_MINUTES
	$(BIN)/python -m tests.random_programs --first 120 --programs 200 --jobs $(JOBS)
	$(BIN)/python -m pytest -p tests.house.deep_minutes --deep-minutes $(DEEP_MINUTES) \
	  -n $(JOBS) --dist worksteal -q

quick: $(TOOLS) ## the most telling tests, under a minute; no simulator
	$(BIN)/python -m tests.random_programs --programs 100 --jobs $(JOBS)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m "not sim and not judge and not deep" $(QUICK)

deep: $(TOOLS) ## deep tests whose inputs changed since they passed; writes tests/deep.json
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m deep --record

nightly: $(TOOLS) ## all: 20,000 random programs, 10,000 mutated inputs, a real Slurm, every test, deep or not; writes tests/deep.json
	$(BIN)/python -m tests.random_programs --programs $(PROGRAMS) --jobs $(JOBS)
	$(BIN)/python -m tests.fuzz --inputs 10000
	$(BIN)/python -m tests.grow.c_campaign --programs 500
	$(BIN)/python -m tools.cluster
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q --deep all --record

campaign: $(TOOLS) ## random programs: FIRST=seed PROGRAMS=number, both zero-trip policies
	$(BIN)/python -m tests.random_programs --both --first $(FIRST) \
	  --programs $(PROGRAMS) --jobs $(JOBS)

check: $(TOOLS) ## format, lint, types, model and fast tests; no simulator
	$(BIN)/ruff format --check loom sim tests tools
	$(BIN)/ruff check loom sim tests tools
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m "not sim and not judge"

format: $(TOOLS) ## lay the Python files out
	$(BIN)/ruff format loom sim tests tools
	$(BIN)/ruff check --fix loom sim tests tools

docs: $(TOOLS) units ## write the pages that are made from the code, those of the units too
	$(BIN)/python -m tests.house.generated_pages

site: $(TOOLS) ## the documentation with search: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

golden: $(TOOLS) ## write the golden SystemVerilog anew, to be read in review
	$(BIN)/python -m tests.golden

prove: $(TOOLS) ## prove every primitive, and its Verilog-2005 equal; search circuits for deadlocks
	$(BIN)/python -m tools.prove --page docs/proofs.md
	$(BIN)/python -m tools.deadlock --page docs/deadlocks.md
	$(BIN)/python -m tools.equivalence

units: $(TOOLS) ## measure and draw every unit: build/units/
	$(BIN)/python -m tools.library pages --out build/units

costs: $(TOOLS) ## units whose text is new: area, delay; cells on three FPGAs; hours
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[synth]'
	$(BIN)/python -m tools.library costs
	$(BIN)/python -m tools.library synthesis
	$(BIN)/python -m tests.house.generated_pages

calibrate: $(TOOLS) ## estimates beside place and route on ECP5, units on iCE40 and Xilinx 7; minutes
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[synth,ice40]'
	$(BIN)/python -m tools.calibrate
	$(BIN)/python -m tests.house.generated_pages

floats: $(TOOLS) ## float units whose text is new against the host: ten million vectors each
	$(BIN)/python -m tools.floats --record tools/floats/runs.json

fuzz: $(TOOLS) ## ten minutes of mutated inputs for every reader
	$(BIN)/python -m tests.fuzz --minutes 10

mutants: $(TOOLS) ## templates with listed faults; FILE=loom/.. TESTS=tests/..: a module's mutants
	$(if $(FILE),$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt \
	  -e '.[mutants]')
	$(BIN)/python -m tools.mutation --jobs $(JOBS) --file "$(FILE)" --tests "$(TESTS)"

slurm: $(TOOLS) ## regressions on a Slurm of one node, started and stopped here; needs root
	$(BIN)/python -m tools.cluster

peers: $(TOOLS) ## LOOM beside CIRCT's handshake flow, docs/peers.md; PEER_PYTHON: a Python 3.13
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[synth]'
	$(BIN)/python -m tools.peers --python "$(PEER_PYTHON)" --page docs/peers.md

by-hand: $(TOOLS) ## LOOM beside RTL by hand: cycles, area, Fmax on ECP5; docs/by_hand.md
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[synth]'
	$(BIN)/python -m tools.by_hand --page docs/by_hand.md

speed: $(TOOLS) ## compile time against kernel size, docs/speed.md; speed of the models
	$(BIN)/python -m tools.speed.bench_compile --page docs/speed.md
	$(BIN)/python -m tools.speed.bench_models

bench: speed peers by-hand systems-placed ## all that is measured about speed: of LOOM, of its circuits

clean: ## remove the environment and caches of this checkout
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
