/* convert/yolo/yolo_yaml.c - data.yaml, which the module yaml parses (libyaml.c). */
#include "convert/yolo/yolo_yaml.h"

#include <stdlib.h>

#include "base/module.h"

enum { SIZE_MOST = 4 << 20 };

static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct tfr_yolo_name *)a)->number;
	int64_t y = ((const struct tfr_yolo_name *)b)->number;

	return (x > y) - (x < y);
}

static enum tfr_status sort(struct tfr_yolo_yaml *y, const char *path, struct tfr_error *err)
{
	struct tfr_yolo_name *names = (struct tfr_yolo_name *)(void *)y->names_.data;
	size_t n = tfr_yolo_name_count(y);

	if (n)
		qsort(names, n, sizeof(*names), by_number);
	for (size_t i = 1; i < n; i++)
		if (names[i].number == names[i - 1].number)
			return tfr_fail(err, TFR_EDATA, "two names of class %lld in '%s'",
				(long long)names[i].number, path);
	return TFR_OK;
}

enum tfr_status tfr_yolo_yaml_parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err)
{
	const void *calls;
	enum tfr_status status;

	*y = (struct tfr_yolo_yaml){ .count = -1 };
	if (size > SIZE_MOST)
		return tfr_fail_path(err, TFR_EDATA, path, "larger than 4 MiB:");
	if (!tfr_buf_append(&y->texts, "", 1)) /* offset 0 is nothing */
		return tfr_fail_nomem(err, "reading YAML");
	status = tfr_module_open(&calls, TFR_MODULE_YAML, err, "cannot read '%s'", path);
	if (!status)
		status = ((const struct tfr_yaml_module *)calls)->parse(y, data, size, path, err);
	return status ? status : sort(y, path, err);
}

void tfr_yolo_yaml_clear(struct tfr_yolo_yaml *y)
{
	tfr_buf_clear(&y->texts);
	tfr_buf_clear(&y->names_);
	tfr_buf_clear(&y->places_);
	*y = (struct tfr_yolo_yaml){ .count = -1 };
}
