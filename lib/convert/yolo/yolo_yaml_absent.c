/* convert/yolo/yolo_yaml_absent.c - replaces yolo_yaml.c in a build without libyaml. */
#include "convert/yolo/yolo_yaml.h"

enum tfr_status tfr_yolo_yaml_parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err)
{
	(void)data, (void)size;
	*y = (struct tfr_yolo_yaml){ .count = -1 };
	tfr_fail(err, TFR_EUNAVAILABLE, "cannot read '%s': not built with libyaml", path);
	tfr_error_hint(err, "Give the names of the classes with --labels, one per line.");
	return TFR_EUNAVAILABLE;
}

void tfr_yolo_yaml_clear(struct tfr_yolo_yaml *y)
{
	*y = (struct tfr_yolo_yaml){ .count = -1 };
}
