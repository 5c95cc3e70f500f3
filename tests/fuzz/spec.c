/* Any wanted feature as a command line has it: refused with a word, or one that a parser takes. */
#include <stdlib.h>
#include <string.h>

#include <tfr/batch.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *spec = strndup((const char *)data, size);
	struct tfr_error err = { 0 };
	struct tfr_batch_parser *p;
	struct tfr_batch_feature f;

	if (tfr_batch_feature_parse(&f, spec, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0] || !*tfr_error_hint_text(&err) || f.name)
			abort();
	} else {
		if (!f.name[0] || strlen(f.name) >= strlen(spec) || !f.count)
			abort();
		if (tfr_batch_parser_new(&p, &f, 1, &err))
			abort();
		tfr_batch_parser_free(p);
		tfr_batch_feature_clear(&f);
	}
	free(spec);
	return 0;
}
