/* doctor/label_feature.c - finds the feature that holds a record's class, and reads the class of a
 * record.
 *
 * Only the name of a feature shows what its number means: image/height is an int64 with few values
 * as well.  So a label is found by its name, and is a single int64. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor/doctor.h"
#include "inspect/stats/facts.h"
#include "xxhash.h"

enum { LOOK_AT = 16 };

static bool is_word(const char *p, size_t n, const char *word)
{
	return n == strlen(word) && !strncasecmp(p, word, n);
}

static bool has_word(const char *p, size_t n, const char *word)
{
	size_t m = strlen(word);

	for (size_t i = 0; i + m <= n; i++)
		if (!strncasecmp(p + i, word, m))
			return true;
	return false;
}

/* How likely the name is that of a class; 0: not at all.  The names follow the conventions of
 * tf_slim, object_detection and TensorFlow Datasets. */
static unsigned score_of(const char *name, size_t n)
{
	static const char *const words[] = { "label", "class", "target", "category", "y",
		"label_id", "class_id", "category_id", "fine_label", "labels" };
	const char *last = memrchr(name, '/', n);
	size_t rest = last ? n - (size_t)(last + 1 - name) : n;

	last = last ? last + 1 : name;
	if (is_word(name, n, "image/class/label") || is_word(name, n, "label"))
		return 3;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(last, rest, words[i]))
			return 2;
	return has_word(name, n, "label") || has_word(name, n, "class");
}

bool tfr_doctor_of_objects(const char *name, size_t size)
{
	static const char *const words[] = { "object", "objects", "bbox", "bboxes", "box", "boxes",
		"annotation", "annotations", "region", "instances", "faces" };

	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *slash = memchr(name + at, '/', size - at);

		n = slash ? (size_t)(slash - name) - at : size - at;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (is_word(name + at, n, words[i]))
				return true;
	}
	return false;
}

/* Copies the name of the best candidate in the record, if there is one. */
static enum tfr_status choose(const struct tfr_example *ex, char **label)
{
	const struct tfr_feature *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);
		unsigned score = score_of(f->key, f->key_size);

		if (f->kind != TFR_KIND_INT64 || f->count != 1 || score <= most ||
			memchr(f->key, '\0', f->key_size) ||
			tfr_doctor_of_objects(f->key, f->key_size))
			continue;
		best = f;
		most = score;
	}
	*label = best ? strndup(best->key, best->key_size) : NULL;
	return best && !*label ? TFR_ENOMEM : TFR_OK;
}

char *tfr_dlook_for_label(const char *path, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .block_size = 64 << 10, .threads = 1 };
	struct tfr_example *ex = tfr_example_new();
	enum tfr_status status = ex ? TFR_OK : TFR_ENOMEM;
	struct tfr_error why = { 0 };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	char *label = NULL;

	if (!status)
		status = tfr_reader_open(&r, path, &opts, &why);
	for (int i = 0; !status && i < LOOK_AT; i++) {
		const struct tfr_feature *f;

		status = tfr_reader_next(r, &rec, &why);
		if (status)
			break;
		status = tfr_example_parse(ex, rec.data, rec.size, NULL);
		if (status == TFR_EDATA) { /* not an Example */
			status = TFR_OK;
			continue;
		}
		if (!status && !label)
			status = choose(ex, &label);
		f = label ? tfr_example_get(ex, label) : NULL;
		if (f && f->kind != TFR_KIND_UNSET && (f->kind != TFR_KIND_INT64 || f->count > 1)) {
			free(label); /* a list of labels is not the class of a record */
			label = NULL;
			break;
		}
	}
	if (status == TFR_ENOMEM && !why.status)
		tfr_fail_nomem(&why, "looking for labels");
	if (status == TFR_ENOMEM || status == TFR_ESYS)
		*err = why;
	tfr_reader_close(r);
	tfr_example_free(ex);
	return label;
}

bool tfr_dlook_class(const struct tfr_example *ex, const char *label, struct tfr_dclass *class)
{
	const struct tfr_feature *f = tfr_example_get(ex, label);
	struct tfr_bytes bytes;
	int64_t number;
	float real;
	char raw[48];

	if (tfr_feature_int64(f, 0, &number)) {
		class->hash = tfr_mix((uint64_t)number);
		snprintf(class->text, sizeof(class->text), "%lld", (long long)number);
	} else if (tfr_feature_bytes(f, 0, &bytes)) {
		class->hash = XXH3_64bits(bytes.data, bytes.size);
		snprintf(raw, sizeof(raw), "%.*s", (int)(bytes.size < 40 ? bytes.size : 40),
			(const char *)bytes.data);
		tfr_escape_line(class->text, sizeof(class->text), raw);
	} else if (tfr_feature_float(f, 0, &real)) {
		class->hash = XXH3_64bits(&real, sizeof(real));
		snprintf(class->text, sizeof(class->text), "%.9g", (double)real);
	} else {
		return false;
	}
	return true;
}
