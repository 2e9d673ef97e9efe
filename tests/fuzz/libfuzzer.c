// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_one(data, size < FUZZ_MAX ? size : FUZZ_MAX);
	return 0;
}
