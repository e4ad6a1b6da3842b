# `make run` and `make test` do all the set-up by themselves. The rest are their parts.

CARGO ?= cargo
PYTEST = .venv/bin/python -m pytest -q -p no:cacheprovider tests/e2e

.PHONY: run test setup web lint unit e2e unprivileged bench clean

## Builds everything and keeps the daemon in the foreground.
run: web
	$(CARGO) build --release --locked
	target/release/cotty serve

## All that has to hold: format, lints, unit, integration, end to end, and the same as an unprivileged user.
test: setup web lint unit e2e unprivileged

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

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	cd web && npm run --silent check

unit:
	$(CARGO) test --workspace --locked --quiet

e2e: web/node_modules/.installed
	$(CARGO) build --locked --quiet
	$(PYTEST)

## Root hides bugs. As another user already, there is nothing to add.
unprivileged:
	tools/test-unprivileged

## The engine beside its peers, into docs/benchmarks.md; ARGS="--quick" or a part of it (bench/README.md) only prints.
bench:
	$(CARGO) run --release --locked --quiet --manifest-path bench/Cargo.toml -- $(ARGS)

clean:
	$(CARGO) clean
	rm -rf bench/target .venv web/dist web/node_modules
