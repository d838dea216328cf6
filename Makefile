# SPDX-License-Identifier: MIT
# `make run`, `make test`, `make bench`, `make install PREFIX=…`: each sets up what it needs.

PREFIX ?= /usr/local
DESTDIR ?=
PACKAGES = libjavascriptcoregtk-4.1-dev libglib2.0-dev libsqlite3-dev libicu-dev libxxhash-dev zlib1g-dev libbrotli1 libzstd1 libssl3 libsoup-3.0-0 libnghttp2-14 glib-networking ca-certificates esbuild pkg-config
# What only tests need: a server to ask, a terminal to drive, a compiler that reads the types, packages written for Node.
TEST_PACKAGES = nginx-light tmux procps iproute2 xdotool openbox chromium chromium-driver firefox-esr webkit2gtk-driver xvfb xauth dbus node-typescript $(WINDOW_PACKAGES) $(NODE_PACKAGES)
# What windows need, and nothing else.
WINDOW_PACKAGES = libwebkit2gtk-4.1-dev bubblewrap xdg-dbus-proxy
NODE_PACKAGES = node-commander node-yargs node-chalk node-ajv node-semver node-minimist node-lodash node-uuid node-async \
  node-debug node-minimatch node-mime node-mime-types node-qs node-marked node-js-yaml node-ini node-json5 node-clone node-strip-ansi \
  node-escape-string-regexp node-inherits node-bytes node-cookie node-camelcase node-iconv-lite node-readable-stream node-micromatch node-express \
  node-core-js-pure
RELEASE = swift build -c release --static-swift-stdlib --product nbridge && \
  swift build -c release --static-swift-stdlib --product nbridge-plugin-host
BINARY = .build/release/nbridge
# What lies in plugins and is one; the examples below are packages of their own.
PLUGINS = $(patsubst %/plugin.json,%,$(wildcard plugins/*/plugin.json))
SDK = $(DESTDIR)$(PREFIX)/share/nbridge/sdk

.PHONY: all run window facades check test bench bench-against bench-busy scale order install install-sdk install-testing setup release lint format types docs fuzz sanitize soak clean

all: release

# Debian packages by name: present ones cost one dpkg query; without root the line to run is printed.
setup:
	@missing=""; for p in $(PACKAGES) $(EXTRA); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then \
	    echo "installing:$$missing"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing; \
	  else echo "missing:$$missing"; echo "run: sudo apt-get install$$missing"; exit 1; fi; fi
	@command -v swift >/dev/null || { echo "a Swift 6.2 or later toolchain is needed: https://www.swift.org/install/linux/"; exit 1; }

release: setup
	@$(RELEASE)

# The plugins' faces for the pages of www; nobody's plugins but those of the program.
facades: release
	@NBRIDGE_PLUGINS=: $(BINARY) types --facades > www/facades.js

run: facades
	$(BINARY) run www/sample.js

# The program that shows pages in windows of their own: the only part that knows WebKitGTK.
WINDOW = .build/window
WINDOW_FLAGS = -std=gnu11 -O2 -Wall -Wextra -Wno-missing-field-initializers
window: EXTRA = $(WINDOW_PACKAGES)
window: setup $(WINDOW)/nbridge-window $(WINDOW)/extension/libnbridge-window.so
WINDOW_PARTS = $(addprefix Sources/nbridge-window/,window.c files.c talk.c state.c menu.c dialogs.c drops.c tray.c trayicon.c traymenu.c messages.c pipe.c)
WINDOW_SCRIPTS = Sources/nbridge-window/js/line.js Sources/nbridge-window/js/world.js
WINDOW_PIPE = Sources/nbridge-window/pipe.c Sources/nbridge-window/pipe.h Sources/CNBridgePassing/passing.h
# A script as the text of a C program.
QUOTED = sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/'
$(WINDOW)/scripts.h: $(WINDOW_SCRIPTS)
	@mkdir -p $(@D)
	(echo 'static const char line_script[] ='; $(QUOTED) Sources/nbridge-window/js/line.js; echo ';'; \
	 echo 'static const char world_script[] ='; $(QUOTED) Sources/nbridge-window/js/world.js; echo ';') > $@
$(WINDOW)/nbridge-window: $(WINDOW_PARTS) Sources/nbridge-window/talk.h $(WINDOW_PIPE) $(WINDOW)/scripts.h
	cc $(WINDOW_FLAGS) -I$(WINDOW) $$(pkg-config --cflags webkit2gtk-4.1) $(WINDOW_PARTS) -o $@ $$(pkg-config --libs webkit2gtk-4.1)
$(WINDOW)/extension/libnbridge-window.so: Sources/nbridge-window/extension.c $(WINDOW_PIPE)
	@mkdir -p $(@D)
	cc $(WINDOW_FLAGS) -shared -fPIC -fvisibility=hidden $$(pkg-config --cflags webkit2gtk-web-extension-4.1) $< Sources/nbridge-window/pipe.c -o $@ $$(pkg-config --libs webkit2gtk-web-extension-4.1)

# For daily work: style, build, and the tests that start no programs. `make test` is everything.
check: setup
	@$(MAKE) -s lint
	@swift build --build-tests
	@SWIFT_BACKTRACE=enable=no timeout -k 10 600 swift test --skip-build --skip 'NBridgeCLITests\.(?![A-Za-z]*UnitTests)'

test: EXTRA = $(TEST_PACKAGES)
test: setup
	@Tests/run.sh

# Figures beside floors and other runtimes; ROWS=start,memory takes some, ROWS=help lists them.
bench bench-against bench-busy: EXTRA = $(WINDOW_PACKAGES)
bench: setup window
	@python3 -B Tests/Benchmarks/bench.py "$(ROWS)"

# This checkout's build beside that of a revision: make bench-against REV=HEAD~1 ROWS=calls
bench-against: setup window
	@python3 -B Tests/Benchmarks/bench.py --against "$(REV)" "$(ROWS)"

# The same beside busy processes, into BUSY.md: which ratios stay.
bench-busy: setup window
	@python3 -B Tests/Benchmarks/bench.py --busy "$(ROWS)"

# How cost grows with size, with fitted exponents: make scale ROWS=list,keys
scale: setup
	@python3 -B Tests/Benchmarks/scale.py "$(ROWS)"

# Writes anew which functions stand next to each other in the program; its second build takes them. (The package manager does not
# know that the program depends on that file.)
order: EXTRA = valgrind binutils
order: release
	@python3 -B Tests/Benchmarks/order.py
	@rm -f $(BINARY)
	@$(RELEASE)

lint:
	swift format lint --strict --recursive Package.swift Sources plugins www Tests

format:
	swift format --in-place --recursive Package.swift Sources plugins www Tests

# What is made from the plugins' declarations; a test fails when the checked-in types differ.
types: setup
	swift build --product nbridge
	NBRIDGE_PLUGINS=: .build/debug/nbridge types > www/nbridge.d.ts
	NBRIDGE_PLUGINS=: .build/debug/nbridge types --facades > www/facades.js

# A static site of the guides and of what they call by name; `python3 -m http.server -d .build/docs/site` shows it.
docs: setup
	@swift build --product nbridge
	@Tests/Docs/build.py

fuzz: setup
	@Tests/Fuzz/run.sh $(SECONDS_EACH)

sanitize: setup
	@Tests/Sanitizers/address.sh
	@Tests/Sanitizers/thread.sh

# What is too long for every change: the thread sanitizer, a million calls under that of addresses, a program's day on a clock of our own
# and a real hour of it, the fuzz for ten minutes a target, all rules of modules, pages in all browsers, and two thousand kills a plugin.
soak: setup
	@Tests/Sanitizers/address.sh
	@Tests/Sanitizers/thread.sh
	@. Tests/Sanitizers/options.sh && SWIFT_BACKTRACE=enable=no \
	  .build/asan/debug/nbridge-stress Tests/Stress/stress.js $${NBRIDGE_STRESS:-10000}
	swift build -c release --static-swift-stdlib --product nbridge-soak
	.build/release/nbridge-soak Tests/Soak/day.js $${NBRIDGE_HOURS:-24}
	.build/release/nbridge-soak Tests/Soak/day.js 1 real
	@NBRIDGE_ISOLATED=1 NBRIDGE_RACES=10000 NBRIDGE_SEEDS=100 \
	  swift test --no-parallel --filter '(NBridgeTests|NBridgeLogsTests|PluginTests)\.'
	@Tests/Fuzz/run.sh $${SECONDS_EACH:-600}
	$(RELEASE) && swift build -c release --static-swift-stdlib --product nbridge-kills
	NBRIDGE_PROGRAM=$(BINARY) python3 -B Tests/ModuleRules/run.py
	@NBRIDGE_BROWSERS=all NBRIDGE_PROGRAM=$(CURDIR)/$(BINARY) swift test --filter 'BrowserTests'
	.build/release/nbridge-kills $(BINARY) Tests/Kills/js $${NBRIDGE_KILLS:-2000} $${NBRIDGE_SEED:-2}

# The SDK: the sources that plugins are built against, and tested with.
install-sdk:
	rm -rf $(SDK) && install -d $(SDK)/plugins $(SDK)/www
	cp Package.swift LICENSE $(SDK) && cp -r Sources $(SDK)
	cp www/*.swift www/*.js www/*.html www/*.css www/*.json www/*.d.ts $(SDK)/www
	for p in $(PLUGINS); do install -d $(SDK)/$$p && cp -r $$p/Sources $(SDK)/$$p; \
	  if [ -d $$p/js ]; then cp -r $$p/js $(SDK)/$$p; fi; done
	chmod -R go-w,a+rX $(SDK)

# The tests' harness in debug, as what authors build, so that a plugin's first test need not build the runtime; without what a plugin's
# own build makes of the SDK.
TESTING = .build/testing
TESTING_FLAGS = --product NBridgeTesting --scratch-path $(TESTING) -debug-info-format none --disable-index-store
install-testing:
	swift build $(TESTING_FLAGS)
	rm -rf $(SDK)/testing && install -d $(SDK)/testing/Modules
	cp $(TESTING)/debug/Modules/*.swiftmodule $(SDK)/testing/Modules && rm $(SDK)/testing/Modules/NBridgePlugin.swiftmodule
	find $(TESTING)/debug/ -name '*.o' -path '*.build/*' ! -path '*/NBridgePlugin.build/*' ! -path '*/CNBridge*' | sort | xargs ar rcsD $(SDK)/testing/libNBridgeTesting.a
	pkg-config --cflags-only-I $(TESTING_LIBRARIES) | tr ' ' '\n' | grep . | sort -u > $(SDK)/testing/compile.flags
	pkg-config --libs $(TESTING_LIBRARIES) | tr ' ' '\n' | grep . > $(SDK)/testing/link.flags
	swift --version 2> /dev/null > $(SDK)/testing/compiler
	chmod -R go-w,a+rX $(SDK)/testing
TESTING_LIBRARIES = javascriptcoregtk-4.1 gio-unix-2.0 icu-uc

install: facades
	@$(MAKE) -s install-sdk install-testing
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/nbridge
	install -D -m 755 .build/release/nbridge-plugin-host $(DESTDIR)$(PREFIX)/libexec/nbridge/nbridge-plugin-host
	if pkg-config --exists webkit2gtk-4.1; then $(MAKE) -s window && \
	  install -D -m 755 $(WINDOW)/nbridge-window $(DESTDIR)$(PREFIX)/libexec/nbridge/nbridge-window && \
	  install -D -m 644 $(WINDOW)/extension/libnbridge-window.so $(DESTDIR)$(PREFIX)/libexec/nbridge/extension/libnbridge-window.so; \
	else echo "without libwebkit2gtk-4.1-dev there is no nbridge window"; fi
	install -d $(DESTDIR)$(PREFIX)/lib/nbridge/plugins
	install -d $(DESTDIR)$(PREFIX)/share/nbridge/www/notes
	install -m 644 www/*.js www/*.html www/*.css www/*.json www/*.d.ts $(DESTDIR)$(PREFIX)/share/nbridge/www
	install -m 644 www/notes/*.js www/notes/*.html www/notes/*.css www/notes/*.json $(DESTDIR)$(PREFIX)/share/nbridge/www/notes
	for p in $(PLUGINS); do n=$$(basename $$p); install -D -m 644 $$p/plugin.json $(DESTDIR)$(PREFIX)/share/nbridge/plugins/$$n/plugin.json; \
	  for f in README.md DESIGN.md; do if [ -f $$p/$$f ]; then install -m 644 $$p/$$f $(DESTDIR)$(PREFIX)/share/nbridge/plugins/$$n/$$f; fi; done; done

clean:
	rm -rf .build Tests/Benchmarks/.work www/facades.js
