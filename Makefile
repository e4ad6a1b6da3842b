# `make run` and `make test` do all the set-up themselves. Most other targets are parts of them.

CARGO ?= cargo
FUZZ_TARGETS = feed split state paint keys
FUZZ_SECONDS ?= 60
SOAK_STREAMS ?= 1000000
SOAK_SECONDS ?= 600
# The command that generates the man pages.
COTTY = $(CARGO) run --locked --quiet --
MANIFESTS = Cargo.toml fuzz/Cargo.toml bench/Cargo.toml
DENY = $(CARGO) deny --locked --config deny.toml
# How many parts of `make test` run at the same time. One more than processors, because the end-to-end tests mostly wait.
JOBS ?= $(shell expr $$(nproc) + 1)
STAGE = tools/stage
# All tests except doc tests, of which there are none.
TEST = $(CARGO) test --workspace --locked --quiet --lib --bins --tests
# Incremental compilation makes later builds faster, but the first one slower.
ifeq ($(wildcard target/debug/cotty),)
export CARGO_INCREMENTAL = 0
endif

.PHONY: run crates dist test setup web build lint deny advisories cargo-deny unit e2e e2e-root recordings fuzz fuzz-build fuzz-seeds soak soak-e2e soak-engine soak-fuzz bench bench-daemon bench-mcp docs man mcpb clean

## Builds everything and runs the daemon in the foreground.
run:
	$(MAKE) --no-print-directory -j2 web crates
	$(CARGO) build --profile quick --locked
	target/quick/cotty serve

## Downloads the crates for `make run` while npm builds the page. Rust would warn about the flags of `make -j2`.
crates:
	unset MAKEFLAGS MFLAGS; $(CARGO) fetch --locked --target "$$(rustc --print host-tuple)"

## Builds the release: target/release/cotty, target/man, target/completions.
dist: web
	$(CARGO) build --release --locked
	$(MAKE) --no-print-directory man COTTY=target/release/cotty

## Runs all checks: format, lints, licences, unit and integration tests, the fuzz corpus, and the end-to-end tests as an
## unprivileged user and, where it makes a difference, as root. Several parts run at the same time; a summary follows at the end.
STAGES = setup web build recordings lint deny unit e2e e2e-root
test:
	@$(STAGE) --begin
	@$(MAKE) --no-print-directory --keep-going -j$(JOBS) stages; code=$$?; $(STAGE) --summary $(STAGES); exit $$code

# The set-up runs during the build of the program. The end-to-end tests mostly wait, so the unit tests and lints are built and run
# at the same time.
.PHONY: stages stage-web stage-build stage-setup stage-recordings stage-e2e stage-e2e-root stage-unit stage-lint stage-deny
stages: stage-e2e-root stage-unit stage-lint stage-deny
stage-web:
	@$(STAGE) web $(MAKE) web
stage-setup:
	@$(STAGE) setup $(MAKE) setup
stage-build: stage-web
	@$(STAGE) build $(MAKE) build
stage-recordings: stage-setup
	@$(STAGE) recordings $(MAKE) recordings
stage-e2e: stage-build stage-recordings
	@$(STAGE) e2e tools/test-e2e
stage-e2e-root: stage-e2e
	@$(STAGE) e2e-root tools/test-e2e root
stage-unit: stage-build
	@$(STAGE) unit nice $(MAKE) unit
stage-lint: stage-build
	@$(STAGE) lint nice $(MAKE) lint
stage-deny: stage-setup
	@$(STAGE) deny nice $(MAKE) deny

## Installs the tools that the tests need, or reports what is missing.
setup:
	tools/setup

## Builds the page, which the next `cargo build` embeds.
web: web/dist/index.html

web/dist/index.html: web/node_modules/.installed $(wildcard web/*.html web/*.json web/src/* web/public/*)
	cd web && npm run --silent build

web/node_modules/.installed: web/package.json web/package-lock.json
	# Not `npm ci`: it requires the packages of all platforms.
	cd web && npm install --no-save --no-audit --no-fund --loglevel=error
	touch $@

## Builds the program for the tests, and a copy of it that writes checkpoints of the next version: in a test they replace each other.
## The end-to-end tests need nothing else, so they start while the unit tests are built. One integration test is built along with
## it: that enables the features that the tests need, or the dependencies would be built twice.
build:
	$(CARGO) test --workspace --locked --quiet --test tidy --no-run
	tools/next-version target/debug/cotty target/debug/cotty-next

lint: web/node_modules/.installed
	$(CARGO) fmt --all --check
	# cargo does not find modules that a macro declares.
	rustfmt --check --edition 2024 crates/protocol/src/op/*.rs crates/server/src/ops/*.rs
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) fmt --manifest-path crates/vt/tests/no_std/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	# As `make run` and `make dist` build it: without what is only for tests.
	$(CARGO) clippy --workspace --locked -- -C debug-assertions=off -D warnings
	cd web && npm run --silent check && npm run --silent lint

## Checks licences, sources and bans (deny.toml) of all dependencies, including those for fuzzing and benchmarks.
deny: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check licenses sources bans || exit 1; done

## Checks the crates for known vulnerabilities; not part of `make test`, because it downloads the list from GitHub.
advisories: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check advisories || exit 1; done

# A debug build: it compiles faster, and a check takes only seconds.
cargo-deny:
	@$(DENY) --version >/dev/null 2>&1 || { echo "installing cargo-deny"; \
		CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --quiet --debug --locked cargo-deny --version 0.20.2; }

unit: web/node_modules/.installed
	$(TEST)
	# The engine in a program without the standard library: it links only if nothing needs that library.
	$(CARGO) run --quiet --locked --manifest-path crates/vt/tests/no_std/Cargo.toml --target-dir target/no_std
	cd web && npm run --silent test

e2e: web/node_modules/.installed recordings
	$(MAKE) --no-print-directory build
	tools/test-e2e

## The end-to-end tests that depend on the user's privileges, as root.
e2e-root: web/node_modules/.installed
	$(MAKE) --no-print-directory build
	tools/test-e2e root

## Records the output of real programs, which some end-to-end tests use.
recordings:
	tools/record --keep

## Fuzzes each target (fuzz/steps.rs) for FUZZ_SECONDS, after running the committed corpus. Failing inputs go into
## fuzz/artifacts; new inputs do not go into the committed corpus until `cargo fuzz cmin` selects some of them.
fuzz: fuzz-build fuzz-seeds
	@failed=0; for target in $(FUZZ_TARGETS); do \
		echo "fuzzing $$target for $(FUZZ_SECONDS) seconds"; \
		mkdir -p fuzz/target/corpus/$$target; \
		$(CARGO) fuzz run -s none $$target fuzz/target/corpus/$$target fuzz/corpus/$$target -- \
			-dict=fuzz/vt.dict -max_len=2048 -timeout=10 -max_total_time=$(FUZZ_SECONDS) \
			>fuzz/target/$$target.log 2>&1 || { tail -n 60 fuzz/target/$$target.log; failed=1; }; \
	done; exit $$failed

fuzz-build:
	$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install --quiet --locked cargo-fuzz --version 0.13.2
	# Without a sanitizer, stable Rust is enough.
	$(CARGO) fuzz build -s none

## Seeds the corpus with the output of real programs, for the target that saves and restores terminals.
fuzz-seeds: recordings
	tools/fuzz-seeds

## Long tests, for the night and before a release: all transports, many seeds and kills (SOAK in tests/e2e/conftest.py), a
## million streams through the engine, and long fuzzing. If a part fails, the others still run.
soak:
	@$(MAKE) --no-print-directory --keep-going soak-e2e soak-engine soak-fuzz

soak-e2e: setup web recordings
	$(MAKE) --no-print-directory build
	failed=0; SOAK=1 tools/test-e2e || failed=1; SOAK=1 tools/test-e2e root || failed=1; exit $$failed

## Tests that the engine can be restored after each of a million random streams.
soak-engine:
	RESTORE_STREAMS=$(SOAK_STREAMS) $(CARGO) test --release --locked --quiet -p cotty-vt --test restore

## Fuzzes each target for SOAK_SECONDS.
soak-fuzz:
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(SOAK_SECONDS)

## Compares the engine with other engines and the daemon with the bare kernel, and writes docs/benchmarks.md. With
## ARGS="--quick" or a part (bench/README.md) it only prints.
bench: web
	$(CARGO) build --release --locked --quiet
	$(CARGO) run --release --locked --quiet --manifest-path bench/Cargo.toml -- $(ARGS)

## Measures only the daemon, and replaces its section of docs/benchmarks.md.
bench-daemon:
	$(MAKE) --no-print-directory bench ARGS="--page daemon $(ARGS)"

## Measures only MCP, and replaces its section.
bench-mcp:
	$(MAKE) --no-print-directory bench ARGS="--page mcp $(ARGS)"

## Generates docs/cli.md (the texts of `--help`), docs/configuration.md (the settings), docs/tools.md (the tools)
## and web/src/protocol.gen.ts (the types of the protocol).
docs:
	UPDATE_DOCS=1 $(CARGO) test --locked --quiet -p cotty-server up_to_date
	$(CARGO) run --locked --quiet -- __docs cli > target/cli.md && mv target/cli.md docs/cli.md

## Generates man pages and shell completions in target/man and target/completions.
man:
	$(COTTY) __docs man target/man
	mkdir -p target/completions
	for shell in bash zsh fish; do $(COTTY) completions $$shell > target/completions/cotty.$$shell || exit 1; done

## Builds the bundle for hosts of MCP servers: target/cotty.mcpb.
mcpb: web
	$(CARGO) build --release --locked --quiet
	tools/mcpb target/release/cotty target/cotty.mcpb

clean:
	$(CARGO) clean
	rm -rf bench/target fuzz/target fuzz/artifacts .venv web/dist web/node_modules
