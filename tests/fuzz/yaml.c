/* tests/fuzz/yaml.c - any bytes as a data.yaml of YOLO: names are there once each, sorted by their
 * numbers, and texts are where it says. */
#include <stdlib.h>
#include <string.h>

#include "convert/yolo/yolo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_yolo_yaml y;
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_yolo_yaml_parse(&y, data, size, "data.yaml", &err);
	const struct tfr_yolo_name *names = y.names;

	if (status == TFR_EUNAVAILABLE)
		exit(0);
	if (status && (status != TFR_EDATA || !err.message[0]))
		abort();
	for (size_t i = 0; !status && i < y.n_names; i++)
		if (names[i].text >= y.texts.size || !*tfr_yolo_text(&y, names[i].text) ||
			(i && names[i].number <= names[i - 1].number) || names[i].number < 0)
			abort();
	/* Nothing is resolved: what is kept is no more than what was read, in UTF-8. */
	if (y.texts.size > 3 * size + 64)
		abort();
	tfr_yolo_yaml_clear(&y);
	return 0;
}
