/* base/dtype.c - a table of the number types, one row per type. */
#include <assert.h>
#include <string.h>

#include <tfr-private/dtype.h>

static const struct {
	const char *name;
	size_t size;
} rows[] = {
	[TFR_UINT8] = { "uint8", 1 },
	[TFR_FLOAT16] = { "float16", 2 },
	[TFR_FLOAT32] = { "float32", 4 },
	[TFR_INT64] = { "int64", 8 },
	[TFR_INT32] = { "int32", 4 },
	[TFR_INT16] = { "int16", 2 },
	[TFR_BFLOAT16] = { "bfloat16", 2 },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

size_t tfr_dtype_size(enum tfr_dtype dtype)
{
	assert((unsigned)dtype < ROWS);
	return rows[dtype].size;
}

const char *tfr_dtype_name(enum tfr_dtype dtype)
{
	assert((unsigned)dtype < ROWS);
	return rows[dtype].name;
}

bool tfr_dtype_parse(const char *name, enum tfr_dtype *dtype)
{
	for (int i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].name, name)) {
			*dtype = (enum tfr_dtype)i;
			return true;
		}
	return false;
}
