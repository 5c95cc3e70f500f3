/* convert/list/json_line.c - one pass over a line, without a copy of its texts.
 *
 * Every function takes a position and returns the one after what it read, or NULL for a fault.  The
 * scanner accepts what json-c accepts with strict rules: half a surrogate pair becomes U+FFFD, and
 * texts may have control characters.  json-c itself reads only the lines that have a fault, to
 * describe it. */
#include "convert/list/json_line.h"

#include <assert.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <json-c/json.h>
#include <tfr-private/text.h>

#include "base/utf8.h"
#include "convert/number_text.h"

enum { DEPTH = 32 }; /* of arrays and objects */

struct scan {
	struct tfr_json_line *line;
	const char *end;
	unsigned depth; /* of the values at hand */
	unsigned inner; /* objects in arrays around them */
	bool no_memory;
};

/* An object that is being read: its place, and which of its members give it a meaning. */
struct object {
	uint32_t parent, number;
	size_t n;    /* members */
	size_t text; /* the token of "base64", if that is a text; SIZE_MAX */
	bool bytes, type;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* The position after `c` and the blanks around it. */
static const char *expect(const char *p, const char *end, char c)
{
	p = skip_blanks(p, end);
	return p < end && *p == c ? skip_blanks(p + 1, end) : NULL;
}

/* ---- texts ---- */

/* The first quote, backslash or NUL. */
static inline const char *end_of_plain(const char *p, const char *end)
{
#if defined(__SSE2__)
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
		      nul = _mm_setzero_si128();

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i found = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
			_mm_cmpeq_epi8(v, nul));
		unsigned mask = (unsigned)_mm_movemask_epi8(found);

		if (mask)
			return p + __builtin_ctz(mask);
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && *p)
		p++;
	return p;
}

static const char *four_hex(const char *p, const char *end, uint32_t *code)
{
	uint32_t v = 0;

	if (end - p < 4)
		return NULL;
	for (int i = 0; i < 4; i++, p++) {
		char c = *p, low = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (uint32_t)(low - 'a' + 10);
		else
			return NULL;
	}
	*code = v;
	return p;
}

/* A character by its number.  Half a surrogate pair is U+FFFD. */
static const char *read_code(const char *p, const char *end, char **out)
{
	enum { REPLACEMENT = 0xfffd };
	const char *second;
	uint32_t code, low;

	p = four_hex(p, end, &code);
	if (!p)
		return NULL;
	if (code >= 0xd800 && code < 0xdc00) {
		second = end - p > 2 && p[0] == '\\' && p[1] == 'u' ? four_hex(p + 2, end, &low)
								    : NULL;
		if (second && low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			p = second;
		}
	}
	*out += tfr_utf8_put((uint8_t *)*out, code >= 0xd800 && code < 0xe000 ? REPLACEMENT : code);
	return p;
}

/* What follows a backslash. */
static const char *read_escape(const char *p, const char *end, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (p == end || !*p)
		return NULL;
	if (*p == 'u')
		return read_code(p + 1, end, out);
	found = strchr(from, *p);
	if (!found)
		return NULL;
	*(*out)++ = to[found - from];
	return p + 1;
}

/* The rest of a text from its first escape on.  line->text has room for a complete line: an escape
 * is longer than its character. */
static const char *read_escaped(
	struct scan *s, const char *start, const char *p, const char **text, size_t *size)
{
	struct tfr_buf *to = &s->line->text;
	char *begin = (char *)to->data + to->size, *out = begin;

	for (;;) {
		memcpy(out, start, (size_t)(p - start));
		out += p - start;
		if (p == s->end || (*p != '"' && *p != '\\'))
			return NULL;
		if (*p == '"')
			break;
		start = read_escape(p + 1, s->end, &out);
		if (!start)
			return NULL;
		p = end_of_plain(start, s->end);
	}
	*text = begin;
	*size = (size_t)(out - begin);
	to->size += *size;
	assert(to->size <= to->cap);
	return p + 1;
}

/* A text whose opening quote is before `p`. */
static inline const char *read_text(struct scan *s, const char *p, const char **text, size_t *size)
{
	const char *end = end_of_plain(p, s->end);

	if (end == s->end || *end != '"')
		return end == s->end ? NULL : read_escaped(s, p, end, text, size);
	*text = p;
	*size = (size_t)(end - p);
	return end + 1;
}

/* ---- values ---- */

static const char *read_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n) ? p + n : NULL;
}

bool tfr_token_is_integer(const struct tfr_token *t)
{
	if (t->scanned)
		return tfr_scanned_is_integer(&t->number);
	for (size_t i = *t->text == '-'; i < t->size; i++)
		if (t->text[i] < '0' || t->text[i] > '9')
			return false;
	return true;
}

/* A positive integer that is not 0 has no leading zeros. */
static bool has_zeros(const struct tfr_token *t)
{
	size_t zeros = 0;

	while (zeros < t->size && t->text[zeros] == '0')
		zeros++;
	return zeros && zeros < t->size && tfr_token_is_integer(t);
}

static const char *read_number(const struct scan *s, const char *p, struct tfr_token *t)
{
	bool minus = *p == '-';

	t->text = p;
	if (!minus && (*p < '0' || *p > '9')) {
		p = *p == 'N' ? read_word(p, s->end, "NaN") : read_word(p, s->end, "Infinity");
	} else {
		p = tfr_decimal_scan(p, s->end, &t->number);
		t->scanned = p;
		if (!p)
			p = tfr_decimal_end(t->text, s->end);
		if (!p && minus)
			p = read_word(t->text + 1, s->end, "Infinity");
	}
	if (!p)
		return NULL;
	t->size = (size_t)(p - t->text);
	return *t->text == '0' && t->size > 1 && has_zeros(t) ? NULL : p;
}

static const char *read_scalar(struct scan *s, const char *p, struct tfr_token *t)
{
	t->size = 0;
	t->scanned = false;
	switch (*p) {
	case '"':
		t->type = TFR_TOKEN_TEXT;
		return read_text(s, p + 1, &t->text, &t->size);
	case 't':
		t->type = TFR_TOKEN_BOOL;
		t->truth = true;
		return read_word(p, s->end, "true");
	case 'f':
		t->type = TFR_TOKEN_BOOL;
		t->truth = false;
		return read_word(p, s->end, "false");
	case 'n':
		t->type = TFR_TOKEN_NULL;
		return read_word(p, s->end, "null");
	default:
		t->type = TFR_TOKEN_NUMBER;
		return read_number(s, p, t);
	}
}

/* ---- arrays and objects ---- */

static size_t token_count(const struct tfr_json_line *l)
{
	return l->tokens_.size / sizeof(struct tfr_token);
}

/* A new token at the end; NULL: out of memory. */
static struct tfr_token *add_token(struct scan *s)
{
	struct tfr_buf *tokens = &s->line->tokens_;
	struct tfr_token *t;

	if (!tfr_buf_reserve(tokens, sizeof(*t))) {
		s->no_memory = true;
		return NULL;
	}
	t = (struct tfr_token *)(void *)(tokens->data + tokens->size);
	tokens->size += sizeof(*t);
	return t;
}

static struct tfr_token *token_at(const struct scan *s, size_t i)
{
	assert(i < token_count(s->line));
	return (struct tfr_token *)(void *)s->line->tokens_.data + i;
}

/* What an object is.  {"base64": TEXT} has no features. */
static struct tfr_token token_of(const struct scan *s, const struct object *o)
{
	struct tfr_token t = { .type = TFR_TOKEN_OBJECT };

	if (o->n == 1 && o->text != SIZE_MAX) {
		t = *token_at(s, o->text);
		t.type = TFR_TOKEN_BASE64;
	} else if (o->bytes && o->type) {
		t.type = TFR_TOKEN_DESCRIBED;
	}
	return t;
}

static const char *read_members(struct scan *s, const char *p, struct object *o);
static const char *read_elements(struct scan *s, const char *p, size_t *n);

/* Removes the members from the first on, which were those of {"base64": TEXT}. */
static void remove_members(struct tfr_json_line *l, size_t first)
{
	l->n = first;
	l->members_.size = first * sizeof(struct tfr_json_member);
	l->objects--;
}

/* An array or an object in an array, after its bracket. */
static const char *read_nested(struct scan *s, const char *p, size_t at, bool list)
{
	struct tfr_token t = { .type = TFR_TOKEN_LIST };
	struct object o = { .number = s->line->objects, .text = SIZE_MAX };
	size_t members = s->line->n, n = 0;

	if (list) {
		p = read_elements(s, p, &n);
	} else {
		s->inner++;
		p = read_members(s, p, &o);
		s->inner--;
		t = p ? token_of(s, &o) : t;
		if (t.type == TFR_TOKEN_BASE64)
			remove_members(s->line, members);
	}
	s->line->tokens_.size = (at + 1) * sizeof(struct tfr_token);
	*token_at(s, at) = t;
	return p;
}

/* The elements of an array, after its bracket. */
static const char *read_elements(struct scan *s, const char *p, size_t *n)
{
	p = skip_blanks(p, s->end);
	if (p < s->end && *p == ']')
		return p + 1;
	if (++s->depth == DEPTH)
		return NULL;
	while (p < s->end) {
		size_t at = token_count(s->line);
		struct tfr_token *t = add_token(s);

		if (!t)
			return NULL;
		p = *p == '[' || *p == '{' ? read_nested(s, p + 1, at, *p == '[')
					   : read_scalar(s, p, t);
		++*n;
		p = p ? skip_blanks(p, s->end) : s->end;
		if (p == s->end || (*p != ',' && *p != ']'))
			return NULL;
		if (*p == ']') {
			s->depth--;
			return p + 1;
		}
		p = skip_blanks(p + 1, s->end);
	}
	return NULL;
}

static bool add_member(struct scan *s, const struct tfr_json_member *m)
{
	s->no_memory = !tfr_buf_append(&s->line->members_, m, sizeof(*m));
	s->line->n += !s->no_memory;
	return !s->no_memory;
}

/* An object that is the value of a member: {"base64": TEXT} and a description are values. */
static const char *read_object(struct scan *s, const char *p, struct tfr_json_member *m)
{
	size_t index = s->line->n;
	struct object o = { (uint32_t)index + 1, s->line->objects, 0, SIZE_MAX, false, false };
	struct tfr_token t, *value;

	m->form = s->inner ? TFR_MEMBER_INNER : TFR_MEMBER_OBJECT;
	if (!add_member(s, m))
		return NULL;
	p = read_members(s, p, &o);
	if (!p)
		return NULL;
	t = token_of(s, &o);
	if (t.type == TFR_TOKEN_OBJECT)
		return p;
	if (t.type == TFR_TOKEN_BASE64)
		remove_members(s->line, index + 1);
	for (size_t i = index + 1; i < s->line->n; i++)
		tfr_json_line_members(s->line)[i].form = TFR_MEMBER_INNER;
	value = add_token(s);
	if (!value)
		return NULL;
	*value = t;
	m->first = token_count(s->line) - 1;
	m->n = 1;
	m->form = s->inner ? TFR_MEMBER_INNER : TFR_MEMBER_VALUE;
	tfr_json_line_members(s->line)[index] = *m;
	return p;
}

static bool is_called(const struct tfr_json_member *m, const char *name)
{
	return m->size == strlen(name) && !memcmp(m->name, name, m->size);
}

/* Notes a member of an object whose meaning depends on its members. */
static void note_member(
	const struct scan *s, struct object *o, const struct tfr_json_member *m, bool scalar)
{
	const struct tfr_token *t = scalar ? token_at(s, m->first) : NULL;
	int64_t value;

	if (t && t->type == TFR_TOKEN_TEXT && is_called(m, "base64"))
		o->text = m->first;
	o->bytes |= t && t->type == TFR_TOKEN_NUMBER && is_called(m, "bytes") && t->scanned &&
		    tfr_scanned_is_integer(&t->number) && tfr_scanned_int64(&t->number, &value);
	o->type |= is_called(m, "type");
}

static const char *read_value(struct scan *s, const char *p, struct tfr_json_member *m)
{
	struct tfr_token *t;

	if (*p == '[') {
		m->form = TFR_MEMBER_ARRAY;
		return read_elements(s, p + 1, &m->n);
	}
	t = add_token(s);
	m->n = 1;
	return t ? read_scalar(s, p, t) : NULL;
}

static const char *read_member(struct scan *s, const char *p, struct object *o)
{
	struct tfr_json_member m = { .first = token_count(s->line),
		.parent = o->parent,
		.object = o->number,
		.column = SIZE_MAX };
	bool scalar;

	if (p == s->end || *p != '"')
		return NULL;
	p = read_text(s, p + 1, &m.name, &m.size);
	p = p ? expect(p, s->end, ':') : NULL;
	if (!p || p == s->end)
		return NULL;
	scalar = *p != '[' && *p != '{';
	if (*p == '{') {
		p = read_object(s, p + 1, &m);
	} else {
		p = read_value(s, p, &m);
		m.form = s->inner ? TFR_MEMBER_INNER : m.form;
		if (p && !add_member(s, &m))
			return NULL;
	}
	if (p && s->depth > 1)
		note_member(s, o, &m, scalar);
	o->n++;
	return p ? skip_blanks(p, s->end) : NULL;
}

/* The members of an object, after its brace. */
static const char *read_members(struct scan *s, const char *p, struct object *o)
{
	s->line->objects++;
	p = skip_blanks(p, s->end);
	if (p < s->end && *p == '}')
		return p + 1;
	if (++s->depth == DEPTH)
		return NULL;
	while ((p = read_member(s, p, o)) && p < s->end && *p == ',')
		p = skip_blanks(p + 1, s->end);
	s->depth--;
	return p && p < s->end && *p == '}' ? p + 1 : NULL;
}

/* ---- lines ---- */

/* Whether each first byte of a character has as many others after it as it announces.  That is
 * less than UTF-8 asks for. */
static bool looks_like_utf8(const char *text, size_t size)
{
	unsigned more = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (more && (c & 0xc0) != 0x80)
			return false;
		if (more)
			more--;
		else if (c >= 0x80)
			more = (c & 0xe0) == 0xc0   ? 1
			       : (c & 0xf0) == 0xe0 ? 2
			       : (c & 0xf8) == 0xf0 ? 3
						    : 4;
		if (more == 4)
			return false;
	}
	return true;
}

/* Lets json-c say what is wrong with a line. */
static enum tfr_status describe(const char *line, size_t size, struct tfr_error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
	enum json_tokener_error why;
	struct json_object *row;
	bool object;
	size_t end;

	TFR_NEED_MEMORY(tokener, err, "reading a list");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	row = json_tokener_parse_ex(tokener, line, (int)size);
	why = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	object = json_object_is_type(row, json_type_object);
	json_object_put(row);
	json_tokener_free(tokener);
	if (why == json_tokener_continue)
		return tfr_fail(err, TFR_EDATA, "the JSON is cut short at byte %zu", size);
	if (why != json_tokener_success)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: %s", end,
			json_tokener_error_desc(why));
	end = (size_t)(skip_blanks(line + end, line + size) - line);
	if (end < size)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: the object has ended", end);
	return tfr_fail(err, TFR_EDATA, object ? "no JSON" : "not a JSON object");
}

/* Whether a name has a NUL byte, which only an escape makes. */
static bool has_nul(const struct tfr_json_line *l)
{
	const struct tfr_json_member *members = tfr_json_line_members(l);

	for (size_t i = 0; l->text.size && i < l->n; i++)
		if (memchr(members[i].name, '\0', members[i].size))
			return true;
	return false;
}

enum tfr_status tfr_json_line_scan(
	struct tfr_json_line *l, const char *line, size_t size, struct tfr_error *err)
{
	struct scan s = { .line = l };
	struct object row = { .text = SIZE_MAX };
	const char *p;

	l->members_.size = l->tokens_.size = l->text.size = l->n = l->objects = 0;
	while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
		size--;
	s.end = line + size;
	/* `tokens_` too is memory then, to which the offset of an empty array may be added. */
	if (!tfr_buf_reserve(&l->text, size) || !tfr_buf_reserve(&l->tokens_, 1))
		return tfr_fail_nomem(err, "reading a list");
	p = expect(line, s.end, '{');
	p = p ? read_members(&s, p, &row) : NULL;
	if (s.no_memory)
		return tfr_fail_nomem(err, "reading a list");
	if (!p || skip_blanks(p, s.end) < s.end ||
		(!tfr_is_utf8(line, size) && !looks_like_utf8(line, size)))
		return describe(line, size, err);
	return has_nul(l) ? tfr_fail(err, TFR_EDATA, "a name with a NUL byte in it") : TFR_OK;
}

void tfr_json_line_clear(struct tfr_json_line *l)
{
	tfr_buf_clear(&l->members_);
	tfr_buf_clear(&l->tokens_);
	tfr_buf_clear(&l->text);
	*l = (struct tfr_json_line){ 0 };
}
