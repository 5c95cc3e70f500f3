/* inspect/find_class_map.c - the class map of a set, from the records if no file beside it has one.
 *
 * The map from some of the records is correct but may be incomplete: classes that were not met
 * are not compared. */
#include "inspect/find_class_map.h"

#include <string.h>
#include <sys/stat.h>

#include <tfr-private/example.h>

#include "base/error.h"
#include "io/path.h"
#include "record/reader.h"

enum { MOST_BYTES = 256 << 20, LEAST_A_FILE = 1 << 20, LOOK_AT = 64, MOST_CLASSES = 1 << 20 };

static const char *const pairs[][2] = {
	{ "image/class/label", "image/class/text" },
	{ "audio/class/label", "audio/class/text" },
};

static const char reading[] = "reading the classes of a set";

/* Adds the class of a record.  TFR_END: the record has no number and name.  A class equal to the
 * last one added is skipped. */
static enum tfr_status note_class(
	struct tfr_class_map *m, const struct tfr_example *ex, struct tfr_error *err)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const struct tfr_class_entry *last = m->n ? &m->list[m->n - 1] : NULL;
		struct tfr_bytes text;
		int64_t label;

		if (!tfr_feature_int64(tfr_example_get(ex, pairs[i][0]), 0, &label) ||
			!tfr_feature_bytes(tfr_example_get(ex, pairs[i][1]), 0, &text))
			continue;
		if (last && last->label == label && strlen(last->text) == text.size &&
			!memcmp(last->text, text.data, text.size))
			return TFR_OK;
		if (m->n >= MOST_CLASSES) /* most entries are duplicates */
			tfr_class_map_sort(m);
		if (m->n < MOST_CLASSES)
			TFR_NEED_MEMORY(
				tfr_class_map_add(m, (const char *)text.data, text.size, label),
				err, reading);
		return TFR_OK;
	}
	return TFR_END;
}

/* Reads records of up to `most` bytes together. */
static enum tfr_status read_records(struct tfr_class_map *m, const char *path, uint64_t most,
	struct tfr_example *ex, struct tfr_error *err)
{
	TFR_AUTO_READER r = NULL;
	uint64_t bytes = 0, none = 0;
	bool any = false;

	TFR_TRY(tfr_reader_open(&r, path, &(struct tfr_reader_opts){ .threads = 1 }, err));
	while (bytes < most && (any || none < LOOK_AT)) {
		struct tfr_record rec;
		enum tfr_status status;

		TFR_TRY(tfr_reader_next(r, &rec, err));
		bytes += rec.size;
		status = tfr_example_parse(ex, rec.data, rec.size, err);
		if (!status)
			status = note_class(m, ex, err);
		any |= !status;
		none += status == TFR_EDATA || status == TFR_END;
		if (status && status != TFR_EDATA && status != TFR_END)
			return status;
	}
	return TFR_OK;
}

static enum tfr_status read_files(struct tfr_class_map *m, const char *const *files, size_t count,
	struct tfr_example *ex, struct tfr_error *err)
{
	uint64_t most = MOST_BYTES / (count ? count : 1);

	most = most > LEAST_A_FILE ? most : LEAST_A_FILE;
	for (size_t i = 0; i < count; i++) {
		struct stat st;
		enum tfr_status status =
			strcmp(files[i], "-") ? tfr_look(files[i], &st, err) : TFR_END;

		if (status == TFR_END || (!status && !S_ISREG(st.st_mode)))
			continue;
		TFR_TRY(status);
		status = read_records(m, files[i], most, ex, err);
		if (status == TFR_ENOMEM || status == TFR_ESYS)
			return status; /* a later reading of the file reports damage */
		if (i == 0 && !m->n)
			return TFR_OK; /* the records are of another kind */
	}
	return TFR_OK;
}

enum tfr_status tfr_class_map_find(
	struct tfr_class_map *m, const char *const *files, size_t count, struct tfr_error *err)
{
	enum tfr_status status =
		count && strcmp(files[0], "-") ? tfr_class_map_beside(m, files[0], err) : TFR_END;
	struct tfr_example *ex;

	if (status != TFR_END)
		return status;
	ex = tfr_example_new();
	TFR_NEED_MEMORY(ex, err, reading);
	status = read_files(m, files, count, ex, err);
	tfr_example_free(ex);
	tfr_class_map_sort(m);
	return status;
}
