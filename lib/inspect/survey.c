/* inspect/survey.c - the list of features of a set, by name and kind. */
#include "inspect/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/escape.h"

struct tfr_survey *tfr_survey_new(bool values)
{
	struct tfr_survey *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->values = values;
	return s;
}

bool tfr_survey_make_lists(struct tfr_survey *s)
{
	s->lists = tfr_survey_new(s->values);
	if (!s->lists)
		return false;
	s->lists->of_lists = true;
	s->lists->files = s->files;
	s->lists->records = s->records;
	s->lists->paths = s->paths;
	s->lists->file_records = s->file_records;
	return true;
}

static void free_feature(struct tfr_surveyed *f)
{
	tfr_facts_clear(&f->facts);
	if (f->values)
		tfr_tops_free(f->values->tops);
	free(f->values);
	free(f->files);
	free(f->name);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

void tfr_survey_free(struct tfr_survey *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free_feature(s->list[i]);
	tfr_survey_free(s->lists);
	for (uint64_t i = 0; s->paths && !s->of_lists && i < s->files; i++)
		free(s->paths[i]);
	if (!s->of_lists) {
		free(s->paths);
		free(s->file_records);
	}
	free(s->list);
	tfr_series_clear(&s->sizes);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct tfr_survey_totals tfr_survey_totals(const struct tfr_survey *s)
{
	return (struct tfr_survey_totals){ s->files, s->records, s->sequences, s->n, s->lists };
}

int tfr_survey_compare(
	const struct tfr_surveyed *a, const void *name, size_t size, enum tfr_kind kind)
{
	int c = tfr_compare_bytes(a->name, a->size, name, size);

	return c ? c : (int)a->kind - (int)kind;
}

static struct tfr_surveyed *new_feature(
	const struct tfr_survey *s, const void *name, size_t size, enum tfr_kind kind)
{
	struct tfr_surveyed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	tfr_facts_init(&f->facts);
	f->name = malloc(size + 1);
	f->size = size;
	f->kind = kind;
	if (f->name)
		((char *)memcpy(f->name, name, size))[size] = '\0';
	if (s->values) {
		f->values = calloc(1, sizeof(*f->values));
		if (f->values)
			f->values->tops = tfr_tops_new();
	}
	if (s->paths)
		f->files = calloc(s->files + 1, sizeof(*f->files));
	if (f->name && (!s->values || (f->values && f->values->tops)) && (!s->paths || f->files))
		return f;
	free_feature(f);
	return NULL;
}

static enum tfr_status insert_feature(struct tfr_survey *s, size_t at, const void *name,
	size_t size, enum tfr_kind kind, struct tfr_error *err)
{
	struct tfr_surveyed **list, *f;

	if (s->n == TFR_SURVEY_FEATURES)
		return tfr_fail(err, TFR_EUSAGE, "more than %d features", TFR_SURVEY_FEATURES);
	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(s->list, s->cap, s->n + 1), err, "looking at the features");
	list = s->list;
	f = new_feature(s, name, size, kind);
	TFR_NEED_MEMORY(f, err, "looking at the features");
	memmove(list + at + 1, list + at, (s->n - at) * sizeof(struct tfr_surveyed *));
	list[at] = f;
	s->n++;
	return TFR_OK;
}

enum tfr_status tfr_survey_get(struct tfr_survey *s, const void *name, size_t size,
	enum tfr_kind kind, struct tfr_surveyed **f, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t low = 0, high;

	pthread_mutex_lock(&s->lock);
	high = s->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tfr_survey_compare(s->list[mid], name, size, kind) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == s->n || tfr_survey_compare(s->list[low], name, size, kind))
		status = insert_feature(s, low, name, size, kind, err);
	if (!status)
		*f = s->list[low];
	pthread_mutex_unlock(&s->lock);
	return status;
}

bool tfr_survey_name(struct tfr_buf *text, const struct tfr_surveyed *f)
{
	return tfr_escape_exactly(text, f->name, f->size);
}
