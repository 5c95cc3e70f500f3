/* doctor/byte_checks.c - checks checksums, compression and indexes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/gzi.h>

#include "base/suffix.h"
#include "doctor/doctor.h"
#include "io/path.h"
#include "io/source.h"

enum { ONE_STREAM = 4 << 20, LOOK_FOR_POINTS = 8 << 20, BLOCK = 64 << 10 };

/* A file of a set that stands for others, and their number. */
struct some {
	const struct tfr_dfile *first;
	size_t n;
};

static void count_in(struct some *some, const struct tfr_dfile *f)
{
	some->first = some->n++ ? some->first : f;
}

void tfr_doctor_damage(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { 0 };
	struct some bad = { 0 };
	char files[64], more[96] = "";

	for (size_t i = s->first; i < s->first + s->files; i++)
		if (d->files[i].look.damage && !d->files[i].look.system)
			count_in(&bad, &d->files[i]);
	if (!bad.n)
		return;
	tfr_doctor_write_beside(&c, s, "repair", "repaired", 0);
	if (bad.n > 1)
		snprintf(more, sizeof(more), "; %s damaged in all",
			tfr_format_grouped(bad.n, "file", files));
	tfr_doctor_tell(d, s->name, &c, "%s%s", bad.first->look.damage, more);
}

/* --- compression --- */

static struct some compressed_as(
	const struct tfr_doctor *d, const struct tfr_dset *s, enum tfr_compression compression)
{
	struct some some = { 0 };

	for (size_t i = s->first; i < s->first + s->files; i++)
		if (d->files[i].size && d->files[i].look.records &&
			d->files[i].look.compression == compression)
			count_in(&some, &d->files[i]);
	return some;
}

void tfr_doctor_called_gz(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct some plain = compressed_as(d, s, TFR_COMPRESSION_NONE);
	struct tfr_command c = { 0 };
	char files[64];

	if (!plain.n || !tfr_has_suffix(plain.first->path, ".gz"))
		return;
	tfr_doctor_rewrite(&c, s, "cat", "-z", "gzip");
	tfr_doctor_tell(d, s->name, &c,
		"%s named .gz but not compressed: readers that trust the name fail at once",
		tfr_format_grouped(plain.n, "file", files));
}

void tfr_doctor_not_called_gz(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct some gzip = compressed_as(d, s, TFR_COMPRESSION_GZIP);
	struct some zlib = compressed_as(d, s, TFR_COMPRESSION_ZLIB);
	struct some some = gzip.n ? gzip : zlib;
	struct tfr_command c = { 0 };
	char files[64];

	if (!some.n || tfr_has_suffix(some.first->path, ".gz") ||
		tfr_has_suffix(some.first->path, ".zlib"))
		return;
	tfr_doctor_rewrite(&c, s, "cat", "-z", "none");
	tfr_doctor_tell(d, s->name, &c,
		"%s compressed with %s but not named so: TensorFlow needs an option, and DALI and "
		"TensorFlow Datasets cannot read such files",
		tfr_format_grouped(some.n, "file", files), gzip.n ? "GZIP" : "ZLIB");
}

/* --- access points of GZIP files --- */

/* Whether the first 8 MiB contain the mark of an access point (tfr/record.h, tfr-private/gzi.h): a
 * full flush followed by an empty stored block. */
static enum tfr_status find_point(const char *path, bool *found, struct tfr_error *err)
{
	static const uint8_t mark[] = { 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff };
	enum { KEEP = sizeof(mark) - 1 };
	uint8_t block[KEEP + BLOCK];
	TFR_AUTO_SOURCE s = NULL;
	size_t got = 1, kept = 0;

	*found = false;
	TFR_TRY(tfr_source_open(&s, path, err));
	for (size_t all = 0; !*found && got && all < LOOK_FOR_POINTS; all += got) {
		TFR_TRY(tfr_source_read(s, block + kept, BLOCK, &got, err));
		*found = memmem(block, kept + got, mark, sizeof(mark)) != NULL;
		kept += got;
		if (kept > KEEP) {
			memmove(block, block + kept - KEEP, KEEP);
			kept = KEEP;
		}
	}
	return TFR_OK;
}

/* False also if reading failed, which is no finding. */
static bool lacks_points(struct tfr_doctor *d, const char *path)
{
	struct tfr_error why = { 0 };
	bool found;
	enum tfr_status status = find_point(path, &found, &why);

	tfr_doctor_fail(d, status, &why);
	return !status && !found;
}

static bool file_exists(struct tfr_doctor *d, const char *path)
{
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status = path && !d->failure.status ? tfr_look(path, &st, &why) : TFR_END;

	d->no_memory |= !path;
	tfr_doctor_fail(d, status, &why);
	return !status;
}

void tfr_doctor_one_stream(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { 0 };
	char files[64], size[TFR_SIZE_TEXT];
	struct some some = { 0 };

	for (size_t i = s->first; i < s->first + s->files && !d->failure.status; i++) {
		const struct tfr_dlook *l = &d->files[i].look;

		if (l->compression == TFR_COMPRESSION_GZIP && l->members.count < 2 && !l->faults &&
			(!l->complete || l->bytes > ONE_STREAM) &&
			lacks_points(d, d->files[i].path))
			count_in(&some, &d->files[i]);
	}
	if (!some.n)
		return;
	tfr_doctor_rewrite(&c, s, "cat", "-z", "gzip");
	tfr_doctor_tell(d, s->name, &c,
		"%s of GZIP in one stream, the first '%s' of %s: such a file can only be read from "
		"its beginning, by one processor",
		tfr_format_grouped(some.n, "file", files), some.first->path,
		tfr_format_size(some.first->size, size));
}

/* --- indexes --- */

/* The state of the index of a file; GOOD also if there is no index, or if judging it would take too
 * long. */
static enum tfr_index_state state_of(struct tfr_doctor *d, const struct tfr_dfile *f)
{
	TFR_AUTO_FREE char *idx = tfr_index_path(f->path);
	TFR_AUTO_FREE char *gzi = tfr_gzi_path(f->path);
	struct tfr_index_opts opts = {
		.threads = 1, .no_points = !file_exists(d, gzi), .compression = f->look.compression
	};
	enum tfr_index_state state;
	struct tfr_error why = { 0 };
	enum tfr_status status;

	if (!file_exists(d, idx) || !f->look.opened || f->look.faults ||
		(f->look.compression != TFR_COMPRESSION_NONE && !f->look.complete &&
			opts.no_points))
		return TFR_INDEX_GOOD;
	status = tfr_index_inspect(f->path, &opts, &state, &why);
	tfr_doctor_fail(d, status, &why);
	return status ? TFR_INDEX_GOOD : state;
}

void tfr_doctor_stale_index(struct tfr_doctor *d, const struct tfr_dset *s)
{
	enum tfr_index_state worst = TFR_INDEX_GOOD;
	struct tfr_command c = { 0 };
	struct some some = { 0 };
	bool force = false, foreign = false;
	char files[64];

	for (size_t i = s->first; i < s->first + s->files && !d->failure.status; i++) {
		enum tfr_index_state state = state_of(d, &d->files[i]);

		if (state == TFR_INDEX_GOOD || state == TFR_INDEX_MISSING)
			continue;
		worst = some.n ? worst : state;
		count_in(&some, &d->files[i]);
		force |= state == TFR_INDEX_UNCHAINED;
		foreign |= state == TFR_INDEX_FOREIGN || state == TFR_INDEX_POINTS_FOREIGN;
	}
	if (!some.n)
		return;
	/* A file that is not an index may be the only copy of its data: no command overwrites it.
	 */
	if (!foreign)
		tfr_command_add(&c, "tfr", "index", NULL);
	if (force && !foreign)
		tfr_command_add(&c, "-f", NULL);
	if (!foreign)
		tfr_command_add(&c, s->name, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"%s with an index that does not match: that of '%s' is %s, and DALI uses it "
		"without "
		"verifying it",
		tfr_format_grouped(some.n, "file", files), some.first->path,
		tfr_index_state_text(worst));
}
