// SPDX-License-Identifier: GPL-2.0-only
/* kport boot: build a driver, boot the kernel, load, probe and unload it there. */
#include "base/compat.h"

#include "base/command.h"
#include "base/log.h"
#include "base/options.h"
#include "checks/cmd-check.h"

static struct check_opts o;
static const char *driver;
static bool fresh;

static const struct option options[] = {
	OPTION_STR('d', "driver", &driver, "DRIVER", "the driver; may be given as an operand too"),
	OPTION_STR('k', "kernel", &o.kernel, "KERNEL", "kernel to build for and to boot"),
	OPTION_BOOL(0, "fresh", &fresh, "boot the kernel, do not go on from a saved state"),
	OPTION_STR(0, "firmware", &o.firmware, "DIR", "files that the driver may ask for, laid out as in /lib/firmware"),
	OPTION_BOOL(0, "sanitize", &o.sanitize, "on a kernel with KASAN, UBSAN and lockdep ('kport kernel build')"),
	OPTION_DBL(0, "boot-timeout", &o.boot_seconds, "SECONDS", "limit of one machine"),
	OPTION_COUNT(0, "boot-runs", &o.boot_runs, "N", "valid runs that must agree (default: 1)"),
	OPTION_STR('o', "out", &o.out, "DIR", "keep build trees and consoles there"),
	OPTION_STR(0, "kconfig", &o.config, "LIST", "make variables for a driver inside a kernel tree, \"CONFIG_X=m ...\""),
	OPTION_BOOL(0, "no-sandbox", &o.no_sandbox, "run the driver's Makefile without the sandbox (you trust it)"),
	OPTION_END()
};

static int run(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	int code;

	options_parse(cmd, options, argc, argv, &operands);
	if (operands.n + (driver != NULL) != 1)
		usage("name one driver (a directory, a dkms package, a .deb, or a file of a "
		      "kernel source tree)");
	o.boot_from = machine_from_name(fresh ? MACHINE_FRESH : MACHINE_SNAPSHOT);
	code = check_driver(driver ? driver : operands.v[0], &o,
			    GATE_BIT(GATE_COMPILE) | GATE_BIT(GATE_LINK) | GATE_MASK_MACHINE);
	strvec_release(&operands);
	return code;
}

const struct command cmd_boot = {
	.name = "boot",
	.summary = "load a driver in a virtual machine, bind it to an emulated device, unload it",
	.usage = "kport boot DRIVER --kernel KERNEL [options]",
	.run = run,
};
