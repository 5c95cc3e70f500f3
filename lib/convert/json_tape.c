/* convert/json_tape.c - one pass over a text.
 *
 * Every function of the scanner takes a position and returns the one after what it read, or NULL
 * for a fault, which it has described. */
#include "convert/json_tape.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tfr-private/text.h>

#include "base/utf8.h"
#include "convert/number_text.h"

enum { DEPTH = 32 };

struct scan {
	struct tfr_tape *tape;
	const char *end;
	const char *checked; /* all characters before it are known to be well-formed */
	const char *fault_at;
	unsigned depth; /* the limit */
	unsigned level;
	bool no_memory, nul;
};

static const char *fail(struct scan *s, const char *at, const char *fault)
{
	s->tape->fault = fault;
	s->fault_at = at;
	return NULL;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

const char *tfr_json_mark(const char *p, const char *end)
{
#if defined(__SSE2__)
	/* With the bit of lower case, brackets are braces and a backslash is a bar. */
	const __m128i lower = _mm_set1_epi8(0x20), brace = _mm_set1_epi8('{'),
		      two = _mm_set1_epi8(2), bar = _mm_set1_epi8('|'), quote = _mm_set1_epi8('"');

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i above = _mm_sub_epi8(_mm_or_si128(v, lower), brace);
		__m128i marks = _mm_cmpeq_epi8(_mm_min_epu8(above, two), above);
		unsigned mask;

		marks = _mm_or_si128(
			_mm_andnot_si128(_mm_cmpeq_epi8(v, bar), marks), _mm_cmpeq_epi8(v, quote));
		mask = (unsigned)_mm_movemask_epi8(marks);
		if (mask)
			return p + __builtin_ctz(mask);
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && *p != '[' && *p != ']' && *p != '{' &&
		*p != '}')
		p++;
	return p;
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

static const char wrong_escape[] = "an invalid escape";

static const char *four_hex(struct scan *s, const char *p, uint32_t *code)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++, p++) {
		char c = p < s->end ? *p : 0, low = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (uint32_t)(low - 'a' + 10);
		else
			return fail(s, p, wrong_escape);
	}
	*code = v;
	return p;
}

/* A character by its number.  Half a surrogate pair is U+FFFD. */
static const char *read_code(struct scan *s, const char *p, char **out)
{
	enum { REPLACEMENT = 0xfffd };
	const char *second;
	uint32_t code, low;

	p = four_hex(s, p, &code);
	if (!p)
		return NULL;
	if (code >= 0xd800 && code < 0xdc00 && s->end - p > 2 && p[0] == '\\' && p[1] == 'u') {
		second = four_hex(s, p + 2, &low);
		if (!second)
			return NULL;
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			p = second;
		}
	}
	*out += tfr_utf8_put((uint8_t *)*out, code >= 0xd800 && code < 0xe000 ? REPLACEMENT : code);
	return p;
}

/* What follows a backslash. */
static const char *read_escape(struct scan *s, const char *p, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found = p < s->end && *p ? strchr(from, *p) : NULL;

	if (p < s->end && *p == 'u')
		return read_code(s, p + 1, out);
	if (!found)
		return fail(s, p, wrong_escape);
	*(*out)++ = to[found - from];
	return p + 1;
}

/* The rest of a text from its first escape on.  tape->text has room for the complete text: an
 * escape is longer than its character. */
static const char *read_escaped(
	struct scan *s, const char *start, const char *p, struct tfr_token *t)
{
	struct tfr_buf *to = &s->tape->text;
	char *begin = (char *)to->data + to->size, *out = begin;

	for (;;) {
		memcpy(out, start, (size_t)(p - start));
		out += p - start;
		if (p == s->end || !*p)
			return fail(s, p, "a NUL byte in a text");
		if (*p == '"')
			break;
		start = read_escape(s, p + 1, &out);
		if (!start)
			return NULL;
		p = end_of_plain(start, s->end);
	}
	t->text = begin;
	t->size = (uint32_t)(out - begin);
	to->size += t->size;
	assert(to->size <= to->cap);
	return p + 1;
}

/* A text whose opening quote is before `p`. */
static inline const char *read_text(struct scan *s, const char *p, struct tfr_token *t)
{
	const char *end = end_of_plain(p, s->end);

	if (end == s->end || *end != '"')
		return read_escaped(s, p, end, t);
	t->text = p;
	t->size = (uint32_t)(end - p);
	return end + 1;
}

/* ---- values ---- */

static const char *read_word(struct scan *s, const char *p, const char *word)
{
	for (; *word; word++, p++)
		if (p == s->end || *p != *word)
			return fail(s, p, "expected a value");
	return p;
}

/* A positive integer that is not 0 has no leading zeros. */
static bool has_zeros(const struct tfr_token *t)
{
	size_t zeros = 0;

	while (zeros < t->size && t->text[zeros] == '0')
		zeros++;
	return zeros && zeros < t->size && tfr_token_is_integer(t);
}

static const char *read_number(struct scan *s, const char *p, struct tfr_token *t)
{
	const char *end = tfr_decimal_scan(p, s->end, &t->number);

	if (!end) { /* too long, or none */
		t->number = (struct tfr_scanned){ 0 };
		end = tfr_decimal_end(p, s->end);
	}
	if (!end && s->end - p > 1 && p[1] == 'I')
		end = read_word(s, p, "-Infinity");
	else if (!end) {
		while (p < s->end && *p && strchr("+-.0123456789eE", *p))
			p++;
		fail(s, p, "expected a digit");
	}
	if (!end)
		return NULL;
	t->size = (uint32_t)(end - p);
	return *p == '0' && t->size > 1 && has_zeros(t) ? fail(s, end, "a zero before other digits")
							: end;
}

static const char *read_scalar(struct scan *s, const char *p, struct tfr_token *t)
{
	t->text = p;
	t->type = TFR_TOKEN_NUMBER;
	switch (*p) {
	case '"':
		t->type = TFR_TOKEN_TEXT;
		return read_text(s, p + 1, t);
	case 't':
	case 'f':
		t->type = TFR_TOKEN_BOOL;
		t->truth = *p == 't';
		p = read_word(s, p, t->truth ? "true" : "false");
		break;
	case 'n':
		t->type = TFR_TOKEN_NULL;
		p = read_word(s, p, "null");
		break;
	case 'N':
	case 'I':
		t->number = (struct tfr_scanned){ 0 };
		p = read_word(s, p, *p == 'N' ? "NaN" : "Infinity");
		break;
	default:
		return *p == '-' || (*p >= '0' && *p <= '9') ? read_number(s, p, t)
							     : fail(s, p, "expected a value");
	}
	t->size = p ? (uint32_t)(p - t->text) : 0;
	return p;
}

/* ---- characters ---- */

static const char *skip_ascii(const char *p, const char *end)
{
#if defined(__SSE2__)
	while (end - p >= 16 &&
		!_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)p)))
		p += 16;
#endif
	while (p < end && (unsigned char)*p < 0x80)
		p++;
	return p;
}

/* Checks the text up to `end`: each first byte of a character must have as many others after it as
 * it announces.  That is less than UTF-8 asks for. */
static const char *check_characters(struct scan *s, const char *end)
{
	const char *p = s->checked;

	while ((p = skip_ascii(p, end)) < end) {
		const char *first = p;
		unsigned char c = (unsigned char)*p++;
		unsigned more = (c & 0xe0) == 0xc0   ? 1
				: (c & 0xf0) == 0xe0 ? 2
				: (c & 0xf8) == 0xf0 ? 3
						     : 4;

		for (; more < 4 && more && p < end && ((unsigned char)*p & 0xc0) == 0x80; p++)
			more--;
		if (more)
			return fail(s, first, "invalid UTF-8");
	}
	s->checked = end;
	return end;
}

/* ---- arrays and objects ---- */

/* A new token at the end; NULL: out of memory. */
static inline struct tfr_token *add_token(struct scan *s)
{
	struct tfr_buf *tokens = &s->tape->tokens_;

	if (tokens->cap - tokens->size < sizeof(struct tfr_token) &&
		!tfr_buf_reserve(tokens, sizeof(struct tfr_token))) {
		s->no_memory = true;
		return NULL;
	}
	tokens->size += sizeof(struct tfr_token);
	return tfr_tape_root(s->tape) + s->tape->n++;
}

/* The comma or the bracket after a value, whose brackets match; NULL: it has no end. */
static const char *pass_value(const char *p, const char *end)
{
	for (unsigned depth = 0; p < end; p++) {
		p = depth ? tfr_json_mark(p, end) : p;
		if (p == end || (!depth && (*p == ',' || *p == ']' || *p == '}')))
			break;
		if (*p == '"')
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		else if (*p == '[' || *p == '{')
			depth++;
		else if (*p == ']' || *p == '}')
			depth--;
	}
	return p < end ? p : NULL;
}

static const char *skip_value(struct scan *s, const char *p)
{
	struct tfr_token *t = add_token(s);
	const char *end = t ? pass_value(p, s->end) : NULL;

	if (!t || !check_characters(s, p))
		return NULL;
	if (!end || end == p)
		return fail(s, end ? end : s->end, "expected a value");
	*t = (struct tfr_token){ TFR_TOKEN_SKIPPED, (uint32_t)(end - p), p, { 0 } };
	s->checked = end;
	return end;
}

static bool has_text(const struct tfr_token *t, const char *text)
{
	size_t n = strlen(text);

	return t->size == n && !memcmp(t->text, text, n);
}

/* A name and the colon after it; *skip: its value is to be skipped. */
static const char *read_name(struct scan *s, const char *p, bool *skip)
{
	struct tfr_token *t;

	if (p == s->end || *p != '"')
		return fail(s, p, "expected a name in quotes");
	t = add_token(s);
	if (!t)
		return NULL;
	t->type = TFR_TOKEN_TEXT;
	p = read_text(s, p + 1, t);
	if (!p)
		return NULL;
	/* Only an escape makes a NUL. */
	s->nul |= p - 1 != t->text + t->size && memchr(t->text, '\0', t->size);
	*skip = s->level == 1 && s->tape->skipped && has_text(t, s->tape->skipped);
	p = skip_blanks(p, s->end);
	return p < s->end && *p == ':' ? skip_blanks(p + 1, s->end) : fail(s, p, "expected ':'");
}

static const char *read_nested(struct scan *s, const char *p);

static inline const char *read_value(struct scan *s, const char *p)
{
	struct tfr_token *t;

	if (p == s->end)
		return fail(s, p, "expected a value");
	if (*p == '[' || *p == '{')
		return read_nested(s, p);
	t = add_token(s);
	return t ? read_scalar(s, p, t) : NULL;
}

/* The elements of an array or the members of an object, after its bracket. */
static const char *read_children(struct scan *s, const char *p, char close, uint32_t *n)
{
	p = skip_blanks(p, s->end);
	if (p < s->end && *p == close)
		return p + 1;
	if (s->level + 1 == s->depth)
		return fail(s, p, "nested too deep");
	s->level++;
	for (;; p = skip_blanks(p + 1, s->end)) {
		bool skip = false;

		p = close == '}' ? read_name(s, p, &skip) : p;
		p = !p ? NULL : skip ? skip_value(s, p) : read_value(s, p);
		if (!p)
			return NULL;
		p = skip_blanks(p, s->end);
		++*n;
		if (p == s->end || *p != ',')
			break;
	}
	s->level--;
	if (p < s->end && *p == close)
		return p + 1;
	return fail(s, p, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
}

/* An array or an object. */
static const char *read_nested(struct scan *s, const char *p)
{
	size_t at = s->tape->n;
	const char *from = p;
	struct tfr_token *t = add_token(s);
	uint32_t n = 0;

	if (!t)
		return NULL;
	t->type = *p == '[' ? TFR_TOKEN_ARRAY : TFR_TOKEN_OBJECT;
	s->tape->objects += *p == '{';
	p = read_children(s, p + 1, *p == '[' ? ']' : '}', &n);
	if (!p)
		return NULL;
	t = tfr_tape_root(s->tape) + at;
	t->text = from;
	t->size = (uint32_t)(p - from);
	t->n = n;
	t->span = (uint32_t)(s->tape->n - at);
	return p;
}

/* A scan of `text` from text[at] on, with a tape that is empty. */
static enum tfr_status begin(struct scan *s, struct tfr_tape *t, const char *text, size_t size,
	size_t at, struct tfr_error *err)
{
	*s = (struct scan){ .tape = t,
		.end = text + size,
		.checked = text + at,
		.depth = t->depth ? t->depth : DEPTH };
	t->tokens_.size = t->text.size = t->n = t->objects = 0;
	t->fault = NULL;
	if (size > INT32_MAX)
		return tfr_fail(err, TFR_EDATA, "JSON of 2 GiB or more");
	TFR_NEED_MEMORY(tfr_buf_reserve(&t->text, size), err, "reading JSON");
	return TFR_OK;
}

/* What became of it. */
static enum tfr_status finish(struct scan *s, const char *text, struct tfr_error *err)
{
	struct tfr_tape *t = s->tape;

	if (s->no_memory)
		return tfr_fail_nomem(err, "reading JSON");
	if (!t->fault && s->nul) {
		t->fault = "a name with a NUL byte in it";
		return tfr_fail(err, TFR_EDATA, "%s", t->fault);
	}
	if (!t->fault)
		return TFR_OK;
	if (s->fault_at == s->end)
		return tfr_fail(err, TFR_EDATA, "the JSON is cut short at byte %zu",
			(size_t)(s->end - text));
	return tfr_fail(
		err, TFR_EDATA, "no JSON at byte %zu: %s", (size_t)(s->fault_at - text), t->fault);
}

/* After the last value there are blanks. */
static void expect_end(struct scan *s, const char *p)
{
	p = skip_blanks(p, s->end);
	if (p < s->end)
		fail(s, p, "trailing bytes");
	else
		check_characters(s, s->end);
}

enum tfr_status tfr_tape_scan(
	struct tfr_tape *t, const char *text, size_t size, struct tfr_error *err)
{
	struct scan s;
	const char *p;

	TFR_TRY(begin(&s, t, text, size, 0, err));
	p = read_value(&s, skip_blanks(text, s.end));
	if (p && p == s.end && tfr_tape_root(t)->type < TFR_TOKEN_TEXT)
		fail(&s, p, "a value of which more may be missing");
	else if (p)
		expect_end(&s, p);
	return finish(&s, text, err);
}

enum tfr_status tfr_tape_element(
	struct tfr_tape *t, const char *text, size_t size, size_t *at, struct tfr_error *err)
{
	const bool first = !*at;
	bool ends = false;
	struct scan s;
	const char *p;

	TFR_TRY(begin(&s, t, text, size, *at, err));
	s.level = 1;
	p = skip_blanks(text + *at, s.end);
	if (p < s.end && *p == (first ? '[' : ',')) {
		p = skip_blanks(p + 1, s.end);
		ends = first && p < s.end && *p == ']';
	} else if (p < s.end && *p == ']' && !first)
		ends = true;
	else
		p = fail(&s, p, first ? "expected '['" : "expected ',' or ']'");
	if (ends)
		expect_end(&s, p + 1);
	else if (p)
		p = read_value(&s, p);
	if (p && !ends)
		check_characters(&s, p);
	*at = p ? (size_t)(p - text) : size;
	TFR_TRY(finish(&s, text, err));
	return ends ? TFR_END : TFR_OK;
}

void tfr_tape_clear(struct tfr_tape *t)
{
	tfr_buf_clear(&t->tokens_);
	tfr_buf_clear(&t->text);
	*t = (struct tfr_tape){ 0 };
}

/* ---- values of tokens ---- */

const struct tfr_token *tfr_token_member(const struct tfr_token *t, const char *name)
{
	const struct tfr_token *key = t + 1, *found = NULL;

	for (uint32_t i = 0; t->type == TFR_TOKEN_OBJECT && i < t->n; i++) {
		if (has_text(key, name))
			found = key + 1;
		key = tfr_token_next(key + 1);
	}
	return found;
}

bool tfr_token_is_name(const struct tfr_token *t)
{
	return t->type == TFR_TOKEN_TEXT && t->size && !memchr(t->text, '\0', t->size);
}

static bool is_scanned(const struct tfr_token *t)
{
	return t->number.before || t->number.after;
}

bool tfr_token_is_integer(const struct tfr_token *t)
{
	assert(t->type == TFR_TOKEN_NUMBER);
	if (is_scanned(t))
		return tfr_scanned_is_integer(&t->number);
	for (size_t i = *t->text == '-'; i < t->size; i++)
		if (t->text[i] < '0' || t->text[i] > '9')
			return false;
	return true;
}

bool tfr_token_int64(const struct tfr_token *t, int64_t *value)
{
	return t->type == TFR_TOKEN_NUMBER && tfr_token_is_integer(t) &&
	       (is_scanned(t) ? tfr_scanned_int64(&t->number, value)
			      : tfr_text_int64(t->text, t->size, value));
}

bool tfr_token_double(const struct tfr_token *t, double *value)
{
	int64_t whole;

	if (t->type != TFR_TOKEN_NUMBER)
		return false;
	if (is_scanned(t) && tfr_scanned_is_integer(&t->number) &&
		tfr_scanned_int64(&t->number, &whole))
		*value = (double)whole;
	else if (!is_scanned(t) && t->text[t->size - 1] > '9') /* NaN, Infinity */
		*value = *t->text == 'N' ? NAN : *t->text == '-' ? -INFINITY : INFINITY;
	else if (!is_scanned(t) || !tfr_scanned_f64(&t->number, value))
		*value = tfr_text_f64(t->text, NULL); /* the byte after a number ends it */
	return true;
}

bool tfr_token_whole(const struct tfr_token *t, int64_t *value)
{
	double d;

	if (t->type == TFR_TOKEN_NUMBER && tfr_token_is_integer(t))
		return tfr_token_int64(t, value) && *value != INT64_MAX && *value != INT64_MIN;
	if (!tfr_token_double(t, &d) || d != floor(d) || fabs(d) > 0x1p53)
		return false;
	*value = (int64_t)d;
	return true;
}
