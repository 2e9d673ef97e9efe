# SPDX-License-Identifier: GPL-2.0-only
# kport: one non-recursive Makefile. "make help" lists the targets.
#
#	make [V=1] [B=DIR] [DEVELOPER=1] [SANITIZE=address,undefined]

B ?= build
CC ?= gcc
PREFIX ?= /usr/local
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

PKGS := libgit2 jansson sqlite3 libcrypto libvirt
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

DIRS := base harness mine checks port
SRCS := $(sort $(foreach d,$(DIRS),$(wildcard $(d)/*.c)))
# base/main.c is the program; the rest is the library that tests link too.
LIB_SRCS := $(filter-out base/main.c,$(SRCS))
LIB_OBJS := $(LIB_SRCS:%.c=$(B)/%.o)
UNIT_SRCS := $(sort $(wildcard tests/unit/u-*.c))
UNIT_BINS := $(UNIT_SRCS:%.c=$(B)/%)
HELPER_SRCS := $(sort $(wildcard tests/helper/*.c))
HELPER_OBJS := $(HELPER_SRCS:%.c=$(B)/%.o)
# Small programs that run inside the sandbox or the guest; static, no libraries of ours.
TOOL_SRCS := $(sort $(wildcard harness/tools/*.c))
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

$(B)/libexec/%: harness/tools/%.c
	@mkdir -p $(@D)
	@echo "  TOOL  $@"
	$(Q)$(CC) -std=gnu11 -Os -Wall -Wextra -static -o $@ $<

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(B)/test-tool: $(HELPER_OBJS) $(B)/libkport.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

# ---- tests -----------------------------------------------------------------

tests-build: all $(UNIT_BINS) $(if $(HELPER_SRCS),$(B)/test-tool)

# One unit binary: make unit T=strbuf
unit: $(UNIT_BINS)
	@tests/run-unit.sh $(if $(T),$(B)/tests/unit/u-$(T),$(UNIT_BINS))

clean:
	rm -rf build build-san

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: all unit tests-build clean
.SECONDARY:
