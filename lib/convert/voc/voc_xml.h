/* convert/voc/voc_xml.h - an annotation of PASCAL VOC: an image and its boxes.
 *
 * <annotation> has <filename>, <size> with <width> and <height>, and one <object> per object.  An
 * <object> has <name>, <pose>, <truncated>, <difficult> and a <bndbox> of <xmin>, <ymin>, <xmax>,
 * <ymax>, in pixels (http://host.robots.ox.ac.uk/pascal/VOC/voc2012/htmldoc/devkit_doc.html).
 * Other elements are skipped, and so are <part> elements of objects, which have their own names and
 * boxes. */
#ifndef TFR_CONVERT_VOC_VOC_XML_H
#define TFR_CONVERT_VOC_VOC_XML_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_voc_object {
	size_t name, pose; /* offsets in texts */
	double box[4];	   /* xmin, ymin, xmax, ymax */
	unsigned seen;	   /* for the parser: which elements were present */
	bool truncated, difficult;
};

/* Zero-initialised is empty; its memory is reused. */
struct tfr_voc {
	size_t filename;       /* offset in texts */
	int64_t width, height; /* 0: missing */
	struct tfr_buf texts;
	struct tfr_voc_object *objects;
	size_t n_objects, objects_cap;
};

static inline const char *tfr_voc_text(const struct tfr_voc *v, size_t offset)
{
	return (const char *)v->texts.data + offset;
}

/* Parses a complete file in UTF-8, UTF-16 or Latin-1.  TFR_EDATA: it is not such XML, lacks a
 * required element, or has a DOCTYPE, which could define entities.  The message names the line. */
enum tfr_status tfr_voc_parse(
	struct tfr_voc *v, const uint8_t *data, size_t size, struct tfr_error *err);
void tfr_voc_clear(struct tfr_voc *v);

#endif
