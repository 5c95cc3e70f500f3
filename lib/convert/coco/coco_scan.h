/* convert/coco/coco_scan.h - a COCO file of annotations cut into elements, as its bytes come in.
 *
 * The file is one object, {"images": […], "annotations": […], "categories": […]}, with other
 * members at any place (https://cocodataset.org/#format-data).  The elements of the three lists are
 * found here and parsed elsewhere, by many threads. */
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

/* Zero-initialised, but for `path`, is before the first byte. */
struct tfr_coco_scan {
	const char *path;
	uint64_t offset; /* in the file, of the text's first byte */
	size_t at;	 /* in the text, of the next byte to look at */
	size_t from;	 /* of the element that is open */
	unsigned state, depth;
	uint64_t braces; /* a bit a level: 1 an object, 0 a list */
	bool in_string, escaped;
	char key[16];
	size_t key_size;
	enum tfr_coco_list list; /* TFR_COCO_LISTS: some other member */
	bool seen[TFR_COCO_LISTS];
	bool no_categories; /* the file need not have them */
};

/* Looks at text[s->at] to text[size - 1] and appends the elements that end there to `elements`.
 * TFR_EDATA: what is there is not such a file; the byte is named. */
enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err);
/* Where the text that is still needed begins: at the open element, or where the scan has come to.
 */
size_t tfr_coco_scan_needed(const struct tfr_coco_scan *s);
/* The text loses its first `n` bytes. */
void tfr_coco_scan_drop(struct tfr_coco_scan *s, size_t n);
/* After the last byte.  TFR_EDATA: the file is cut short, or lacks one of the lists. */
enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err);

/* Finds the value of the member `key` of the object text[0..size), which is balanced: from *from to
 * before *to.  False: there is none. */
bool tfr_coco_member(const uint8_t *text, size_t size, const char *key, size_t *from, size_t *to);

#endif
