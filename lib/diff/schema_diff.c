/* diff/schema_diff.c - compares two lists of features by a parallel walk. */
#include <tfr-private/diff.h>

#include "base/array.h"
#include "base/error.h"
#include "inspect/schema/emit.h"

enum { KINDS = TFR_KIND_INT64 + 1 };

/* One side of a comparison. */
struct side {
	const struct tfr_survey *s;
	size_t at; /* index in its list, after `field` */
	struct tfr_field field;
	bool any;	/* `field` is valid */
	unsigned kinds; /* bits: the kinds of the field */
	struct tfr_buf text;
};

struct schema_diff {
	struct side sides[2];
	struct tfr_diff_schemas *found;
	bool failed;
};

static void next_field(struct side *s)
{
	size_t from = s->at;

	s->any = tfr_field_next(s->s, &s->at, &s->field);
	s->kinds = 0;
	for (size_t i = from; i < s->at; i++)
		s->kinds |= 1u << s->s->list[i]->kind;
}

/* Compares the names of the two fields: negative if that of A comes first, positive if that of B
 * does. */
static int compare_sides(const struct schema_diff *r)
{
	const struct tfr_surveyed *a = r->sides[0].field.f, *b = r->sides[1].field.f;

	if (!r->sides[0].any || !r->sides[1].any)
		return r->sides[0].any ? -1 : 1;
	return tfr_survey_compare(a, b->name, b->size, a->kind);
}

/* --- descriptions --- */

static bool put_kinds(struct side *s)
{
	const char *between = "";
	bool ok = true;

	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!(s->kinds & 1u << kind))
			continue;
		ok &= tfr_buf_printf(&s->text, "%s%s", between, tfr_kind_name((enum tfr_kind)kind));
		between = " and ";
	}
	return ok;
}

static bool put_length(struct side *s)
{
	const struct tfr_range *length = &s->field.f->facts.length;

	if (length->min == length->max)
		return tfr_buf_printf(&s->text, "%llu", (unsigned long long)length->min);
	return tfr_buf_printf(&s->text, "%llu..%llu", (unsigned long long)length->min,
		(unsigned long long)length->max);
}

static bool put_presence(struct side *s)
{
	double share = s->s->records
			       ? 100.0 * (double)s->field.f->facts.records / (double)s->s->records
			       : 0;

	if (s->field.required)
		return tfr_buf_printf(&s->text, "always");
	return tfr_buf_printf(&s->text, "in %.3g%%", share > 99.9 ? 99.9 : share);
}

static bool put_content(struct side *s)
{
	return tfr_buf_printf(&s->text, "%s", tfr_content_name(s->field.content));
}

/* Describes a feature completely, for one that only this side has. */
static bool put_feature(struct side *s)
{
	bool ok = put_kinds(s);

	if (s->field.kinds == 1)
		ok = ok && tfr_buf_printf(&s->text, ", length ") && put_length(s) &&
		     tfr_buf_printf(&s->text, ", ") && put_presence(s);
	return ok;
}

static bool put_sequences(struct side *s)
{
	if (!s->s->sequences)
		return tfr_buf_printf(&s->text, "Examples");
	return tfr_buf_printf(&s->text, "%s",
		s->s->sequences < s->s->records ? "Examples and SequenceExamples"
						: "SequenceExamples");
}

/* --- differences --- */

/* The text, with a NUL, if `put` was able to write it. */
static char *take_text(struct schema_diff *r, struct tfr_buf *text, bool put)
{
	r->failed |= !put || !tfr_buf_append(text, "", 1);
	text->size = text->cap = 0;
	return (char *)TFR_STEAL(text->data);
}

/* Lists one difference.  `put` NULL: that side lacks the feature. */
static void add_difference(struct schema_diff *r, const char *what,
	const struct tfr_surveyed *feature, bool (*put_a)(struct side *s),
	bool (*put_b)(struct side *s))
{
	bool (*put[2])(struct side * s) = { put_a, put_b };
	struct tfr_diff_schemas *found = r->found;
	struct tfr_diff_schema *d;
	struct tfr_buf name = { 0 };

	r->failed |= TFR_ARRAY_RESERVE(found->list, found->cap, found->n + 1) != TFR_OK;
	if (r->failed)
		return;
	d = &found->list[found->n++];
	*d = (struct tfr_diff_schema){ .what = what };
	if (feature)
		d->feature = take_text(r, &name, tfr_survey_name(&name, feature));
	for (unsigned i = 0; i < 2; i++)
		if (put[i])
			d->has[i] = take_text(r, &r->sides[i].text, put[i](&r->sides[i]));
}

static void compare_fields(struct schema_diff *r)
{
	const struct tfr_field *a = &r->sides[0].field, *b = &r->sides[1].field;

	if (r->sides[0].kinds != r->sides[1].kinds)
		add_difference(r, "kind", a->f, put_kinds, put_kinds);
	if (a->kinds != 1 || b->kinds != 1)
		return;
	if (a->fixed != b->fixed || (a->fixed && a->length != b->length))
		add_difference(r, "length", a->f, put_length, put_length);
	if (a->required != b->required)
		add_difference(r, "presence", a->f, put_presence, put_presence);
	if (a->f->kind == TFR_KIND_BYTES && b->f->kind == TFR_KIND_BYTES &&
		a->content != b->content && a->content && b->content)
		add_difference(r, "content", a->f, put_content, put_content);
}

static bool same_sequences(const struct tfr_survey *a, const struct tfr_survey *b)
{
	bool some[2] = { a->sequences > 0, b->sequences > 0 };
	bool all[2] = { a->sequences == a->records, b->sequences == b->records };

	return some[0] == some[1] && all[0] == all[1];
}

enum tfr_status tfr_diff_schemas(const struct tfr_survey *const sides[2],
	struct tfr_diff_schemas *found, struct tfr_error *err)
{
	struct schema_diff r = { .sides = { { .s = sides[0] }, { .s = sides[1] } },
		.found = found };

	if (sides[0]->records && sides[1]->records && !same_sequences(sides[0], sides[1]))
		add_difference(&r, "records", NULL, put_sequences, put_sequences);
	next_field(&r.sides[0]);
	next_field(&r.sides[1]);
	while (!r.failed && (r.sides[0].any || r.sides[1].any)) {
		int c = compare_sides(&r);

		if (c < 0)
			add_difference(&r, "feature", r.sides[0].field.f, put_feature, NULL);
		else if (c > 0)
			add_difference(&r, "feature", r.sides[1].field.f, NULL, put_feature);
		else
			compare_fields(&r);
		if (c <= 0)
			next_field(&r.sides[0]);
		if (c >= 0)
			next_field(&r.sides[1]);
	}
	return r.failed ? tfr_fail_nomem(err, "comparing schemas") : TFR_OK;
}

void tfr_diff_schemas_clear(struct tfr_diff_schemas *found)
{
	for (size_t i = 0; i < found->n; i++) {
		free(found->list[i].feature);
		free(found->list[i].has[0]);
		free(found->list[i].has[1]);
	}
	free(found->list);
	*found = (struct tfr_diff_schemas){ 0 };
}
