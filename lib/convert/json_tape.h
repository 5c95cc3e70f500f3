/* convert/json_tape.h - a JSON text as a tape: all of its values in the order of the text, without
 * copies.
 *
 * The first token is the value itself.  The children of an array are its elements; those of an
 * object are a name, its value, the next name and so on, where names are texts without a NUL.  A
 * token after an array or an object is tfr_token_next() away, so that a reader passes over what it
 * does not know.  Tokens take 40 bytes for at least two of the text. */
#ifndef TFR_CONVERT_JSON_TAPE_H
#define TFR_CONVERT_JSON_TAPE_H

#include "base/buf.h"
#include "base/decimal_read.h"
#include "base/error.h"

enum tfr_token_type {
	TFR_TOKEN_NULL,
	TFR_TOKEN_BOOL,
	TFR_TOKEN_NUMBER,
	TFR_TOKEN_TEXT,
	TFR_TOKEN_SKIPPED, /* any value: its bytes were not looked at */
	TFR_TOKEN_ARRAY,
	TFR_TOKEN_OBJECT,
	/* Objects that mean something in JSON lines, which json_row.c finds: */
	TFR_TOKEN_BASE64,    /* {"base64": TEXT}; it has that text */
	TFR_TOKEN_DESCRIBED, /* {"bytes": INTEGER, "type": ...} */
};

struct tfr_token {
	enum tfr_token_type type;
	uint32_t size;
	/* Of a text its characters: in the text, or in tape->text if it has escapes.  Of any other
	 * value its bytes in the text. */
	const char *text;
	union {
		bool truth;
		struct tfr_scanned number; /* no digits: it is too long, NaN or infinite */
		struct {
			uint32_t n;    /* elements of an array, members of an object */
			uint32_t span; /* tokens, its own included */
		};
	};
};

/* At the beginning, all zeros except for the first members. */
struct tfr_tape {
	unsigned depth;	     /* more arrays and objects in each other are a fault; 0: 32 */
	const char *skipped; /* members of the outer object that have this name are SKIPPED */
	struct tfr_buf tokens_;
	struct tfr_buf text; /* of names and texts with escapes */
	size_t n;	     /* tokens */
	uint32_t objects;
	const char *fault; /* why the last text is not JSON; NULL: it is, or it is too large */
};

/* Scans a text that is one value.  The tokens are valid until the next call and as long as the
 * text.  Accepts what json-c accepts with strict rules: NaN, Infinity, control characters in texts;
 * half a surrogate pair becomes U+FFFD; a number or a word that is all of a text counts as cut
 * short.
 * TFR_EDATA: the fault, and its byte in the text. */
enum tfr_status tfr_tape_scan(
	struct tfr_tape *t, const char *text, size_t size, struct tfr_error *err);
/* The same for a text that is an array, one element after the other, so that the tape has the
 * tokens of one only.  *at is 0 at the beginning, and the place after the element later.  TFR_END:
 * there are no more. */
enum tfr_status tfr_tape_element(
	struct tfr_tape *t, const char *text, size_t size, size_t *at, struct tfr_error *err);
void tfr_tape_clear(struct tfr_tape *t);
/* The next quote, backslash, bracket or brace from `p` on; `end`: there is none. */
const char *tfr_json_mark(const char *p, const char *end);

static inline struct tfr_token *tfr_tape_root(const struct tfr_tape *t)
{
	return (struct tfr_token *)(void *)t->tokens_.data;
}

/* The token after a value and its children. */
static inline const struct tfr_token *tfr_token_next(const struct tfr_token *t)
{
	return t->type < TFR_TOKEN_ARRAY ? t + 1 : t + t->span;
}

/* The value of a member; of equal names that of the last.  NULL: there is none, or `t` is no
 * object. */
const struct tfr_token *tfr_token_member(const struct tfr_token *t, const char *name);
/* Whether a value is a text that can be a name: not empty, and without a NUL. */
bool tfr_token_is_name(const struct tfr_token *t);
/* Whether a number is written without a point and an exponent. */
bool tfr_token_is_integer(const struct tfr_token *t);
/* A number that is written as an integer and that int64 holds; false: any other value. */
bool tfr_token_int64(const struct tfr_token *t, int64_t *value);
/* A whole number, also in the form 5.0, whose neighbours are different numbers; false: any other
 * value. */
bool tfr_token_whole(const struct tfr_token *t, int64_t *value);
/* Any number: as the nearest double, which may be infinite or NaN.  The integer -0 is 0, as in
 * Python. */
bool tfr_token_double(const struct tfr_token *t, double *value);

#endif
