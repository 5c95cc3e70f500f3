/* cmd/diff/diff_json.c - differences as JSON: everything about schema and values; for records, the
 * counts and the first ones.  Nothing depends on the run: equal differences give the same text. */
#include "diff/diff.h"

static const char *const sides[2] = { "a", "b" };
static const char *const only[2] = { "only_a", "only_b" };

static void put_sides(struct tfr_json *j, const struct diff_result *r)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct tfr_sweep_report *s = &r->sides[side];

		tfr_json_open_object(j, sides[side]);
		tfr_json_string(j, "input", r->inputs[side]);
		tfr_json_u64(j, "files", r->files[side]);
		tfr_json_u64(j, "records", s->records);
		tfr_json_u64(j, "bad", s->bad);
		tfr_json_u64(j, "selected", s->taken);
		tfr_json_close_object(j);
	}
}

static void put_classes(struct tfr_json *j, const struct diff_result *r)
{
	const struct tfr_diff_class_report *c = &r->classes;

	if (!c->differ)
		return;
	tfr_json_open_object(j, "classes");
	tfr_json_u64(j, "different", c->differ);
	tfr_json_string(j, "first", c->text);
	for (unsigned side = 0; side < 2; side++)
		tfr_json_i64(j, sides[side], c->label[side]);
	tfr_json_close_object(j);
}

static void put_text(struct tfr_json *j, const char *key, const char *text)
{
	if (text)
		tfr_json_string(j, key, text);
	else
		tfr_json_null(j, key);
}

static void put_schema(struct tfr_json *j, const struct diff_result *r)
{
	tfr_json_open_object(j, "schema");
	tfr_json_bool(j, "same", !r->schema.n);
	tfr_json_open_array(j, "differences");
	for (size_t i = 0; i < r->schema.n; i++) {
		const struct tfr_diff_schema *d = &r->schema.list[i];

		tfr_json_open_object(j, NULL);
		put_text(j, "feature", d->feature);
		tfr_json_string(j, "what", d->what);
		for (unsigned side = 0; side < 2; side++)
			put_text(j, sides[side], d->has[side]);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}

/* --- values --- */

static void put_value(struct tfr_json *j, enum tfr_kind kind, const struct tfr_top_value *v)
{
	if (kind == TFR_KIND_INT64)
		tfr_json_i64(j, "value", v->number);
	else
		tfr_json_bytes(j, "value", v->bytes.data, v->bytes.size);
}

static void put_aspect(struct tfr_json *j, enum tfr_kind kind, const struct tfr_diff_aspect *a)
{
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "distribution", a->of);
	tfr_json_string(j, "measure", tfr_diff_measure_name(a->measure));
	tfr_json_f64(j, "distance", a->distance);
	if (a->measure == TFR_L_INFINITY) {
		if (a->which)
			tfr_json_string(j, "category", a->which);
		else
			put_value(j, kind, &a->value);
		for (unsigned side = 0; side < 2; side++)
			tfr_json_f64(j, sides[side], a->shares[side]);
	}
	tfr_json_close_object(j);
}

static void put_values(struct tfr_json *j, const struct diff_result *r)
{
	tfr_json_open_object(j, "values");
	tfr_json_bool(j, "same", !r->values_above);
	tfr_json_f64(j, "threshold", r->threshold);
	tfr_json_open_array(j, "features");
	for (size_t i = 0; i < r->values.n; i++) {
		const struct tfr_diff_values *v = &r->values.list[i];

		tfr_json_open_object(j, NULL);
		put_text(j, "feature", v->feature);
		put_text(j, "kind", v->feature ? tfr_kind_name(v->kind) : NULL);
		tfr_json_f64(j, "distance", v->distance);
		tfr_json_open_array(j, "aspects");
		for (size_t k = 0; k < v->count; k++)
			put_aspect(j, v->kind, &v->aspects[k]);
		tfr_json_close_array(j);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}

/* --- records --- */

static void put_by(struct tfr_json *j, const struct diff_result *r)
{
	put_text(j, "key", r->key);
	tfr_json_string(j, "equal", r->features ? "features" : "bytes");
}

static void put_place(struct tfr_json *j, const char *key, const struct tfr_diff_place *at)
{
	tfr_json_open_object(j, key);
	tfr_json_string(j, "file", at->path);
	tfr_json_u64(j, "record", at->record);
	tfr_json_close_object(j);
}

static void put_pairs(struct tfr_json *j, const char *key, const struct tfr_diff_pair *pairs,
	size_t n, bool features)
{
	tfr_json_open_array(j, key);
	for (size_t i = 0; i < n; i++) {
		tfr_json_open_object(j, NULL);
		put_place(j, sides[0], &pairs[i].at[0]);
		put_place(j, sides[1], &pairs[i].at[1]);
		if (features) {
			tfr_json_open_array(j, "features");
			for (size_t k = 0; k < pairs[i].feature_count; k++)
				tfr_json_string(j, NULL, pairs[i].features[k]);
			tfr_json_close_array(j);
		}
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void put_changed(struct tfr_json *j, const struct tfr_diff_report *d)
{
	tfr_json_u64(j, "changed", d->changed);
	tfr_json_u64(j, "written_differently", d->same);
	tfr_json_open_array(j, "features");
	for (size_t i = 0; i < d->feature_count; i++) {
		const struct tfr_diff_feature *f = &d->features[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "feature", f->name);
		tfr_json_u64(j, "changed", f->changed);
		for (unsigned side = 0; side < 2; side++)
			tfr_json_u64(j, only[side], f->only[side]);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_open_object(j, "repeated_keys");
	for (unsigned side = 0; side < 2; side++)
		tfr_json_u64(j, sides[side], d->repeated[side]);
	tfr_json_close_object(j);
}

static void put_records(struct tfr_json *j, const struct diff_result *r)
{
	const struct tfr_diff_report *d = &r->records;

	tfr_json_open_object(j, "records");
	tfr_json_bool(j, "same", !tfr_diff_differs(d));
	put_by(j, r);
	tfr_json_u64(j, "both", d->both);
	for (unsigned side = 0; side < 2; side++)
		tfr_json_u64(j, only[side], d->only[side]);
	if (r->key)
		put_changed(j, d);
	if (r->ordered)
		tfr_json_u64(j, "steps_back", d->steps_back);
	tfr_json_open_object(j, "examples");
	for (unsigned side = 0; side < 2; side++) {
		tfr_json_open_array(j, only[side]);
		for (size_t i = 0; i < d->only_count[side]; i++)
			put_place(j, NULL, &d->only_at[side][i]);
		tfr_json_close_array(j);
	}
	if (r->key)
		put_pairs(j, "changed", d->pairs, d->pair_count, true);
	if (r->ordered)
		put_pairs(j, "steps_back", d->steps, d->step_count, false);
	tfr_json_close_object(j);
	tfr_json_close_object(j);
}

static void put_overlap(struct tfr_json *j, const struct diff_result *r)
{
	const struct tfr_diff_report *o = &r->records;

	tfr_json_open_object(j, "overlap");
	put_by(j, r);
	tfr_json_u64(j, "shared", o->shared);
	tfr_json_u64(j, "records_a", o->overlapping[0]);
	tfr_json_u64(j, "records_b", o->overlapping[1]);
	put_pairs(j, "examples", o->steps, o->step_count, false);
	tfr_json_close_object(j);
}

void diff_print_json(struct cmd *c, const struct diff_result *r)
{
	struct tfr_json *j = cmd_json_open(2);

	tfr_json_bool(j, "same", r->same);
	put_sides(j, r);
	put_classes(j, r);
	if (r->aspects & DIFF_SCHEMA)
		put_schema(j, r);
	if (r->aspects & DIFF_VALUES)
		put_values(j, r);
	if (r->aspects & DIFF_RECORDS)
		put_records(j, r);
	if (!r->aspects)
		put_overlap(j, r);
	tfr_json_close_object(j);
	cmd_print_json(c, j, stdout);
}
