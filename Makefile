# SPDX-License-Identifier: GPL-2.0-only
# kport: one non-recursive Makefile. "make help" lists the targets.
#
#	make [V=1] [B=DIR] [DEVELOPER=1] [SANITIZE=address,undefined]

B ?= build
CC ?= gcc
PREFIX ?= /usr/local
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

PKGS := libgit2 jansson sqlite3 libcrypto libcurl libvirt libbpf libarchive libdeflate libseccomp libdw
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wshadow
ALL_CFLAGS := -std=gnu11 -I. -MMD -MP $(WARN) $(CFLAGS) \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null) \
	-DKPORT_DATA_INSTALLED='"$(PREFIX)/share/kport"' -DKPORT_LIBEXEC_INSTALLED='"$(PREFIX)/libexec/kport"'
LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lpthread -lm

ifdef DEVELOPER
ALL_CFLAGS += -Werror
endif
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LIBS += -fsanitize=$(SANITIZE)
B := $(B)-san
endif

DIRS := base mine harness agents checks port drivebench
SRCS := $(sort $(foreach d,$(DIRS),$(wildcard $(d)/*.c)))
# base/main.c is the program; the rest is the library that tests link too.
LIB_SRCS := $(filter-out base/main.c,$(SRCS))
LIB_OBJS := $(LIB_SRCS:%.c=$(B)/%.o)
UNIT_SRCS := $(sort $(wildcard tests/unit/u-*.c))
UNIT_BINS := $(UNIT_SRCS:%.c=$(B)/%)
FUZZ_BINS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz-*.c)))
HELPER_SRCS := $(sort $(wildcard tests/helper/*.c))
HELPER_OBJS := $(HELPER_SRCS:%.c=$(B)/%.o)
# Small programs that run inside the sandbox or the guest; static, no libraries of ours.
GUEST_SRCS := $(sort $(wildcard harness/tools/guest-*.c))
TOOL_SRCS := $(sort $(filter-out $(GUEST_SRCS),$(wildcard harness/tools/*.c)))
TOOL_BINS := $(TOOL_SRCS:harness/tools/%.c=$(B)/libexec/%)

all: $(B)/kport $(TOOL_BINS)

$(B)/kport: $(B)/base/main.o $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(B)/libkport.a: $(LIB_OBJS)
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/libexec/kport-init: $(GUEST_SRCS) $(sort $(wildcard harness/tools/guest*.h))
$(B)/libexec/%: harness/tools/%.c
	@mkdir -p $(@D)
	@echo "  TOOL  $@"
	$(Q)$(CC) -std=gnu11 -Os -Wall -Wextra -Wno-format-truncation $(if $(DEVELOPER),-Werror) -static -o $@ $(filter %.c,$^)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(UNIT_LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

# Fault injection: these calls of the library go through the test.
comma := ,
WRAPPED := write fsync fchmod rename close mkostemp ftruncate
$(B)/tests/unit/u-fault: UNIT_LDFLAGS := $(WRAPPED:%=-Wl$(comma)--wrap=%)

$(B)/tests/fuzz/fuzz-%: $(B)/tests/fuzz/fuzz-%.o $(B)/tests/fuzz/common.o \
		$(B)/tests/fuzz/$(if $(LIBFUZZER),libfuzzer,standalone).o $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(if $(LIBFUZZER),-fsanitize=fuzzer) -o $@ $^ $(LIBS)

$(B)/test-tool: $(HELPER_OBJS) $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

# ---- tests ----

# t7 and t9 (real kernels, machines) have targets of their own.
E2E := $(sort $(wildcard tests/e2e/t[0-6]*.sh))
export KPORT_BUILD := $(B)

tests-build: all $(UNIT_BINS) $(FUZZ_BINS) $(B)/test-tool

#: build, then the static checks, all unit tests and the e2e tests t0 to t6
check: tests-build hdr-check layer-check
	@tests/run-tests.sh check $(UNIT_BINS) $(FUZZ_BINS) $(E2E)

#: unit tests; one binary alone: make unit T=strbuf
unit: $(if $(T),$(B)/tests/unit/u-$(T),$(UNIT_BINS))
	@tests/run-unit.sh $^

#: e2e tests; some alone: make e2e T=t0001
e2e: all $(B)/test-tool
	@tests/run-tests.sh e2e $(if $(T),$(wildcard tests/e2e/$(T)*.sh),$(E2E))

#: unit and e2e tests under the address and undefined-behaviour sanitizers
test-san:
	@$(MAKE) --no-print-directory SANITIZE=address,undefined CFLAGS='-O1 -g' san-run
san-run: tests-build
	@tests/run-tests.sh test-san $(UNIT_BINS) $(FUZZ_BINS) $(E2E)

#: corpora of the fuzz targets and fixed mutations of them, without clang
fuzz-smoke: $(FUZZ_BINS)
	@tests/run-tests.sh fuzz-smoke $^

FUZZ_SECONDS ?= 60
#: one target under libFuzzer: make fuzz T=shell FUZZ_SECONDS=60
fuzz:
	@$(MAKE) --no-print-directory B=build-fuzz CC=clang CFLAGS='-O1 -g' LIBFUZZER=1 \
		SANITIZE=fuzzer-no-link,address,undefined build-fuzz/tests/fuzz/fuzz-$(T)
	@mkdir -p build-fuzz/corpus/$(T)
	build-fuzz/tests/fuzz/fuzz-$(T) -max_total_time=$(FUZZ_SECONDS) -timeout=20 -max_len=65536 -artifact_prefix=$(CURDIR)/ \
		$(CURDIR)/build-fuzz/corpus/$(T) $(CURDIR)/tests/fuzz/corpus/$(T)

#: lines that unit and e2e tests execute, per file
coverage:
	@$(MAKE) --no-print-directory B=build-cov CFLAGS='-O0 -g --coverage' coverage-run
coverage-run: tests-build
	@tests/run-tests.sh coverage $(UNIT_BINS) $(FUZZ_BINS) $(E2E) || echo "(some tests failed)"
	@tests/coverage.sh $(B)

# ---- static checks ----

HDRS := $(sort $(foreach d,$(DIRS) tests/helper,$(wildcard $(d)/*.h)))
HDR_OKS := $(HDRS:%.h=$(B)/hdr/%.ok)

#: every header compiles alone
hdr-check: $(HDR_OKS)

$(B)/hdr/%.ok: %.h
	@mkdir -p $(@D)
	@echo "  HDR   $<"
	$(Q)echo '#include "$<"' | $(CC) $(ALL_CFLAGS) -Werror -fsyntax-only -MT $@ -MF $(@:.ok=.d) -x c -
	@touch $@

#: includes follow the layering of DESIGN section 3
layer-check: $(B)/kport
	@tests/layer-check.sh $(B)

#: shellcheck over the test scripts
lint:
	shellcheck -x -P tests/e2e $(sort $(wildcard tests/*.sh tests/e2e/*.sh))

#: compile_commands.json for editors and clang tools
compile_commands.json: export COMPILE = $(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS))
compile_commands.json: Makefile $(SRCS) $(UNIT_SRCS) $(HELPER_SRCS)
	@compile=$$(printf '%s' "$$COMPILE" | sed 's/[\\"]/\\&/g'); sep='['; \
	for f in $(SRCS) $(UNIT_SRCS) $(HELPER_SRCS); do \
		printf '%s\n{"directory": "%s", "file": "%s", "command": "%s -c %s"}' \
			"$$sep" '$(CURDIR)' "$$f" "$$compile" "$$f"; sep=,; \
	done >$@; printf '\n]\n' >>$@

# ---- the two commands ----

#: set up this machine, then port a real driver and prove it in a virtual machine
demo:
	@scripts/deps.sh deps.txt
	@$(MAKE) --no-print-directory all
	@scripts/demo.sh $(B)/kport

#: set up this machine, then everything: sanitizers, unit, e2e, real kernels and machines
test:
	@scripts/deps.sh deps.txt
	@$(MAKE) --no-print-directory test-san
	@$(MAKE) --no-print-directory full

REAL := $(sort $(wildcard tests/e2e/t9*.sh))
#: as check, with the tests on real kernels and machines (downloads them once)
full: tests-build hdr-check layer-check lint
	-@$(B)/kport kernel add 6.1 --with-source --with-image && $(B)/kport kernel add 6.12 --with-source --with-image
	-@$(B)/kport kernel add 5.10 --with-source && $(B)/kport kernel add 7.2 --with-source
	@tests/run-tests.sh full $(UNIT_BINS) $(E2E) $(REAL)

#: the packages of deps.txt, by apt
deps:
	@scripts/deps.sh deps.txt

# ---- measuring ----

#: what the main jobs cost, against their targets
bench: all $(B)/test-tool
	@scripts/bench.sh $(B)/kport

#: the gates of a machine on one driver, from a saved machine (2 s at most) and freshly booted (10 s at most); BOOTS=5 of each
bench-boot: all $(B)/test-tool
	@$(B)/kport kernel add 6.12 --with-image
	@tests/bench/machine-boot.sh $(B)/test-tool $(BENCH_OUT)/boot 6.12 $(BOOTS)
BOOTS ?= 5

#: classified commits against those read by hand; KPORT_HISTORY_LINUX, _UBOOT and _DRM name the repositories
bench-cochange: all $(B)/test-tool
	@for n in linux-2.6:$(KPORT_HISTORY_LINUX) u-boot:$(KPORT_HISTORY_UBOOT) drm:$(KPORT_HISTORY_DRM); do \
		if [ ! -d "$${n#*:}" ]; then echo "SKIP $${n%%:*}: no repository named"; continue; fi; \
		for l in $${n%%:*} heldout-$${n%%:*}; do \
			tests/bench/cochange-labels.sh $(B)/test-tool tests/data/cochange/$$l.tsv "$${n#*:}" || exit 1; done; done

BENCH_OUT ?= $(B)/bench
CASES ?= ../shared/cases
$(B)/bench-port: $(patsubst %.c,$(B)/%.o,$(wildcard tests/bench/*.c)) $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

#: port the real cases of CASES=DIR and print tables; BENCH="--pair 6.1:6.12 --every 4" narrows it
bench-port: all $(B)/bench-port
	@for k in $(BENCH_KERNELS); do $(B)/kport kernel add $$k --with-source || exit 2; done
	@$(B)/bench-port --kport $(B)/kport --cases $(CASES) --out $(BENCH_OUT)/port $(BENCH)
BENCH_KERNELS ?= 5.10 6.1 6.12 7.2

#: tokens of the real prompts over the development cases; PROMPTS="--every 24" narrows it (all: hours; slices of --seconds add up in BENCH_OUT)
bench-prompts: all $(B)/bench-port
	@for k in $(BENCH_KERNELS); do $(B)/kport kernel add $$k --with-source || exit 2; done
	@tests/bench/prompts.py $(B)/kport $(B)/bench-port $(CASES) $(BENCH_OUT)/prompts $(PROMPTS)

#: planted layout faults and untouched drivers on 6.1 and 6.12; LAYOUT="id ..." for some of them
bench-layout: all
	@for k in 6.1 6.12; do $(B)/kport kernel add $$k --with-source --with-image || exit 2; done
	@tests/bench/layout-faults.sh $(B)/kport $(BENCH_OUT)/layout 6.1 6.12 $(LAYOUT)

#: RESTORES tests in a row from a saved machine: nothing may stay behind; slices add up in BENCH_OUT
bench-restores: all $(B)/test-tool
	@$(B)/kport kernel add 6.12 --with-image
	@tests/bench/machine-restores.sh $(B)/test-tool $(BENCH_OUT)/restores 6.12 $(RESTORES)
RESTORES ?= 500

#: what "--analyse" costs and how often it is wrong, over untouched drivers of 6.1 on 6.1 and 6.12; ANALYSED=20 of them
bench-analysers: all
	@for k in 6.1 6.12; do $(B)/kport kernel add $$k --with-source || exit 2; done
	@tests/bench/analysers.sh $(B)/kport $(BENCH_OUT)/analysers 6.1 6.12 $(ANALYSED)
ANALYSED ?= 20

#: stock drivers of emulated devices bound and used, then planted faults, on MACHINE_KERNELS, from saved machines (an hour and more)
bench-machine: all $(B)/test-tool
	@for k in $(MACHINE_KERNELS); do $(B)/kport kernel add $$k --image --with-source || exit 2; done
	@tests/bench/machine-matrix.sh $(B)/test-tool $(BENCH_OUT)/machine $(MACHINE_KERNELS)
	@for k in $(MACHINE_KERNELS); do tests/bench/machine-faults.sh $(B)/test-tool $(BENCH_OUT)/machine $$k || exit 1; done
MACHINE_KERNELS ?= 6.1 6.12 7.2

#: stock drivers bound to devices that are made up in the guest (i2c-stub, uhid, uinput, dummy_hcd), on MACHINE_KERNELS
bench-standins: all $(B)/test-tool
	@for k in $(MACHINE_KERNELS); do $(B)/kport kernel add $$k --with-image || exit 2; done
	@MATRIX_LIST=tests/data/machine/standins.tsv tests/bench/machine-matrix.sh $(B)/test-tool $(BENCH_OUT)/standins $(MACHINE_KERNELS)

# ---- installing ----

INSTALL ?= install
MANS := $(sort $(wildcard docs/man/*.1))
DATA := $(sort $(wildcard agents/prompts/*.txt port/rules/*/*.cocci port/cautions/*/*.cocci checks/cocci/*.cocci checks/*.tsv harness/*.tsv harness/*.config drivebench/cases/*.jsonl))

#: program, tools, rules, manual pages, completions; DESTDIR and PREFIX are honoured
install: all
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/kport \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/kport \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(INSTALL) -m 755 $(B)/kport $(DESTDIR)$(PREFIX)/bin/kport
	$(INSTALL) -m 755 $(TOOL_BINS) $(DESTDIR)$(PREFIX)/libexec/kport/
	$(INSTALL) -m 644 $(MANS) $(DESTDIR)$(PREFIX)/share/man/man1/
	$(INSTALL) -m 644 deps.txt $(DESTDIR)$(PREFIX)/share/kport/deps.txt
	for f in $(DATA); do $(INSTALL) -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/kport/$$f || exit 1; done
	$(INSTALL) -m 644 docs/kport.bash-completion \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/kport

#: what can be made
help:
	@echo "make [V=1] [B=DIR] [DEVELOPER=1] [SANITIZE=address,undefined] TARGET"
	@awk '/^#: / { about = substr($$0, 4); next } \
		about && /^[a-z0-9_.-]+:/ { sub(":.*", "", $$1); printf "  %-22s %s\n", $$1, about } { about = "" }' Makefile

#: remove what was built
clean:
	rm -rf build build-* compile_commands.json

-include $(shell find $(B) -name trash -prune -o -type f -name '*.d' -print 2>/dev/null)

.PHONY: all demo test full bench bench-boot bench-standins bench-cochange bench-port bench-machine bench-layout bench-prompts bench-analysers bench-restores install check unit e2e tests-build test-san san-run hdr-check layer-check lint \
	coverage coverage-run fuzz-smoke fuzz deps help clean
.SECONDARY:
