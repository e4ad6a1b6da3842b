# `make run` and `make test` do all the set-up by themselves. The rest are their parts.

CARGO ?= cargo
FUZZ_TARGETS = feed split state paint keys
FUZZ_SECONDS ?= 60
SOAK_STREAMS ?= 1000000
SOAK_SECONDS ?= 600
# The cotty that writes its own man pages.
COTTY = $(CARGO) run --locked --quiet --
MANIFESTS = Cargo.toml fuzz/Cargo.toml bench/Cargo.toml
DENY = $(CARGO) deny --locked --config deny.toml
# How many parts of `make test` are done at the same time.
JOBS ?= $(shell nproc)
STAGE = tools/stage
# All but examples in documentation, of which there are none. The program and its tests in one go: built one after the other,
# half of the dependencies would be built twice, because those of the tests ask for more of them.
TEST = $(CARGO) test --workspace --locked --quiet --lib --bins --tests
# What makes the next build faster makes the first one slower.
ifeq ($(wildcard target/debug/cotty),)
export CARGO_INCREMENTAL = 0
endif

.PHONY: run crates dist test setup web build lint deny advisories cargo-deny unit e2e e2e-root recordings fuzz fuzz-build fuzz-seeds soak soak-e2e soak-engine soak-fuzz bench bench-daemon bench-mcp docs man mcpb clean

## Builds everything and keeps the daemon in the foreground.
run:
	$(MAKE) --no-print-directory -j2 web crates
	$(CARGO) build --profile quick --locked
	target/quick/cotty serve

## What `make run` needs of crates.io, while npm works for the page. Rust would warn of the flags of `make -j2`.
crates:
	unset MAKEFLAGS MFLAGS; $(CARGO) fetch --locked --target "$$(rustc --print host-tuple)"

## The binary to give away, with man pages and completions: target/release/cotty, target/man, target/completions.
dist: web
	$(CARGO) build --release --locked
	$(MAKE) --no-print-directory man COTTY=target/release/cotty

## All that has to hold: format, lints, licences, unit and integration tests, what fuzzing has found so far, and the end-to-end tests,
## as an unprivileged user and, where that makes a difference, as root. Several parts at a time; what each counted stands at
## the end.
STAGES = setup web build recordings lint deny unit e2e e2e-root
test:
	@$(STAGE) --begin
	@$(MAKE) --no-print-directory --keep-going -j$(JOBS) stages; code=$$?; $(STAGE) --summary $(STAGES); exit $$code

# While the program and its tests are built, the rest is set up; while the end-to-end tests run, which mostly wait, the unit
# tests and lints are run with what is left of the processors.
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

## Installs what the tests need, or says what is missing.
setup:
	tools/setup

## The page, which the next `cargo build` embeds.
web: web/dist/index.html

web/dist/index.html: web/node_modules/.installed $(wildcard web/*.html web/*.json web/src/* web/public/*)
	cd web && npm run --silent build

web/node_modules/.installed: web/package.json web/package-lock.json
	# Not `npm ci`: it insists on the packages of every other platform, too.
	cd web && npm install --no-save --no-audit --no-fund --loglevel=error
	touch $@

## The program for the tests, and beside it one that writes checkpoints of the next version: the two replace each other.
build:
	$(CARGO) test --workspace --locked --quiet --test tidy --no-run --features cotty/next-checkpoint
	cp target/debug/cotty target/debug/cotty-next
	$(TEST) --no-run

lint: web/node_modules/.installed
	$(CARGO) fmt --all --check
	# What a macro lists, cargo does not find.
	rustfmt --check --edition 2024 crates/protocol/src/op/*.rs crates/server/src/ops/*.rs
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) fmt --manifest-path crates/vt/tests/no_std/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	cd web && npm run --silent check && npm run --silent lint

## Licences, sources and bans (deny.toml) of all that is compiled, also for fuzzing and benchmarks.
deny: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check licenses sources bans || exit 1; done

## Known vulnerabilities of the crates; no part of `make test`, because their list has to be fetched from GitHub.
advisories: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check advisories || exit 1; done

# Not optimized: it is compiled sooner, and a check takes seconds anyway.
cargo-deny:
	@$(DENY) --version >/dev/null 2>&1 || { echo "installing cargo-deny"; \
		CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --quiet --debug --locked cargo-deny --version 0.20.2; }

unit: web/node_modules/.installed
	$(TEST)
	# The engine in a program without the standard library: it links only if nothing needs that.
	$(CARGO) run --quiet --locked --manifest-path crates/vt/tests/no_std/Cargo.toml --target-dir target/no_std
	cd web && npm run --silent test

e2e: web/node_modules/.installed recordings
	$(MAKE) --no-print-directory build
	tools/test-e2e

## Those of them as root whose property depends on what the kernel allows the user.
e2e-root: web/node_modules/.installed
	$(MAKE) --no-print-directory build
	tools/test-e2e root

## What real programs write to a terminal, which some end-to-end tests look at.
recordings:
	tools/record --keep

## Output that nobody thought of, FUZZ_SECONDS for each target (fuzz/steps.rs), after all of the committed corpus. What
## fails is put into fuzz/artifacts; new inputs stay out of the committed corpus until `cargo fuzz cmin` has picked from them.
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
	# Without a sanitizer it needs no nightly Rust.
	$(CARGO) fuzz build -s none

## What real programs write, as a beginning for the target that saves and restores terminals.
fuzz-seeds: recordings
	tools/fuzz-seeds

## What `make test` has no time for, for the night and before a release: all ways, many seeds and kills (SOAK in
## tests/e2e/conftest.py), a million streams through the engine, and long fuzzing. A part that fails stops no other.
soak:
	@$(MAKE) --no-print-directory --keep-going soak-e2e soak-engine soak-fuzz

soak-e2e: setup web recordings
	$(MAKE) --no-print-directory build
	failed=0; SOAK=1 tools/test-e2e || failed=1; SOAK=1 tools/test-e2e root || failed=1; exit $$failed

## The engine can always be restored: after a million random streams.
soak-engine:
	RESTORE_STREAMS=$(SOAK_STREAMS) $(CARGO) test --release --locked --quiet -p cotty-vt --test restore

## Each target, and so also what the fuzzer makes of real output.
soak-fuzz:
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(SOAK_SECONDS)

## The engine beside its peers and the daemon beside the bare kernel, into docs/benchmarks.md; ARGS="--quick" or a part of
## it (bench/README.md) only prints.
bench: web
	$(CARGO) build --release --locked --quiet
	$(CARGO) run --release --locked --quiet --manifest-path bench/Cargo.toml -- $(ARGS)

## The daemon's part alone, into its section of docs/benchmarks.md.
bench-daemon:
	$(MAKE) --no-print-directory bench ARGS="--page daemon $(ARGS)"

## MCP's part alone, into its section.
bench-mcp:
	$(MAKE) --no-print-directory bench ARGS="--page mcp $(ARGS)"

## What `--help` says, as docs/cli.md; the settings and the tools, as docs/configuration.md and docs/tools.md.
docs:
	UPDATE_DOCS=1 $(CARGO) test --locked --quiet -p cotty-server up_to_date
	$(CARGO) run --locked --quiet -- __docs cli > target/cli.md && mv target/cli.md docs/cli.md

## And as man pages, with completions for the shells, into target/man and target/completions.
man:
	$(COTTY) __docs man target/man
	mkdir -p target/completions
	for shell in bash zsh fish; do $(COTTY) completions $$shell > target/completions/cotty.$$shell || exit 1; done

## The bundle for hosts of MCP servers, as target/cotty.mcpb.
mcpb: web
	$(CARGO) build --release --locked --quiet
	tools/mcpb target/release/cotty target/cotty.mcpb

clean:
	$(CARGO) clean
	rm -rf bench/target fuzz/target fuzz/artifacts .venv web/dist web/node_modules
