/* Any list of numbers: refused, or the numbers that its plain reading has, asked for one after the
 * other. */
#include <stdlib.h>
#include <string.h>

#include "select/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Range by range as they stand there, nothing sorted or joined; of a list that was accepted. */
static bool reads(const char *text, uint64_t n)
{
	for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		char *behind;
		uint64_t first = strtoull(p, &behind, 10), last = first;

		if (*behind == '-')
			last = behind[1] && behind[1] != ',' ? strtoull(behind + 1, NULL, 10)
							     : UINT64_MAX;
		if (first <= n && n <= last)
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct number_list l = { 0 };
	struct tfr_error err = { 0 };
	bool any = false;

	if (tfr_number_list_parse(&l, text, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0])
			abort();
	} else {
		for (uint64_t n = 0; n < 300; n++) {
			if (tfr_number_list_ends_before(&l, n) && reads(text, n))
				abort();
			if (tfr_number_list_has(&l, n) != reads(text, n))
				abort();
			any |= reads(text, n);
		}
		if (any && tfr_number_list_ends_before(&l, 0))
			abort();
		for (size_t i = 1; i < l.count; i++)
			if (l.ranges[i].first <= l.ranges[i - 1].last + 1)
				abort();
	}
	tfr_number_list_clear(&l);
	free(text);
	return 0;
}
