/* doctor/shard_checks.c - checks the number and the size of files. */
#include <string.h>

#include "doctor/doctor.h"

/* The recommended sizes of shards: 100 MB or more, at least 10 MB
 * (tensorflow.org/tutorials/load_data/tfrecord); at most 1 GiB (TensorFlow Datasets'
 * core/utils/shard_utils.py). */
enum { LEAST_SHARD = 10 << 20, MANY = 16, UNEVEN = 1 << 20 };

static const uint64_t MOST_SHARD = 1 << 30;

static bool is_events(const struct tfr_dset *s)
{
	return strstr(s->name, "tfevents") != NULL;
}

void tfr_doctor_uneven(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_dfile *least = &d->files[s->first], *most = least;
	char small[TFR_SIZE_TEXT], large[TFR_SIZE_TEXT];
	struct tfr_command c = { 0 };

	for (size_t i = s->first; i < s->first + s->files; i++) {
		const struct tfr_dfile *f = &d->files[i];

		least = f->size < least->size ? f : least;
		most = f->size > most->size ? f : most;
	}
	if (most->size < 2 * least->size || most->size - least->size < UNEVEN || is_events(s))
		return;
	tfr_doctor_rewrite(&c, s, "cat", NULL, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"the sizes of its files range from %s ('%s') to %s ('%s'): all readers wait for "
		"the "
		"one with the largest",
		tfr_format_size(least->size, small), least->path,
		tfr_format_size(most->size, large), most->path);
}

void tfr_doctor_tiny(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { 0 };
	char size[TFR_SIZE_TEXT], files[64];

	if (s->files < MANY || s->bytes / s->files >= LEAST_SHARD || is_events(s))
		return;
	tfr_doctor_write_beside(&c, s, "cat", "dealt", tfr_doctor_shards(s->bytes));
	tfr_doctor_tell(d, s->name, &c,
		"%s of %s on average: opening many small files is slow; at least 10 MB are advised",
		tfr_format_grouped(s->files, "file", files),
		tfr_format_size(s->bytes / s->files, size));
}

void tfr_doctor_large(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { 0 };
	const struct tfr_dfile *most = &d->files[s->first];
	char size[TFR_SIZE_TEXT];
	size_t n = 0;

	for (size_t i = s->first; i < s->first + s->files; i++) {
		most = d->files[i].size > most->size ? &d->files[i] : most;
		n += d->files[i].size > MOST_SHARD;
	}
	if (!n || is_events(s))
		return;
	tfr_doctor_write_beside(&c, s, "cat", "dealt", tfr_doctor_shards(s->bytes));
	tfr_doctor_tell(d, s->name, &c,
		"%zu of %zu files above 1 GiB, the largest %s: few can be read in parallel, and an "
		"interrupted copy starts again from the beginning",
		n, s->files, tfr_format_size(most->size, size));
}

/* --- coverage --- */

void tfr_doctor_sampled(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { .tells = true };
	bool missed = false;

	for (size_t i = s->first; i < s->first + s->files; i++)
		missed |= !d->files[i].look.complete && !d->files[i].look.faults;
	if (!missed)
		return;
	tfr_command_add(&c, "tfr", "doctor", "--full", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"only a sample was read: classes are judged at random places, and damage, "
		"records in two sets, duplicates and records without a label can be missed");
}
