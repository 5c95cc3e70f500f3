/* tests/fuzz/voc.c - any bytes as an annotation of VOC: what is taken has its texts where it says,
 * and a box that is usable lies in its image. */
#include <stdlib.h>
#include <string.h>

#include "convert/annotations/kinds.h"
#include "convert/voc/voc_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_voc v = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_voc_parse(&v, data, size, &err);
	struct tfr_voc_object *o = v.objects;
	const struct tfr_table table = { .clips = true };
	double side[4];

	if (status && (status != TFR_EDATA || !err.message[0]))
		abort();
	if (!status && (v.filename >= v.texts.size || !*tfr_voc_text(&v, v.filename)))
		abort();
	for (size_t i = 0; !status && i < v.n_objects; i++) {
		if (o[i].name >= v.texts.size || o[i].pose >= v.texts.size ||
			!*tfr_voc_text(&v, o[i].name))
			abort();
		memcpy(side, o[i].box, sizeof(side));
		if (tfr_box_is_usable(&table, side, 100, 50) && (side[2] > 100 || side[3] > 50))
			abort();
	}
	tfr_voc_clear(&v);
	return 0;
}
