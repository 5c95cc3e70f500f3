/* A small set made for a test of tfr_resample(), and what came of it. */
#ifndef TESTS_UNIT_REWRITE_RESAMPLE_SET_H
#define TESTS_UNIT_REWRITE_RESAMPLE_SET_H

#include <tfr-private/rewrite.h>

#include "rewrite/class_table.h"
#include "support/temp.h"

enum { FILES = 3, MOST = 4096 };

static char *dir;
static struct tfr_set *input;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	tfr_set_close(input);
	input = NULL;
	temp_leave(dir);
}

/* --- a set made, and read back --- */

static int label_of(int id)
{
	return id % 10 ? 0 : id % 20 ? 1 : 7;
}

static float weight_of(int id)
{
	return (float)(id % 7) * 0.1f;
}

/* Record `id` lies in file id mod FILES. */
static int file_of(int id)
{
	return id % FILES;
}

static const uint8_t *payload(struct tfr_builder *b, int id, size_t *size)
{
	const uint8_t *data;
	char text[16];

	tfr_builder_reset(b);
	sprintf(text, "class %d", label_of(id));
	tfr_builder_int64(b, "id", id, NULL);
	tfr_builder_int64(b, "label", label_of(id), NULL);
	tfr_builder_text(b, "text", text, NULL);
	tfr_builder_floats(b, "weight", (float[]){ weight_of(id) }, 1, NULL);
	cr_assert_eq(tfr_builder_flatten(b, &data, size, NULL), TFR_OK);
	return data;
}

static void open_input(const char *name)
{
	cr_assert_eq(
		tfr_set_open(&input, &(struct tfr_set_opts){ .inputs = &name, .count = 1 }, NULL),
		TFR_OK);
}

static void make_set(int records)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w;
	char name[32];

	for (int f = 0; f < FILES; f++) {
		sprintf(name, "in-%05d-of-%05d", f, FILES);
		cr_assert_eq(
			tfr_writer_open(&w, name, &(struct tfr_writer_opts){ .force = true }, NULL),
			TFR_OK);
		for (int id = f; id < records; id += FILES) {
			size_t size;
			const uint8_t *data = payload(b, id, &size);

			cr_assert_eq(tfr_writer_put(w, data, size, NULL), TFR_OK);
		}
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
	}
	tfr_builder_free(b);
	open_input("in@3");
}

struct result {
	struct tfr_resample_report report;
	struct tfr_error err;
	int n, ids[MOST]; /* what was written, in order */
	int times[MOST];  /* how often each id was */
	int classes[8];	  /* records of each label */
};

static void read_back(struct result *r, const char *path)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_reader *reader;
	struct tfr_record rec;
	int64_t id;
	uint64_t sum = 0;
	struct tfr_digest d;

	cr_assert_eq(tfr_reader_open(&reader, path, NULL, NULL), TFR_OK);
	while (!tfr_reader_next(reader, &rec, NULL)) {
		cr_assert_eq(tfr_example_parse(ex, rec.data, rec.size, NULL), TFR_OK);
		cr_assert(tfr_feature_int64(tfr_example_get(ex, "id"), 0, &id));
		r->ids[r->n++] = (int)id;
		r->times[id]++;
		r->classes[label_of((int)id)]++;
		tfr_digest_record(&rec, &d);
		sum += d.sum;
	}
	cr_assert_eq(r->report.common.written, (uint64_t)r->n);
	cr_assert_eq(r->report.common.sum, sum);
	tfr_reader_close(reader);
	tfr_example_free(ex);
}

static enum tfr_status run(struct tfr_resample_opts o, struct result *r)
{
	enum tfr_status status;

	o.common.sweep.input = input;
	o.common.writer.force = true;
	o.output = o.output ? o.output : "out";
	tfr_resample_report_clear(&r->report);
	*r = (struct result){ 0 };
	status = tfr_resample(&o, &r->report, &r->err);
	if (!status && !strcmp(o.output, "out"))
		read_back(r, "out");
	return status;
}

#define RUN(r, ...)                                                                                \
	cr_assert_eq(                                                                              \
		run((struct tfr_resample_opts){ __VA_ARGS__ }, r), TFR_OK, "%s", (r)->err.message)

/* Input order is file after file. */
static inline void assert_input_order(const struct result *r)
{
	for (int i = 1; i < r->n; i++) {
		int a = r->ids[i - 1], b = r->ids[i];

		cr_assert(file_of(a) < file_of(b) || (file_of(a) == file_of(b) && a <= b));
	}
}

static inline void assert_once(const struct result *r)
{
	for (int id = 0; id < MOST; id++)
		cr_assert_leq(r->times[id], 1);
}

#endif
