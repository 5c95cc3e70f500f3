/* rewrite/resample/classify.c - assigns records to classes, by value or expression.
 *
 * A float feature is refused: its values are nearly all different, and a table of them would not
 * be useful. */
#include "rewrite/resample/resample.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "rewrite/record_key.h"

/* --- names as users write them --- */

/* Reads a decimal number in canonical form: no blank, no plus sign, no leading zero. */
static bool read_number(const void *text, size_t size, int64_t *number)
{
	char copy[24], again[24];
	int n;

	if (!size || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	*number = strtoll(copy, NULL, 10);
	n = snprintf(again, sizeof(again), "%lld", (long long)*number);
	return (size_t)n == size && !memcmp(copy, again, size);
}

/* The byte of an escape sequence; *used is the number of its characters after the backslash. -1:
 * unknown. */
static int escaped_byte(const char *p, size_t size, size_t *used)
{
	static const char letters[] = "\\\"'nrt", bytes[] = "\\\"'\n\r\t";
	const char *letter = size && *p ? strchr(letters, *p) : NULL;
	unsigned value;

	*used = 1;
	if (letter)
		return bytes[letter - letters];
	if (size < 3 || p[0] != 'x' || !isxdigit((unsigned char)p[1]) ||
		!isxdigit((unsigned char)p[2]))
		return -1;
	*used = 3;
	sscanf((char[]){ p[1], p[2], '\0' }, "%2x", &value);
	return (int)value;
}

bool tfr_class_unescape(char *text, size_t *size)
{
	size_t to = 0, used;

	for (size_t at = 0; at < *size; at++) {
		int byte = (unsigned char)text[at];

		if (byte == '\\') {
			byte = escaped_byte(text + at + 1, *size - at - 1, &used);
			if (byte < 0) {
				*size = at;
				return false;
			}
			at += used;
		}
		text[to++] = (char)byte;
	}
	*size = to;
	return true;
}

static const char other[] = "other";

const struct tfr_classes_bounds tfr_resample_bounds = {
	.text_bytes = 32 << 20,
	.hint = "A class is meant to hold many records.  --class NAME=EXPR makes few classes.",
};

/* --- how classes are defined --- */

static enum tfr_status add_name(struct tfr_classing *c, const char *name, struct tfr_error *err)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES,
		.text = { (const uint8_t *)name, strlen(name) } };

	return tfr_classes_add(&c->names, &class, 1, NULL, err);
}

static enum tfr_status name_rules(struct tfr_classing *c, struct tfr_error *err)
{
	for (size_t i = 0; i < c->n_rules; i++) {
		const char *name = c->rules[i].name;

		if (!*name)
			return tfr_fail(err, TFR_EUSAGE, "a class must have a name");
		if (!strcmp(name, other))
			return tfr_fail(err, TFR_EUSAGE,
				"the class '%s' is reserved for records that match no expression",
				other);
		TFR_TRY(add_name(c, name, err));
		if (c->names.n == i)
			return tfr_fail(err, TFR_EUSAGE, "the class '%s' is defined twice", name);
	}
	return add_name(c, other, err);
}

enum tfr_status tfr_classing_open(
	struct tfr_classing *c, const struct tfr_resample_opts *o, struct tfr_error *err)
{
	*c = (struct tfr_classing){
		.by = o->by,
		.rules = o->rules,
		.n_rules = o->n_rules,
		.names.bounds = &tfr_resample_bounds,
	};
	return c->n_rules ? name_rules(c, err) : TFR_OK;
}

void tfr_classing_clear(struct tfr_classing *c)
{
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
		if (!read_number(name->data, name->size, &class.number))
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
	*k = (struct tfr_classifier){ .classing = classing };
	if (!classing->n_rules)
		return TFR_OK;
	k->wheres = calloc(classing->n_rules, sizeof(struct tfr_where *));
	TFR_NEED_MEMORY(k->wheres, err, "starting the workers");
	for (size_t i = 0; i < classing->n_rules; i++) {
		enum tfr_status status =
			tfr_where_compile(&k->wheres[i], classing->rules[i].expr, err);

		if (status == TFR_EUSAGE)
			tfr_error_hint(err, "The expression is that of the class '%s'.",
				classing->rules[i].name);
		TFR_TRY(status);
	}
	return TFR_OK;
}

void tfr_classifier_close(struct tfr_classifier *k)
{
	for (size_t i = 0; k->wheres && i < k->classing->n_rules; i++)
		tfr_where_free(k->wheres[i]);
	free(k->wheres);
	k->wheres = NULL;
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

	if (c->n_rules)
		return look_for_rule(k, ex, class, err);
	TFR_TRY(tfr_key_find(ex, c->by, &f, err));
	if (tfr_class_of(f, class))
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA,
		"Make classes of ranges with --class, such as --class low='x < 1'.",
		"feature '%s' is float, which makes no classes", c->by);
}
