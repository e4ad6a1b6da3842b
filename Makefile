# `make run` and `make test` do all the set-up by themselves. The rest are their parts.

CARGO ?= cargo
FUZZ_TARGETS = feed split state paint keys
FUZZ_SECONDS ?= 60
SOAK_STREAMS ?= 1000000
SOAK_SECONDS ?= 600
MANIFESTS = Cargo.toml fuzz/Cargo.toml bench/Cargo.toml
DENY = $(CARGO) deny --locked --config deny.toml
PYTEST = .venv/bin/python -m pytest -q -p no:cacheprovider tests/e2e

.PHONY: run test setup web lint deny advisories cargo-deny unit e2e fuzz fuzz-short fuzz-seeds soak soak-engine unprivileged bench bench-daemon bench-mcp docs man mcpb clean

## Builds everything and keeps the daemon in the foreground.
run: web
	$(CARGO) build --release --locked
	target/release/cotty serve

## All that has to hold: format, lints, licences, unit, integration, fuzzing for a minute, end to end, and the same but for the
## fuzzing as an unprivileged user.
test: setup web lint deny unit fuzz-short e2e unprivileged

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

lint: web/node_modules/.installed
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	cd web && npm run --silent check && npm run --silent lint

## Licences, sources and bans (deny.toml) of all that is compiled, also for fuzzing and benchmarks.
deny: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check licenses sources bans || exit 1; done

## Known holes in the crates; no part of `make test`, because their list has to be fetched from GitHub.
advisories: cargo-deny
	for manifest in $(MANIFESTS); do $(DENY) --manifest-path $$manifest check advisories || exit 1; done

# Not optimized: it is compiled sooner, and a check takes seconds anyway.
cargo-deny:
	@$(DENY) --version >/dev/null 2>&1 || { echo "installing cargo-deny"; \
		CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --quiet --debug --locked cargo-deny --version 0.20.2; }

unit: web/node_modules/.installed
	$(CARGO) test --workspace --locked --quiet
	cd web && npm run --silent test

e2e: web/node_modules/.installed
	$(CARGO) build --locked --quiet
	$(PYTEST)

## Output that nobody thought of, FUZZ_SECONDS for each target (fuzz/steps.rs). What fails is put into fuzz/artifacts;
## new inputs stay out of the committed corpus until `cargo fuzz cmin` has picked from them.
fuzz: fuzz-seeds
	@for target in $(FUZZ_TARGETS); do \
		echo "fuzzing $$target for $(FUZZ_SECONDS) seconds"; \
		mkdir -p fuzz/target/corpus/$$target; \
		$(CARGO) fuzz run -s none $$target fuzz/target/corpus/$$target fuzz/corpus/$$target -- \
			-dict=fuzz/vt.dict -max_len=2048 -timeout=10 -max_total_time=$(FUZZ_SECONDS) \
			>fuzz/target/$$target.log 2>&1 || { tail -n 60 fuzz/target/$$target.log; exit 1; }; \
	done

fuzz-short:
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=10

## What real programs write, as a beginning for the target that saves and restores terminals.
fuzz-seeds:
	tools/record --keep
	tools/fuzz-seeds

## What takes too long for `make test`, for the night and before a release.
soak: soak-engine

## The engine can always be restored: after a million random streams, and after what the fuzzer makes of real output.
soak-engine:
	RESTORE_STREAMS=$(SOAK_STREAMS) $(CARGO) test --release --locked --quiet -p cotty-vt --test restore
	$(MAKE) --no-print-directory fuzz FUZZ_TARGETS=state FUZZ_SECONDS=$(SOAK_SECONDS)

## Root hides bugs. As another user already, there is nothing to add.
unprivileged:
	tools/test-unprivileged

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
	$(CARGO) run --locked --quiet -- __docs man target/man
	mkdir -p target/completions
	for shell in bash zsh fish; do $(CARGO) run --locked --quiet -- completions $$shell > target/completions/cotty.$$shell; done

## The bundle for hosts of MCP servers, as target/cotty.mcpb.
mcpb: web
	$(CARGO) build --release --locked --quiet
	tools/mcpb target/release/cotty target/cotty.mcpb

clean:
	$(CARGO) clean
	rm -rf bench/target fuzz/target fuzz/artifacts .venv web/dist web/node_modules
