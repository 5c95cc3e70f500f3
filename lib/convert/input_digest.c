/* convert/input_digest.c - the files of a list one by one, or else the files of the inputs. */
#include "convert/input_digest.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/error.h"

/* The files that are read: the members of a set, or the inputs themselves. */
static size_t file_count(const struct tfr_input *in)
{
	return in->files ? tfr_set_count(in->files) : in->opts->input_count;
}

static const char *file_path(const struct tfr_input *in, size_t k)
{
	return in->files ? tfr_set_path(in->files, k) : in->opts->inputs[k];
}

enum tfr_status tfr_input_is_lasting(struct tfr_input *in, const char *why, struct tfr_error *err)
{
	struct stat st;

	for (size_t k = 0; k < file_count(in); k++) {
		const char *path = file_path(in, k);

		if (strcmp(path, "-") && tfr_stat(path, &st))
			return tfr_fail_errno(err, errno, path, "cannot open");
		if (!strcmp(path, "-") || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			return tfr_fail(err, TFR_EUSAGE, "'%s' can be read only once: %s",
				strcmp(path, "-") ? path : "standard input", why);
	}
	return TFR_OK;
}

struct digesting {
	struct tfr_input *in;
	XXH3_state_t *x;
};

static void mix(XXH3_state_t *x, const char *name, uint64_t bytes, int64_t mtime)
{
	XXH3_64bits_update(x, name, strlen(name) + 1);
	XXH3_64bits_update(x, &bytes, sizeof(bytes));
	XXH3_64bits_update(x, &mtime, sizeof(mtime));
}

static enum tfr_status mix_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct digesting *d = ctx;
	struct tfr_measure m;

	(void)err;
	d->in->ops->measure(d->in, item, &m);
	mix(d->x, (const char *)item->name.data, m.bytes, m.mtime);
	return TFR_OK;
}

static void mix_file(struct digesting *d, const char *path)
{
	struct stat st;

	if (tfr_stat(path, &st))
		memset(&st, 0, sizeof(st));
	mix(d->x, path, (uint64_t)st.st_size,
		st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec);
}

/* The files and folders that options name. */
static void mix_beside(struct digesting *d)
{
	const struct tfr_convert_opts *o = d->in->opts;
	const char *const paths[] = { o->annotations, o->captions, o->panoptic, o->segments,
		o->masks, o->labels, o->synsets, o->class_list };

	for (size_t k = 0; k < sizeof(paths) / sizeof(*paths); k++)
		if (paths[k])
			mix_file(d, paths[k]);
}

static void mix_files(struct digesting *d)
{
	for (size_t k = 0; k < file_count(d->in); k++)
		mix_file(d, file_path(d->in, k));
}

enum tfr_status tfr_input_digest(struct tfr_input *in, uint64_t *digest, struct tfr_error *err)
{
	struct digesting d = { in, XXH3_createState() };
	enum tfr_status status = TFR_OK;

	if (!d.x)
		return tfr_fail_nomem(err, "looking at the inputs");
	XXH3_64bits_reset(d.x);
	XXH3_64bits_update(d.x, &in->items, sizeof(in->items));
	if (in->ops->measure && in->items != TFR_STREAM)
		status = tfr_input_walk(in, NULL, mix_item, &d, err);
	else
		mix_files(&d);
	mix_beside(&d);
	*digest = XXH3_64bits_digest(d.x);
	XXH3_freeState(d.x);
	return status;
}
