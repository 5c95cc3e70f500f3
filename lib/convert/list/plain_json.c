/* convert/list/plain_json.c - one pass over a line, without a copy of its texts.
 *
 * Every function takes a position and returns the one after what it read, or NULL where the line is
 * not regular.  The scanner accepts less than JSON and nothing else. */
#include "convert/list/plain_json.h"

#include <assert.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tfr-private/text.h>

struct scan {
	struct tfr_plain *plain;
	const char *end;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
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

/* The first quote, backslash or control character. */
static const char *end_of_plain(const char *p, const char *end)
{
#if defined(__SSE2__)
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
		      control = _mm_set1_epi8(0x1f);

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i found = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
			_mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
		unsigned mask = (unsigned)_mm_movemask_epi8(found);

		if (mask)
			return p + __builtin_ctz(mask);
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
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

static char *put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

/* A character by its number; NUL and halves of a pair are irregular. */
static const char *read_code(const char *p, const char *end, char **out)
{
	uint32_t code, low;

	p = four_hex(p, end, &code);
	if (!p || !code || (code >= 0xdc00 && code < 0xe000))
		return NULL;
	if (code >= 0xd800 && code < 0xdc00) {
		if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
			return NULL;
		p = four_hex(p + 2, end, &low);
		if (!p || low < 0xdc00 || low >= 0xe000)
			return NULL;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*out = put_utf8(*out, code);
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

/* The rest of a text from its first escape on.  plain->text has room for a complete line: an escape
 * is longer than its character. */
static const char *read_escaped(
	struct scan *s, const char *start, const char *p, const char **text, size_t *size)
{
	struct tfr_buf *to = &s->plain->text;
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
static const char *read_text(struct scan *s, const char *p, const char **text, size_t *size)
{
	const char *end = end_of_plain(p, s->end);

	if (end == s->end || *end != '"')
		return end == s->end ? NULL : read_escaped(s, p, end, text, size);
	*text = p;
	*size = (size_t)(end - p);
	return end + 1;
}

/* A text without escapes whose opening quote is before `p`. */
static const char *read_name(const struct scan *s, const char *p, const char **name, size_t *size)
{
	const char *end = end_of_plain(p, s->end);

	if (end == s->end || *end != '"')
		return NULL;
	*name = p;
	*size = (size_t)(end - p);
	return end + 1;
}

/* ---- values ---- */

static const char *read_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n) ? p + n : NULL;
}

/* JSON has no plus sign, no leading zeros, and digits on both sides of a point. */
static const char *read_number(const struct scan *s, const char *p, struct tfr_scanned *n)
{
	p = tfr_decimal_scan(p, s->end, n);
	if (!p || n->sign == '+' || !n->before || (n->first == '0' && n->before > 1) ||
		(n->point && !n->after))
		return NULL;
	return p;
}

static const char *read_base64(struct scan *s, const char *p, struct tfr_token *t)
{
	static const char name[] = "\"base64\"";

	p = read_word(skip_blanks(p, s->end), s->end, name);
	p = p ? expect(p, s->end, ':') : NULL;
	if (!p || p == s->end || *p != '"')
		return NULL;
	p = read_text(s, p + 1, &t->text, &t->size);
	return p ? expect(p, s->end, '}') : NULL;
}

static const char *read_scalar(struct scan *s, const char *p, struct tfr_token *t)
{
	t->size = 0;
	if (p == s->end)
		return NULL;
	switch (*p) {
	case '"':
		t->type = TFR_TOKEN_TEXT;
		return read_text(s, p + 1, &t->text, &t->size);
	case '{':
		t->type = TFR_TOKEN_BASE64;
		return read_base64(s, p + 1, t);
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
		return read_number(s, p, &t->number);
	}
}

static const char *add_scalar(struct scan *s, const char *p, struct tfr_json_member *m)
{
	struct tfr_buf *tokens = &s->plain->tokens_;

	if (!tfr_buf_reserve(tokens, sizeof(struct tfr_token)))
		return NULL;
	p = read_scalar(s, p, (struct tfr_token *)(void *)(tokens->data + tokens->size));
	tokens->size += sizeof(struct tfr_token);
	m->n++;
	return p;
}

/* The elements of an array, after its bracket. */
static const char *read_array(struct scan *s, const char *p, struct tfr_json_member *m)
{
	m->array = true;
	p = skip_blanks(p, s->end);
	if (p < s->end && *p == ']')
		return p + 1;
	while ((p = add_scalar(s, p, m))) {
		p = skip_blanks(p, s->end);
		if (p == s->end || (*p != ',' && *p != ']'))
			return NULL;
		if (*p == ']')
			return p + 1;
		p = skip_blanks(p + 1, s->end);
	}
	return NULL;
}

static const char *read_member(struct scan *s, const char *p)
{
	struct tfr_plain *plain = s->plain;
	struct tfr_json_member m = { .first = plain->tokens_.size / sizeof(struct tfr_token) };

	if (p == s->end || *p != '"')
		return NULL;
	p = read_name(s, p + 1, &m.name, &m.size);
	p = p ? expect(p, s->end, ':') : NULL;
	if (!p || p == s->end)
		return NULL;
	p = *p == '[' ? read_array(s, p + 1, &m) : add_scalar(s, p, &m);
	if (!p || !tfr_buf_append(&plain->members_, &m, sizeof(m)))
		return NULL;
	plain->n++;
	return skip_blanks(p, s->end);
}

bool tfr_plain_scan(struct tfr_plain *plain, const char *line, size_t size)
{
	struct scan s = { plain, line + size };
	const char *p;

	plain->members_.size = plain->tokens_.size = plain->text.size = plain->n = 0;
	while (s.end > line && (s.end[-1] == '\n' || s.end[-1] == '\r'))
		s.end--;
	/* `tokens_` too is memory then, to which the offset of an empty array may be added. */
	if (!tfr_buf_reserve(&plain->text, size) || !tfr_buf_reserve(&plain->tokens_, 1) ||
		!tfr_is_utf8(line, (size_t)(s.end - line)))
		return false;
	p = expect(line, s.end, '{');
	if (p && p < s.end && *p == '}')
		return skip_blanks(p + 1, s.end) == s.end;
	while (p && (p = read_member(&s, p)) && p < s.end && *p == ',')
		p = skip_blanks(p + 1, s.end);
	return p && p < s.end && *p == '}' && skip_blanks(p + 1, s.end) == s.end;
}

void tfr_plain_clear(struct tfr_plain *p)
{
	tfr_buf_clear(&p->members_);
	tfr_buf_clear(&p->tokens_);
	tfr_buf_clear(&p->text);
	*p = (struct tfr_plain){ 0 };
}
