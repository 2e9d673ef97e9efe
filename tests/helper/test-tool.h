/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One program with a subcommand per library part that shell tests want to drive.
 * To add one: write tool-NAME.c with "int tool_NAME(int argc, const char **argv)" (argv[0]
 * is NAME), declare it here and add it to the table in test-tool.c.
 */
#ifndef TEST_TOOL_H
#define TEST_TOOL_H

#include "base/compat.h"

int tool_audit(int argc, const char **argv);
int tool_child(int argc, const char **argv);
int tool_progress(int argc, const char **argv);
int tool_gates(int argc, const char **argv);
int tool_history(int argc, const char **argv);
int tool_json(int argc, const char **argv);
int tool_apt(int argc, const char **argv);
int tool_kbuild(int argc, const char **argv);
int tool_rule(int argc, const char **argv);
int tool_machine(int argc, const char **argv);
int tool_sandbox(int argc, const char **argv);
int tool_cochange(int argc, const char **argv);
int tool_diag(int argc, const char **argv);

#endif
