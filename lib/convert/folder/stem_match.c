/* convert/folder/stem_match.c - sorts the stems of both folders in one list, so that equal ones
 * are adjacent.
 *
 * A stem that occurs once in each folder is decided by names alone.  Only if several files share
 * a stem are their first bytes read, so that "a.jpg" beside "a.txt" stays a pair. */
#include "convert/folder/stem_match.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <tfr-private/media.h>

#include "convert/parts.h"

enum { HEAD = 64, IMAGES = 0, MASKS = 1, SIDES = 2 };

struct stem {
	size_t text; /* offset in the texts */
	uint32_t item;
	uint8_t side;
};

struct match {
	const struct tfr_scan *scans[SIDES];
	struct tfr_buf texts, stems, path;
	struct stem *all;
	size_t n;
	struct tfr_stem_pair *pairs; /* of images, by item */
	struct tfr_buf left;	     /* of masks */
};

/* --- the list --- */

static int by_text(const void *a, const void *b, void *texts)
{
	const struct stem *x = a, *y = b;
	int order = strcmp((const char *)texts + x->text, (const char *)texts + y->text);

	if (order)
		return order;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* The length of a path without its NUL and its extension.  A name cannot begin with a dot. */
static size_t stem_size(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	return dot ? (size_t)(dot - path) : strlen(path);
}

static enum tfr_status add_side(struct match *m, uint8_t side, struct tfr_error *err)
{
	const struct tfr_scan *scan = m->scans[side];

	for (size_t i = 0; i < scan->n_items; i++) {
		struct stem stem = { .text = m->texts.size, .item = (uint32_t)i, .side = side };
		const char *path;

		if (!tfr_scan_path(scan, &scan->items[i], &m->path))
			return tfr_fail_nomem(err, "pairing files");
		path = (const char *)m->path.data;
		if (!tfr_buf_append(&m->texts, path, stem_size(path)) ||
			!tfr_buf_append(&m->texts, "", 1) ||
			!tfr_buf_append(&m->stems, &stem, sizeof(stem)))
			return tfr_fail_nomem(err, "pairing files");
	}
	return TFR_OK;
}

/* --- one stem --- */

static enum tfr_status begins_as_image(
	struct match *m, const struct stem *stem, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = m->scans[stem->side];
	uint8_t head[HEAD];
	ssize_t n;

	*yes = false;
	if (scan->items[stem->item].fault)
		return TFR_OK;
	if (!tfr_scan_path(scan, &scan->items[stem->item], &m->path))
		return tfr_fail_nomem(err, "pairing files");
	n = tfr_root_head(scan->root, (const char *)m->path.data, head, sizeof(head));
	if (n < 0 && tfr_errno_of_process(errno))
		return tfr_fail_errno(err, errno, (const char *)m->path.data, "cannot open");
	*yes = n > 0 && tfr_image_sniff(head, (size_t)n) != TFR_IMAGE_UNKNOWN;
	return TFR_OK;
}

static bool append(struct match *m, struct tfr_stem_pair pair)
{
	assert(pair.image != TFR_NO_PARTNER || pair.mask != TFR_NO_PARTNER);
	if (pair.image != TFR_NO_PARTNER) {
		m->pairs[pair.image] = pair;
		return true;
	}
	return tfr_buf_append(&m->left, &pair, sizeof(pair));
}

/* Gives several files the same reason. */
static enum tfr_status refuse(
	struct match *m, const struct stem *stems, size_t n, const char *why, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		bool image = stems[i].side == IMAGES;
		struct tfr_stem_pair pair = {
			.image = image ? stems[i].item : TFR_NO_PARTNER,
			.mask = image ? TFR_NO_PARTNER : stems[i].item,
			.why = why,
		};

		if (!append(m, pair))
			return tfr_fail_nomem(err, "pairing files");
	}
	return TFR_OK;
}

/* Moves those of several files of one folder that begin like images to the front, and returns
 * their number; the others are done. */
static enum tfr_status choose(
	struct match *m, struct stem *stems, size_t n, size_t *left, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t kept = 0;

	for (size_t i = 0; !status && n > 1 && i < n; i++) {
		struct stem stem = stems[i];
		bool yes;

		status = begins_as_image(m, &stem, &yes, err);
		if (!status && yes)
			stems[kept++] = stem;
		else if (!status)
			status = refuse(m, &stem, 1, "not an image", err);
	}
	*left = n > 1 ? kept : n;
	return status;
}

static enum tfr_status decide(
	struct match *m, struct stem *stems, size_t n_images, size_t n_masks, struct tfr_error *err)
{
	struct stem *masks = stems + n_images;
	const char *why;
	size_t p, k;
	enum tfr_status status;

	TFR_TRY(choose(m, stems, n_images, &p, err));
	TFR_TRY(choose(m, masks, n_masks, &k, err));
	if (p == 1 && k == 1) {
		m->pairs[stems->item] =
			(struct tfr_stem_pair){ .image = stems->item, .mask = masks->item };
		return TFR_OK;
	}
	why = p > 1   ? "several images have its name"
	      : k > 1 ? "several masks have its name"
	      : p     ? "no mask has its name"
		      : "no image has its name";
	status = refuse(m, stems, p, why, err);
	return status ? status : refuse(m, masks, k, why, err);
}

static enum tfr_status match_all(struct match *m, struct tfr_error *err)
{
	const char *texts = (const char *)m->texts.data;
	enum tfr_status status = TFR_OK;
	size_t first = 0;

	while (!status && first < m->n) {
		const char *text = texts + m->all[first].text;
		size_t count[SIDES] = { 0 }, end = first;

		for (; end < m->n && !strcmp(texts + m->all[end].text, text); end++)
			count[m->all[end].side]++;
		status = decide(m, m->all + first, count[IMAGES], count[MASKS], err);
		first = end;
	}
	return status;
}

/* --- all --- */

static int by_mask(const void *a, const void *b)
{
	const struct tfr_stem_pair *x = a, *y = b;

	return x->mask < y->mask ? -1 : x->mask > y->mask;
}

/* One list with a row per image, then the masks without an image. */
static enum tfr_status join(struct match *m, struct tfr_pairs *pairs, struct tfr_error *err)
{
	size_t n = m->scans[IMAGES]->n_items, left = m->left.size / sizeof(struct tfr_stem_pair);
	struct tfr_stem_pair *list;

	if (n + left > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u images and masks", UINT32_MAX);
	list = realloc(m->pairs, (n + left + 1) * sizeof(*list));
	if (!list)
		return tfr_fail_nomem(err, "pairing files");
	m->pairs = NULL;
	if (left) {
		qsort(m->left.data, left, sizeof(*list), by_mask);
		memcpy(list + n, m->left.data, m->left.size);
	}
	*pairs = (struct tfr_pairs){ list, n + left };
	return TFR_OK;
}

enum tfr_status tfr_pairs_match(struct tfr_pairs *pairs, const struct tfr_scan *images,
	const struct tfr_scan *masks, struct tfr_error *err)
{
	struct match m = { .scans = { images, masks } };
	enum tfr_status status = TFR_OK;

	m.pairs = calloc(images->n_items + 1, sizeof(*m.pairs));
	if (!m.pairs)
		status = tfr_fail_nomem(err, "pairing files");
	for (uint8_t side = 0; !status && side < SIDES; side++)
		status = add_side(&m, side, err);
	m.all = (struct stem *)(void *)m.stems.data;
	m.n = m.stems.size / sizeof(struct stem);
	if (!status && m.n)
		qsort_r(m.all, m.n, sizeof(*m.all), by_text, m.texts.data);
	if (!status)
		status = match_all(&m, err);
	if (!status)
		status = join(&m, pairs, err);
	free(m.pairs);
	tfr_buf_clear(&m.texts);
	tfr_buf_clear(&m.stems);
	tfr_buf_clear(&m.path);
	tfr_buf_clear(&m.left);
	return status;
}

void tfr_pairs_clear(struct tfr_pairs *pairs)
{
	free(pairs->list);
	*pairs = (struct tfr_pairs){ 0 };
}
