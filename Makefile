# `make run` builds the program and starts the server. `make test` runs all CI checks.

# The `dev` profile builds in a third of the time of a release build, and is fast enough for a demonstration. Use
# PROFILE=release for everything else.
PROFILE ?= dev
# Arguments for the server, for example: make run ARGS='--listen 0.0.0.0:8080'
ARGS ?=
# Number of plans that `make chaos` runs, the seed of a single plan, and the number of viewers.
SEEDS ?= 3
SEED ?=
VIEWERS ?= 200
# Commit whose program the cluster of `make upgrade` starts with.
FROM ?= HEAD~1

CARGO ?= cargo
NPM ?= npm
BINARY := target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/roundtable
TYPECHECK := $(NPM) run --silent typecheck
NPM_QUIET := --no-audit --no-fund --loglevel=error
CLIENT_SOURCES := $(shell find static -type f -not -path 'static/node_modules/*' -not -path 'static/dist/*' 2>/dev/null)

# CI builds are neither debugged nor repeated. Without debug information and incremental state, they take less time and
# disk space.
ifdef CI
export CARGO_PROFILE_DEV_DEBUG := none
export CARGO_INCREMENTAL := 0
endif

CLIPPY := $(CARGO) clippy --locked --workspace --all-targets -- -D warnings
# Clippy checks the workspace while the tests are built. A separate check would process all dependencies again, which
# takes four minutes on two processors.
ifneq ($(and $(CI),$(shell command -v clippy-driver)),)
export RUSTC_WORKSPACE_WRAPPER := clippy-driver
export CLIPPY_ARGS := -Dwarnings__CLIPPY_HACKERY__
CLIPPY := sh scripts/binaries.sh
endif

.PHONY: help run build client test test-together prepare test-setup lint lint-rust lint-client test-rust test-client test-browser mutants mutants-short chaos chaos-short chaos-build upgrade drift docs format tools sbom flame bench bench-short test-abuse

help:
	@echo 'make run      build everything, serve on 127.0.0.1:8080 and print a link that signs you in'
	@echo 'make test     install what the tests need and run them all'
	@echo 'make chaos    test a cluster under faults planned from seeds: SEEDS=200, or SEED=17; docs/reliability.md'
	@echo 'make upgrade  like chaos, and upgrade the nodes from FROM=<commit>, one after the other'
	@echo 'make build    build without serving; PROFILE=release for an optimized binary'
	@echo 'make mutants  plant a bug for each law and check that its test fails (45 minutes)'
	@echo 'make docs     regenerate tables, schemas and types'
	@echo 'make bench    run short forms of the load test, check their bounds and write target/bench.json'
	@echo 'make flame    draw a flame graph of the server under load into target/flame: SCENARIO=connect'
	@echo 'make sbom     write a software bill of materials to target/sbom'
	@echo 'make format   format all sources'

run: build
	@exec ./$(BINARY) serve $(ARGS)

build: tools client
	@echo '== server ($(PROFILE) profile; the first build takes a few minutes)'
	@$(CARGO) build --locked --profile $(PROFILE) --bin roundtable

tools:
	@sh scripts/tools.sh

client: static/dist/index.html

static/node_modules/.package-lock.json: static/package.json static/package-lock.json
	@echo '== browser client: packages'
	@cd static && $(NPM) ci $(NPM_QUIET)
	@touch $@

static/dist/index.html: static/node_modules/.package-lock.json $(CLIENT_SOURCES)
	@echo '== browser client: build'
	@cd static && $(NPM) run --silent build
	@touch $@

tests/browser/node_modules/.package-lock.json: tests/browser/package.json tests/browser/package-lock.json
	@echo '== browser tests: packages'
	@cd tests/browser && $(NPM) ci $(NPM_QUIET)
	@touch $@

test: tools test-together test-abuse bench-short drift chaos-short test-browser
	@echo '== everything passed'

# Client checks run in the background at the lowest priority. They use processor time that the compiler and the server
# tests leave idle: the last crates compile one at a time, and server tests mostly wait for servers. The client build
# has already checked the types.
test-together: client
	@mkdir -p target && { nice -n 19 $(MAKE) --no-print-directory lint-client test-client \
		TYPECHECK=true >target/background.log 2>&1 & } && background=$$! && failed=0 && \
		{ $(MAKE) --no-print-directory prepare && $(MAKE) --no-print-directory test-rust || failed=1; } && \
		{ wait $$background || failed=1; } && cat target/background.log && exit $$failed

# Fetches packages while the server is compiled. This does not use `make -j`, because cargo would take all of make's
# jobs.
prepare: tools client
	@mkdir -p target && { sh scripts/test-setup.sh >target/test-setup.log 2>&1 & } && setup=$$! && \
		$(MAKE) --no-print-directory lint-rust && \
		{ wait $$setup && cat target/test-setup.log || { cat target/test-setup.log; exit 1; }; }

test-setup: tools
	@sh scripts/test-setup.sh

lint: lint-rust lint-client

# cargo-deny mostly waits for advisory databases, so it runs in parallel with clippy.
lint-rust: client
	@echo '== rustfmt, clippy, cargo-deny'
	@$(CARGO) fmt --all --check
	@mkdir -p target && { sh scripts/deny.sh >target/deny.log 2>&1 & } && deny=$$! && clippy=0 && \
		{ $(CLIPPY) || clippy=$$?; } && \
		{ wait $$deny && cat target/deny.log || { cat target/deny.log; exit 1; }; } && exit $$clippy

lint-client: static/node_modules/.package-lock.json
	@echo '== client: lint, types'
	@cd static && $(NPM) run --silent lint && $(TYPECHECK)

# Two test threads per processor, because tests mostly wait for servers.
test-rust: client
	@echo '== server tests'
	@$(CARGO) test --locked --workspace -- --skip abuse:: --test-threads=$$(($$(getconf _NPROCESSORS_ONLN) * 2))

# One test at a time, because the tests measure the effect on other participants. With PROFILE=release, the bounds in
# docs/security.md apply, and each test prints a row of its measurements.
test-abuse: client
	@echo '== abuse ($(PROFILE) profile)'
	@$(CARGO) test --locked --workspace $(if $(filter dev,$(PROFILE)),,--profile $(PROFILE)) --test it -- \
		--test-threads=1 $(if $(filter dev,$(PROFILE)),,--nocapture) abuse::

chaos: chaos-build
	@./target/debug/chaos --viewers $(VIEWERS) $(if $(SEED),--seed $(SEED),--seeds $(SEEDS))

chaos-short: chaos-build
	@echo '== a cluster under faults'
	@./target/debug/chaos --viewers 40 --seeds 3
	@echo '== a cluster that is upgraded'
	@./target/debug/chaos --viewers 40 --seed 1 --upgrade-from ./target/debug/roundtable

upgrade: chaos-build
	@sh scripts/previous.sh $(FROM)
	@./target/debug/chaos --viewers $(VIEWERS) $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) \
		--upgrade-from target/previous/tree/target/debug/roundtable

chaos-build: client
	@sh scripts/binaries.sh

test-client: static/node_modules/.package-lock.json
	@echo '== client tests'
	@cd static && $(NPM) test --silent

docs: static/node_modules/.package-lock.json
	@echo '== generated documents and types'
	@sh scripts/binaries.sh
	@./target/debug/roundtable schema > docs/protocol.schema.json
	@./target/debug/roundtable schema --openapi > docs/openapi.json
	@WRITE_DOCS=1 $(CARGO) test --locked --workspace --test it --quiet docs:: >/dev/null
	@cd static && $(NPM) run --silent types

drift: static/node_modules/.package-lock.json
	@echo '== generated files against their sources'
	@sh scripts/drift.sh

test-browser: tests/browser/node_modules/.package-lock.json client
	@echo '== browser tests'
	@sh scripts/binaries.sh
	@cd tests/browser && $(NPM) test --silent

bench: client
	@$(CARGO) build --locked --release --workspace
	@./target/release/loadtest bench --out target/bench.json

# The same without optimization. This detects work that is repeated per viewer or per command, but does not measure
# speed.
bench-short: client
	@echo '== costs against their bounds'
	@sh scripts/binaries.sh
	@./target/debug/loadtest bench --out target/bench-short.json

# Draws a flame graph of the server in a load test scenario, for example SCENARIO='connect --connections 2000'.
flame: client
	@sh scripts/flame.sh $(or $(SCENARIO),messages)

sbom:
	@sh scripts/sbom.sh

mutants:
	@sh scripts/mutations.sh $(MUTANTS)

# Bugs that break a few of the laws. All are planted in one copy, which is built once.
MUTANTS_SHORT := 01-publish-before-persist 02-skipped-gap-check 05-no-fence 13-a-revoked-permission-goes-on \
	14-an-editor-approves 15-half-a-batch 16-an-allowed-call-passes 17-a-lost-request-is-free

mutants-short: client
	@echo '== planted bugs'
	@sh scripts/mutations.sh --together $(MUTANTS_SHORT)

format: static/node_modules/.package-lock.json
	@$(CARGO) fmt --all
	@cd static && $(NPM) run --silent format
