# make demo   builds an environment, then runs the main job on a repository that it makes
# make test   the quick tests and every check, in three to five minutes on two cores
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
comma := ,
space := $() $()
# Whole processes are started by the hundred: compile their modules once.
unexport PYTHONDONTWRITEBYTECODE
OLDEST := .venv-oldest
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# The counts that the issues state; without them a test takes the small count that stands beside its name.
COUNTS := \
	DEVS_TEST_COUNT_ARGUMENT_MEBIBYTES=50 \
	DEVS_TEST_COUNT_CHANGED_FILES=45000 \
	DEVS_TEST_COUNT_CTRL_C=6 \
	DEVS_TEST_COUNT_CLIENT_FILES=2000 \
	DEVS_TEST_COUNT_DAMAGES=100 \
	DEVS_TEST_COUNT_FETCHES=150 \
	DEVS_TEST_COUNT_FRAMES=10000 \
	DEVS_TEST_COUNT_MINE_STEPS=40 \
	DEVS_TEST_COUNT_CONVERSATION=100000 \
	DEVS_TEST_COUNT_LATE_SAVES=50 \
	DEVS_TEST_COUNT_MODEL_RUNS=100 \
	DEVS_TEST_COUNT_MODEL_STEPS=40 \
	DEVS_TEST_COUNT_CONVERSATION_RUNS=20 \
	DEVS_TEST_COUNT_BELIEF_LEDGERS=2000 \
	DEVS_TEST_COUNT_BELIEF_PLACES=40 \
	DEVS_TEST_COUNT_BRANCH_NAMES=1000 \
	DEVS_TEST_COUNT_GATE_RUNS=50 \
	DEVS_TEST_COUNT_IDS=2000 \
	DEVS_TEST_COUNT_INDEXED_LEDGERS=300 \
	DEVS_TEST_COUNT_MARKED_LEDGERS=100 \
	DEVS_TEST_COUNT_MARKED_WORKS=6 \
	DEVS_TEST_COUNT_MOMENT_NAMES=1000 \
	DEVS_TEST_COUNT_TIMELINE=10000 \
	DEVS_TEST_COUNT_UNREAD_EVENTS=3000 \
	DEVS_TEST_COUNT_TRACES_PER_WRITER=50 \
	DEVS_TEST_COUNT_TRACE_MEBIBYTES=256 \
	DEVS_TEST_COUNT_TRACE_RUNS=25 \
	DEVS_TEST_COUNT_TRACE_STEPS=30 \
	DEVS_TEST_COUNT_LEDGER_EVENTS_PER_WRITER=25 \
	DEVS_TEST_COUNT_PRUNED_BESIDE=100 \
	DEVS_TEST_COUNT_RANDOM_KILLS=200 \
	DEVS_TEST_COUNT_REQUESTS=100 \
	DEVS_TEST_COUNT_SECONDS_OF_A_TEST=1800 \
	DEVS_TEST_COUNT_SNAPSHOT_KILLS=40 \
	DEVS_TEST_COUNT_SESSIONS=50 \
	DEVS_TEST_COUNT_SESSION_SECONDS=60 \
	DEVS_TEST_COUNT_SESSION_WORKTREES=10 \
	DEVS_TEST_COUNT_SPOOLED=1500 \
	DEVS_TEST_COUNT_SYNC_HISTORIES=40 \
	DEVS_TEST_COUNT_SYNC_NOTES=20 \
	DEVS_TEST_COUNT_SYNC_KILLS=40 \
	DEVS_TEST_COUNT_SYNC_REFS=12 \
	DEVS_TEST_COUNT_SYNC_REWINDS=20 \
	DEVS_TEST_COUNT_SYNC_ROUNDS=8 \
	DEVS_TEST_COUNT_STANDING=2000 \
	DEVS_TEST_COUNT_SNAPSHOT_MEBIBYTES=256 \
	DEVS_TEST_COUNT_WRITERS=20 \
	DEVS_TEST_COUNT_ARCHIVES=12 \
	DEVS_TEST_COUNT_PLANS=6

# What must stay covered by 90 % of its statements: what moves trees, and all that touches the world.
MOVING := $(foreach verb,rewind undo restore checkout,devs_git/commands/$(verb).py)
REWIND := devs_git/storage/worktree/* devs_git/operations/rewind/* devs_git/domain/checkpoints/rewind_selection.py $(MOVING)
STORAGE := devs_git/storage/* devs_git/operations/*
# What stores and gets traces, by 95 %.
TRACES := $(foreach file,commands/trace_put commands/trace_get storage/catalog/traces storage/catalog/bodies,devs_git/$(file).py)
# What stores messages, by 90 %.
MESSAGES := $(foreach file,operations/recall/ingest operations/recall/worktree_note operations/recall/ingest_in_hook storage/catalog/messages storage/catalog/conversation_snapshots storage/catalog/transcripts storage/catalog/pending_transcripts,devs_git/$(file).py)

# The repositories of tests live in memory where there is room for them (in kB): every ref and journal is written
# through to the disk otherwise, and half of the time is waiting for that.
room = $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > $(1) { print "/dev/shm" }')
PYTEST = -m pytest -n 2 --dist worksteal
in_memory = folder=$$(mktemp -d "$(or $(call room,$(1)),$${TMPDIR:-/tmp})/devs-git-XXXXXX") \
	&& trap 'rm -rf "$$folder"' EXIT INT TERM && env TMPDIR="$$folder"

.PHONY: demo test measured test-all test-rest test-oldest test-clients clients client-examples lint house env npm needs bench bench-peers clean man pages screens

demo: $(STAMP)
	@$(BIN)/devs-git demo

# Both at once, for one cannot use two cores to the end; what the quicker one said is shown whole, after the other.
test: $(STAMP)
	@said=$$(mktemp) && trap 'rm -f "$$said"' EXIT && { $(MAKE) --no-print-directory lint >"$$said" 2>&1 & } \
		&& $(MAKE) --no-print-directory measured; tests=$$?; wait $$!; lint=$$?; cat "$$said"; exit $$((tests + lint))

measured: $(STAMP)
	$(BIN)/coverage erase
	$(call in_memory,4000000) DEVS_TEST_QUICK=1 $(BIN)/coverage run $(PYTEST)
	$(BIN)/coverage combine --quiet
	$(MAKE) --no-print-directory -j4 $(FLOORS)

# One report for each floor, all at once: most of a report's second is reading what was measured.
FLOORS := REWIND-90 STORAGE-90 TRACES-95 MESSAGES-90
.PHONY: $(FLOORS)
$(FLOORS):
	$(BIN)/coverage report --include='$(subst $(space),$(comma),$(strip $($(word 1,$(subst -, ,$@)))))' --fail-under=$(word 2,$(subst -, ,$@))

test-all: $(STAMP) npm
	@for count in $(COUNTS); do echo "count: $$count"; done
	$(call in_memory,12000000) $(COUNTS) $(BIN)/python $(PYTEST) --durations=10

# What `make test` leaves out, without the large counts: before a change is handed on.
test-rest: $(STAMP) npm
	$(call in_memory,6000000) DEVS_TEST_REST=1 $(BIN)/python $(PYTEST) --ignore=tests/clients

# The quick tests with the oldest version of each library that pyproject.toml allows.
test-oldest: $(OLDEST)/.installed
	$(call in_memory,4000000) DEVS_TEST_QUICK=1 $(OLDEST)/bin/python $(PYTEST)

# The real clients with scripted models, in a network of their own where the machine allows one.
test-clients: $(STAMP) clients
	$(call in_memory,4000000) $(CLIENTS) -m pytest -n 0 --durations=5 tests/clients

# What they send and write today, as examples for the other tests.
client-examples: $(STAMP) clients
	$(CLIENTS) -m tests.clients.recorded_examples

CLIENTS := $(BIN)/python -m tests.clients.network $(BIN)/python

# Once for all clones and worktrees of a user, in the user's cache; see tests/clients/installation.py.
clients: $(STAMP)
	$(BIN)/python -m tests.clients.installation

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Figures of the source tree, each with its goal.
house: $(STAMP)
	$(BIN)/python -m tests.house

# What a terminal of 80 and of 40 columns shows; tests/test_screens.py compares it.
screens: $(STAMP)
	$(BIN)/python -m tests.screens

bench: $(STAMP)
	$(BIN)/python -m bench

bench-peers: $(STAMP) bench/.peers/.installed
	$(BIN)/python -m bench --peers

man: $(STAMP)
	$(BIN)/python -m devs_git.entrypoints.cli.manual

# Every page that is generated; tests compare them.
pages: man
	$(BIN)/python -m tests.pages
	$(BIN)/python -m tests.tools_page

env: $(STAMP)

$(STAMP): pyproject.toml | needs
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --editable '.[mcp,mask]' --group dev
	@touch $@

$(OLDEST)/.installed: pyproject.toml tests/oldest.py | needs
	$(PYTHON) -m venv $(OLDEST)
	$(PYTHON) -m tests.oldest >$(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip --quiet --disable-pip-version-check install --upgrade 'pip>=25.1'
	$(OLDEST)/bin/python -m pip --quiet --disable-pip-version-check install --constraint $(OLDEST)/constraints.txt \
		--editable '.[mcp,mask]' --group dev
	@touch $@

npm: $(VENV)/npm/.installed

$(VENV)/npm/.installed: tests/npm/package.json $(STAMP)
	@command -v npm >/dev/null || { echo 'npm is missing, which brings the conformance suite of MCP: apt-get install npm'; exit 1; }
	mkdir -p $(@D) && cp tests/npm/package.json $(@D) && cd $(@D) && npm install --silent --no-audit --no-fund
	@touch $@

bench/.peers/.installed: bench/peers.txt | needs
	$(PYTHON) -m venv bench/.peers
	bench/.peers/bin/python -m pip --quiet --disable-pip-version-check install --requirement bench/peers.txt
	@touch $@

# What no package index brings. Each line says what to run.
needs:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed, for example: make PYTHON=python3.11 (apt-get install python3.11)'; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo 'The venv module is missing: apt-get install python3-venv'; exit 1; }
	@command -v git >/dev/null || { echo 'git is missing: apt-get install git'; exit 1; }
	@command -v ssh-keygen >/dev/null || { echo 'ssh-keygen is missing: apt-get install openssh-client'; exit 1; }

clean:
	rm -rf $(VENV) $(OLDEST) dist .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .ruff_cache bench/.peers bench/last.json
	find . -name __pycache__ -prune -exec rm -rf {} +
