# make demo: set up, build, run, leave something to look at.   make test: set up, build, check everything.
# make papers: the examples of the papers, run; out/papers/index.html.   make install PREFIX=/usr/local DESTDIR=: library, headers, command.
.PHONY: build native setup demo papers test docs python bench screenshots picture fuzz sanitize analyze valgrind dist deb sbom abi clang core bits golden windows format install uninstall clean

PREFIX ?= /usr/local
PRESET ?= release# ci: the same folder with warnings as errors

build:
	cmake --preset $(PRESET) >/dev/null
	cmake --build --preset $(PRESET)

native:
	cmake --preset native >/dev/null
	cmake --build --preset native

setup:
	tools/setup.sh

demo: setup build
	tools/demo.sh

papers: setup build
	build/jounce papers

test:
	tools/setup.sh --tests
	$(MAKE) build
	tools/test.sh

docs: build
	tools/setup.sh --docs
	tools/docs/build.sh

python:
	tools/setup.sh --python
	cmake --preset $(PRESET) >/dev/null
	cmake --build --preset $(PRESET) --target jounce_python
	@echo "PYTHONPATH=$(CURDIR)/build/python"

bench: setup build
	bench/run.sh

screenshots: build
	tools/setup.sh --tests
	tools/screenshots.sh

picture: build
	tools/setup.sh --tests
	tools/picture.sh

fuzz:
	tools/fuzz.sh $(or $(SECONDS),60) $(TARGETS)

sanitize:
	tools/sanitize.sh $(KINDS)

analyze:
	tools/analyze.sh

valgrind:
	tools/valgrind.sh

dist:
	tools/dist.sh

deb:
	tools/deb.sh $(if $(TWICE),--twice)

sbom: build
	@mkdir -p out
	tools/sbom.sh build/jounce >out/sbom.spdx.json
	@echo out/sbom.spdx.json

abi: build
	tools/abi.sh build/libjounce.so $(if $(UPDATE),--update)

clang:
	cmake --preset clang >/dev/null && cmake --build --preset clang

core:
	cmake --preset core >/dev/null && cmake --build --preset core

bits:
	tools/setup.sh --bits
	tools/bits.sh

windows:
	tools/windows.sh

golden: build
	JN_UPDATE=1 build/tests/bits_test_golden

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

install: build
	DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

uninstall:
	DESTDIR=$(DESTDIR) cmake -D MANIFEST=$(CURDIR)/build/install_manifest.txt -P cmake/uninstall.cmake

clean:
	rm -rf build build-native build-debug build-asan build-clang build-core build-bits build-windows build-wheel build-fuzz build-tsan build-msan build-analyze build-deb build-deb-again out
