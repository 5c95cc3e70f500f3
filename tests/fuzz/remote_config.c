/* tests/fuzz/remote_config.c - any bytes as a configuration file of AWS's tools: a value is a part
 * of one line, without the spaces around it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/remote/config_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[][3] = { { "default", "region", NULL },
		{ "default", "s3", "endpoint_url" }, { "profile a", "a", NULL },
		{ "services a", "s3", "a" } };
	struct tfr_buf text = { .data = (uint8_t *)(uintptr_t)data, .size = size };
	char value[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n;

		if (!tfr_config_find(
			    &text, names[i][0], names[i][1], names[i][2], value, sizeof(value)))
			continue;
		n = strnlen(value, sizeof(value));
		if (n == sizeof(value) || memchr(value, '\n', n) ||
			(n && !memmem(data, size, value, n)))
			abort();
		if (n && (isspace((unsigned char)value[0]) || isspace((unsigned char)value[n - 1])))
			abort();
	}
	return 0;
}
