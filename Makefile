# SPDX-License-Identifier: Apache-2.0
#
# make run    set up, build, and watch locations from a real gpsd     (SECONDS=20, GPSD=host:port)
# make test   set up and run all tests
# make search  try the randomized tests with fresh seeds for as long as wanted (SECONDS=60, SEARCH='^LocationEngineTests' for some of them)
# make fuzz   let libFuzzer try the readers of requests, of gpsd's lines and of the configuration (SECONDS=30 each)
# make check  format, warnings, imports
# make uplink-test  locationd, locationd-uplink, a broker and a server for so long (SECONDS=3600) on a drive of deaths, cuts and full disks (LOCATIOND_SEED=…)
# make bench  measure latency, CPU and memory
# make sanitize  run the tests of what programs link under the thread and the address sanitizer, and look for leaks (takes long)
# make docs   the documentation of CoreLocation, in .build/documentation; a link that leads nowhere is an error
# make picture  make the picture of locctl top anew, from a drive of two and a half minutes
# make reference  write what the code knows into Documentation/Protocol.md and Metrics.md
# make deb    build the Debian packages into .build/deb, and check them with lintian
# make system-test  boot a Debian with the packages in a container and try everything there (as root)
# make load-test  a day of load in such a container: some dozens of clients, restarts, kills (80 min; LOAD_SECONDS=300 for less)
# make help   this

SHELL := /bin/bash
SWIFT ?= swift
# Package.swift then has no warning pass.
export LOCATIOND_WARNINGS_AS_ERRORS = 1
# The debug build, which all tests run, checks exclusive access: that took a quarter of the instructions for a delivered location.
RELEASE := -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked
# What building and running needs beside Swift itself; tests and the demo need the rest.
PACKAGES := pkg-config libgps-dev libsystemd-dev libsqlite3-dev libinih-dev libmosquitto-dev libcurl4-openssl-dev libncurses-dev gpsd
TEST_PACKAGES := jq socat netcat-openbsd util-linux scdoc dbus python3-gi gir1.2-geoclue-2.0 geoclue-2-demo \
  gpsbabel libxml2-utils python3-gpxpy python3-geojson mosquitto mosquitto-clients python3-prometheus-client \
  python3-dbus python3-venv
# Debian 12's BlueZ of python-dbusmock has no advertisement monitors.
DBUSMOCK := .build/dbusmock
# One program of a package whose service is not to run here.
PROMTOOL := .build/unpacked/usr/bin/promtool
DEB_PACKAGES := dpkg-dev debhelper bash-completion fakeroot lintian scdoc
SYSTEM_TEST_PACKAGES := mmdebstrap systemd-container
# What is tried beside the packages is built where they were, which have compiled most of it.
PACKAGED_BUILD := $(SWIFT) build $(RELEASE) --package-path .build/deb/locationd --scratch-path .build/deb/build
DOCS := .build/documentation
# Randomized tests that need neither a daemon nor a clock: the suites that draw seeds in these modules.
SEARCH := ^((GPSDSource|LocationClient|LocationEngine|LocationModel|LocationProtocol|LocationStore)Tests|LocationUplinkTests(?=\.Disorder))\.
# Tests that wait for other tasks get a run of their own: beside tests that block the few threads that tasks have, they would starve.
ASYNCHRONOUS := ^(CoreLocationTests|LocationClientTests)\.

.PHONY: help setup setup-tests build release run picture test search fuzz check uplink-test bench sanitize docs reference deb system-test load-test format clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# apt-get runs only when something is missing, so that a set-up machine needs neither root nor a network.
define install
	@missing=; for package in $(1); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
	  $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi
endef

# The last words say again which tests failed and why: thousands of lines stand between a failure and the end.
define run-tests
@set -o pipefail; $(SWIFT) test --skip-build --disable-xctest --parallel $(1) 2>&1 | tee .build/tests.log || \
  { printf '\nfailed:\n'; grep -E '^(✘|↳|error:)|Fatal error' .build/tests.log; exit 1; }
endef

setup:
	$(call install,$(PACKAGES))

setup-tests:
	$(call install,$(PACKAGES) $(TEST_PACKAGES))
	@command -v promtool >/dev/null || test -x $(PROMTOOL) || { rm -rf .build/unpacked && mkdir -p .build/unpacked && \
	  cd .build/unpacked && apt-get download -qq prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb; }
	@$(DBUSMOCK)/bin/python3 -c 'import dbus, dbusmock' 2>/dev/null || { /usr/bin/python3 -m venv --system-site-packages $(DBUSMOCK) && \
	  $(DBUSMOCK)/bin/pip install --quiet --no-deps 'python-dbusmock==0.38.1'; } || \
	  echo 'python-dbusmock cannot be had: the tests of locationd-beacons and locationd-agent on a bus are left out'

build: setup
	$(SWIFT) build

# By name, because the tests' support does not link statically.
release: setup
	@for product in locationd locctl locationd-agent locationd-geoclue locationd-uplink locationd-beacons locationd-track LocationBenchmarks CoreLocationProbe; do \
	  $(SWIFT) build $(RELEASE) --product $$product || exit 1; done

picture: release
	$(call install,tmux python3)
	@BIN="$$($(SWIFT) build $(RELEASE) --show-bin-path)" GPSD="$(GPSD)" SECONDS_TO_RUN="$(SECONDS)" Samples/Demo/picture

run: release
	@BIN="$$($(SWIFT) build $(RELEASE) --show-bin-path)" GPSD="$(GPSD)" SECONDS_TO_RUN="$(SECONDS)" Samples/Demo/demo

# The explicit import check sees what a build that finds stale modules would let pass.
check: setup-tests
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Samples Tests
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error

test: setup-tests
	$(SWIFT) build --build-tests
	$(call run-tests,--skip '$(ASYNCHRONOUS)')
	$(call run-tests,--filter '$(ASYNCHRONOUS)')

search: setup-tests
	$(SWIFT) build --build-tests
	SWIFT="$(SWIFT)" Tests/Search/run "$(or $(SECONDS),60)" '$(SEARCH)'

fuzz: setup
	SWIFT="$(SWIFT)" Tests/Fuzzing/run "$(or $(SECONDS),30)"

uplink-test: setup-tests
	$(SWIFT) build --build-tests
	$(call install,iproute2 nftables)
	LOCATIOND_OWN_WORLD=yes LOCATIOND_UPLINK_SECONDS="$(or $(SECONDS),3600)" unshare --net --mount --map-root-user sh -c "ip link set lo up && \
	  exec $(SWIFT) test --skip-build --disable-xctest --filter '^LocationUplinkTests\.ChaosTests/'"

bench: release
	@ulimit -n 65536 2>/dev/null; BIN="$$($(SWIFT) build $(RELEASE) --show-bin-path)"; "$$BIN/LocationBenchmarks" "$$BIN"

sanitize: setup-tests
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build/thread
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build/address
	SWIFT="$(SWIFT)" TESTS='$(ASYNCHRONOUS)' Tests/Sanitizers/run .build/thread/debug .build/address/debug

# The symbols come from the module as it is built anyway, so nothing is compiled twice.
docs: setup
	$(SWIFT) build --target CoreLocation
	@rm -rf $(DOCS) && mkdir -p $(DOCS)/symbols
	@tools="$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")"; built="$$($(SWIFT) build --show-bin-path)"; \
	triple="$$($(SWIFT) -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')"; \
	"$$tools/swift-symbolgraph-extract" -module-name CoreLocation -I "$$built/Modules" \
	  -Xcc "-fmodule-map-file=$$built/CRunLoop.build/module.modulemap" -target "$$triple" -minimum-access-level public -skip-synthesized-members -output-dir $(DOCS)/symbols && \
	"$$tools/docc" convert Sources/Clients/CoreLocation/CoreLocation.docc --additional-symbol-graph-dir $(DOCS)/symbols \
	  --fallback-display-name CoreLocation --fallback-bundle-identifier locationd.CoreLocation --warnings-as-errors \
	  --transform-for-static-hosting --output-path $(DOCS)/CoreLocation.doccarchive

reference: setup
	$(SWIFT) run manual-pages --reference Documentation/Protocol.md
	$(SWIFT) run manual-pages --reference Documentation/Metrics.md

# From a copy of what git knows, so that nothing of the working directory gets in; its build folder is kept for the next time.
deb: setup
	$(call install,$(DEB_PACKAGES))
	@rm -rf .build/deb/locationd .build/deb/*.deb .build/deb/*.changes && mkdir -p .build/deb/locationd
	@git ls-files -z | tar --null -T - -c | tar -x -C .build/deb/locationd
	cd .build/deb/locationd && SCRATCH="$(CURDIR)/.build/deb/build" dpkg-buildpackage --build=binary --unsigned-changes
	lintian --fail-on error,warning --allow-root .build/deb/*.changes

system-test: deb
	@Tests/System/run --possible
	$(call install,$(SYSTEM_TEST_PACKAGES))
	$(PACKAGED_BUILD) --product locationd-track
	Tests/System/run .build/deb .build/deb/build/release/locationd-track

# Takes LOAD_SECONDS, LOAD_RATE, LOAD_INTERVAL and LOAD_OUTPUT of the environment or the command line.
load-test: deb
	@Tests/System/run --possible
	$(call install,$(SYSTEM_TEST_PACKAGES) python3-minimal)
	@for product in locationd-track CoreLocationProbe; do $(PACKAGED_BUILD) --product $$product || exit 1; done
	Tests/System/load .build/deb .build/deb/build/release

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Samples Tests

clean:
	rm -rf .build
