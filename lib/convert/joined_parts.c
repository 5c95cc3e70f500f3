/* convert/joined_parts.c - gives the items of all parts one after the other; each part handles
 * its own items under its own numbers. */
#include "convert/joined_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/folder/scan.h"
#include "convert/folder/splits.h"

struct joined {
	struct tfr_input in;
	struct tfr_input_ops ops;
	struct tfr_input **parts;
	uint64_t *first; /* the first item of each part, and the end */
	uint32_t *target;
	size_t n; /* parts that are written; those after them are not */
	size_t opened;
};

static size_t part_of(const struct joined *j, uint64_t item)
{
	size_t k = 0;

	assert(item < j->first[j->n]);
	while (item >= j->first[k + 1])
		k++;
	return k;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct joined *j = (struct joined *)in;
	uint64_t number = item->number;
	size_t k = part_of(j, number);
	enum tfr_status status;

	item->number -= j->first[k];
	j->parts[k]->ahead = in->ahead && !in->order ? j->parts[k]->items : 0;
	status = j->parts[k]->ops->next(j->parts[k], item, room, err);
	item->number = number;
	item->placed = true;
	item->target = j->target[k];
	if (!item->prefix)
		item->prefix = j->parts[k]->prefix;
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct joined *j = (struct joined *)in;
	uint64_t number = item->number;
	size_t k = part_of(j, number);
	enum tfr_status status;

	item->number -= j->first[k];
	status = j->parts[k]->ops->load(j->parts[k], item, bench, room, err);
	item->number = number;
	return status;
}

static void measure(struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *m)
{
	struct joined *j = (struct joined *)in;
	size_t k = part_of(j, item->number);
	struct tfr_item own = *item;

	own.number -= j->first[k];
	j->parts[k]->ops->measure(j->parts[k], &own, m);
}

static void close_joined(struct tfr_input *in)
{
	struct joined *j = (struct joined *)in;

	for (size_t k = 0; k < j->opened; k++)
		if (j->parts[k])
			j->parts[k]->ops->close(j->parts[k]);
	free(j->parts);
	free(j->first);
	free(j->target);
	free(j);
}

/* --- which parts are written --- */

/* Whether "train/" or "images/train/" names a part below `input`. */
static bool names(const char *folder, const struct tfr_part *part, const char *input)
{
	size_t n = strlen(folder), m = part->split ? strlen(part->split) : 0, above = strlen(input);
	const char *below = part->images;

	while (n && folder[n - 1] == '/')
		n--;
	if (m && n == m && !strncmp(folder, part->split, n))
		return true;
	if (strncmp(below, input, above))
		return false;
	below += above + strspn(below + above, "/");
	return strlen(below) == n && !strncmp(folder, below, n);
}

static enum tfr_status no_split(const struct tfr_parts *parts, const char *folder,
	const struct tfr_convert_opts *o, struct tfr_error *err)
{
	char text[300] = "";

	for (size_t k = 0; k < parts->n; k++)
		if (parts->list[k].split)
			tfr_list_name(text, sizeof(text), parts->list[k].split, "/");
	tfr_fail(err, TFR_EUSAGE, "no split '%s' with annotations in '%s'", folder,
		o->input.paths[0]);
	if (*text && strlen(text) < sizeof(text) - 1)
		tfr_error_hint(err, "Its splits are %s.", text);
	return TFR_EUSAGE;
}

/* Sets the target of each part, or TFR_NO_TARGET. */
static enum tfr_status choose(const struct tfr_parts *parts, const struct tfr_convert_opts *o,
	uint32_t *target, struct tfr_error *err)
{
	for (size_t k = 0; k < parts->n; k++)
		target[k] = TFR_NO_TARGET;
	for (size_t t = 0; t < o->output.target_count; t++) {
		const char *folder = o->output.targets[t].folder;
		size_t k = 0;

		while (k < parts->n && !names(folder, &parts->list[k], o->input.paths[0]))
			k++;
		if (k == parts->n)
			return no_split(parts, folder, o, err);
		if (target[k] != TFR_NO_TARGET)
			return tfr_fail(err, TFR_EUSAGE, "the folder '%s' is named twice", folder);
		target[k] = (uint32_t)t;
	}
	return TFR_OK;
}

static enum tfr_status refuse(
	const struct tfr_parts *parts, const struct tfr_convert_opts *o, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_found_split *found = calloc(parts->n, sizeof(*found));

	TFR_NEED_MEMORY(found, err, "reading annotations");
	for (size_t k = 0; k < parts->n; k++) {
		size_t images;

		if (tfr_scan_count(parts->list[k].images, tfr_is_image, &images, NULL))
			images = 0;
		found[k] = (struct tfr_found_split){ .folder = parts->list[k].split,
			.files = images };
	}
	return tfr_splits_refuse_found(o, "splits", found, parts->n, err);
}

static void say_left(
	const struct tfr_names *names, const char *why, const struct tfr_convert_opts *o)
{
	char more[64] = "";

	if (names->n > 1)
		snprintf(more, sizeof(more), " and %zu other folder%s", names->n - 1,
			names->n > 2 ? "s" : "");
	if (names->n)
		tfr_warn(o, "'%.4000s'%s left out: %s", names->list[0], more, why);
}

/* --- all of them --- */

static enum tfr_status open_parts(struct joined *j, const struct tfr_parts_kind *kind,
	const struct tfr_parts *parts, const uint32_t *target, struct tfr_error *err)
{
	/* The parts that are written come first; the others are opened only for their classes. */
	for (int written = 1; written >= 0; written--)
		for (size_t k = 0; k < parts->n; k++) {
			if ((target[k] != TFR_NO_TARGET) != written || (!written && !kind->all))
				continue;
			TFR_TRY(kind->open(
				&j->parts[j->opened++], j->in.opts, &parts->list[k], err));
			if (!written)
				continue;
			j->target[j->n] = target[k];
			j->first[j->n + 1] = j->first[j->n] + j->parts[j->n]->items;
			j->n++;
		}
	return TFR_OK;
}

static enum tfr_status open_joined(struct tfr_input **in, const struct tfr_parts_kind *kind,
	const struct tfr_parts *parts, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_FREE uint32_t *target = calloc(parts->n, sizeof(*target));
	struct joined *j = calloc(1, sizeof(*j));

	TFR_NEED_MEMORY(j, err, "reading annotations");
	*in = &j->in;
	j->ops = *kind->ops;
	j->ops.next = next;
	j->ops.load = load;
	if (kind->ops->measure)
		j->ops.measure = measure;
	j->ops.close = close_joined;
	j->in = (struct tfr_input){ .ops = &j->ops, .opts = opts };
	j->parts = calloc(parts->n, sizeof(*j->parts));
	j->first = calloc(parts->n + 1, sizeof(*j->first));
	j->target = calloc(parts->n, sizeof(*j->target));
	if (!target || !j->parts || !j->first || !j->target)
		return tfr_fail_nomem(err, "reading annotations");
	TFR_TRY(choose(parts, opts, target, err));
	TFR_TRY(open_parts(j, kind, parts, target, err));
	j->in.items = j->first[j->n];
	j->in.prefix = j->parts[0]->prefix;
	j->in.by_path = j->parts[0]->by_path;
	j->in.classes = j->parts[0]->classes;
	j->in.n_classes = j->parts[0]->n_classes;
	if (j->in.items > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u images", UINT32_MAX);
	return j->opened > 1 ? kind->unite(j->parts, j->opened, &j->in, err) : TFR_OK;
}

static enum tfr_status open_found(struct tfr_input **in, const struct tfr_parts_kind *kind,
	const struct tfr_parts *parts, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if (!parts->n)
		return tfr_fail_path(err, TFR_EUSAGE, opts->input.paths[0], "%s", kind->none);
	/* The parts of a data set without splits would have no names. */
	assert(parts->n == 1 || parts->list[0].split);
	say_left(&parts->left, "images without annotations", opts);
	say_left(&parts->others, "not named like a split", opts);
	if (tfr_splits_are_asked(opts))
		return open_joined(in, kind, parts, opts, err);
	if (parts->n > 1)
		return refuse(parts, opts, err);
	return kind->open(in, opts, &parts->list[0], err);
}

static bool find_all(struct tfr_parts *parts, const char *folder,
	bool (*find)(struct tfr_parts *p, const char *folder))
{
	TFR_AUTO_FREE char *base = tfr_parts_base(folder, parts->err);

	if (!base || !find(parts, base))
		tfr_fail_nomem(parts->err, "looking for annotations");
	return !parts->err->status;
}

bool tfr_parts_recognised(
	bool (*find)(struct tfr_parts *p, const char *folder), const struct tfr_offer *offer)
{
	struct tfr_parts parts = { .err = offer->err };
	bool found = offer->directory && find_all(&parts, offer->path, find) && parts.n;

	tfr_parts_clear(&parts);
	return found;
}

enum tfr_status tfr_parts_open(struct tfr_input **in, const struct tfr_parts_kind *kind,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	struct tfr_parts parts = { .err = &why };
	enum tfr_status status;

	if (!opts->input.annotations)
		find_all(&parts, opts->input.paths[0], kind->find);
	else if (!tfr_parts_add(&parts, NULL, opts->input.paths[0], opts->input.annotations))
		tfr_fail_nomem(&why, "reading annotations");
	status = why.status ? why.status : open_found(in, kind, &parts, opts, err);
	tfr_error_pass(&why, err);
	tfr_parts_clear(&parts);
	return status;
}
