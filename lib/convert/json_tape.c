/* convert/json_tape.c - one pass over a text.
 *
 * Every function of the scanner takes a position and returns the one after what it read, or NULL
 * for a fault.  json-c reads only the texts that have a fault, to describe it. */
#include "convert/json_tape.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <json-c/json.h>
#include <tfr-private/text.h>

#include "base/utf8.h"
#include "convert/number_text.h"

enum { DEPTH = 32 };

struct scan {
	struct tfr_tape *tape;
	const char *end;
	unsigned depth; /* the limit */
	unsigned level;
	bool no_memory, nul;
};

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
		if (p == s->end || (*p != '"' && *p != '\\'))
			return NULL;
		if (*p == '"')
			break;
		start = read_escape(p + 1, s->end, &out);
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
		return end == s->end ? NULL : read_escaped(s, p, end, t);
	t->text = p;
	t->size = (uint32_t)(end - p);
	return end + 1;
}

/* ---- values ---- */

static const char *read_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n) ? p + n : NULL;
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
	const char *word = *p == 'N' ? "NaN" : *p == '-' ? "-Infinity" : "Infinity";
	bool digits = *p == '-' || (*p >= '0' && *p <= '9');

	p = digits ? tfr_decimal_scan(p, s->end, &t->number) : NULL;
	if (!p) {
		t->number = (struct tfr_scanned){ 0 };
		p = digits ? tfr_decimal_end(t->text, s->end) : NULL;
		p = p ? p : read_word(t->text, s->end, word);
	}
	if (!p)
		return NULL;
	t->size = (uint32_t)(p - t->text);
	return *t->text == '0' && t->size > 1 && has_zeros(t) ? NULL : p;
}

static const char *read_scalar(struct scan *s, const char *p, struct tfr_token *t)
{
	t->text = p;
	switch (*p) {
	case '"':
		t->type = TFR_TOKEN_TEXT;
		return read_text(s, p + 1, t);
	case 't':
		t->type = TFR_TOKEN_BOOL;
		t->truth = true;
		t->size = 4;
		return read_word(p, s->end, "true");
	case 'f':
		t->type = TFR_TOKEN_BOOL;
		t->truth = false;
		t->size = 5;
		return read_word(p, s->end, "false");
	case 'n':
		t->type = TFR_TOKEN_NULL;
		t->size = 4;
		return read_word(p, s->end, "null");
	default:
		t->type = TFR_TOKEN_NUMBER;
		return read_number(s, p, t);
	}
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

/* The end of a text whose opening quote is at `p`: its closing quote. */
static const char *pass_text(const char *p, const char *end)
{
	do {
		p = end_of_plain(p + 1, end);
		if (end - p > 1 && *p == '\\')
			p++;
		else if (p < end && *p == '"')
			return p;
	} while (p < end);
	return NULL;
}

/* The comma or the bracket after a value, whose brackets match. */
static const char *pass_value(const char *p, const char *end)
{
	for (unsigned depth = 0; p < end; p++) {
		p = depth ? tfr_json_mark(p, end) : p;
		if (p == end || (*p == '"' && !(p = pass_text(p, end))))
			return NULL;
		if (!depth && (*p == ',' || *p == ']' || *p == '}'))
			return p;
		depth += *p == '[' || *p == '{';
		depth -= *p == ']' || *p == '}';
	}
	return NULL;
}

/* Whether the name whose opening quote is before `p` is that of the member to skip. */
static bool is_skipped(const struct scan *s, const char *p)
{
	size_t n = s->tape->skipped && !s->tape->skipped_at && s->level == 1
			   ? strlen(s->tape->skipped)
			   : 0;

	return n && (size_t)(s->end - p) > n && p[n] == '"' && !memcmp(p, s->tape->skipped, n);
}

static const char *skip_value(struct scan *s, const char *p)
{
	struct tfr_token *t = add_token(s);
	const char *end = t ? pass_value(p, s->end) : NULL;

	if (!end || end == p)
		return NULL;
	*t = (struct tfr_token){ TFR_TOKEN_SKIPPED, (uint32_t)(end - p), p, { 0 } };
	s->tape->skipped_at = p;
	s->tape->skipped_size = (size_t)(end - p);
	return end;
}

/* A name and the colon after it; *skip: its value is to be skipped. */
static const char *read_name(struct scan *s, const char *p, bool *skip)
{
	struct tfr_token *t;

	if (p == s->end || *p != '"' || !(t = add_token(s)))
		return NULL;
	*skip = is_skipped(s, ++p);
	t->type = TFR_TOKEN_TEXT;
	p = read_text(s, p, t);
	if (!p)
		return NULL;
	/* Only an escape makes a NUL. */
	s->nul |= p - 1 != t->text + t->size && memchr(t->text, '\0', t->size);
	p = skip_blanks(p, s->end);
	return p < s->end && *p == ':' ? skip_blanks(p + 1, s->end) : NULL;
}

static const char *read_nested(struct scan *s, const char *p);

static inline const char *read_value(struct scan *s, const char *p)
{
	struct tfr_token *t;

	if (p == s->end || *p == '[' || *p == '{')
		return p == s->end ? NULL : read_nested(s, p);
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
		return NULL;
	s->level++;
	for (;; p = skip_blanks(p + 1, s->end)) {
		bool skip = false;

		p = close == '}' ? read_name(s, p, &skip) : p;
		p = !p ? NULL : skip ? skip_value(s, p) : read_value(s, p);
		p = p ? skip_blanks(p, s->end) : s->end;
		++*n;
		if (p == s->end || *p != ',')
			break;
	}
	s->level--;
	return p < s->end && *p == close ? p + 1 : NULL;
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

/* ---- texts as a whole ---- */

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

/* Whether each first byte of a character has as many others after it as it announces.  That is
 * less than UTF-8 asks for. */
static bool is_text(const char *p, size_t size)
{
	const char *end = p + size;

	while ((p = skip_ascii(p, end)) < end) {
		unsigned char c = (unsigned char)*p++;
		unsigned more = (c & 0xe0) == 0xc0   ? 1
				: (c & 0xf0) == 0xe0 ? 2
				: (c & 0xf8) == 0xf0 ? 3
						     : 0;

		if (!more)
			return false;
		for (; more && p < end && ((unsigned char)*p & 0xc0) == 0x80; p++)
			more--;
		if (more)
			return false;
	}
	return true;
}

/* Whether all of a text but the skipped value is one. */
static bool is_all_text(const struct tfr_tape *t, const char *text, size_t size)
{
	const char *after = t->skipped_at ? t->skipped_at + t->skipped_size : text;

	return (!t->skipped_at || is_text(text, (size_t)(t->skipped_at - text))) &&
	       is_text(after, (size_t)(text + size - after));
}

static unsigned depth_of(const struct tfr_tape *t)
{
	return t->depth ? t->depth : DEPTH;
}

/* Lets json-c read the text, with a 0 in place of the skipped value; *end: how far it comes, for a
 * text without such a value. */
static enum json_tokener_error read_by_json_c(
	const struct tfr_tape *t, const char *text, size_t size, size_t *end)
{
	struct json_tokener *tokener = json_tokener_new_ex((int)depth_of(t));
	size_t first = t->skipped_at ? (size_t)(t->skipped_at - text) : size;
	enum json_tokener_error why = json_tokener_success;

	*end = size;
	if (!tokener)
		return why;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	json_object_put(json_tokener_parse_ex(tokener, text, (int)first));
	why = json_tokener_get_error(tokener);
	if (t->skipped_at && why == json_tokener_continue) {
		json_object_put(json_tokener_parse_ex(tokener, "0", 1));
		first += t->skipped_size;
		json_object_put(json_tokener_parse_ex(tokener, text + first, (int)(size - first)));
		why = json_tokener_get_error(tokener);
	}
	*end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	return why;
}

const char *tfr_tape_fault(const struct tfr_tape *t, const char *text, size_t size)
{
	size_t end;
	enum json_tokener_error why = read_by_json_c(t, text, size, &end);

	return why == json_tokener_success ? NULL : json_tokener_error_desc(why);
}

static enum tfr_status describe(
	const struct tfr_tape *t, const char *text, size_t size, struct tfr_error *err)
{
	size_t end;
	enum json_tokener_error why = read_by_json_c(t, text, size, &end);

	if (why == json_tokener_continue)
		return tfr_fail(err, TFR_EDATA, "the JSON is cut short at byte %zu", size);
	if (why != json_tokener_success)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: %s", end,
			json_tokener_error_desc(why));
	end = (size_t)(skip_blanks(text + end, text + size) - text);
	if (end < size)
		return tfr_fail(err, TFR_EDATA, "no JSON at byte %zu: the object has ended", end);
	return tfr_fail(err, TFR_EDATA, "no JSON");
}

enum tfr_status tfr_tape_scan(
	struct tfr_tape *t, const char *text, size_t size, struct tfr_error *err)
{
	struct scan s = { .tape = t, .end = text + size, .depth = depth_of(t) };
	const char *p;

	t->tokens_.size = t->text.size = t->n = t->objects = 0;
	t->skipped_at = NULL;
	t->skipped_size = 0;
	if (size > INT32_MAX)
		return tfr_fail(err, TFR_EDATA, "JSON of 2 GiB or more");
	TFR_NEED_MEMORY(tfr_buf_reserve(&t->text, size), err, "reading JSON");
	p = read_value(&s, skip_blanks(text, s.end));
	if (s.no_memory)
		return tfr_fail_nomem(err, "reading JSON");
	/* Of a number or a word that ends with the text, more may be missing. */
	if (!p || (p == s.end && tfr_tape_root(t)->type < TFR_TOKEN_TEXT) ||
		skip_blanks(p, s.end) < s.end || !is_all_text(t, text, size))
		return err ? describe(t, text, size, err) : TFR_EDATA;
	return s.nul ? tfr_fail(err, TFR_EDATA, "a name with a NUL byte in it") : TFR_OK;
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
	size_t size = strlen(name);

	for (uint32_t i = 0; t->type == TFR_TOKEN_OBJECT && i < t->n; i++) {
		if (key->size == size && !memcmp(key->text, name, size))
			found = key + 1;
		key = tfr_token_next(key + 1);
	}
	return found;
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
