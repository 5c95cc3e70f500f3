/* convert/coco/coco_scan.c - a state machine between tokens, which inside values looks only for
 * brackets and strings.
 *
 * Only the brackets of an element are checked here; its parser finds all other faults.  So a
 * byte of a polygon, which is most of the file, costs a part of a comparison. */
#include "convert/coco/coco_parse.h"

#include <assert.h>
#include <string.h>

enum { DEEPEST = 63 };

enum state {
	START,
	FIRST_KEY, /* or the end of the object */
	KEY,
	IN_KEY,
	COLON,
	VALUE,
	IN_SCALAR,
	IN_VALUE,      /* of a member that is skipped: a text, a list, an object */
	FIRST_ELEMENT, /* or the end of the list */
	ELEMENT,
	IN_ELEMENT,
	AFTER_ELEMENT,
	AFTER_VALUE,
	END,
};

static const char *const lists[TFR_COCO_LISTS] = { "images", "annotations", "categories" };

static enum tfr_status bad(const struct tfr_coco_scan *s, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, s->path, "%s at byte %llu of", what,
		(unsigned long long)(s->offset + s->at));
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_scalar(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '+' || c == '.';
}

/* --- inside a value --- */

/* Moves to the quote that ends a text; false: the text continues. */
static bool pass_string(struct tfr_coco_scan *s, const uint8_t *text, size_t size)
{
	for (; s->at < size; s->at++) {
		uint8_t c = text[s->at];

		if (s->escaped) {
			s->escaped = false;
		} else if (c == '\\') {
			s->escaped = true;
		} else if (c == '"') {
			s->at++;
			s->in_string = false;
			return true;
		}
	}
	return false;
}

static enum tfr_status bracket(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	bool object = c == '{' || c == '}';

	if (c == '\\')
		return bad(s, "a backslash outside of a text", err);
	if (c == '{' || c == '[') {
		if (s->depth == DEEPEST)
			return bad(s, "nested too deep", err);
		s->braces = s->braces << 1 | object;
		s->depth++;
		return TFR_OK;
	}
	if ((s->braces & 1) != object)
		return bad(s, "a bracket that closes another kind", err);
	s->braces >>= 1;
	s->depth--;
	return TFR_OK;
}

/* Moves to the end of the value, which can be beyond the text: *done says. */
static enum tfr_status pass_value(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	bool *done, struct tfr_error *err)
{
	*done = false;
	for (;;) {
		if (s->in_string && !pass_string(s, text, size))
			return TFR_OK;
		if (!s->depth)
			break;
		s->at = (size_t)(tfr_json_mark(
					 (const char *)text + s->at, (const char *)text + size) -
				 (const char *)text);
		if (s->at == size)
			return TFR_OK;
		if (text[s->at] == '"')
			s->in_string = true;
		else
			TFR_TRY(bracket(s, text[s->at], err));
		s->at++;
	}
	*done = true;
	return TFR_OK;
}

/* --- between values --- */

static enum tfr_status name_list(struct tfr_coco_scan *s, struct tfr_error *err)
{
	s->list = TFR_COCO_LISTS;
	for (unsigned i = 0; i < TFR_COCO_LISTS; i++)
		if (s->key_size == strlen(lists[i]) && !memcmp(s->key, lists[i], s->key_size))
			s->list = (enum tfr_coco_list)i;
	if (s->list == TFR_COCO_LISTS)
		return TFR_OK;
	if (s->seen[s->list])
		return bad(s, "a second list of the same name", err);
	s->seen[s->list] = true;
	return TFR_OK;
}

static enum tfr_status in_key(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	if (!s->escaped && c == '"') {
		s->state = COLON;
		return name_list(s, err);
	}
	s->escaped = !s->escaped && c == '\\';
	if (s->key_size < sizeof(s->key))
		s->key[s->key_size++] = (char)c;
	return TFR_OK;
}

static enum tfr_status begin_value(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	if (s->list != TFR_COCO_LISTS) {
		if (c != '[')
			return tfr_fail_path(err, TFR_EDATA, s->path,
				"'%s' is not a list at byte %llu of", lists[s->list],
				(unsigned long long)(s->offset + s->at));
		s->state = FIRST_ELEMENT;
		return TFR_OK;
	}
	if (is_scalar(c)) {
		s->state = IN_SCALAR;
		return TFR_OK;
	}
	s->state = IN_VALUE;
	s->in_string = c == '"';
	if (!s->in_string && c != '[' && c != '{')
		return bad(s, "expected a value", err);
	return s->in_string ? TFR_OK : bracket(s, c, err);
}

/* A byte between values that is not white space. */
static enum tfr_status step(struct tfr_coco_scan *s, uint8_t c, struct tfr_error *err)
{
	switch ((enum state)s->state) {
	case START:
		s->state = FIRST_KEY;
		return c == '{' ? TFR_OK : bad(s, "expected '{' at the beginning", err);
	case FIRST_KEY:
	case KEY:
		if (c == '}' && s->state == FIRST_KEY) {
			s->state = END;
			return TFR_OK;
		}
		s->state = IN_KEY;
		s->key_size = 0;
		return c == '"' ? TFR_OK : bad(s, "expected a name in quotes", err);
	case COLON:
		s->state = VALUE;
		return c == ':' ? TFR_OK : bad(s, "expected ':'", err);
	case VALUE:
		return begin_value(s, c, err);
	case FIRST_ELEMENT:
	case ELEMENT:
		if (c == ']' && s->state == FIRST_ELEMENT) {
			s->state = AFTER_VALUE;
			return TFR_OK;
		}
		if (c != '{')
			return tfr_fail_path(err, TFR_EDATA, s->path,
				"an element of '%s' is not an object at byte %llu of",
				lists[s->list], (unsigned long long)(s->offset + s->at));
		s->state = IN_ELEMENT;
		s->from = s->at;
		return bracket(s, c, err);
	case AFTER_ELEMENT:
		s->state = c == ',' ? ELEMENT : AFTER_VALUE;
		return c == ',' || c == ']' ? TFR_OK : bad(s, "expected ',' or ']'", err);
	case AFTER_VALUE:
		s->state = c == ',' ? KEY : END;
		return c == ',' || c == '}' ? TFR_OK : bad(s, "expected ',' or '}'", err);
	default:
		return bad(s, "trailing bytes after the end of the object", err);
	}
}

static enum tfr_status end_element(
	struct tfr_coco_scan *s, struct tfr_buf *elements, struct tfr_error *err)
{
	struct tfr_coco_element e = {
		.from = (uint32_t)s->from, .to = (uint32_t)s->at, .list = s->list
	};

	s->state = AFTER_ELEMENT;
	return tfr_buf_append(elements, &e, sizeof(e)) ? TFR_OK
						       : tfr_fail_nomem(err, "reading annotations");
}

enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err)
{
	bool done;

	while (s->at < size) {
		if (s->state == IN_ELEMENT || s->state == IN_VALUE) {
			TFR_TRY(pass_value(s, text, size, &done, err));
			if (done && s->state == IN_ELEMENT)
				TFR_TRY(end_element(s, elements, err));
			else if (done)
				s->state = AFTER_VALUE;
			continue;
		}
		if (s->state == IN_KEY) {
			TFR_TRY(in_key(s, text[s->at], err));
		} else if (s->state != IN_SCALAR || !is_scalar(text[s->at])) {
			if (s->state == IN_SCALAR)
				s->state = AFTER_VALUE;
			if (!is_space(text[s->at]))
				TFR_TRY(step(s, text[s->at], err));
		}
		s->at++;
	}
	return TFR_OK;
}

size_t tfr_coco_scan_needed(const struct tfr_coco_scan *s)
{
	return s->state == IN_ELEMENT ? s->from : s->at;
}

void tfr_coco_scan_drop(struct tfr_coco_scan *s, size_t n)
{
	assert(n <= tfr_coco_scan_needed(s));
	s->offset += n;
	s->at -= n;
	if (s->state == IN_ELEMENT)
		s->from -= n;
}

enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err)
{
	if (s->state != END)
		return bad(s, "truncated JSON", err);
	for (unsigned i = 0; i < TFR_COCO_LISTS; i++)
		if (!s->seen[i] && !(i == TFR_COCO_CATEGORIES && s->no_categories))
			return tfr_fail_path(err, TFR_EDATA, s->path, "no list '%s' in", lists[i]);
	return TFR_OK;
}
