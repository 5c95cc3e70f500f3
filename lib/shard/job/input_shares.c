/* shard/job/input_shares.c - divides the inputs of a job among its parts, by bytes.
 *
 * The inputs are one sequence of bytes, and part I of N has those from I/N of it up to (I+1)/N.  A
 * file that is larger than a sixteenth of a share, and can be entered in the middle, is cut at the
 * first record from that place on.  Any other belongs to the part that has its middle.  Each part
 * computes its own bounds from the sizes of the files, and a bound is the same for both neighbours.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/error.h"
#include "io/path.h"
#include "shard/job/job.h"
#include "shard/set.h"

enum { SMALL = 16 }; /* a file of less than this part of a share is not cut */

struct division {
	struct tfr_set *set;
	struct tfr_piece *pieces;
	uint64_t *sizes;
	uint64_t bytes, low, high; /* of all; those of this part */
	uint64_t digest;
	bool last; /* of the parts: has what is at the very end */
	bool whole_files;
};

/* Sizes and times identify the inputs: parts with other ones are found at the end. */
static enum tfr_status measure(struct division *d, struct tfr_error *err)
{
	for (size_t i = 0; i < tfr_set_count(d->set); i++) {
		const char *path = tfr_set_path(d->set, i);
		struct stat st;
		uint64_t mark[3];

		if (!strcmp(path, "-"))
			return tfr_fail(err, TFR_EUSAGE,
				"the parts of a job cannot share standard input: name files");
		if (tfr_stat(path, &st))
			return tfr_fail_errno(err, errno, path, "cannot open");
		if (!S_ISREG(st.st_mode))
			return tfr_fail_path(err, TFR_EUSAGE, path,
				"the parts of a job read regular files, and this is none:");
		mark[0] = (uint64_t)st.st_size;
		mark[1] = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
		mark[2] = XXH3_64bits(path, strlen(path));
		d->digest = XXH3_64bits_withSeed(mark, sizeof(mark), d->digest + i);
		d->sizes[i] = (uint64_t)st.st_size;
		d->bytes += d->sizes[i];
	}
	return TFR_OK;
}

/* Where part `part` begins. */
static uint64_t bound(const struct division *d, uint64_t part, uint64_t parts)
{
	return (uint64_t)((unsigned __int128)d->bytes * part / parts);
}

/* The place in a file that is `at` bytes into it. */
static enum tfr_status find(const struct division *d, size_t i, uint64_t at,
	struct tfr_cut_place *place, struct tfr_error *err)
{
	uint64_t size = d->sizes[i], fraction = (uint64_t)(((unsigned __int128)at << 32) / size);
	enum tfr_status status;

	*place = (struct tfr_cut_place){ 0 };
	if (!fraction)
		return TFR_OK;
	status = tfr_cut_find(tfr_set_path(d->set, i), size, (uint32_t)fraction, place, err);
	if (status == TFR_END)
		*place = (struct tfr_cut_place){ UINT64_MAX, 0 };
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status cut(
	struct division *d, size_t i, uint64_t start, uint64_t end, struct tfr_error *err)
{
	struct tfr_piece *p = &d->pieces[i];
	struct tfr_cut_place last = { UINT64_MAX, 0 };
	enum tfr_status status = TFR_OK;

	if (start < d->low)
		status = find(d, i, d->low - start, &p->begin, err);
	if (!status && end > d->high)
		status = find(d, i, d->high - start, &last, err);
	p->until = last.offset;
	p->here = p->begin.offset < p->until;
	return status;
}

static enum tfr_status place_file(
	struct division *d, size_t i, uint64_t start, uint64_t share, struct tfr_error *err)
{
	uint64_t size = d->sizes[i], end = start + size, middle = start + size / 2;

	d->pieces[i].until = UINT64_MAX;
	if (size && (end <= d->low || start >= d->high))
		return TFR_OK;
	if (start >= d->low && end <= d->high && size) {
		d->pieces[i].here = true;
		return TFR_OK;
	}
	if (size && !d->whole_files && size > share / SMALL &&
		tfr_cut_possible(tfr_set_path(d->set, i)))
		return cut(d, i, start, end, err);
	d->pieces[i].here = middle >= d->low && (middle < d->high || d->last);
	return TFR_OK;
}

static enum tfr_status divide(struct division *d, struct tfr_job *job, struct tfr_error *err)
{
	uint64_t parts = tfr_job_parts(job), part = tfr_job_part(job), start = 0;
	enum tfr_status status = measure(d, err);

	if (status)
		return status;
	tfr_job_inputs(job, d->digest);
	if (!tfr_job_is_part(job))
		return TFR_OK;
	d->low = bound(d, part, parts);
	d->high = bound(d, part + 1, parts);
	d->last = part + 1 == parts;
	for (size_t i = 0; !status && i < tfr_set_count(d->set); i++) {
		status = place_file(d, i, start, d->bytes / parts, err);
		start += d->sizes[i];
	}
	return status;
}

enum tfr_status tfr_set_divide(
	struct tfr_set *set, struct tfr_job *job, bool whole_files, struct tfr_error *err)
{
	struct division d = { .set = set, .whole_files = whole_files };
	enum tfr_status status;

	if (!job)
		return TFR_OK;
	d.pieces = calloc(tfr_set_count(set) + 1, sizeof(*d.pieces));
	d.sizes = calloc(tfr_set_count(set) + 1, sizeof(*d.sizes));
	status = d.pieces && d.sizes ? divide(&d, job, err)
				     : tfr_fail_nomem(err, "dividing the inputs");
	free(d.sizes);
	if (status || !tfr_job_is_part(job)) {
		free(d.pieces);
		d.pieces = NULL;
	}
	if (!status)
		tfr_set_join(set, job, d.pieces);
	return status;
}
