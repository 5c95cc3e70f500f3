/* pipeline/transfer/feature_block.c - the columns of a parser, one after the other in a block of
 * memory.
 *
 * One function describes the tensors of a feature; sizes and contents follow from these
 * descriptions. */
#include "pipeline/transfer/feature_block.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"

enum { ALIGNMENT = 64, TENSORS_MAX = 3 /* of a feature at most */ };

/* ---- names ---- */

static bool add_name(struct tfr_feature_block *f, const char *feature, const char *suffix)
{
	assert(f->tensors < TENSORS_MAX * f->count);
	f->names[f->tensors] = tfr_asprintf("%s%s", feature, suffix);
	return f->names[f->tensors] && ++f->tensors;
}

static bool add_names(struct tfr_feature_block *f, const struct tfr_batch_feature *one)
{
	return add_name(f, one->name, "") &&
	       (one->kind != TFR_KIND_BYTES || add_name(f, one->name, "/offsets")) &&
	       (one->layout != TFR_RAGGED || add_name(f, one->name, "/row_splits"));
}

static bool copy_list(
	struct tfr_feature_block *f, const struct tfr_batch_feature *list, size_t count)
{
	f->list = calloc(count ? count : 1, sizeof(*f->list));
	f->names = calloc(count ? TENSORS_MAX * count : 1, sizeof(*f->names));
	for (; f->list && f->names && f->count < count; f->count++) {
		const struct tfr_batch_feature *from = &list[f->count];
		struct tfr_batch_feature *to = &f->list[f->count];
		size_t size = from->name_size || !from->name ? from->name_size : strlen(from->name);
		char *name = calloc(size + 1, 1);

		if (!name)
			return false;
		if (size)
			memcpy(name, from->name, size);
		*to = *from;
		to->name = name;
		to->name_size = size;
		to->copy = true;
	}
	return f->list && f->names;
}

enum tfr_status tfr_feature_block_init(struct tfr_feature_block *f,
	const struct tfr_batch_feature *list, size_t count, struct tfr_error *err)
{
	struct tfr_batch_parser *parser = NULL;
	bool good;

	*f = (struct tfr_feature_block){ 0 };
	TFR_TRY(tfr_batch_parser_new(&parser, list, count, err)); /* which checks them */
	tfr_batch_parser_free(parser);
	good = copy_list(f, list, count);
	for (size_t i = 0; good && i < count; i++)
		good = add_names(f, &f->list[i]);
	if (good)
		return TFR_OK;
	tfr_feature_block_clear(f);
	return tfr_fail_nomem(err, "naming the features of a batch");
}

void tfr_feature_block_clear(struct tfr_feature_block *f)
{
	for (size_t i = 0; i < f->count; i++)
		free((char *)(uintptr_t)f->list[i].name);
	for (size_t i = 0; f->names && i < TENSORS_MAX * f->count; i++)
		free(f->names[i]);
	free(f->list);
	free(f->names);
	*f = (struct tfr_feature_block){ 0 };
}

enum tfr_status tfr_feature_block_parser(
	const struct tfr_feature_block *f, struct tfr_batch_parser **p, struct tfr_error *err)
{
	return tfr_batch_parser_new(p, f->list, f->count, err);
}

/* ---- the tensors of a feature ---- */

static struct tfr_tensor dense_tensor(
	const void *data, enum tfr_dtype dtype, unsigned rank, uint64_t rows, uint64_t width)
{
	int64_t size = (int64_t)tfr_dtype_size(dtype);

	return (struct tfr_tensor){ .data = (void *)(uintptr_t)data,
		.dtype = dtype,
		.rank = rank,
		.shape = { rows, width },
		.strides = { rank > 1 ? (int64_t)width * size : size, size } };
}

static uint64_t tensor_bytes(const struct tfr_tensor *t)
{
	return t->shape[0] * (uint64_t)t->strides[0];
}

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* The values of a column, be they numbers or offsets of texts, beside what follows from them. */
static unsigned describe_column(
	const struct tfr_batch_feature *f, const struct tfr_column *c, struct tfr_tensor *own)
{
	bool ragged = f->layout == TFR_RAGGED;
	unsigned n = 0;

	if (f->kind == TFR_KIND_BYTES) {
		own[n++] = dense_tensor(c->text, TFR_UINT8, 1, (uint64_t)c->offsets[c->count], 0);
		own[n++] = dense_tensor(c->offsets, TFR_INT64, 1, c->count + 1, 0);
	} else {
		own[n++] =
			dense_tensor(c->int64s, f->kind == TFR_KIND_FLOAT ? TFR_FLOAT32 : TFR_INT64,
				ragged ? 1 : 2, ragged ? c->count : c->rows, c->width);
	}
	if (ragged && f->splits32)
		own[n++] = dense_tensor(c->splits32, TFR_INT32, 1, c->rows + 1, 0);
	else if (ragged)
		own[n++] = dense_tensor(c->splits, TFR_INT64, 1, c->rows + 1, 0);
	assert(n <= TENSORS_MAX);
	return n;
}

void tfr_feature_error_alone(char *message)
{
	char *end = strstr(message, " record 0 of the batch");

	if (!end)
		return;
	*end = '\0';
	end = strrchr(message, ' ');
	if (end && (!strcmp(end, " in") || !strcmp(end, " of")))
		*end = '\0';
	end = message + strlen(message);
	if (end > message && end[-1] == ',')
		end[-1] = '\0';
}

uint64_t tfr_feature_block_bytes(
	const struct tfr_feature_block *f, const struct tfr_batch_parser *p)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < f->count; i++) {
		struct tfr_tensor own[TENSORS_MAX];
		unsigned n = describe_column(&f->list[i], tfr_batch_column(p, i), own);

		for (unsigned k = 0; k < n; k++)
			bytes += aligned(tensor_bytes(&own[k]));
	}
	return bytes;
}

/* The bytes between two tensors are 0, so that equal batches are equal blocks. */
void tfr_feature_block_write(const struct tfr_feature_block *f, const struct tfr_batch_parser *p,
	void *memory, uint64_t offset, struct tfr_tensor *tensors)
{
	uint8_t *to = memory;
	unsigned tensor = 0;

	assert(offset % ALIGNMENT == 0);
	for (size_t i = 0; i < f->count; i++) {
		struct tfr_tensor own[TENSORS_MAX];
		unsigned n = describe_column(&f->list[i], tfr_batch_column(p, i), own);

		for (unsigned k = 0; k < n; k++, tensor++) {
			uint64_t bytes = tensor_bytes(&own[k]), all = aligned(bytes);

			if (bytes)
				memcpy(to, own[k].data, bytes);
			memset(to + bytes, 0, all - bytes);
			assert(tensor < f->tensors);
			tensors[tensor] = own[k];
			tensors[tensor].name = f->names[tensor];
			tensors[tensor].offset = offset + (uint64_t)(to - (uint8_t *)memory);
			tensors[tensor].data = to;
			to += all;
		}
	}
}

uint64_t tfr_feature_block_guess(
	const struct tfr_feature_block *f, const struct tfr_batch_parser *sample, uint64_t batch)
{
	uint64_t rows = tfr_batch_rows(sample), bytes = 0;

	for (size_t i = 0; i < f->count; i++) {
		struct tfr_tensor own[TENSORS_MAX];
		unsigned n = describe_column(&f->list[i], tfr_batch_column(sample, i), own);
		bool fixed = f->list[i].layout == TFR_DENSE && f->list[i].kind != TFR_KIND_BYTES;

		for (unsigned k = 0; k < n; k++) {
			uint64_t one = tensor_bytes(&own[k]) / (rows ? rows : 1) + 1;

			bytes += aligned(batch * (fixed ? one - 1 : one + one / 4) + ALIGNMENT);
		}
	}
	return bytes;
}
