/* example/content.h - what a record holds. */
#ifndef TFR_EXAMPLE_CONTENT_H
#define TFR_EXAMPLE_CONTENT_H

#include <tfr/example.h>

/* EXAMPLE for a SequenceExample too.  Never AUTO.  The fields fit; whether the rest does, parsing
 * says. */
enum tfr_content tfr_content_of(const void *data, size_t size);

#endif
