/* example/lists.h - the feature lists of a SequenceExample, read in place, step by step.
 *
 * The counterpart of tfr_example_parse(), by the same rules of the wire format.  A step is a
 * Feature.  All steps are checked when the record is parsed; one is in memory at a time. */
#ifndef TFR_EXAMPLE_LISTS_H
#define TFR_EXAMPLE_LISTS_H

#include <tfr-private/example.h>

#include "example/wire.h"

/* A feature list: a view into the record. */
struct tfr_feature_list {
	const char *key;
	size_t key_size;
	uint64_t steps;
	enum tfr_kind kind;  /* of the first step that is not unset */
	const uint8_t *body; /* the entry of the map */
	size_t size, place;  /* `place`: position among the entries */
};

struct tfr_lists;

struct tfr_lists *tfr_lists_new(void); /* NULL: out of memory */
void tfr_lists_free(struct tfr_lists *l);
/* The record must stay valid while its lists are read.  TFR_EDATA: the feature lists are
 * damaged. */
enum tfr_status tfr_lists_parse(
	struct tfr_lists *l, const void *data, size_t size, struct tfr_error *err);
/* The lists, sorted bytewise by key; of equal keys the last. */
size_t tfr_lists_count(const struct tfr_lists *l);
const struct tfr_feature_list *tfr_lists_at(const struct tfr_lists *l, size_t i);

/* The steps of a list, first to last. */
struct tfr_steps {
	struct tfr_wire entry, list;
};
void tfr_steps_init(struct tfr_steps *s, const struct tfr_feature_list *list);
/* The next step, which is valid until the next call and has no key.  TFR_END: no more.
 * TFR_ENOMEM. */
enum tfr_status tfr_steps_next(
	struct tfr_steps *s, struct tfr_lists *l, struct tfr_feature *step, struct tfr_error *err);

/* example.c: parses a single message Feature into `ex`, which then has no features.  False:
 * w->fault has the reason, or *no_memory is set. */
bool tfr_feature_parse(
	struct tfr_example *ex, struct tfr_wire *w, struct tfr_feature *f, bool *no_memory);

#endif
