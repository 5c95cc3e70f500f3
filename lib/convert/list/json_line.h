/* convert/list/json_line.h - a line of JSON lines, scanned in place: an object whose members are
 * features.
 *
 * A member is a number, a text, true, false, null or an array of these.  An object
 * {"base64": TEXT} is bytes, as 'tfr show --json --bytes base64' prints them.  The members of any
 * other object are features under "NAME/MEMBER".  An object {"bytes": INTEGER, "type": ...}
 * describes bytes that 'tfr show --json' left out. */
#ifndef TFR_CONVERT_LIST_JSON_LINE_H
#define TFR_CONVERT_LIST_JSON_LINE_H

#include "base/buf.h"
#include "base/decimal_read.h"
#include "base/error.h"

enum tfr_token_type {
	TFR_TOKEN_NULL,
	TFR_TOKEN_BOOL,
	TFR_TOKEN_NUMBER,
	TFR_TOKEN_TEXT,
	TFR_TOKEN_BASE64,    /* the text of {"base64": TEXT} */
	TFR_TOKEN_DESCRIBED, /* {"bytes": INTEGER, "type": ...} */
	TFR_TOKEN_LIST,	     /* an array in an array */
	TFR_TOKEN_OBJECT,    /* any other object in an array */
};

struct tfr_token {
	enum tfr_token_type type;
	bool truth;   /* BOOL */
	bool scanned; /* NUMBER: `number` is valid; no: it is too long, NaN or infinite */
	const char
		*text; /* NUMBER, TEXT, BASE64: in the line, or in line->text if it has escapes */
	size_t size;
	struct tfr_scanned number;
};

enum tfr_member_form {
	TFR_MEMBER_VALUE,
	TFR_MEMBER_ARRAY,
	TFR_MEMBER_OBJECT, /* its members are features, it is none */
	TFR_MEMBER_INNER,  /* of an object in an array; it is no feature */
};

struct tfr_json_member {
	const char *name; /* in the line or in line->text; without the names around it */
	size_t size;
	uint32_t parent; /* 1 + the number of the member that it is in; 0: none */
	uint32_t object; /* the number of the object that it is in */
	enum tfr_member_form form;
	size_t first, n; /* its tokens */
	size_t column;	 /* for the caller */
};

struct tfr_json_line {
	struct tfr_buf members_, tokens_;
	struct tfr_buf text; /* of names and values with escapes */
	size_t n;	     /* members */
	uint32_t objects;    /* counted, but for {"base64": TEXT} */
};

/* Scans a line, whose end may be a line feed.  The members are valid until the next call and as
 * long as the line.  Names may occur twice: the caller, which looks them up, finds that.
 * TFR_EDATA: the fault, and its byte in the line. */
enum tfr_status tfr_json_line_scan(
	struct tfr_json_line *l, const char *line, size_t size, struct tfr_error *err);
void tfr_json_line_clear(struct tfr_json_line *l);

static inline struct tfr_json_member *tfr_json_line_members(const struct tfr_json_line *l)
{
	return (struct tfr_json_member *)(void *)l->members_.data;
}

static inline const struct tfr_token *tfr_json_line_tokens(
	const struct tfr_json_line *l, const struct tfr_json_member *m)
{
	return (const struct tfr_token *)(const void *)l->tokens_.data + m->first;
}

/* Whether a number is written without a point and an exponent. */
bool tfr_token_is_integer(const struct tfr_token *t);

#endif
