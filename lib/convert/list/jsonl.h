/* convert/list/jsonl.h - a line of JSON lines: an object whose members are features, by json-c.
 *
 * A member is a number, a text, true (1), false (0), null (absent) or an array of these.  An object
 * {"base64": TEXT} is bytes, as 'tfr show --json --bytes base64' prints them.  The members of any
 * other object are features under "NAME/MEMBER". */
#ifndef TFR_CONVERT_LIST_JSONL_H
#define TFR_CONVERT_LIST_JSONL_H

#include <json-c/json.h>

#include "convert/list/columns.h"

struct tfr_jsonl {
	struct json_tokener *tokener;
	struct json_object *row;
	struct tfr_buf line;	     /* as parsed, where that is not as read */
	struct tfr_buf name;	     /* of the member that is being looked at */
	struct tfr_buf values, data; /* of a list being made: values, and the bytes they view */
	bool no_memory;		     /* why that was not possible */
};

bool tfr_jsonl_open(struct tfr_jsonl *j); /* false: out of memory */
void tfr_jsonl_close(struct tfr_jsonl *j);
/* Parses a line into j->row.  TFR_EDATA: the fault, and its byte in the line. */
enum tfr_status tfr_jsonl_parse(
	struct tfr_jsonl *j, const char *line, size_t size, struct tfr_error *err);
/* Calls `member` for every feature of j->row but those that are null. */
enum tfr_status tfr_jsonl_each(struct tfr_jsonl *j,
	enum tfr_status (*member)(void *ctx, const char *name, size_t size,
		struct json_object *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err);
/* The forms of the value, or of the values of an array; 0: an empty array, or a value that no
 * feature can hold.  *misfit: a value of TFR_LOOK_MISFITS, beyond float32 if there is one; NULL:
 * there is none. */
unsigned tfr_jsonl_looks(struct json_object *value, struct json_object **misfit);
/* A number as it was written, of *size bytes; NULL: out of memory. */
const char *tfr_jsonl_number(struct json_object *v, size_t *size);
/* Puts the value under `name` as a list of this kind.  TFR_EDATA: it does not fit it. */
enum tfr_status tfr_jsonl_put(struct tfr_jsonl *j, struct tfr_builder *b, const char *name,
	enum tfr_kind kind, bool given, struct json_object *value, struct tfr_error *err);

#endif
