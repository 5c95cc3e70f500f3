/* tests/remote/sign_requests.c - signs the requests that standard input describes, one JSON object
 * per line, and prints for each the URL's part from the path on and the fields that the signature
 * adds.  signatures.py compares them with another implementation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "io/remote/sign.h"

enum { MOST = 32 };

static const char *text(struct json_object *o, const char *name)
{
	return json_object_get_string(json_object_object_get(o, name));
}

static size_t read_query(struct json_object *list, struct tfr_query *query)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n && i < MOST; i++) {
		struct json_object *pair = json_object_array_get_idx(list, i);

		query[i].name = json_object_get_string(json_object_array_get_idx(pair, 0));
		query[i].value = json_object_get_string(json_object_array_get_idx(pair, 1));
	}
	return n;
}

static size_t read_headers(struct json_object *list, const char **headers)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n && i < MOST; i++)
		headers[i] = json_object_get_string(json_object_array_get_idx(list, i));
	return n;
}

static bool sign(struct json_object *c)
{
	struct tfr_query query[MOST];
	const char *headers[MOST];
	TFR_AUTO_BUF path = { 0 };
	TFR_AUTO_BUF url = { 0 };
	TFR_AUTO_BUF fields = { 0 };
	const char *key = text(c, "key");
	struct tfr_sign_input in = {
		.scheme = strcmp(text(c, "scheme"), "gcs") ? &tfr_sign_aws : &tfr_sign_gcs,
		.method = text(c, "method"),
		.host = text(c, "host"),
		.query = query,
		.n_query = read_query(json_object_object_get(c, "query"), query),
		.headers = headers,
		.n_headers = read_headers(json_object_object_get(c, "headers"), headers),
		.payload = text(c, "payload"),
		.id = text(c, "id"),
		.secret = text(c, "secret"),
		.token = text(c, "token"),
		.region = text(c, "region"),
		.time = json_object_get_int64(json_object_object_get(c, "time")),
	};

	if (!tfr_buf_append(&path, "/", 1) || !tfr_percent_encode(&path, key, strlen(key), false) ||
		!tfr_buf_append(&url, path.data, path.size) || !tfr_buf_append(&path, "", 1) ||
		!tfr_query_encode(&url, query, in.n_query))
		return false;
	in.path = (const char *)path.data;
	if (!tfr_sign(&in, &fields))
		return false;
	printf("%.*s", (int)url.size, (char *)url.data);
	for (size_t i = 0; i < fields.size; i += strlen((char *)fields.data + i) + 1)
		printf("\t%s", (char *)fields.data + i);
	return putchar('\n') != EOF;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	while (good && getline(&line, &room, stdin) > 0) {
		struct json_object *c = json_tokener_parse(line);

		good = c && sign(c);
		json_object_put(c);
	}
	free(line);
	return good && fflush(stdout) == 0 ? 0 : 1;
}
