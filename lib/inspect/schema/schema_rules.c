/* inspect/schema/schema_rules.c - reads a schema, and checks records against it.
 *
 * A text that begins with a brace is JSON, as 'tfr schema --emit json' writes it: features are
 * checked for name, kind, presence and length, feature lists also for their steps.  The other
 * members (contents, counts, drift) are for people.  A feature that never had a kind is not a rule.
 * A text that begins with `NAME {` or `NAME:` is a Schema of TensorFlow Metadata in protobuf's text
 * form.  Otherwise the text has one line per feature: `required|optional KIND COUNT NAME`, or
 * `required|optional list STEPS KIND COUNT NAME`.  The name is last, so it may contain blanks.
 *
 * Finally the rules are sorted by name, like features and feature lists, so a record takes one walk
 * over both, and one more over the lists.  In a list, only the first step that does not match is
 * reported. */
#include "inspect/schema/schema_rules.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

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
	bool only;	      /* no other features are allowed */
	char unchecked[1024]; /* the fields of a Schema that are no rules here: " a, b," */
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

/* A line being parsed, or a member of a list in JSON, which has no text here. */
struct line {
	const char *p, *end;
	const char *path;
	const char *noun; /* "line" */
	size_t number;
};

static enum tfr_status wrong_line(const struct line *l, struct tfr_error *err, const char *what)
{
	return tfr_fail(
		err, TFR_EUSAGE, "schema '%s', %s %zu: %s", l->path, l->noun, l->number, what);
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
	TFR_NEED_MEMORY(r, err, "reading a schema");
	r->required = required;
	if (is_list) {
		next_word(l, r->steps.said);
		if (!read_count(&r->steps))
			return wrong_line(l, err, "expected a number of steps: 3, 0..5, 1.. or *");
		next_word(l, word);
	}
	r->kind = tfr_kind_named(word, strlen(word));
	if (!r->kind)
		return wrong_line(l, err, "expected int64, float or bytes");
	next_word(l, r->values.said);
	if (!read_count(&r->values))
		return wrong_line(l, err, "expected a number of values: 3, 0..5, 1.., 3x4 or *");
	if (l->p == l->end)
		return wrong_line(l, err, "expected a name after the count");
	if (!read_name(r, l->p, (size_t)(l->end - l->p)))
		return wrong_line(l, err, bad_escape);
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
	if (strcmp(word, "only") || l->p < l->end)
		return wrong_line(l, err, "expected 'required', 'optional' or 'only'");
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

static enum tfr_status read_lines(struct tfr_schema *s, struct line all, struct tfr_error *err)
{
	for (struct line l = all; l.p < all.end; l.number++) {
		const char *newline = memchr(l.p, '\n', (size_t)(all.end - l.p));
		const char *end = newline ? newline : all.end;

		l.end = end;
		TFR_TRY(read_line(s, &l, err));
		l.p = newline ? end + 1 : end;
	}
	return TFR_OK;
}

/* --- JSON --- */

static bool number_of(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *v = tfr_json_member(o, key, json_type_int);

	if (!v || json_object_get_int64(v) < 0)
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
		!(number_of(v, "min", &c->min) && number_of(v, "max", &c->max) && c->min <= c->max))
		return false;
	snprintf(c->said, sizeof(c->said), c->min == c->max ? "%llu" : "%llu..%llu",
		(unsigned long long)c->min, (unsigned long long)c->max);
	return true;
}

static enum tfr_status read_entry(struct tfr_schema *s, bool is_list, const struct line *at,
	struct json_object *o, struct tfr_error *err)
{
	const char *presence = tfr_json_text_at(o, "presence"), *kind = tfr_json_text_at(o, "kind");
	struct json_object *name = tfr_json_member(o, "name", json_type_string);
	struct rule *r;

	if (!name)
		return wrong_line(at, err, "expected an object with a name");
	if (json_object_object_get_ex(o, "kinds", NULL))
		return wrong_line(at, err, "of several kinds, which nothing can be held to");
	if (!kind && !json_object_object_get_ex(o, "kind", NULL))
		return TFR_OK;
	if (!kind || !presence || (strcmp(presence, "required") && strcmp(presence, "optional")))
		return wrong_line(at, err, "expected a kind, and 'required' or 'optional'");
	r = new_rule(is_list ? &s->lists : &s->features, (size_t)json_object_get_string_len(name));
	TFR_NEED_MEMORY(r, err, "reading a schema");
	r->required = *presence == 'r';
	r->kind = tfr_kind_named(kind, strlen(kind));
	if (!range_of(o, "length", &r->values))
		return wrong_line(at, err, "expected a length with min and max");
	if (is_list && !range_of(o, "steps", &r->steps))
		return wrong_line(at, err, "expected steps with min and max");
	if (!r->kind)
		return tfr_fail(err, TFR_EUSAGE, "schema '%s', %s %zu: unknown kind '%s'", at->path,
			at->noun, at->number, kind);
	if (!read_name(r, json_object_get_string(name), (size_t)json_object_get_string_len(name)))
		return wrong_line(at, err, bad_escape);
	return TFR_OK;
}

static enum tfr_status read_list(struct tfr_schema *s, bool is_list, const char *path,
	struct json_object *list, struct tfr_error *err)
{
	struct line at = { .path = path, .noun = is_list ? "feature list" : "feature" };

	for (; at.number < json_object_array_length(list); at.number++)
		TFR_TRY(read_entry(
			s, is_list, &at, json_object_array_get_idx(list, at.number), err));
	return TFR_OK;
}

/* 'tfr schema' writes "feature_lists" only if there are any. */
static enum tfr_status read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	const struct tfr_json_limits limits = { .depth = DEPTH };
	struct json_object *features, *lists = NULL, *only;
	TFR_AUTO_JSON top = NULL;
	struct tfr_error inner = { 0 };

	if (tfr_json_read(&top, text, size, &limits, &inner) == TFR_EDATA)
		return tfr_fail(
			err, TFR_EUSAGE, "schema '%s' is not JSON: %s", path, inner.message);
	TFR_TRY(tfr_error_pass(&inner, err));
	features = tfr_json_member(top, "features", json_type_array);
	if (!features)
		return tfr_fail(err, TFR_EUSAGE, "schema '%s' has no list 'features'", path);
	if (json_object_object_get_ex(top, "feature_lists", &lists) &&
		!json_object_is_type(lists, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s': 'feature_lists' is no list", path);
	if (json_object_object_get_ex(top, "only", &only) && json_object_get_boolean(only))
		s->only = true;
	TFR_TRY(read_list(s, false, path, features, err));
	return lists ? read_list(s, true, path, lists, err) : TFR_OK;
}

/* --- protobuf's text form --- */

/* A tensorflow.metadata.v0.Schema (schema.proto), as 'tfr schema --emit pbtxt' and TensorFlow Data
 * Validation write it.  These messages and fields are read, after the name of their message.  The
 * names of all others are kept, and their messages are passed by counting brackets, so nesting
 * takes no memory.  Some texts that protobuf refuses are read: colons may be missing, brackets need
 * not be of one kind. */
enum { TYPE, STAGE, OFF, FRACTION, NAME, SHAPE, LEAST, MIN, MAX, FIELDS, MIN2 = FIELDS, MAX2 };
static const char *const fields[] = { "feature.type", "feature.lifecycle_stage",
	"feature.deprecated", "presence.min_fraction", "feature.name", "dim.size",
	"presence.min_count", "value_count.min", "value_count.max" };
static const char messages[] = " feature.presence feature.shape shape.dim feature.value_count "
			       "feature.value_counts value_counts.value_count "
			       "feature.struct_domain struct_domain.feature schema.feature ";

/* A Feature being read, with the words that are given: of the first value_count in MIN and MAX, of
 * the second in MIN2 and MAX2; of a shape of 2 and 3, "1x2x3". */
struct proto {
	bool is_list, is_struct;
	char given[MAX2 + 1][WORD];
	struct line name;
	unsigned counts; /* shapes and value_counts */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.+-", c));
}

/* The kind of the token from *at to l->p: 'a' for a word or a number, '"' for a string, '?' for
 * neither; a mark is its own kind.  0: the text ends. */
static char next_token(struct line *l, const char **at)
{
	bool comment = false;
	char kind;

	for (; l->p < l->end; l->p++) {
		comment = *l->p != '\n' && (comment || *l->p == '#');
		if (!comment && (!*l->p || !strchr(" \t\r\n\v\f", *l->p)))
			break;
		l->number += *l->p == '\n';
	}
	*at = l->p;
	if (l->p == l->end)
		return '\0';
	kind = *l->p++;
	if (kind == '"' || kind == '\'') {
		while (l->p < l->end && *l->p != kind && *l->p != '\n')
			l->p += *l->p == '\\' && l->p + 1 < l->end ? 2 : 1;
		return l->p < l->end && *l->p++ == kind ? '"' : '?';
	}
	while (is_word(kind) && l->p < l->end && is_word(*l->p))
		l->p++;
	return is_word(kind) ? 'a' : kind ? kind : '?';
}

/* Passes the rest of a message or list. */
static bool close_bracket(struct line *l)
{
	const char *at;
	char kind = ' ';

	for (size_t open = 1; open && kind && kind != '?';) {
		kind = next_token(l, &at);
		open += kind && strchr("{<[", kind);
		open -= kind && strchr("}>]", kind);
	}
	return kind && kind != '?';
}

/* Notes a field that is not checked, if it is new. */
static void leave_unchecked(struct tfr_schema *s, const char *name, size_t size)
{
	char key[WORD + 4];
	size_t n = strlen(s->unchecked);

	snprintf(key, sizeof(key), " %.*s,", (int)(size < WORD ? size : WORD), name);
	if (!strstr(s->unchecked, key) && n + sizeof(key) <= sizeof(s->unchecked))
		strcpy(s->unchecked + n, key);
}

static bool is_among(const char *word, const char *words)
{
	char key[2 * WORD + 2];

	snprintf(key, sizeof(key), " %s ", word);
	return *word && strstr(words, key);
}

/* The next byte of a string; -1: an unknown escape, such as \u. */
static int read_byte(const char **p)
{
	static const char from[] = "abfnrtv\\'\"?", to[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *found;
	int code = 0, n = 0, base, digit;

	if (*(*p)++ != '\\')
		return (uint8_t)(*p)[-1];
	found = **p ? strchr(from, **p) : NULL;
	if (found || **p == 'x' || **p == 'X')
		++*p;
	if (found)
		return to[found - from];
	base = (*p)[-1] == '\\' ? 8 : 16;
	for (; n < (base == 8 ? 3 : 2) && (digit = hex_digit((char)tolower((uint8_t) * *p))) >= 0 &&
		digit < base;
		n++, ++*p)
		code = base * code + digit;
	return n && code < 256 ? code : -1;
}

static enum tfr_status read_strings(struct rule *r, struct line strings, struct tfr_error *err)
{
	const char *at;
	int byte;

	while (next_token(&strings, &at))
		for (at++; at < strings.p - 1; r->name[r->size++] = (char)byte)
			if ((byte = read_byte(&at)) < 0)
				return wrong_line(&strings, err, "unknown escape in a name");
	return TFR_OK;
}

static bool set_count(struct count *c, const char *min, const char *max)
{
	const char *from = *min ? min : "0";

	snprintf(c->said, WORD, strcmp(from, max) ? "%s..%s" : "%s", from, max);
	return read_count(c);
}

/* Adds the rule of a feature that has been read. */
static enum tfr_status add_proto(
	struct tfr_schema *s, const struct line *l, const struct proto *f, struct tfr_error *err)
{
	static const char *const kinds[] = { "", " BYTES 1 ", " FLOAT 3 ", " INT 2 " };
	const char *shape = f->given[SHAPE] + (strlen(f->given[SHAPE]) > 2 ? 2 : 0),
		   *min_count = f->given[LEAST];
	const char *min = *shape ? shape : f->given[f->is_list ? MIN2 : MIN];
	const char *max = *shape ? shape : f->given[f->is_list ? MAX2 : MAX];
	char *rest;
	double fraction = tfr_text_f64(f->given[FRACTION], &rest);
	struct rule *r =
		new_rule(f->is_list ? &s->lists : &s->features, (size_t)(f->name.end - f->name.p));

	TFR_NEED_MEMORY(r, err, "reading a schema");
	for (int k = 1; k < 4; k++)
		r->kind = is_among(f->given[TYPE], kinds[k]) ? (enum tfr_kind)k : r->kind;
	if (!r->kind || !f->name.p || *rest)
		return wrong_line(l, err,
			"expected a feature with a name, a type INT, FLOAT or BYTES, "
			"and a min_fraction in digits");
	if ((f->counts && f->counts != 1u + f->is_list) || (f->is_list && *shape) ||
		!set_count(&r->values, min, max) ||
		!set_count(&r->steps, f->given[MIN], f->given[MAX]))
		return wrong_line(
			l, err, "expected one shape or value_count, or two value_counts of a list");
	r->required = fraction >= 1;
	if (fraction > 0 && !r->required)
		leave_unchecked(s, "min_fraction", 12);
	if (*min_count && !is_among(min_count, r->required ? " 0 1 " : " 0 "))
		leave_unchecked(s, "min_count", 9);
	return read_strings(r, f->name, err);
}

/* Keeps the value of a field, which ends at l->p; that of the size of a dimension is appended. */
static enum tfr_status keep_value(const struct line *l, struct proto *f, size_t field, char kind,
	const char *value, struct tfr_error *err)
{
	char *word = f->given[field + (field >= MIN && f->counts > 1 ? MIN2 - MIN : 0)];
	char *to = word + (field == SHAPE ? strlen(word) : 0);
	int room = (int)(word + WORD - to), n;

	if (*to || kind != (field == NAME ? '"' : 'a'))
		return wrong_line(l, err, "a field has two values, or one that it cannot have");
	n = snprintf(to, (size_t)room, "%.*s", (int)(l->p - value), value);
	if (field >= SHAPE &&
		(n >= room || strspn(to, "0123456789") < (size_t)n || (to[0] == '0' && to[1])))
		return wrong_line(l, err, "expected a decimal number");
	if (field == NAME)
		f->name = (struct line){ value, l->p, l->path, l->noun, l->number };
	return TFR_OK;
}

static enum tfr_status read_message(struct tfr_schema *s, struct line *l, const char *name,
	struct proto *f, struct tfr_error *err);

/* `of`: the struct of the feature; NULL: it has none. */
static enum tfr_status read_feature(
	struct tfr_schema *s, struct line *l, struct proto *of, struct tfr_error *err)
{
	static const char off[] = " PLANNED 1 ALPHA 2 DEPRECATED 5 DEBUG_ONLY 6 DISABLED 7 "
				  "VALIDATION_DERIVED 9 ";
	struct proto f = { .is_list = of != NULL };
	size_t unchecked = strlen(s->unchecked);

	if (of && of->is_list)
		return wrong_line(l, err, "a struct in a struct");
	if (of)
		of->is_struct = true;
	TFR_TRY(read_message(s, l, "feature", &f, err));
	if (is_among(f.given[STAGE], off) || is_among(f.given[OFF], " true True t 1 ")) {
		s->unchecked[unchecked] = '\0';
		return TFR_OK;
	}
	if (!f.is_struct && !is_among(f.given[TYPE], " STRUCT 4 "))
		return add_proto(s, l, &f, err);
	return of || strcmp(f.given[NAME] + 1, "##SEQUENCE##\"")
		       ? wrong_line(l, err, "a struct, which no record has")
		       : TFR_OK;
}

/* Reads a message whose fields are read; `path` is its name after that of the message it is in. */
static enum tfr_status enter_message(struct tfr_schema *s, struct line *l, const char *path,
	struct proto *f, struct tfr_error *err)
{
	size_t n = f ? strlen(f->given[SHAPE]) : 0;

	if (!strcmp(strchr(path, '.'), ".feature"))
		return read_feature(s, l, f, err);
	f->counts += is_among(path, " feature.shape feature.value_count value_counts.value_count ");
	if (!strcmp(path, "feature.shape"))
		strcpy(f->given[SHAPE], "1");
	else if (!strcmp(path, "shape.dim") && n + 1 < WORD)
		strcpy(f->given[SHAPE] + n, "x");
	return read_message(s, l, strchr(path, '.') + 1, f, err);
}

/* Reads the fields up to the end of a message in the feature; f NULL: of the Schema. */
static enum tfr_status read_message(struct tfr_schema *s, struct line *l, const char *name,
	struct proto *f, struct tfr_error *err)
{
	static const char bad_field[] = "expected a field: NAME: VALUE or NAME { ... }";
	char path[2 * WORD], kind;
	const char *at, *value, *more;
	struct line ahead;

	while ((kind = next_token(l, &at)) && !(f && (kind == '}' || kind == '>'))) {
		size_t size, i = 0;

		if (kind == ',' || kind == ';')
			continue;
		if (kind == '[' ? !close_bracket(l) : kind != 'a')
			return wrong_line(l, err, bad_field);
		size = (size_t)(l->p - at);
		snprintf(path, sizeof(path), "%s.%.*s", name, (int)size, at);
		kind = next_token(l, &value);
		if (kind == ':')
			kind = next_token(l, &value);
		for (ahead = *l; kind == '"' && next_token(&ahead, &more) == '"';)
			*l = ahead;
		while (i < FIELDS && strcmp(path, fields[i]))
			i++;
		kind = kind == '<' ? '{' : kind;
		if (is_among(path, messages)) {
			if (kind != '{')
				return wrong_line(l, err, bad_field);
			TFR_TRY(enter_message(s, l, path, f, err));
		} else if (i < FIELDS) {
			TFR_TRY(keep_value(l, f, i, kind, value, err));
		} else {
			if (!is_among(path, " schema.annotation feature.annotation dim.name "))
				leave_unchecked(s, at, size);
			if (kind == '{' || kind == '[' ? !close_bracket(l)
						       : kind != 'a' && kind != '"')
				return wrong_line(l, err, bad_field);
		}
	}
	return f && !kind ? wrong_line(l, err, "the text ends inside a message") : TFR_OK;
}

/* Whether the text begins with a field, and not with a word of a line. */
static bool is_proto(struct line l)
{
	const char *at;
	char kind = next_token(&l, &at) == 'a' ? next_token(&l, &at) : '\0';

	return kind && strchr(":{<", kind);
}

/* --- all forms --- */

static enum tfr_status read_rules(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct line all = { text, text + size, path, "line", 1 };
	size_t blanks = 0;

	while (blanks < size && text[blanks] && strchr(" \t\r\n", text[blanks]))
		blanks++;
	if (blanks < size && text[blanks] == '{')
		TFR_TRY(read_json(s, path, text + blanks, size - blanks, err));
	else if (is_proto(all))
		TFR_TRY(read_message(s, &all, "schema", NULL, err));
	else
		TFR_TRY(read_lines(s, all, err));
	TFR_TRY(sort_rules(&s->features, path, "", err));
	return sort_rules(&s->lists, path, "feature list ", err);
}

enum tfr_status tfr_schema_parse(struct tfr_schema **out, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct tfr_schema *s = calloc(1, sizeof(*s));
	enum tfr_status status;

	TFR_NEED_MEMORY(s, err, "reading a schema");
	status = read_rules(s, path, text, size, err);
	if (status)
		tfr_schema_close(s);
	else
		*out = s;
	return status;
}

enum tfr_status tfr_schema_open(struct tfr_schema **out, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };

	TFR_TRY(tfr_source_read_file(path, FILE_MAX, &text, "reading a schema", err));
	if (text.size > FILE_MAX)
		return tfr_fail(err, TFR_EUSAGE, "schema '%s' is larger than 64 MiB", path);
	return tfr_schema_parse(out, path, (const char *)text.data, text.size, err);
}

/* --- checking --- */

/* The record being checked, and the receiver of its findings. */
struct held {
	const struct tfr_schema *schema;
	const struct tfr_example *example;
	struct tfr_lists *lists; /* NULL: the record has none */
	tfr_schema_found *found;
	void *ctx;
	struct tfr_error *err;
	char what[160]; /* the fault found last */
};

static bool count_fits(const struct count *c, uint64_t n)
{
	return c->min <= n && n <= c->max;
}

/* Whether values violate their rule; h->what then says how.  `step` is "" for those of a feature,
 * otherwise the words for a step. */
static bool values_fault(
	struct held *h, const struct rule *r, const struct tfr_feature *f, const char *step)
{
	char counted[TFR_COUNTED_TEXT];

	if (f->kind != r->kind) {
		snprintf(h->what, sizeof(h->what), "%s%sof kind %s, where the schema has %s", step,
			*step ? " is " : "", tfr_kind_name(f->kind), tfr_kind_name(r->kind));
		return true;
	}
	if (count_fits(&r->values, f->count))
		return false;
	snprintf(h->what, sizeof(h->what), "%s%s%s, where the schema has %s", step,
		*step ? " has " : "", tfr_format_counted(f->count, "value", counted),
		r->values.said);
	return true;
}

/* `f` NULL: the record lacks it. */
static bool feature_fault(struct held *h, const struct rule *r, const struct tfr_feature *f)
{
	if (f && f->kind)
		return values_fault(h, r, f, "");
	snprintf(h->what, sizeof(h->what), "absent, and the schema requires it");
	return r->required;
}

/* The same for a list; a step without a kind is never a fault. */
static enum tfr_status list_fault(
	struct held *h, const struct rule *r, const struct tfr_feature_list *list, bool *fault)
{
	char counted[TFR_COUNTED_TEXT], step[48];
	struct tfr_feature f;
	struct tfr_steps steps;

	if (!list) {
		snprintf(h->what, sizeof(h->what),
			"a feature list that is absent, and the schema requires it");
		*fault = r->required;
		return TFR_OK;
	}
	snprintf(h->what, sizeof(h->what), "a feature list of %s, where the schema has %s",
		tfr_format_counted(list->steps, "step", counted), r->steps.said);
	*fault = !count_fits(&r->steps, list->steps);
	tfr_steps_init(&steps, list);
	for (uint64_t n = 0; !*fault; n++) {
		enum tfr_status status = tfr_steps_next(&steps, h->lists, &f, h->err);

		if (status)
			return status == TFR_END ? TFR_OK : status;
		snprintf(step, sizeof(step), "step %llu of the list", (unsigned long long)n);
		*fault = f.kind && values_fault(h, r, &f, step);
	}
	return TFR_OK;
}

/* Walks over the rules and, in parallel, over the features or feature lists of the record. */
static enum tfr_status hold_to_rules(struct held *h, bool of_lists)
{
	const struct rules *rules = of_lists ? &h->schema->lists : &h->schema->features;
	size_t n = !of_lists  ? tfr_example_count(h->example)
		   : h->lists ? tfr_lists_count(h->lists)
			      : 0;

	for (size_t i = 0, k = 0; i < rules->n || k < n;) {
		const struct rule *r = i < rules->n ? &rules->at[i] : NULL;
		const struct tfr_feature *f =
			k < n && !of_lists ? tfr_example_at(h->example, k) : NULL;
		const struct tfr_feature_list *l =
			k < n && of_lists ? tfr_lists_at(h->lists, k) : NULL;
		struct tfr_bytes name = { 0 };
		bool fault;
		int c;

		if (f)
			name = (struct tfr_bytes){ (const uint8_t *)f->key, f->key_size };
		if (l)
			name = (struct tfr_bytes){ (const uint8_t *)l->key, l->key_size };
		c = !r	     ? 1
		    : k == n ? -1
			     : tfr_compare_bytes(r->name, r->size, name.data, name.size);
		i += c <= 0;
		k += c >= 0;
		fault = c > 0 && h->schema->only;
		if (fault)
			snprintf(h->what, sizeof(h->what), "%snot in the schema",
				of_lists ? "a feature list that is " : "");
		else if (c <= 0 && of_lists)
			TFR_TRY(list_fault(h, r, c ? NULL : l, &fault));
		else if (c <= 0)
			fault = feature_fault(h, r, c ? NULL : f);
		if (c < 0)
			name = (struct tfr_bytes){ (const uint8_t *)r->name, r->size };
		if (fault)
			TFR_TRY(h->found(h->ctx, &name, h->what, h->err));
	}
	return TFR_OK;
}

const char *tfr_schema_unchecked(const struct tfr_schema *s)
{
	return s->unchecked;
}

bool tfr_schema_of_lists(const struct tfr_schema *s)
{
	return s->lists.n || s->only;
}

enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err)
{
	struct held h = { s, ex, lists, found, ctx, err, "" };

	TFR_TRY(hold_to_rules(&h, false));
	return hold_to_rules(&h, true);
}
