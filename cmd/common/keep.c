/* cmd/common/keep.c - --keep and --drop: looks up the features of each record in a sorted list.
 *
 * The features of an Example are sorted as well, and a record can have many. */
#include "common/keep.h"

#include <stdlib.h>
#include <string.h>

struct name {
	char *text; /* `size` bytes and a NUL */
	size_t size;
};

struct features {
	struct name *names;
	size_t count;
	bool keep;
	uint64_t records;
	struct tfr_example *example;
	struct tfr_builder *builder;
	struct tfr_feature_watch *watch;
};

static int compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
	int order = memcmp(a, b, a_size < b_size ? a_size : b_size);

	return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return compare(x->text, x->size, y->text, y->size);
}

/* Finds the name at `at`, and its end.  NULL: it is empty and not quoted, or its quote is not
 * closed. */
static const char *read_name(const char *at, const char **start, size_t *size)
{
	const char *end;

	if (*at != '"' && *at != '\'') {
		*start = at;
		*size = strcspn(at, ",");
		return *size ? at + *size : NULL;
	}
	end = strchr(at + 1, *at);
	*start = at + 1;
	*size = end ? (size_t)(end - at) - 1 : 0;
	return end && (end[1] == ',' || !end[1]) ? end + 1 : NULL;
}

static bool add_name(struct features *f, const char *start, size_t size)
{
	struct name *larger = reallocarray(f->names, f->count + 1, sizeof(*larger));
	char *text = larger ? strndup(start, size) : NULL;

	if (larger)
		f->names = larger;
	if (text)
		f->names[f->count++] = (struct name){ text, size };
	return text != NULL;
}

static int read_names(struct cmd *c, struct features *f, const char *list)
{
	const char *start, *end;
	size_t size;

	for (const char *at = list;; at = end + 1) {
		end = read_name(at, &start, &size);
		if (!end)
			return cmd_usage(c,
				"--%s takes names separated by commas, in quotes where one has a "
				"comma, not '%s'",
				f->keep ? "keep" : "drop", list);
		if (!add_name(f, start, size))
			return cmd_no_memory(c);
		if (!*end)
			break;
	}
	qsort(f->names, f->count, sizeof(*f->names), by_text);
	for (size_t i = 0; i < f->count; i++)
		if ((!i || by_text(&f->names[i - 1], &f->names[i])) &&
			!tfr_feature_watch_add(f->watch, f->names[i].text))
			return cmd_no_memory(c);
	return 0;
}

int features_open(struct cmd *c, struct features **out, const char *keep, const char *drop)
{
	struct features *f;

	*out = NULL;
	if (!keep && !drop)
		return 0;
	if (keep && drop)
		return cmd_usage(c, "--keep and --drop cannot be combined");
	f = calloc(1, sizeof(*f));
	if (!f)
		return cmd_no_memory(c);
	f->keep = keep != NULL;
	f->example = tfr_example_new();
	f->builder = tfr_builder_new();
	f->watch = tfr_feature_watch_new();
	if (!f->example || !f->builder || !f->watch)
		cmd_no_memory(c);
	else if (!read_names(c, f, keep ? keep : drop))
		*out = f;
	if (*out)
		return 0;
	features_close(f);
	return c->exit;
}

static bool is_named(const struct features *f, const struct tfr_feature *feature)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct name *n = &f->names[middle];
		int order = compare(n->text, n->size, feature->key, feature->key_size);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

enum tfr_status features_apply(struct features *f, const struct tfr_record *rec,
	const struct iovec **pieces, int *n, struct tfr_error *err)
{
	enum tfr_status status;
	size_t size;

	if (tfr_is_sequence_example(rec->data, rec->size)) {
		*err = (struct tfr_error){ .status = TFR_EDATA,
			.message = "a SequenceExample, whose feature lists would be lost," };
		tfr_error_hint(err, "--keep and --drop are for Examples.");
		return TFR_EDATA;
	}
	status = tfr_example_parse(f->example, rec->data, rec->size, err);
	if (!status)
		tfr_feature_watch_look(f->watch, f->example);
	tfr_builder_reset(f->builder);
	for (size_t i = 0; !status && i < tfr_example_count(f->example); i++) {
		const struct tfr_feature *feature = tfr_example_at(f->example, i);

		if (is_named(f, feature) == f->keep)
			status = tfr_builder_feature(f->builder, feature, err);
	}
	if (status)
		return status;
	f->records++;
	return tfr_builder_gather(f->builder, pieces, n, &size, err);
}

void features_finish(struct cmd *c, const struct features *f, uint64_t read)
{
	if (f && f->records)
		tfr_feature_watch_report(f->watch,
			f->keep && f->records == read ? cmd_missing : NULL, cmd_warn_text, c);
}

void features_close(struct features *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++)
		free(f->names[i].text);
	free(f->names);
	tfr_example_free(f->example);
	tfr_builder_free(f->builder);
	tfr_feature_watch_free(f->watch);
	free(f);
}
