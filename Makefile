# Two commands do everything: `make run` opens the viewer, `make test` runs all checks.
# Both install the system libraries that are missing (Debian and Ubuntu) and build first.

CARGO ?= cargo
# Oldest Rust that builds this.
RUST_NEEDED := 1.89
DEMO := fabrik3d-demo.gif

.PHONY: run test bench pictures libraries-run libraries-test rust clean help

help:
	@echo "make run    build and open the viewer (without a display: render the demo to $(DEMO))"
	@echo "make test   all checks: format, lints, tests, documentation"
	@echo "make bench  the measurements, as tables"
	@echo "make pictures  the pictures and films of the documentation"
	@echo "make clean  remove what was built"

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
