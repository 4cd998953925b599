# `make run` opens the viewer, `make test` runs all checks, `make package` makes packages.
# They install missing system libraries (Debian and Ubuntu) and build first.

CARGO ?= cargo
# Minimum Rust version.
RUST_NEEDED := 1.89
DEMO := fabrik3d-demo.gif
PACKAGES := target/dist/packages

.PHONY: run test test-engines bench pictures package libraries-run libraries-test libraries-engines libraries-package rust \
	clean help

help:
	@echo "make run    build and open the viewer (without a display: render the demo to $(DEMO))"
	@echo "make test   run all checks: format, lints, tests, documentation; where CI is set also test-engines"
	@echo "make test-engines  run the examples with Dask, Ray and Spark (downloads 0.7 GB)"
	@echo "make bench  run the measurements and print tables"
	@echo "make pictures  render the pictures and films of the documentation"
	@echo "make package  build a .deb and a .tar.gz in $(PACKAGES), and check them"
	@echo "make clean  remove build results"

run: rust libraries-run
	$(CARGO) build --release
	@sh tools/run.sh target/release/fabrik3d $(DEMO)

test: rust libraries-test $(if $(CI),libraries-engines)
	sh tools/test.sh

test-engines: rust libraries-engines
	sh tools/test-engines.sh

bench: rust
	$(CARGO) run --release -- bench

pictures: rust libraries-run
	$(CARGO) build --release
	sh tools/pictures.sh target/release/fabrik3d

package: rust libraries-package
	$(CARGO) build --locked --profile dist
	rm -rf $(PACKAGES)
	sh tools/package.sh target/dist/fabrik3d $(PACKAGES)
	sh tools/check-package.sh $(PACKAGES)

rust:
	@sh tools/need-rust.sh $(RUST_NEEDED)

libraries-run:
	@sh tools/libraries.sh run

libraries-test:
	@sh tools/libraries.sh test

libraries-engines:
	@sh tools/libraries.sh engines

libraries-package:
	@sh tools/libraries.sh package

clean:
	$(CARGO) clean
