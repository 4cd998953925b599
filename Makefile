# `make run` opens the viewer, `make test` runs the checks of every change, `make check` the slow rest, `make package` makes
# packages, `make web` a page for browsers.
# They install missing system libraries (Debian and Ubuntu) and build first.

CARGO ?= cargo
# Minimum Rust version.
RUST_NEEDED := 1.89
DEMO := fabrik3d-demo.gif
PACKAGES := target/dist/packages

.NOTPARALLEL:
.PHONY: run test check check-here check-systems test-engines bench pictures package package-here package-windows web libraries-run libraries-test libraries-check \
	libraries-engines libraries-package libraries-web rust clean help

help:
	@echo "make run    build and open the viewer (without a display: render the demo to $(DEMO))"
	@echo "make test   run the checks of every change: format, lints, documentation, tests"
	@echo "make check  run the slow rest: other processors and systems, a browser, engines, a monkey, sample files"
	@echo "make test-engines  run the examples with Dask, Ray and Spark (downloads 0.7 GB)"
	@echo "make bench  run the measurements and print tables"
	@echo "make pictures  render the pictures and films of the documentation"
	@echo "make package  build a .deb, a .tar.gz and a .zip for Windows in $(PACKAGES), and check them"
	@echo "make web    build the viewer as a page for browsers in target/web"
	@echo "make clean  remove build results"

run: rust libraries-run
	$(CARGO) build --release
	@sh tools/run.sh target/release/fabrik3d $(DEMO)

test: rust libraries-test
	sh tools/test.sh

check: check-here check-systems

check-here: rust libraries-check
	RUST_NEEDED=$(RUST_NEEDED) sh tools/check.sh

# Other processors and systems, after `make check-here`.
check-systems: rust libraries-check
	sh tools/test-arm.sh
	sh tools/test-windows.sh "$${CARGO_TARGET_DIR:-target}/debug/fabrik3d"

test-engines: rust libraries-engines
	sh tools/test-engines.sh

bench: rust
	$(CARGO) run --release -- bench

pictures: rust libraries-run
	$(CARGO) build --release
	sh tools/pictures.sh target/release/fabrik3d

package: package-here package-windows

package-here: rust libraries-package
	@. tools/cross-cargo.sh; if has_cross "$$wasm_target"; then $(MAKE) web; fi
	$(CARGO) build --locked --profile dist
	rm -rf $(PACKAGES)
	sh tools/package.sh target/dist/fabrik3d $(PACKAGES)
	sh tools/check-package.sh $(PACKAGES)

package-windows: rust libraries-package
	sh tools/package-windows.sh target/dist/fabrik3d $(PACKAGES)

web: rust libraries-web
	sh tools/web.sh "$${CARGO_TARGET_DIR:-target}/web"

rust:
	@sh tools/need-rust.sh $(RUST_NEEDED)

libraries-run:
	@sh tools/libraries.sh run

libraries-test:
	@sh tools/libraries.sh test

libraries-check:
	@sh tools/libraries.sh check

libraries-engines:
	@sh tools/libraries.sh engines

libraries-package:
	@sh tools/libraries.sh package

libraries-web:
	@sh tools/libraries.sh web

clean:
	$(CARGO) clean
