/* convert/coco/coco_scan.h - splits a COCO file of annotations into elements as its bytes
 * arrive.
 *
 * The file is one object, {"images": […], "annotations": […], "categories": […]}, with other
 * members anywhere (https://cocodataset.org/#format-data).  This code finds the elements of the
 * three lists; many threads parse them elsewhere. */
#ifndef TFR_CONVERT_COCO_COCO_SCAN_H
#define TFR_CONVERT_COCO_COCO_SCAN_H

#include "base/buf.h"
#include "base/error.h"

enum tfr_coco_list { TFR_COCO_IMAGES, TFR_COCO_ANNOTATIONS, TFR_COCO_CATEGORIES, TFR_COCO_LISTS };

/* text[from] is the '{' of an element, text[to - 1] its '}'. */
struct tfr_coco_element {
	uint32_t from, to;
	enum tfr_coco_list list;
};

/* At the beginning, all zeros except `path`. */
struct tfr_coco_scan {
	const char *path;
	uint64_t offset; /* in the file, of the text's first byte */
	size_t at;	 /* in the text, of the next byte to scan */
	size_t from;	 /* of the unfinished element */
	unsigned state, depth;
	uint64_t braces; /* one bit per level: 1 an object, 0 a list */
	bool in_string, escaped;
	char key[16];
	size_t key_size;
	enum tfr_coco_list list; /* TFR_COCO_LISTS: another member */
	bool seen[TFR_COCO_LISTS];
	bool no_categories; /* the file need not have them */
};

/* Scans text[s->at] to text[size - 1] and appends the elements that end there to `elements`.
 * TFR_EDATA: the file is not of this form; the message names the byte. */
enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err);
/* The offset of the text that is still needed: the unfinished element, or the position of the
 * scan. */
size_t tfr_coco_scan_needed(const struct tfr_coco_scan *s);
/* Removes the first `n` bytes of the text. */
void tfr_coco_scan_drop(struct tfr_coco_scan *s, size_t n);
/* Called after the last byte.  TFR_EDATA: the file is truncated, or lacks one of the lists. */
enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err);

/* Finds the value of the member `key` of the object text[0..size), which is balanced: from *from to
 * before *to.  False: there is none. */
bool tfr_coco_member(const uint8_t *text, size_t size, const char *key, size_t *from, size_t *to);

#endif
