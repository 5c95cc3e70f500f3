/* io/remote/xml.h - the XML answers of stores, by expat, without entities and within bounds. */
#ifndef TFR_IO_REMOTE_XML_H
#define TFR_IO_REMOTE_XML_H

#include <stdbool.h>
#include <stddef.h>

enum { TFR_XML_DEPTH = 8, TFR_XML_TEXT = 8 << 10 };

/* An element, with the names of the elements around it: path[0] is the root. */
struct tfr_xml_element {
	const char *const *path;
	int depth;	  /* path[depth - 1] is this element */
	const char *text; /* its own text; complete at its end */
	bool ends;	  /* this is its end, not its start */
};

/* Calls `each` at the start and the end of each element.  It returns false to stop.  False: the
 * text is not XML, is nested deeper than TFR_XML_DEPTH, has a document type (entities would let a
 * small text expand without bound), has a longer text than TFR_XML_TEXT, or `each` stopped. */
bool tfr_xml_read(const void *text, size_t size,
	bool (*each)(void *ctx, const struct tfr_xml_element *e), void *ctx);

/* Whether the element has this path, such as "ListBucketResult/Contents/Key". */
bool tfr_xml_is(const struct tfr_xml_element *e, const char *path);

#endif
