/* Any bytes as the state of statistics: refused, or a survey that can be shown, merged with itself
 * and kept, and is then the same again.  And any text as the JSON around it. */
#include <stdlib.h>
#include <string.h>

#include "inspect/survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
	if (!holds)
		abort();
}

static void show(const struct tfr_survey *s)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_open_object(j, NULL);
	need(tfr_survey_json(s, j, NULL) == TFR_OK);
	tfr_json_close_object(j);
	need(tfr_json_text(j, NULL));
	tfr_json_free(j);
}

static void try_state(const uint8_t *data, size_t size)
{
	struct tfr_survey *s = NULL, *again = NULL;
	struct tfr_state p = { 0 }, q = { 0 };
	struct tfr_error err = { 0 };

	if (tfr_survey_unpack(&s, data, size, &err)) {
		need(err.message[0]);
		return;
	}
	show(s);
	tfr_survey_pack(s, &p);
	need(!p.no_memory && tfr_survey_unpack(&again, p.out.data, p.out.size, &err) == TFR_OK);
	tfr_survey_pack(again, &q);
	need(!q.no_memory && p.out.size == q.out.size &&
		!memcmp(p.out.data, q.out.data, p.out.size));
	tfr_buf_clear(&p.out);
	tfr_buf_clear(&q.out);
	tfr_survey_free(s);
	tfr_survey_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_survey *s = NULL;
	struct tfr_error err = { 0 };

	if (size && data[0] == '{') {
		if (!tfr_survey_parse(&s, "fuzz", (const char *)data, size, &err))
			tfr_survey_free(s);
	} else {
		try_state(data, size);
	}
	return 0;
}
