/* doctor/set_checks.c - checks the files of sets: their names, their manifests, their number and
 * size, and whether all of them were read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "io/path.h"
#include "shard/manifests.h"
#include "shard/set.h"

static bool has_notes(struct tfr_doctor *d, const struct tfr_set_name *name)
{
	struct tfr_error why = { 0 };
	enum tfr_status status = tfr_set_has_notes(name, &why);

	tfr_doctor_fail(d, status, &why);
	return !status;
}

void tfr_doctor_missing(struct tfr_doctor *d, const struct tfr_dset *s)
{
	TFR_AUTO_FREE char *file = NULL;
	struct tfr_set_name name = { s->base, s->ext, s->count };
	struct tfr_command c = { 0 };
	char shards[64];
	uint32_t first = 0;

	if (!tfr_doctor_absent(s))
		return;
	while (first < s->files && d->files[s->first + first].shard == first)
		first++;
	file = tfr_set_name_file(&name, first);
	d->no_memory |= !file;
	if (has_notes(d, &name)) { /* the parts of a conversion, of which some are to come */
		c.tells = true;
		tfr_command_add(&c, "tfr", "finish", s->name, NULL);
	} else {
		tfr_doctor_write_beside(&c, s, "cat", "rest", s->files);
	}
	tfr_doctor_tell(d, s->name, &c, "%s of %u missing, the first '%s'",
		tfr_format_grouped(tfr_doctor_absent(s), "shard", shards), s->count,
		file ? file : "");
}

/* Reports sets of one name that differ in the number of shards, or in the extension alone.  Sets
 * are sorted by name, but "a@10" comes before "a@2" and "a-b@2" between them. */
static void compare_names(struct tfr_doctor *d, bool mixture)
{
	for (size_t i = 0; i < d->set_count; i++)
		for (size_t k = i + 1; k < d->set_count; k++) {
			const struct tfr_dset *a = &d->sets[i], *b = &d->sets[k];
			struct tfr_command c = { 0 };

			if (!tfr_doctor_one_name(a, b) || (a->count != b->count) != mixture)
				continue;
			tfr_doctor_compare(&c, a, b);
			if (mixture)
				tfr_doctor_tell(d, a->name, &c,
					"'%s' is beside it: a pattern such as '%s-*' matches both",
					b->name, a->base);
			else
				tfr_doctor_tell(d, a->name, &c,
					"each shard exists twice, here and in '%s'", b->name);
		}
}

void tfr_doctor_mixture(struct tfr_doctor *d)
{
	compare_names(d, true);
}

void tfr_doctor_twice(struct tfr_doctor *d)
{
	compare_names(d, false);
}

/* Whether there is one, damaged or not; a failure to read it ends the command. */
static bool has_manifest(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_set_name name = { .base = s->base, .extension = s->ext, .count = s->count };
	TFR_AUTO_FREE char *path = NULL;
	struct tfr_manifest *m = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status = s->count ? tfr_manifest_find(&name, &m, &path, &why) : TFR_END;

	tfr_manifest_free(m);
	if (status == TFR_ESYS || status == TFR_ENOMEM)
		status = tfr_absent_or_failed(path, status, &why, &d->failure);
	return status != TFR_END && !d->failure.status;
}

void tfr_doctor_empty(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_dfile *first = NULL;
	struct tfr_command c = { .tells = true };
	char files[64];
	size_t n = 0;

	for (size_t i = s->first; i < s->first + s->files; i++) {
		if (d->files[i].size)
			continue;
		first = n++ ? first : &d->files[i];
	}
	if (!n)
		return;
	/* Records may be lost, so no command rewrites the set. */
	if (has_manifest(d, s))
		tfr_command_add(&c, "tfr", "check", "--manifest", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"%s of 0 bytes, the first '%s': readers treat it as a file without records",
		tfr_format_grouped(n, "file", files), first->path);
}

/* --- manifests --- */

/* The manifests of the files of a set; NULL: none. */
static struct tfr_manifests *open_manifests(
	struct tfr_doctor *d, const struct tfr_dset *s, struct tfr_set **set)
{
	struct tfr_manifests *all = NULL;
	const char **paths = calloc(s->files, sizeof(*paths));
	struct tfr_set_opts opts = { .inputs = paths, .count = s->files };
	struct tfr_error why = { 0 };

	for (size_t i = 0; paths && i < s->files; i++)
		paths[i] = d->files[s->first + i].path;
	d->no_memory |= !paths;
	if (paths && (tfr_set_open(set, &opts, &why) || tfr_manifests_open(&all, *set, &why)))
		d->failure = why; /* or a file vanished meanwhile: not a finding */
	free(paths);
	return all;
}

/* Describes how a file differs from its entry in the manifest; "": it does not. */
static void compare_with_entry(
	const struct tfr_manifest_shard *m, const struct tfr_dfile *f, char text[160])
{
	char counted[TFR_COUNTED_TEXT];

	text[0] = '\0';
	if (f->look.faults) /* damage has a finding of its own, with its position */
		return;
	if (m->bytes != f->size)
		snprintf(text, 160, "%s where it has %llu",
			tfr_format_counted(f->size, "byte", counted), (unsigned long long)m->bytes);
	else if (f->look.complete && m->records != f->look.records)
		snprintf(text, 160, "%s where it has %llu",
			tfr_format_counted(f->look.records, "record", counted),
			(unsigned long long)m->records);
	else if (f->look.complete && m->sum != f->look.sum)
		snprintf(text, 160, "content sum %016llx where it has %016llx",
			(unsigned long long)f->look.sum, (unsigned long long)m->sum);
}

void tfr_doctor_manifest(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_set *set = NULL;
	struct tfr_manifests *all = has_manifest(d, s) ? open_manifests(d, s, &set) : NULL;
	struct tfr_command c = { .tells = true };
	char text[160], first[5000] = "", files[64];
	size_t n = 0;

	for (size_t i = 0; all && i < s->files; i++) {
		const struct tfr_dfile *f = &d->files[s->first + i];
		const struct tfr_error *why;
		bool is_first;
		const struct tfr_manifest_shard *m = tfr_manifests_at(all, i, &why, &is_first);

		text[0] = '\0';
		if (why && why->status == TFR_ESYS)
			d->failure = *why;
		if (why)
			snprintf(text, sizeof(text), "%.150s", why->message);
		else if (m && f->look.opened)
			compare_with_entry(m, f, text);
		if (text[0] && !n++)
			snprintf(first, sizeof(first), "'%.4000s': %s", f->path, text);
	}
	tfr_manifests_close(all);
	tfr_set_close(set);
	if (!n)
		return;
	tfr_command_add(&c, "tfr", "check", "--manifest", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c, "%s unlike the manifest, the first %s",
		tfr_format_grouped(n, "file", files), first);
}

/* Compares a file with TFDS's dataset_info.json; TFR_END: there is none. */
static enum tfr_status compare_with_dataset_info(
	struct tfr_doctor *d, const struct tfr_dfile *f, struct tfr_error *err)
{
	uint64_t expected, records = f->look.records;
	char counted[TFR_COUNTED_TEXT];

	TFR_TRY(tfr_dataset_info_records(&d->info, f->path, &expected, err));
	if (f->look.faults)
		return TFR_OK;
	if (!f->look.complete)
		TFR_TRY(tfr_count_records(f->path, NULL, &records, err));
	return records == expected ? TFR_OK
				   : tfr_fail(err, TFR_EDATA, "%s where it has %llu",
					     tfr_format_counted(records, "record", counted),
					     (unsigned long long)expected);
}

void tfr_doctor_dataset_info(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { .tells = true };
	char first[5000] = "", files[64];
	struct tfr_error err;
	size_t n = 0;

	for (size_t i = s->first; i < s->first + s->files; i++) {
		enum tfr_status status = compare_with_dataset_info(d, &d->files[i], &err);

		if (status && status != TFR_END && status != TFR_EDATA)
			d->failure = err;
		else if (status == TFR_EDATA && !n++)
			snprintf(first, sizeof(first), "'%.4000s': %.900s", d->files[i].path,
				err.message);
	}
	if (!n)
		return;
	tfr_command_add(&c, "tfr", "check", s->name ? s->name : d->files[s->first].path, NULL);
	tfr_doctor_tell(d, s->name, &c, "%s unlike dataset_info.json, the first %s",
		tfr_format_grouped(n, "file", files), first);
}

void tfr_doctor_no_manifest(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_set_name name = { .base = s->base, .extension = s->ext, .count = s->count };
	struct tfr_command c = { 0 };
	struct tfr_error err;
	enum tfr_status status;
	uint64_t records;

	if (!s->count || has_manifest(d, s))
		return;
	status = tfr_dataset_info_records(&d->info, d->files[s->first].path, &records, &err);
	tfr_doctor_fail(d, status, &err);
	if (status != TFR_END)
		return;
	if (has_notes(d, &name))
		tfr_command_add(&c, "tfr", "finish", s->name, NULL);
	else
		tfr_doctor_rewrite(&c, s, "cat", NULL, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"it has no manifest, which would list the records that it should have");
}

/* --- the number and the size of files --- */

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
