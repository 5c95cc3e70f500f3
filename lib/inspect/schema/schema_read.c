/* inspect/schema/schema_read.c - reads a schema.
 *
 * A text that begins with a brace is JSON, as 'tfr schema --emit json' writes it.  Otherwise it has
 * one line per feature: `required|optional KIND COUNT NAME`, or `required|optional list STEPS KIND
 * COUNT NAME`.  The name is last, so it may contain blanks.  Finally the rules are sorted by name,
 * like features and feature lists. */
#include "inspect/schema/schema_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "inspect/schema/schema_rules.h"
#include "io/source.h"

enum { FILE_MAX = 64 << 20 };

static void free_rules(struct tfr_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		free(rules->at[i].name);
	free(rules->at);
}

void tfr_schema_close(struct tfr_schema *s)
{
	if (!s)
		return;
	free_rules(&s->features);
	free_rules(&s->lists);
	free(s);
}

/* A line being parsed. */
struct line {
	const char *p, *end;
	const char *path;
	unsigned number;
};

static enum tfr_status wrong(const struct line *l, struct tfr_error *err, const char *what)
{
	return tfr_fail(err, TFR_EUSAGE, "schema '%s', line %u: %s", l->path, l->number, what);
}

static void skip_blanks(struct line *l)
{
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t'))
		l->p++;
}

/* The next word.  A word longer than any known one is cut, and is then unknown. */
static void next_word(struct line *l, char word[TFR_SCHEMA_WORD])
{
	size_t n = 0;

	skip_blanks(l);
	for (; l->p < l->end && *l->p != ' ' && *l->p != '\t'; l->p++)
		if (n + 1 < TFR_SCHEMA_WORD)
			word[n++] = *l->p;
	word[n] = '\0';
	skip_blanks(l);
}

/* A number without a sign, of at most 18 digits, so it fits. */
static bool read_number(const char **p, uint64_t *value)
{
	size_t n = strspn(*p, "0123456789");

	*value = strtoull(*p, NULL, 10);
	*p += n;
	return n && n <= 18;
}

/* "3", "0..5", "1..", "*" or a shape, "3x4". */
static bool read_count(struct tfr_count *c)
{
	const char *p = c->said;
	uint64_t side;

	c->max = UINT64_MAX;
	if (!strcmp(p, "*"))
		return true;
	if (!read_number(&p, &c->min))
		return false;
	if (!strncmp(p, "..", 2)) {
		p += 2;
		return !*p || (read_number(&p, &c->max) && !*p && c->min <= c->max);
	}
	while (*p == 'x') {
		p++;
		if (!read_number(&p, &side) || __builtin_mul_overflow(c->min, side, &c->min))
			return false;
	}
	c->max = c->min;
	return !*p;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The rest of the line, with the usual escapes \xNN and \\. */
static bool read_name(struct line *l, struct tfr_rule *r)
{
	char *out = r->name;

	while (l->p < l->end) {
		if (*l->p != '\\') {
			*out++ = *l->p++;
		} else if (l->end - l->p >= 2 && l->p[1] == '\\') {
			*out++ = '\\';
			l->p += 2;
		} else if (l->end - l->p >= 4 && l->p[1] == 'x' && hex_digit(l->p[2]) >= 0 &&
			   hex_digit(l->p[3]) >= 0) {
			*out++ = (char)(hex_digit(l->p[2]) << 4 | hex_digit(l->p[3]));
			l->p += 4;
		} else {
			return false;
		}
	}
	r->size = (size_t)(out - r->name);
	return true;
}

static struct tfr_rule *new_rule(struct tfr_rules *rules, size_t name_size)
{
	struct tfr_rule *r;

	if (TFR_ARRAY_RESERVE(rules->at, rules->cap, rules->n + 1))
		return NULL;
	r = &rules->at[rules->n];
	*r = (struct tfr_rule){ .name = malloc(name_size + 1) };
	rules->n += r->name != NULL;
	return r->name ? r : NULL;
}

static enum tfr_kind kind_of(const char *word)
{
	for (int k = TFR_KIND_BYTES; k <= TFR_KIND_INT64; k++)
		if (!strcmp(word, tfr_kind_name((enum tfr_kind)k)))
			return (enum tfr_kind)k;
	return TFR_KIND_UNSET;
}

static struct tfr_count count_of(struct tfr_range range)
{
	struct tfr_count c = { .min = range.min, .max = range.max };

	snprintf(c.said, sizeof(c.said), c.min == c.max ? "%llu" : "%llu..%llu",
		(unsigned long long)c.min, (unsigned long long)c.max);
	return c;
}

enum tfr_status tfr_schema_add(
	struct tfr_schema *s, const struct tfr_schema_entry *e, struct tfr_error *err)
{
	struct line l = { .p = e->name, .end = e->name + e->size };
	struct tfr_rule *r = new_rule(e->is_list ? &s->lists : &s->features, e->size);

	if (!r)
		return tfr_fail_nomem(err, "reading a schema");
	r->required = e->required;
	r->kind = kind_of(e->kind);
	r->values = count_of(e->values);
	r->steps = count_of(e->steps);
	if (!r->kind)
		return tfr_fail(err, TFR_EUSAGE, "unknown kind '%s'", e->kind);
	if (!read_name(&l, r))
		return tfr_fail(err, TFR_EUSAGE, "a backslash is written \\\\, other bytes \\xNN");
	return TFR_OK;
}

void tfr_schema_allow_only(struct tfr_schema *s)
{
	s->only = true;
}

/* Reads the rest of a line after the first word.  No kind is called list. */
static enum tfr_status read_rule(
	struct tfr_schema *s, struct line *l, bool required, struct tfr_error *err)
{
	char word[TFR_SCHEMA_WORD];
	struct tfr_rule *r;
	bool is_list;

	next_word(l, word);
	is_list = !strcmp(word, "list");
	r = new_rule(is_list ? &s->lists : &s->features, (size_t)(l->end - l->p));
	if (!r)
		return tfr_fail_nomem(err, "reading a schema");
	r->required = required;
	if (is_list) {
		next_word(l, r->steps.said);
		if (!read_count(&r->steps))
			return wrong(l, err, "expected a number of steps: 3, 0..5, 1.. or *");
		next_word(l, word);
	}
	r->kind = kind_of(word);
	if (!r->kind)
		return wrong(l, err, "expected int64, float or bytes");
	next_word(l, r->values.said);
	if (!read_count(&r->values))
		return wrong(l, err, "expected a number of values: 3, 0..5, 1.., 3x4 or *");
	if (l->p == l->end)
		return wrong(l, err, "expected a name after the count");
	if (!read_name(l, r))
		return wrong(l, err, "a backslash is written \\\\, other bytes \\xNN");
	return TFR_OK;
}

static enum tfr_status read_line(struct tfr_schema *s, struct line *l, struct tfr_error *err)
{
	char word[TFR_SCHEMA_WORD];

	while (l->end > l->p && strchr(" \t\r", l->end[-1]) && l->end[-1])
		l->end--;
	skip_blanks(l);
	if (l->p == l->end || *l->p == '#')
		return TFR_OK;
	next_word(l, word);
	if (!strcmp(word, "required") || !strcmp(word, "optional"))
		return read_rule(s, l, *word == 'r', err);
	if (strcmp(word, "only") || l->p < l->end)
		return wrong(l, err, "expected 'required', 'optional' or 'only'");
	s->only = true;
	return TFR_OK;
}

static int compare_rules(const void *a, const void *b)
{
	const struct tfr_rule *x = a, *y = b;

	return tfr_compare_names(x->name, x->size, y->name, y->size);
}

static enum tfr_status sort_rules(
	struct tfr_rules *rules, const char *path, const char *noun, struct tfr_error *err)
{
	if (rules->n)
		qsort(rules->at, rules->n, sizeof(*rules->at), compare_rules);
	for (size_t i = 1; i < rules->n; i++) {
		const struct tfr_rule *r = &rules->at[i];

		if (!compare_rules(r - 1, r))
			return tfr_fail(err, TFR_EUSAGE, "schema '%s' names %s'%.*s' twice", path,
				noun, (int)(r->size < 200 ? r->size : 200), r->name);
	}
	return TFR_OK;
}

static enum tfr_status read_lines(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	const char *p = text, *end = p + size;
	struct line l = { .path = path };
	enum tfr_status status = TFR_OK;

	while (!status && p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		l.p = p;
		l.end = newline ? newline : end;
		l.number++;
		p = newline ? newline + 1 : end;
		status = read_line(s, &l, err);
	}
	return status;
}

static enum tfr_status read_rules(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	enum tfr_status status;
	size_t blanks = 0;

	while (blanks < size && text[blanks] && strchr(" \t\r\n", text[blanks]))
		blanks++;
	if (blanks < size && text[blanks] == '{')
		status = tfr_schema_read_json(s, path, text + blanks, size - blanks, err);
	else
		status = read_lines(s, path, text, size, err);
	if (!status)
		status = sort_rules(&s->features, path, "", err);
	return status ? status : sort_rules(&s->lists, path, "feature list ", err);
}

enum tfr_status tfr_schema_parse(struct tfr_schema **out, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct tfr_schema *s = calloc(1, sizeof(*s));
	enum tfr_status status =
		s ? read_rules(s, path, text, size, err) : tfr_fail_nomem(err, "reading a schema");

	if (status)
		tfr_schema_close(s);
	else
		*out = s;
	return status;
}

enum tfr_status tfr_schema_open(struct tfr_schema **out, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status =
		tfr_source_read_file(path, FILE_MAX, &text, "reading a schema", err);

	if (!status && text.size > FILE_MAX)
		status = tfr_fail(err, TFR_EUSAGE, "schema '%s' is larger than 64 MiB", path);
	return status ? status
		      : tfr_schema_parse(out, path, (const char *)text.data, text.size, err);
}
