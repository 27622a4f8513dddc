# make demo: set up, build, run, leave something to look at.   make test: set up, build, check everything.
# make papers: the examples of the papers, run; out/papers/index.html.
.PHONY: build setup demo papers test docs bench screenshots picture sanitize clang core bits golden windows format install clean

build:
	cmake --preset release >/dev/null
	cmake --build --preset release

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

bench: setup build
	bench/run.sh

screenshots: build
	tools/setup.sh --tests
	tools/screenshots.sh

picture: build
	tools/setup.sh --tests
	tools/picture.sh

sanitize:
	cmake --preset asan >/dev/null && cmake --build --preset asan && ctest --test-dir build-asan --output-on-failure

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
	cmake --install build

clean:
	rm -rf build build-debug build-asan build-clang build-core build-bits build-windows out
