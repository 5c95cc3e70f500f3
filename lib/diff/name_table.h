/* diff/name_table.h - numbers the names of features in the order of their first occurrence. */
#ifndef TFR_DIFF_NAME_TABLE_H
#define TFR_DIFF_NAME_TABLE_H

#include "base/error.h"
#include "base/hash_index.h"

enum { TFR_NAME_TABLE_MAX = 1 << 16 };

struct tfr_table_name {
	char *text; /* any bytes */
	size_t size;
};

/* Zero-initialised is empty. */
struct tfr_name_table {
	struct tfr_table_name *list;
	uint32_t n;
	size_t cap;
	struct tfr_hash_index index;
};

/* Returns the number of a name, and adds it if it is new.  TFR_EUSAGE: there are too many. */
enum tfr_status tfr_name_table_number(struct tfr_name_table *names, const char *text, size_t size,
	uint32_t *number, struct tfr_error *err);
void tfr_name_table_clear(struct tfr_name_table *names);

#endif
