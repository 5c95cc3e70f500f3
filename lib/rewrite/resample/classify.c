/* rewrite/resample/classify.c - assigns records to classes, by value, range or expression.
 *
 * A float feature without ranges is refused: its values are nearly all different, and a table of
 * them would not be useful.  Compared with floats, an edge is rounded to float first, as --where
 * does with its numbers, so that 0.7f is in [0.7,1). */
#include "rewrite/resample/classify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/escape.h"
#include "rewrite/record_key.h"
#include "rewrite/resample/class_name.h"

static const char other[] = "other";

const struct tfr_classes_bounds tfr_resample_bounds = {
	.text_bytes = 32 << 20,
	.hint = "A class is meant to hold many records.  Numbers become few classes with --bins, "
		"anything else with --class.",
};

/* --- how classes are defined --- */

static enum tfr_status add_name(struct tfr_classing *c, const char *name, struct tfr_error *err)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES,
		.text = { (const uint8_t *)name, strlen(name) } };

	return tfr_classes_add(&c->names, &class, 1, NULL, err);
}

/* The shortest decimal that reads back as `edge`, so that a range has the name that the user
 * typed. */
static const char *edge_text(double edge, char text[TFR_DECIMAL_ROOM])
{
	*tfr_decimal_f64(text, edge) = '\0';
	return text;
}

static enum tfr_status name_ranges(struct tfr_classing *c, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	char name[2 * TFR_DECIMAL_ROOM + 4], low[TFR_DECIMAL_ROOM], high[TFR_DECIMAL_ROOM];

	for (size_t i = 0; !status && i <= c->n_edges; i++) {
		snprintf(name, sizeof(name), "%c%s,%s)", i ? '[' : '(',
			i ? edge_text(c->edges[i - 1], low) : "-inf",
			i < c->n_edges ? edge_text(c->edges[i], high) : "inf");
		status = add_name(c, name, err);
	}
	return status;
}

static enum tfr_status parse_edges(struct tfr_classing *c, const char *text, struct tfr_error *err)
{
	size_t most = 1;
	char *end;

	for (const char *p = text; *p; p++)
		most += *p == ',';
	if (most >= TFR_CLASSES_MAX)
		return tfr_fail(
			err, TFR_EUSAGE, "--bins has more than %d edges", TFR_CLASSES_MAX - 1);
	c->edges = calloc(most, sizeof(*c->edges));
	if (!c->edges)
		return tfr_fail_nomem(err, "reading --bins");
	for (const char *p = text;; p = end + 1) {
		size_t length = strcspn(p, ",");
		double edge = tfr_text_f64(p, &end);

		if (!length || end != p + length || strspn(p, "0123456789.eE+-") < length ||
			!isfinite(edge))
			return tfr_fail(err, TFR_EUSAGE, "'%.*s' in --bins is not a finite number",
				(int)length, p);
		edge += 0.0; /* -0 becomes 0 */
		if (c->n_edges && edge <= c->edges[c->n_edges - 1])
			return tfr_fail(err, TFR_EUSAGE,
				"the edges in --bins must ascend: '%.*s' does not", (int)length, p);
		c->edges[c->n_edges++] = edge;
		if (!*end)
			return TFR_OK;
	}
}

static enum tfr_status name_rules(struct tfr_classing *c, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < c->n_rules; i++) {
		const char *name = c->rules[i].name;

		if (!*name)
			return tfr_fail(err, TFR_EUSAGE, "a class must have a name");
		if (!strcmp(name, other))
			return tfr_fail(err, TFR_EUSAGE,
				"the class '%s' is reserved for records that match no expression",
				other);
		status = add_name(c, name, err);
		if (!status && c->names.n == i)
			return tfr_fail(err, TFR_EUSAGE, "the class '%s' is defined twice", name);
	}
	return status ? status : add_name(c, other, err);
}

enum tfr_status tfr_classing_open(
	struct tfr_classing *c, const struct tfr_resample_opts *o, struct tfr_error *err)
{
	enum tfr_status status;

	*c = (struct tfr_classing){
		.by = o->by,
		.rules = o->rules,
		.n_rules = o->n_rules,
		.names.bounds = &tfr_resample_bounds,
	};
	if (c->n_rules)
		return name_rules(c, err);
	if (!o->bins)
		return TFR_OK;
	status = parse_edges(c, o->bins, err);
	return status ? status : name_ranges(c, err);
}

void tfr_classing_clear(struct tfr_classing *c)
{
	free(c->edges);
	tfr_classes_clear(&c->names);
	*c = (struct tfr_classing){ 0 };
}

/* --- names --- */

uint32_t tfr_classing_find(const struct tfr_classing *c, const struct tfr_classes *classes,
	const struct tfr_bytes *name)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES, .text = *name };
	uint32_t i;

	if (c->names.n) {
		i = tfr_classes_find(&c->names, &class);
		if (i == TFR_CLASS_NONE)
			return TFR_CLASS_NONE;
		class = (struct tfr_counted_class){ .kind = TFR_KIND_INT64, .number = i };
	} else if (classes->n && !classes->items[0].is_text) {
		if (!tfr_class_number(name->data, name->size, &class.number))
			return TFR_CLASS_NONE;
		class.kind = TFR_KIND_INT64;
	}
	return tfr_classes_find(classes, &class);
}

bool tfr_classing_name(
	const struct tfr_classing *c, const struct tfr_counted_class *class, struct tfr_buf *b)
{
	struct tfr_bytes text = class->text;

	if (class->kind == TFR_KIND_INT64 && !c->names.n)
		return tfr_buf_printf(b, "%lld", (long long)class->number);
	if (class->kind == TFR_KIND_INT64)
		text = tfr_classes_at(&c->names, (size_t) class->number).text;
	return tfr_escape_exactly(b, text.data, text.size);
}

char *tfr_class_text(const struct tfr_classing *c, const struct tfr_counted_class *class,
	char text[TFR_CLASS_TEXT])
{
	static const char more[] = "…";
	struct tfr_counted_class cut = *class;
	TFR_AUTO_BUF name = { 0 };
	size_t n;

	if (cut.text.size > TFR_CLASS_TEXT) /* longer text cannot be shown */
		cut.text.size = TFR_CLASS_TEXT;
	tfr_classing_name(c, &cut, &name);
	n = name.size;
	if (n >= TFR_CLASS_TEXT) {
		n = TFR_CLASS_TEXT - sizeof(more);
		while (n && (name.data[n] & 0xc0) == 0x80)
			n--;
	}
	if (n)
		memcpy(text, name.data, n);
	strcpy(text + n, n < name.size ? more : "");
	return text;
}

/* --- records --- */

enum tfr_status tfr_classifier_open(
	struct tfr_classifier *k, const struct tfr_classing *classing, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	*k = (struct tfr_classifier){ .classing = classing };
	if (!classing->n_rules)
		return TFR_OK;
	k->wheres = calloc(classing->n_rules, sizeof(struct tfr_where *));
	if (!k->wheres)
		return tfr_fail_nomem(err, "starting the workers");
	for (size_t i = 0; !status && i < classing->n_rules; i++) {
		status = tfr_where_compile(&k->wheres[i], classing->rules[i].expr, err);
		if (status == TFR_EUSAGE)
			tfr_error_hint(err, "The expression is that of the class '%s'.",
				classing->rules[i].name);
	}
	return status;
}

void tfr_classifier_close(struct tfr_classifier *k)
{
	for (size_t i = 0; k->wheres && i < k->classing->n_rules; i++)
		tfr_where_free(k->wheres[i]);
	free(k->wheres);
	k->wheres = NULL;
}

/* Whether an integer is at least `edge`; a double cannot represent every int64. */
static bool reaches(int64_t value, double edge)
{
	if (edge >= 0x1p63)
		return false;
	return edge <= -0x1p63 || value >= (int64_t)ceil(edge);
}

static enum tfr_status look_for_range(const struct tfr_classing *c, const struct tfr_feature *f,
	struct tfr_counted_class *class, struct tfr_error *err)
{
	size_t low = 0, high = c->n_edges;
	int64_t integer = 0;
	float real = 0;

	if (f->kind == TFR_KIND_BYTES)
		return tfr_fail(
			err, TFR_EDATA, "feature '%s' is bytes, which --bins cannot divide", c->by);
	if (f->kind == TFR_KIND_FLOAT)
		tfr_feature_float(f, 0, &real);
	else
		tfr_feature_int64(f, 0, &integer);
	if (isnan(real))
		return tfr_fail(err, TFR_EDATA, "feature '%s' is NaN, which is in no range", c->by);
	while (low < high) {
		size_t middle = (low + high) / 2;
		double edge = c->edges[middle];
		bool there =
			f->kind == TFR_KIND_FLOAT ? real >= (float)edge : reaches(integer, edge);

		if (there)
			low = middle + 1;
		else
			high = middle;
	}
	*class = (struct tfr_counted_class){ .kind = TFR_KIND_INT64, .number = (int64_t)low };
	return TFR_OK;
}

static enum tfr_status look_for_value(const struct tfr_classing *c, const struct tfr_feature *f,
	struct tfr_counted_class *class, struct tfr_error *err)
{
	if (tfr_class_of(f, class))
		return TFR_OK;
	tfr_fail(err, TFR_EDATA, "feature '%s' is float, which makes no classes", c->by);
	tfr_error_hint(err, "Give --bins EDGE,EDGE,... to make classes of ranges.");
	return TFR_EDATA;
}

/* Evaluates every expression for every record, though the first that matches decides.  Otherwise
 * features that no record has could not be reported. */
static enum tfr_status look_for_rule(struct tfr_classifier *k, const struct tfr_example *ex,
	struct tfr_counted_class *class, struct tfr_error *err)
{
	size_t n = k->classing->n_rules, first = n;

	for (size_t i = 0; i < n; i++) {
		bool selected = false;
		enum tfr_status status =
			tfr_where_match(k->wheres[i], ex, &selected, first == n ? err : NULL);

		if (status && first == n)
			return status;
		if (selected && !status && first == n)
			first = i;
	}
	*class = (struct tfr_counted_class){ .kind = TFR_KIND_INT64, .number = (int64_t)first };
	return TFR_OK;
}

enum tfr_status tfr_classifier_look(struct tfr_classifier *k, const struct tfr_example *ex,
	struct tfr_counted_class *class, struct tfr_error *err)
{
	const struct tfr_classing *c = k->classing;
	const struct tfr_feature *f;
	enum tfr_status status;

	if (c->n_rules)
		return look_for_rule(k, ex, class, err);
	status = tfr_key_find(ex, c->by, &f, err);
	if (status)
		return status;
	return c->n_edges ? look_for_range(c, f, class, err) : look_for_value(c, f, class, err);
}
