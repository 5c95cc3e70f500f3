/* tests/interop/batches.c - records parsed into columns, as JSON, for tests/interop/run to hold
 * against tf.io.parse_example.
 *
 * batches FILE RECORDS FEATURE...   a line for each batch of so many records: what is wrong with
 * it, or its columns FEATURE is NAME:KIND:LAYOUT:COUNT:FLAGS:FILL, LAYOUT one of d, p and r, FLAGS
 * any of 3 (splits of 32 bits) and c (copied bytes), FILL one value or "-" for none.  Floats are
 * shown as the number that their bits are, bytes in hexadecimal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/batch.h>
#include <tfr-private/record.h>
#include <tfr-private/text.h>

enum { MOST = 64, COUNT = 16 };

static struct tfr_batch_feature features[MOST];
static union {
	int64_t int64s[COUNT];
	float floats[COUNT];
	struct tfr_bytes texts[COUNT];
} fills[MOST];

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "batches: %s\n", what);
	exit(2);
}

static void want(size_t n, char *text)
{
	struct tfr_batch_feature *f = &features[n];
	char *part[6] = { text };

	for (int i = 1; i < 6; i++) {
		char *colon = strchr(part[i - 1], ':');

		need(colon, "a feature has six parts");
		*colon = '\0';
		part[i] = colon + 1;
	}
	f->name = part[0];
	for (enum tfr_kind k = TFR_KIND_BYTES; k <= TFR_KIND_INT64; k++)
		if (!strcmp(part[1], tfr_kind_name(k)))
			f->kind = k;
	f->layout = *part[2] == 'd' ? TFR_DENSE : *part[2] == 'p' ? TFR_PADDED : TFR_RAGGED;
	f->count = strtoul(part[3], NULL, 10);
	f->splits32 = strchr(part[4], '3');
	f->copy = strchr(part[4], 'c');
	need(f->count <= COUNT, "too many values");
	if (!strcmp(part[5], "-"))
		return;
	f->fill = &fills[n];
	for (int i = 0; i < COUNT; i++) {
		if (f->kind == TFR_KIND_INT64)
			fills[n].int64s[i] = strtoll(part[5], NULL, 10);
		else if (f->kind == TFR_KIND_FLOAT)
			fills[n].floats[i] = strtof(part[5], NULL);
		else
			fills[n].texts[i] =
				(struct tfr_bytes){ (const uint8_t *)part[5], strlen(part[5]) };
	}
}

static void show_bytes(struct tfr_json *j, const uint8_t *data, size_t size)
{
	char *text = malloc(2 * size + 1);

	need(text, "out of memory");
	text[0] = '\0';
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", data[i]);
	tfr_json_string(j, NULL, text);
	free(text);
}

static void show_value(struct tfr_json *j, const struct tfr_column *c, enum tfr_kind kind, size_t i)
{
	uint32_t bits;

	if (kind == TFR_KIND_INT64) {
		tfr_json_i64(j, NULL, c->int64s[i]);
	} else if (kind == TFR_KIND_FLOAT) {
		memcpy(&bits, &c->floats[i], sizeof(bits));
		tfr_json_u64(j, NULL, bits);
	} else if (c->offsets) {
		show_bytes(j, c->text + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i]));
	} else {
		show_bytes(j, c->bytes[i].data, c->bytes[i].size);
	}
}

static void show_column(struct tfr_json *j, const struct tfr_column *c, enum tfr_kind kind)
{
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "width", c->width);
	tfr_json_open_array(j, "values");
	for (size_t i = 0; i < c->count; i++)
		show_value(j, c, kind, i);
	tfr_json_close_array(j);
	tfr_json_open_array(j, "splits");
	for (size_t r = 0; (c->splits || c->splits32) && r <= c->rows; r++)
		tfr_json_i64(j, NULL, c->splits ? c->splits[r] : c->splits32[r]);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}

static void show_batch(
	struct tfr_batch_parser *p, const struct tfr_bytes *records, size_t rows, size_t n)
{
	struct tfr_json *j = tfr_json_new();
	struct tfr_error err = { 0 };
	size_t size;

	tfr_json_open_object(j, NULL);
	if (tfr_batch_parse(p, records, rows, &err)) {
		tfr_json_string(j, "error", err.message);
	} else {
		tfr_json_open_array(j, "columns");
		for (size_t i = 0; i < n; i++)
			show_column(j, tfr_batch_column(p, i), features[i].kind);
		tfr_json_close_array(j);
	}
	tfr_json_close_object(j);
	need(tfr_json_text(j, &size), "out of memory");
	puts(tfr_json_text(j, &size));
	tfr_json_free(j);
}

int main(int argc, char **argv)
{
	size_t n = argc > 3 ? (size_t)argc - 3 : 0,
	       rows = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct tfr_bytes *records = calloc(rows + 1, sizeof(*records));
	struct tfr_batch_parser *p;
	struct tfr_reader *r;
	struct tfr_record rec;
	struct tfr_error err = { 0 };
	enum tfr_status status;
	size_t have = 0;

	need(rows && n <= MOST && records, "usage: batches FILE RECORDS FEATURE...");
	for (size_t i = 0; i < n; i++)
		want(i, argv[3 + i]);
	need(!tfr_batch_parser_new(&p, features, n, &err), err.message);
	need(!tfr_reader_open(&r, argv[1], NULL, &err), err.message);
	while (!(status = tfr_reader_next(r, &rec, &err))) {
		uint8_t *copy = malloc(rec.size + 1);

		need(copy, "out of memory");
		memcpy(copy, rec.data, rec.size);
		records[have++] = (struct tfr_bytes){ copy, rec.size };
		if (have < rows)
			continue;
		show_batch(p, records, have, n);
		while (have)
			free((void *)records[--have].data);
	}
	need(status == TFR_END, err.message);
	if (have)
		show_batch(p, records, have, n);
	while (have)
		free((void *)records[--have].data);
	tfr_reader_close(r);
	tfr_batch_parser_free(p);
	free(records);
	return 0;
}
