/* Any list of stages: refused with a word, or written down so that it reads back the same. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/stages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = strndup((const char *)data, size);
	struct tfr_error err = { 0 };
	struct tfr_stage_list s, again;

	if (tfr_stage_list_parse(&s, list, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0] || s.at)
			abort();
	} else {
		char *text = FUZZ_SAFE(tfr_stage_list_text(&s)), *text_again;

		if (FUZZ_SAFE(tfr_stage_list_parse(&again, text, &err)) || again.count != s.count)
			abort();
		text_again = FUZZ_SAFE(tfr_stage_list_text(&again));
		if (strcmp(text, text_again))
			abort();
		for (unsigned i = 0; i < s.count; i++)
			if (s.at[i].row != again.at[i].row || s.at[i].n != again.at[i].n ||
				s.at[i].width != again.at[i].width ||
				memcmp(s.at[i].mean, again.at[i].mean, sizeof(s.at[i].mean)))
				abort();
		free(text);
		free(text_again);
		tfr_stage_list_free(&again);
		tfr_stage_list_free(&s);
	}
	free(list);
	return 0;
}
