/* tests/support/examples.h - files of Examples for tests, and text read back from files. */
#ifndef TESTS_SUPPORT_EXAMPLES_H
#define TESTS_SUPPORT_EXAMPLES_H

#include <tfr-private/example.h>
#include <tfr-private/record.h>

#include "support/temp.h"

struct examples {
	struct tfr_writer *w;
	struct tfr_builder *b;
};

static inline struct examples examples_open(const char *path)
{
	struct examples x = { .b = tfr_builder_new() };
	struct tfr_writer_opts opts = { .force = true };

	cr_assert_not_null(x.b);
	cr_assert_eq(tfr_writer_open(&x.w, path, &opts, NULL), TFR_OK);
	return x;
}

static inline void examples_int64(struct examples *x, const char *key, int64_t value)
{
	cr_assert_eq(tfr_builder_int64(x->b, key, value, NULL), TFR_OK);
}

static inline void examples_float(struct examples *x, const char *key, float value)
{
	cr_assert_eq(tfr_builder_floats(x->b, key, &value, 1, NULL), TFR_OK);
}

static inline void examples_bytes(
	struct examples *x, const char *key, const void *data, size_t size)
{
	struct tfr_bytes value = { data, size };

	cr_assert_eq(tfr_builder_bytes(x->b, key, &value, 1, NULL), TFR_OK);
}

static inline void examples_text(struct examples *x, const char *key, const char *text)
{
	examples_bytes(x, key, text, strlen(text));
}

/* Writes the record of the features so far. */
static inline void examples_end(struct examples *x)
{
	const uint8_t *data;
	size_t size;

	cr_assert_eq(tfr_builder_flatten(x->b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(x->w, data, size, NULL), TFR_OK);
	tfr_builder_reset(x->b);
}

/* Writes bytes that need not be an Example. */
static inline void examples_raw(struct examples *x, const void *data, size_t size)
{
	cr_assert_eq(tfr_writer_put(x->w, data, size, NULL), TFR_OK);
}

static inline void examples_close(struct examples *x)
{
	cr_assert_eq(tfr_writer_publish(x->w, NULL), TFR_OK);
	tfr_writer_close(x->w);
	tfr_builder_free(x->b);
}

/* The bytes of a file with a NUL after them, for the caller to free. */
static inline char *examples_slurp(const char *path, size_t *size)
{
	struct stat st;
	char *text;

	cr_assert_eq(stat(path, &st), 0, "%s", path);
	text = malloc((size_t)st.st_size + 1);
	*size = temp_read(path, text, (size_t)st.st_size);
	text[*size] = '\0';
	return text;
}

#endif
