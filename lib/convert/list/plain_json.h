/* convert/list/plain_json.h - a regular line of JSON lines, scanned in place.
 *
 * A line is regular if it is an object of unique names without escapes whose values are numbers of
 * up to 19 digits, texts, {"base64": TEXT}, true, false, null and arrays of these.  Nearly all
 * lines are.  The reader of every other line, and the judge of what is an error, is json-c
 * (jsonl.h): for a regular line both find the same names and values. */
#ifndef TFR_CONVERT_LIST_PLAIN_JSON_H
#define TFR_CONVERT_LIST_PLAIN_JSON_H

#include "base/buf.h"
#include "base/decimal_read.h"

enum tfr_token_type {
	TFR_TOKEN_NULL,
	TFR_TOKEN_BOOL,
	TFR_TOKEN_NUMBER,
	TFR_TOKEN_TEXT,
	TFR_TOKEN_BASE64, /* the text of {"base64": TEXT} */
};

struct tfr_token {
	enum tfr_token_type type;
	bool truth;	  /* BOOL */
	const char *text; /* TEXT, BASE64: in the line, or in plain->text where it has escapes */
	size_t size;
	struct tfr_scanned number; /* NUMBER */
};

struct tfr_json_member {
	const char *name; /* in the line */
	size_t size;
	bool array;
	size_t first, n; /* its tokens; 1 where it is not an array */
	size_t column;	 /* for the caller */
};

struct tfr_plain {
	struct tfr_buf members_, tokens_;
	struct tfr_buf text; /* of values with escapes */
	size_t n;	     /* members */
};

/* Scans a line, whose end may be a line feed.  The members are valid until the next call and as
 * long as the line.  False: the line is not regular, or memory is lacking.  Names may occur twice:
 * the caller, which looks them up, finds that. */
bool tfr_plain_scan(struct tfr_plain *p, const char *line, size_t size);
void tfr_plain_clear(struct tfr_plain *p);

static inline struct tfr_json_member *tfr_plain_members(const struct tfr_plain *p)
{
	return (struct tfr_json_member *)(void *)p->members_.data;
}

static inline const struct tfr_token *tfr_plain_tokens(
	const struct tfr_plain *p, const struct tfr_json_member *m)
{
	return (const struct tfr_token *)(const void *)p->tokens_.data + m->first;
}

#endif
