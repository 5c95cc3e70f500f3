/* tests/fuzz/remote_answers.c - any bytes as the answer of a store or of a service: listings,
 * uploads, errors, credentials and header lines.  The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include "io/remote/credentials.h"
#include "io/remote/http/answer.h"
#include "io/remote/store_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char prefix[] = "a/";

/* Keys are below the prefix, bounded and sorted; what a further request names is there. */
static void listing(const uint8_t *data, size_t size)
{
	struct tfr_page p;

	if (!tfr_page_parse(&p, data, size, prefix))
		return;
	for (size_t i = 0; i < p.n; i++) {
		const char *key = (char *)p.text.data + p.list[i].key;

		if (p.list[i].key >= p.text.size || p.list[i].etag >= p.text.size ||
			p.list[i].id >= p.text.size || p.list[i].size > INT64_MAX)
			abort();
		if (strncmp(key, prefix, strlen(prefix)) != 0 || strlen(key) > 1024)
			abort();
		if (i && strcmp((char *)p.text.data + p.list[i - 1].key, key) > 0)
			abort();
	}
	if (p.more && (!p.next || p.next >= p.text.size || p.next_id >= p.text.size))
		abort();
	/* Nothing is expanded: the text is that of the answer. */
	if (p.text.size > 2 * size + 1)
		abort();
	tfr_page_clear(&p);
}

static void expect_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			abort();
}

static void uploads(const uint8_t *data, size_t size)
{
	char id[TFR_UPLOAD_ID], etag[TFR_ETAG];
	struct tfr_store_fault fault;
	enum tfr_status status = tfr_upload_completed(etag, &fault, data, size);

	if ((status == TFR_END) != (*fault.code != '\0') || (status && *etag))
		abort();
	expect_printable(fault.code);
	expect_printable(fault.message);
	expect_printable(fault.request_id);
	expect_printable(fault.region);
	if (tfr_upload_started(id, data, size) && (!*id || strlen(id) >= sizeof(id)))
		abort();
}

/* Keys become parts of header fields. */
static void credentials(const uint8_t *data, size_t size, bool token)
{
	struct tfr_buf text = { .data = (uint8_t *)(uintptr_t)data, .size = size };
	struct tfr_keys k = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status =
		(token ? tfr_token_from_json : tfr_keys_from_json)(&k, &text, "the service", &err);

	if (status ? !err.message[0] : token ? !k.token || k.id : !k.id || !k.secret)
		abort();
	if (!status) {
		expect_printable(k.id ?: "");
		expect_printable(k.secret ?: "");
		expect_printable(k.token ?: "");
	}
	tfr_keys_clear(&k);
}

static void header(const uint8_t *data, size_t size)
{
	struct tfr_answer a = { 0 };
	struct tfr_answer_notes n = { 0 };

	while (size) {
		const uint8_t *newline = memchr(data, '\n', size);
		size_t line = newline ? (size_t)(newline - data) + 1 : size;

		if (!tfr_answer_line(&a, &n, (const char *)data, line))
			return;
		expect_printable(n.request_id);
		expect_printable(n.region);
		expect_printable(n.reason);
		if (strlen(a.etag) >= sizeof(a.etag))
			abort();
		data += line;
		size -= line;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (*data % 5) {
	case 0:
		listing(data + 1, size - 1);
		break;
	case 1:
		uploads(data + 1, size - 1);
		break;
	case 2:
	case 3:
		credentials(data + 1, size - 1, *data % 5 == 3);
		break;
	default:
		header(data + 1, size - 1);
	}
	return 0;
}
