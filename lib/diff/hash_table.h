/* diff/hash_table.h - the names of features, numbered in the order in which they come. */
#ifndef TFR_DIFF_HASH_TABLE_H
#define TFR_DIFF_HASH_TABLE_H

#include <tfr-private/diff.h>

#include "base/error.h"

enum { TFR_ROLL_MAX = 1 << 16 };

struct tfr_name {
	char *text; /* any bytes */
	size_t size;
};

/* Zero-initialised is empty. */
struct tfr_roll {
	struct tfr_name *list;
	uint32_t n, cap;
	uint32_t *slots; /* 2 * TFR_ROLL_MAX: a number + 1, 0: empty */
};

/* TFR_EUSAGE: there are too many. */
enum tfr_status tfr_roll_number(struct tfr_roll *roll, const char *text, size_t size,
	uint32_t *number, struct tfr_error *err);
void tfr_roll_clear(struct tfr_roll *roll);

#endif
