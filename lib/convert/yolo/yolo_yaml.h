/* convert/yolo/yolo_yaml.h - the description of a YOLO data set, data.yaml: the names of its
 * classes and the folders of its splits (https://docs.ultralytics.com/datasets/detect/). */
#ifndef TFR_CONVERT_YOLO_YOLO_YAML_H
#define TFR_CONVERT_YOLO_YOLO_YAML_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_yolo_name {
	int64_t number;
	size_t text; /* offset in texts */
};

/* A folder, or a list of images, of a split. */
struct tfr_yolo_place {
	size_t split, text; /* offsets in texts: "train", "../train/images" */
};

/* Zero-initialised is empty. */
struct tfr_yolo_yaml {
	struct tfr_buf texts;
	struct tfr_yolo_name *names;
	struct tfr_yolo_place *places;
	size_t n_names, n_places; /* grown by TFR_ARRAY_ONE_MORE() */
	size_t root;	  /* offset in texts of "path"; 0: absent */
	int64_t count;	  /* "nc"; -1: absent */
	size_t keypoints; /* numbers after a box for keypoints, by "kpt_shape"; 0: absent */
};

static inline const char *tfr_yolo_text(const struct tfr_yolo_yaml *y, size_t offset)
{
	return (const char *)y->texts.data + offset;
}

/* Parses the file `path` with these bytes, at most 4 MiB.  Aliases and nesting beyond 16 levels
 * are refused; other members are skipped.  TFR_EDATA: it is not YAML, or a used member is
 * malformed; the message names the line.  TFR_EUNAVAILABLE: libyaml is not installed, or not
 * built in.  Must be cleared in any case. */
enum tfr_status tfr_yolo_yaml_parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err);
void tfr_yolo_yaml_clear(struct tfr_yolo_yaml *y);

/* The calls of the module yaml.  parse() appends to *y, names in the order of the file. */
struct tfr_yaml_module {
	enum tfr_status (*parse)(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
		const char *path, struct tfr_error *err);
};

#endif
