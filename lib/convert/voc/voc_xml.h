/* convert/voc/voc_xml.h - an annotation of PASCAL VOC: an image and the boxes of what is on it.
 *
 * <annotation> has <filename>, <size> with <width> and <height>, and for each thing an <object>
 * with <name>, <pose>, <truncated>, <difficult> and a <bndbox> of <xmin>, <ymin>, <xmax>, <ymax>,
 * pixels (http://host.robots.ox.ac.uk/pascal/VOC/voc2012/htmldoc/devkit_doc.html).  Other elements,
 * and objects' parts, which have names and boxes of their own, are passed over. */
#ifndef TFR_CONVERT_VOC_VOC_XML_H
#define TFR_CONVERT_VOC_VOC_XML_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_voc_object {
	size_t name, pose; /* offsets in texts */
	double box[4];	   /* xmin, ymin, xmax, ymax */
	unsigned seen;	   /* which of these there were: bits */
	bool truncated, difficult;
};

/* Zero-initialised is empty; its memory is used again. */
struct tfr_voc {
	size_t filename;       /* offset in texts */
	int64_t width, height; /* 0: not said */
	struct tfr_buf texts, objects_;
};

static inline const struct tfr_voc_object *tfr_voc_objects(const struct tfr_voc *v)
{
	return (const struct tfr_voc_object *)(const void *)v->objects_.data;
}
static inline size_t tfr_voc_count(const struct tfr_voc *v)
{
	return v->objects_.size / sizeof(struct tfr_voc_object);
}
static inline const char *tfr_voc_text(const struct tfr_voc *v, size_t offset)
{
	return (const char *)v->texts.data + offset;
}

/* Parses a whole file, which is to be UTF-8, UTF-16 or Latin-1 as XML has it.  TFR_EDATA: it is no
 * such XML, or lacks what every annotation has; a DOCTYPE, which could define entities, is refused.
 * The message names the line. */
enum tfr_status tfr_voc_parse(
	struct tfr_voc *v, const uint8_t *data, size_t size, struct tfr_error *err);
/* Whether a box has an area and lies in an image of this size. */
bool tfr_voc_usable(const struct tfr_voc_object *o, uint32_t width, uint32_t height);
void tfr_voc_clear(struct tfr_voc *v);

#endif
