/* rewrite/resample/target.c - converts the text of a distribution to the weights of classes.
 *
 * A weight is any number, a share or a count: only ratios matter.  Weights are only scaled by a
 * power of two, so that the ratio of 1 and 3 stays exact. */
#include "rewrite/resample/resample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/error.h"
#include "io/source.h"

enum { FILE_MAX = 64 << 20, NUMBER_MAX = 64 };

void tfr_target_clear(struct tfr_target *t)
{
	tfr_classes_clear(&t->names);
	free(t->weights);
	*t = (struct tfr_target){ 0 };
}

/* A finite decimal number and nothing else: strtod() alone would accept "nan", "0x1" and blanks. */
static bool parse_number(const char *text, size_t size, double *number)
{
	char copy[NUMBER_MAX], *end;

	if (!size || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (strspn(copy, "0123456789.eE+-") != size)
		return false;
	*number = tfr_text_f64(copy, &end);
	return !*end && isfinite(*number);
}

/* Adds one class and its weight; `where` ends the sentence of an error.  `name` is changed. */
static enum tfr_status add_class(struct tfr_target *t, char *name, size_t name_size,
	const char *weight, size_t weight_size, const char *where, struct tfr_error *err)
{
	static const struct tfr_classing by_name;
	struct tfr_counted_class class = { .kind = TFR_KIND_BYTES,
		.text = { (const uint8_t *)name, name_size } };
	char text[TFR_CLASS_TEXT];
	uint32_t i;

	if (!tfr_class_unescape(name, &class.text.size))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"A backslash in the name of a class is written as \\\\.",
			"a backslash before '%.1s' in %s is not an escape",
			name + class.text.size + 1, where);
	TFR_TRY(tfr_classes_add(&t->names, &class, 1, &i, err));
	tfr_class_text(&by_name, &class, text);
	if (t->names.items[i].records > 1)
		return tfr_fail(err, TFR_EUSAGE, "class '%s' is listed twice in %s", text, where);
	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(t->weights, t->cap, t->names.n), err, "reading a distribution");
	if (!parse_number(weight, weight_size, &t->weights[i]) || t->weights[i] < 0)
		return tfr_fail(err, TFR_EUSAGE,
			"class '%s' has the weight '%.*s' in %s: it must be a finite number of 0 "
			"or more",
			text, (int)(weight_size < 32 ? weight_size : 32), weight, where);
	return TFR_OK;
}

static enum tfr_status check_some(
	const struct tfr_target *t, const char *where, struct tfr_error *err)
{
	for (size_t i = 0; i < t->names.n; i++)
		if (t->weights[i] > 0)
			return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE, "no class has a weight above 0 in %s", where);
}

/* --- lists --- */

/* Finds the end of a name: after its closing quote, or before the = or comma. */
static char *end_of_name(char *p, char quote)
{
	for (; *p && (quote ? *p != quote : *p != '=' && *p != ','); p++)
		if (*p == '\\' && p[1])
			p++;
	return p;
}

/* One NAME=WEIGHT; *next is after it, at a comma or the end. */
static enum tfr_status parse_item(
	struct tfr_target *t, char *p, char **next, const char *where, struct tfr_error *err)
{
	char quote, *name, *name_end, *weight;
	size_t n;

	p += strspn(p, " ");
	quote = *p == '"' || *p == '\'' ? *p++ : '\0';
	name = p;
	name_end = p = end_of_name(p, quote);
	if (quote && !*p)
		return tfr_fail(err, TFR_EUSAGE, "a quote is not closed in %s", where);
	p += quote != '\0';
	if (*p != '=')
		return tfr_fail_hint(err, TFR_EUSAGE,
			"A list is such as '0=0.5,1=0.5'.  A name with a comma or = in "
			"it must be in quotes.",
			"class '%.*s' has no weight in %s",
			(int)(name_end - name < 40 ? name_end - name : 40), name, where);
	weight = p + 1 + strspn(p + 1, " ");
	n = strcspn(weight, ",");
	*next = weight + n;
	while (n && weight[n - 1] == ' ')
		n--;
	return add_class(t, name, (size_t)(name_end - name), weight, n, where, err);
}

static enum tfr_status parse_list(struct tfr_target *t, const char *spec, struct tfr_error *err)
{
	TFR_AUTO_FREE char *copy = strdup(spec);

	TFR_NEED_MEMORY(copy, err, "reading a distribution");
	t->form = TFR_TARGET_LIST;
	for (char *p = copy;; p++) {
		TFR_TRY(parse_item(t, p, &p, "--target", err));
		if (!*p)
			return check_some(t, "--target", err);
	}
}

enum tfr_status tfr_target_parse(struct tfr_target *t, const char *spec, struct tfr_error *err)
{
	static const char proportional[] = "proportional";
	const char *rest = spec + strlen(proportional);

	*t = (struct tfr_target){ .names.bounds = &tfr_resample_bounds };
	if (!strcmp(spec, "uniform"))
		return TFR_OK;
	if (!strncmp(spec, proportional, strlen(proportional)) && (!*rest || *rest == '^')) {
		t->form = TFR_TARGET_PROPORTIONAL;
		t->exponent = 1;
		if (*rest && !parse_number(rest + 1, strlen(rest + 1), &t->exponent))
			return tfr_fail(err, TFR_EUSAGE,
				"'%s' for --target needs a finite number after ^", spec);
		return TFR_OK;
	}
	if (!strchr(spec, '='))
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' for --target is neither uniform, proportional^E, a list such as "
			"'0=0.5,1=0.5' nor a file that exists",
			spec);
	return parse_list(t, spec, err);
}

/* --- files --- */

enum tfr_status tfr_target_parse_lines(
	struct tfr_target *t, char *lines, size_t size, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *where = malloc(strlen(path) + 48);
	char *end = lines + size, *p = lines;

	*t = (struct tfr_target){
		.form = TFR_TARGET_LIST,
		.names.bounds = &tfr_resample_bounds,
	};
	TFR_NEED_MEMORY(where, err, "reading a distribution");
	for (size_t number = 1; p < end; number++) {
		char *line_end = memchr(p, '\n', (size_t)(end - p)), *tab, *last;

		line_end = line_end ? line_end : end;
		last = line_end > p && line_end[-1] == '\r' ? line_end - 1 : line_end;
		tab = memrchr(p, '\t', (size_t)(last - p));
		sprintf(where, "line %zu of '%s'", number, path);
		if (!tab)
			return tfr_fail(err, TFR_EUSAGE,
				"no tab in %s, which must be CLASS TAB WEIGHT", where);
		TFR_TRY(add_class(
			t, p, (size_t)(tab - p), tab + 1, (size_t)(last - tab - 1), where, err));
		p = line_end + 1;
	}
	sprintf(where, "'%s'", path);
	return check_some(t, where, err);
}

enum tfr_status tfr_target_open(struct tfr_target *t, const char *spec, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	struct stat st;

	*t = (struct tfr_target){ 0 };
	if (tfr_stat(spec, &st) || S_ISDIR(st.st_mode))
		return tfr_target_parse(t, spec, err);
	TFR_TRY(tfr_source_read_file(spec, FILE_MAX, &text, "reading a distribution", err));
	if (text.size > FILE_MAX)
		return tfr_fail_path(err, TFR_EUSAGE, spec,
			"more than %d MiB of classes and weights in", FILE_MAX >> 20);
	return tfr_target_parse_lines(t, (char *)text.data, text.size, spec, err);
}

/* --- weights of classes --- */

/* Suggests the most similar class, and lists the first few. */
static void hint_classes(const struct tfr_classing *classing, const struct tfr_classes *classes,
	const struct tfr_bytes *wanted, struct tfr_error *err)
{
	enum { LOOKED_AT = 10000, NAMED = 5 };
	char hint[384], text[TFR_CLASS_TEXT];
	struct tfr_suggestion meant;
	int n = 0;

	tfr_suggestion_init(&meant, (const char *)wanted->data, wanted->size);
	for (size_t i = 0; i < classes->n && i < LOOKED_AT; i++) {
		struct tfr_counted_class class = tfr_classes_at(classes, i);
		TFR_AUTO_BUF name = { 0 };

		tfr_classing_name(classing, &class, &name);
		tfr_suggestion_offer(&meant, (const char *)name.data, name.size);
	}
	if (!classes->n) {
		tfr_error_hint(err, "No record has a class.");
		return;
	}
	if (tfr_suggestion_word(&meant))
		n = snprintf(
			hint, sizeof(hint), "Did you mean '%s'?  ", tfr_suggestion_word(&meant));
	n += snprintf(hint + n, sizeof(hint) - (size_t)n, "The classes are");
	for (size_t i = 0; i < classes->n && i < NAMED && n < (int)sizeof(hint) - 100; i++) {
		struct tfr_counted_class class = tfr_classes_at(classes, i);

		n += snprintf(hint + n, sizeof(hint) - (size_t)n, "%s '%s'", i ? "," : "",
			tfr_class_text(classing, &class, text));
	}
	if (classes->n > NAMED)
		snprintf(hint + n, sizeof(hint) - (size_t)n, " and %zu more.", classes->n - NAMED);
	else
		snprintf(hint + n, sizeof(hint) - (size_t)n, ".");
	tfr_error_hint(err, "%s", hint);
}

static enum tfr_status list_weights(const struct tfr_target *t, const struct tfr_classing *classing,
	const struct tfr_classes *classes, double *weights, struct tfr_error *err)
{
	for (size_t i = 0; i < t->names.n; i++) {
		struct tfr_bytes name = tfr_classes_at(&t->names, i).text;
		uint32_t class = tfr_classing_find(classing, classes, &name);
		char text[TFR_CLASS_TEXT];

		if (class != TFR_CLASS_NONE) {
			weights[class] = t->weights[i];
		} else if (t->weights[i] > 0) {
			static const struct tfr_classing by_name;
			struct tfr_counted_class missing = tfr_classes_at(&t->names, i);

			tfr_fail(err, TFR_EDATA, "class '%s' of --target does not occur",
				tfr_class_text(&by_name, &missing, text));
			hint_classes(classing, classes, &name, err);
			return TFR_EDATA;
		}
	}
	return TFR_OK;
}

/* records^E of the classes.  Dividing by the largest result keeps the others in range for any
 * exponent. */
static void power_weights(double exponent, const struct tfr_classes *classes, double *weights)
{
	double base = 0;

	for (size_t i = 0; i < classes->n; i++) {
		weights[i] = (double)classes->items[i].records;
		if (!i || (exponent < 0 ? weights[i] < base : weights[i] > base))
			base = weights[i];
	}
	for (size_t i = 0; exponent != 1 && i < classes->n; i++) /* a quotient would be rounded */
		weights[i] = pow(weights[i] / base, exponent);
}

enum tfr_status tfr_target_weights(const struct tfr_target *t, const struct tfr_classing *classing,
	const struct tfr_classes *classes, double *weights, struct tfr_error *err)
{
	double largest = 0;

	memset(weights, 0, classes->n * sizeof(*weights));
	if (t->form == TFR_TARGET_LIST)
		TFR_TRY(list_weights(t, classing, classes, weights, err));
	else
		power_weights(t->form == TFR_TARGET_UNIFORM ? 0 : t->exponent, classes, weights);
	for (size_t i = 0; i < classes->n; i++)
		largest = weights[i] > largest ? weights[i] : largest;
	for (size_t i = 0; i < classes->n && largest > 0; i++)
		weights[i] = ldexp(weights[i], -ilogb(largest));
	return TFR_OK;
}
