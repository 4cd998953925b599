# `make run` opens the viewer, `make test` runs all checks.
# Both install missing system libraries (Debian and Ubuntu) and build first.

CARGO ?= cargo
# Minimum Rust version.
RUST_NEEDED := 1.89
DEMO := fabrik3d-demo.gif

.PHONY: run test bench pictures libraries-run libraries-test rust clean help

help:
	@echo "make run    build and open the viewer (without a display: render the demo to $(DEMO))"
	@echo "make test   run all checks: format, lints, tests, documentation"
	@echo "make bench  run the measurements and print tables"
	@echo "make pictures  render the pictures and films of the documentation"
	@echo "make clean  remove build results"

run: rust libraries-run
	$(CARGO) build --release
	@sh tools/run.sh target/release/fabrik3d $(DEMO)

test: rust libraries-test
	sh tools/test.sh

bench: rust
	$(CARGO) run --release -- bench

pictures: rust libraries-run
	$(CARGO) build --release
	sh tools/pictures.sh target/release/fabrik3d

rust:
	@sh tools/need-rust.sh $(RUST_NEEDED)

libraries-run:
	@sh tools/libraries.sh run

libraries-test:
	@sh tools/libraries.sh test

clean:
	$(CARGO) clean
