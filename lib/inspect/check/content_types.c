/* inspect/check/content_types.c - decides which types of records in a file are faults.
 *
 * The decision needs the complete file: a TensorProto, for example, may be one of many, or the
 * only one among Examples. */
#include "inspect/check/content_types.h"

#include <stdio.h>

#include "base/error.h"
#include "xxhash.h"

bool tfr_types_strange(enum tfr_likeness like)
{
	return like != TFR_LIKE_ANY && like != TFR_LIKE_EXAMPLE && like != TFR_IS_EXAMPLE;
}

enum tfr_status tfr_types_explain(enum tfr_likeness like, struct tfr_error *err)
{
	return tfr_fail(
		err, TFR_EDATA, "not an Example: %s", tfr_content_one(tfr_content_alone(like)));
}

static void keep(struct tfr_types *t, const struct tfr_stranger *s)
{
	struct tfr_stranger *to = t->strangers;
	size_t i = 0;

	while (i < t->n && i + 1 < TFR_STRANGERS_MAX && to[i].kind != s->kind)
		i++;
	if (i < t->n) {
		to[i].records += s->records;
		return;
	}
	to[i] = *s;
	if (i + 1 == TFR_STRANGERS_MAX)
		snprintf(to[i].why, sizeof(to[i].why), "not an Example, for yet another reason");
	t->n++;
}

void tfr_types_note(struct tfr_types *t, uint64_t kind, const struct tfr_error *why)
{
	struct tfr_stranger s = { kind, 1, why->record, why->offset, "" };

	snprintf(s.why, sizeof(s.why), "%.199s", why->message);
	keep(t, &s);
}

void tfr_types_merge(struct tfr_types *into, const struct tfr_types *from)
{
	tfr_content_merge(&into->counts, &from->counts);
	for (size_t i = 0; i < from->n; i++)
		keep(into, &from->strangers[i]);
}

enum tfr_status tfr_types_fault(const struct tfr_types *t, const char *path, size_t i,
	struct tfr_stranger *kind, struct tfr_error *err)
{
	struct tfr_content_result r = tfr_content_settle(&t->counts);

	if (i >= t->n)
		return TFR_OK;
	*kind = t->strangers[i];
	if (r.records[TFR_CONTENT_EXAMPLE])
		return tfr_fail_record(
			err, TFR_EDATA, path, kind->record, kind->offset, "%s", kind->why);
	kind->kind = XXH3_64bits_withSeed("holds", 5, r.most);
	kind->records = r.all;
	return i ? TFR_OK : tfr_content_refuse(&r, "", err);
}
