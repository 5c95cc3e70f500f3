/* inspect/schema/schema_rules.c - reads a schema, and checks records against it.
 *
 * A text that begins with a brace is JSON, as 'tfr schema --emit json' writes it: features are
 * checked for name, kind, presence and length, feature lists also for their steps.  The other
 * members (contents, counts, drift) are for people.  A feature that never had a kind is not a rule.
 * Otherwise the text has one line per feature: `required|optional KIND COUNT NAME`, or
 * `required|optional list STEPS KIND COUNT NAME`.  The name is last, so it may contain blanks.
 *
 * Finally the rules are sorted by name, like features and feature lists, so a record takes one walk
 * over both, and one more over the lists.  In a list, only the first step that does not match is
 * reported. */
#include "inspect/schema/schema_rules.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/compare.h"
#include "base/json_read.h"
#include "io/source.h"

enum { WORD = 48 };

struct count {
	uint64_t min, max;
	char said[WORD]; /* as written in the schema */
};

/* A feature, or a feature list. */
struct rule {
	char *name; /* `size` bytes */
	size_t size;
	enum tfr_kind kind;
	bool required;
	struct count values; /* for a list: per step */
	struct count steps;  /* for a list only */
};

/* Sorted by name, bytewise; names are unique. */
struct rules {
	struct rule *at;
	size_t n, cap;
};

struct tfr_schema {
	struct rules features, lists;
	bool only; /* no other features are allowed */
};

enum { FILE_MAX = 64 << 20, DEPTH = 32 };

static void free_rules(struct rules *rules)
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
static void next_word(struct line *l, char word[WORD])
{
	size_t n = 0;

	skip_blanks(l);
	for (; l->p < l->end && *l->p != ' ' && *l->p != '\t'; l->p++)
		if (n + 1 < WORD)
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
static bool read_count(struct count *c)
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

static const char bad_escape[] = "a backslash is written \\\\, other bytes \\xNN";

/* A name with the usual escapes \xNN and \\. */
static bool read_name(struct rule *r, const char *p, size_t size)
{
	const char *end = p + size;
	char *out = r->name;

	while (p < end) {
		if (*p != '\\') {
			*out++ = *p++;
		} else if (end - p >= 2 && p[1] == '\\') {
			*out++ = '\\';
			p += 2;
		} else if (end - p >= 4 && p[1] == 'x' && hex_digit(p[2]) >= 0 &&
			   hex_digit(p[3]) >= 0) {
			*out++ = (char)(hex_digit(p[2]) << 4 | hex_digit(p[3]));
			p += 4;
		} else {
			return false;
		}
	}
	r->size = (size_t)(out - r->name);
	return true;
}

static struct rule *new_rule(struct rules *rules, size_t name_size)
{
	struct rule *r;

	if (TFR_ARRAY_RESERVE(rules->at, rules->cap, rules->n + 1))
		return NULL;
	r = &rules->at[rules->n];
	*r = (struct rule){ .name = malloc(name_size + 1) };
	rules->n += r->name != NULL;
	return r->name ? r : NULL;
}

/* Reads the rest of a line after the first word.  No kind is called list. */
static enum tfr_status read_rule(
	struct tfr_schema *s, struct line *l, bool required, struct tfr_error *err)
{
	char word[WORD];
	struct rule *r;
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
	r->kind = tfr_kind_named(word, strlen(word));
	if (!r->kind)
		return wrong(l, err, "expected int64, float or bytes");
	next_word(l, r->values.said);
	if (!read_count(&r->values))
		return wrong(l, err, "expected a number of values: 3, 0..5, 1.., 3x4 or *");
	if (l->p == l->end)
		return wrong(l, err, "expected a name after the count");
	if (!read_name(r, l->p, (size_t)(l->end - l->p)))
		return wrong(l, err, bad_escape);
	return TFR_OK;
}

static enum tfr_status read_line(struct tfr_schema *s, struct line *l, struct tfr_error *err)
{
	char word[WORD];

	while (l->end > l->p && strchr(" \t\r", l->end[-1]) && l->end[-1])
		l->end--;
	skip_blanks(l);
	if (l->p == l->end || *l->p == '#')
		return TFR_OK;
	next_word(l, word);
	if (!strcmp(word, "required") || !strcmp(word, "optional"))
		return read_rule(s, l, *word == 'r', err);
	if (strcmp(word, "only") || l->p < l->end) {
		wrong(l, err, "expected 'required', 'optional' or 'only'");
		if (!strcmp(word, "feature"))
			tfr_error_hint(err, "A Schema in protobuf's text form is not read here; "
					    "'tfr schema --json' writes one that is.");
		return TFR_EUSAGE;
	}
	s->only = true;
	return TFR_OK;
}

static int compare_rules(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	return tfr_compare_bytes(x->name, x->size, y->name, y->size);
}

static enum tfr_status sort_rules(
	struct rules *rules, const char *path, const char *noun, struct tfr_error *err)
{
	if (rules->n)
		qsort(rules->at, rules->n, sizeof(*rules->at), compare_rules);
	for (size_t i = 1; i < rules->n; i++) {
		const struct rule *r = &rules->at[i];

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

/* --- JSON --- */

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

static bool number_of(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int) ||
		json_object_get_int64(v) < 0)
		return false;
	*value = json_object_get_uint64(v);
	return true;
}

/* Reads {"min": 0, "max": 5} at `key`; without it any number is allowed. */
static bool range_of(struct json_object *o, const char *key, struct count *c)
{
	struct json_object *v;

	c->max = UINT64_MAX;
	if (json_object_object_get_ex(o, key, &v) &&
		!(json_object_is_type(v, json_type_object) && number_of(v, "min", &c->min) &&
			number_of(v, "max", &c->max) && c->min <= c->max))
		return false;
	snprintf(c->said, sizeof(c->said), c->min == c->max ? "%llu" : "%llu..%llu",
		(unsigned long long)c->min, (unsigned long long)c->max);
	return true;
}

/* A member of the list being read. */
struct member {
	const char *path, *noun;
	size_t i;
	bool is_list;
};

static enum tfr_status wrong_member(const struct member *m, const char *what, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EUSAGE, "schema '%s', %s %zu: %s", m->path, m->noun, m->i, what);
}

static enum tfr_status read_entry(
	struct rules *rules, const struct member *m, struct json_object *o, struct tfr_error *err)
{
	bool is_object = json_object_is_type(o, json_type_object);
	const char *presence = is_object ? text_of(o, "presence") : NULL;
	const char *kind = is_object ? text_of(o, "kind") : NULL;
	struct json_object *name;
	struct rule *r;

	if (!is_object || !json_object_object_get_ex(o, "name", &name) ||
		!json_object_is_type(name, json_type_string))
		return wrong_member(m, "expected an object with a name", err);
	if (json_object_object_get_ex(o, "kinds", NULL))
		return wrong_member(m, "of several kinds, which nothing can be held to", err);
	if (!kind && !json_object_object_get_ex(o, "kind", NULL))
		return TFR_OK;
	if (!kind || !presence || (strcmp(presence, "required") && strcmp(presence, "optional")))
		return wrong_member(m, "expected a kind, and 'required' or 'optional'", err);
	r = new_rule(rules, (size_t)json_object_get_string_len(name));
	if (!r)
		return tfr_fail_nomem(err, "reading a schema");
	r->required = *presence == 'r';
	r->kind = tfr_kind_named(kind, strlen(kind));
	if (!range_of(o, "length", &r->values))
		return wrong_member(m, "expected a length with min and max", err);
	if (m->is_list && !range_of(o, "steps", &r->steps))
		return wrong_member(m, "expected steps with min and max", err);
	if (!r->kind)
		return tfr_fail(err, TFR_EUSAGE, "schema '%s', %s %zu: unknown kind '%s'", m->path,
			m->noun, m->i, kind);
	if (!read_name(r, json_object_get_string(name), (size_t)json_object_get_string_len(name)))
		return wrong_member(m, bad_escape, err);
	return TFR_OK;
}

static enum tfr_status read_list(
	struct rules *rules, struct member m, struct json_object *list, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (m.i = 0; !status && m.i < json_object_array_length(list); m.i++)
		status = read_entry(rules, &m, json_object_array_get_idx(list, m.i), err);
	return status;
}

/* 'tfr schema' writes "feature_lists" only if there are any. */
static enum tfr_status read_features(
	struct tfr_schema *s, const char *path, struct json_object *top, struct tfr_error *err)
{
	struct json_object *features, *lists = NULL, *only;
	enum tfr_status status;

	if (!json_object_is_type(top, json_type_object) ||
		!json_object_object_get_ex(top, "features", &features) ||
		!json_object_is_type(features, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s' has no list 'features'", path);
	if (json_object_object_get_ex(top, "feature_lists", &lists) &&
		!json_object_is_type(lists, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s': 'feature_lists' is no list", path);
	if (json_object_object_get_ex(top, "only", &only) && json_object_get_boolean(only))
		s->only = true;
	status = read_list(
		&s->features, (struct member){ path, "feature", 0, false }, features, err);
	if (!status && lists)
		status = read_list(
			&s->lists, (struct member){ path, "feature list", 0, true }, lists, err);
	return status;
}

static enum tfr_status read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct json_object *top;
	struct tfr_error inner = { 0 };
	enum tfr_status status = tfr_json_read(
		&top, text, size, &(struct tfr_json_limits){ .depth = DEPTH }, &inner);

	if (!status)
		status = read_features(s, path, top, err);
	else if (status == TFR_EDATA)
		status = tfr_fail(
			err, TFR_EUSAGE, "schema '%s' is not JSON: %s", path, inner.message);
	else if (err)
		*err = inner;
	json_object_put(top);
	return status;
}

/* --- both forms --- */

static enum tfr_status read_rules(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	enum tfr_status status;
	size_t blanks = 0;

	while (blanks < size && text[blanks] && strchr(" \t\r\n", text[blanks]))
		blanks++;
	if (blanks < size && text[blanks] == '{')
		status = read_json(s, path, text + blanks, size - blanks, err);
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

/* --- checking --- */

/* The record being checked, and the receiver of its findings. */
struct held {
	const struct tfr_schema *schema;
	struct tfr_lists *lists; /* for its steps */
	tfr_schema_found *found;
	void *ctx;
	struct tfr_error *err;
	char what[160]; /* the fault found last */
};

static bool fits(const struct count *c, uint64_t n)
{
	return c->min <= n && n <= c->max;
}

static enum tfr_status tell(struct held *h, const void *name, size_t size)
{
	struct tfr_bytes bytes = { name, size };

	return h->found(h->ctx, &bytes, h->what, h->err);
}

/* --- features --- */

/* Whether a feature violates its rule; h->what then says how.  `f` NULL: the record lacks it. */
static bool feature_fault(struct held *h, const struct rule *r, const struct tfr_feature *f)
{
	if (!f || !f->kind) {
		snprintf(h->what, sizeof(h->what), "absent, and the schema requires it");
		return r->required;
	}
	if (f->kind != r->kind) {
		snprintf(h->what, sizeof(h->what), "of kind %s, where the schema has %s",
			tfr_kind_name(f->kind), tfr_kind_name(r->kind));
		return true;
	}
	snprintf(h->what, sizeof(h->what), "%llu value%s, where the schema has %s",
		(unsigned long long)f->count, f->count == 1 ? "" : "s", r->values.said);
	return !fits(&r->values, f->count);
}

static enum tfr_status hold_features(struct held *h, const struct tfr_example *ex)
{
	const struct rules *rules = &h->schema->features;
	size_t i = 0, k = 0, n = tfr_example_count(ex);
	enum tfr_status status = TFR_OK;

	while (!status && (i < rules->n || k < n)) {
		const struct rule *r = i < rules->n ? &rules->at[i] : NULL;
		const struct tfr_feature *f = k < n ? tfr_example_at(ex, k) : NULL;
		int c = !r ? 1 : !f ? -1 : tfr_compare_bytes(r->name, r->size, f->key, f->key_size);

		i += c <= 0;
		k += c >= 0;
		if (c <= 0 && feature_fault(h, r, c ? NULL : f)) {
			status = tell(h, r->name, r->size);
		} else if (c > 0 && h->schema->only) {
			snprintf(h->what, sizeof(h->what), "not in the schema");
			status = tell(h, f->key, f->key_size);
		}
	}
	return status;
}

/* --- feature lists --- */

/* The same for a step; a step without a kind is never a fault. */
static bool step_fault(
	struct held *h, const struct rule *r, const struct tfr_feature *step, uint64_t number)
{
	unsigned long long n = number, count = step->count;

	if (!step->kind)
		return false;
	if (step->kind != r->kind) {
		snprintf(h->what, sizeof(h->what),
			"step %llu of the list is of kind %s, where the schema has %s", n,
			tfr_kind_name(step->kind), tfr_kind_name(r->kind));
		return true;
	}
	snprintf(h->what, sizeof(h->what),
		"step %llu of the list has %llu value%s, where the schema has %s", n, count,
		count == 1 ? "" : "s", r->values.said);
	return !fits(&r->values, step->count);
}

static enum tfr_status list_fault(
	struct held *h, const struct rule *r, const struct tfr_feature_list *list, bool *fault)
{
	enum tfr_status status = TFR_OK;
	struct tfr_feature step;
	struct tfr_steps steps;

	if (!list) {
		snprintf(h->what, sizeof(h->what),
			"a feature list that is absent, and the schema requires it");
		*fault = r->required;
		return TFR_OK;
	}
	snprintf(h->what, sizeof(h->what), "a feature list of %llu step%s, where the schema has %s",
		(unsigned long long)list->steps, list->steps == 1 ? "" : "s", r->steps.said);
	*fault = !fits(&r->steps, list->steps);
	tfr_steps_init(&steps, list);
	for (uint64_t n = 0; !status && !*fault; n++) {
		status = tfr_steps_next(&steps, h->lists, &step, h->err);
		*fault = !status && step_fault(h, r, &step, n);
	}
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status hold_lists(struct held *h)
{
	const struct rules *rules = &h->schema->lists;
	size_t i = 0, k = 0, n = h->lists ? tfr_lists_count(h->lists) : 0;
	enum tfr_status status = TFR_OK;

	while (!status && (i < rules->n || k < n)) {
		const struct rule *r = i < rules->n ? &rules->at[i] : NULL;
		const struct tfr_feature_list *l = k < n ? tfr_lists_at(h->lists, k) : NULL;
		int c = !r ? 1 : !l ? -1 : tfr_compare_bytes(r->name, r->size, l->key, l->key_size);
		bool fault = false;

		i += c <= 0;
		k += c >= 0;
		if (c <= 0)
			status = list_fault(h, r, c ? NULL : l, &fault);
		if (!status && fault) {
			status = tell(h, r->name, r->size);
		} else if (!status && c > 0 && h->schema->only) {
			snprintf(h->what, sizeof(h->what),
				"a feature list that is not in the schema");
			status = tell(h, l->key, l->key_size);
		}
	}
	return status;
}

bool tfr_schema_of_lists(const struct tfr_schema *s)
{
	return s->lists.n || s->only;
}

enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err)
{
	struct held h = { .schema = s, .lists = lists, .found = found, .ctx = ctx, .err = err };
	enum tfr_status status = hold_features(&h, ex);

	return status ? status : hold_lists(&h);
}
