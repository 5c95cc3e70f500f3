/* io/json_file.c - a file that is one JSON document, within bounds. */
#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "io/source.h"

enum tfr_status tfr_json_read_file(struct json_object **doc, const char *path, size_t most,
	unsigned depth, const char *doing, struct tfr_error *err)
{
	const struct tfr_json_limits limits = { .depth = depth, .size = most };
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = tfr_source_read_file(path, most, &text, doing, err);

	*doc = NULL;
	return status ? status : tfr_json_read(doc, text.data, text.size, &limits, err);
}
