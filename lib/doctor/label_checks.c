/* doctor/label_checks.c - checks the classes of records, their numbers in each set, and their
 * order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "inspect/find_class_map.h"

enum { SKEW = 10, LEAST_RECORDS = 16, LEAST_STRETCHES = 4, LEAST_PLACES = 64 };

/* Whether the feature has classes: each has many records. */
static bool has_classes(const struct tfr_dset *s)
{
	return s->label && s->classes.n && !s->classes.over &&
	       s->classes.n * 2 <= s->examples - s->unlabelled;
}

void tfr_doctor_no_label(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { .tells = true };

	if (!s->label || !s->examples || s->classes.n)
		return;
	tfr_command_add(&c, "tfr", "schema", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c, "none of its records has the feature '%s'", s->label);
}

/* The --where expression for records that lack the feature. */
static char *where_absent(const char *label)
{
	size_t n =
		strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/");

	return tfr_asprintf(label[n] ? "len(\"%s\") == 0" : "len(%s) == 0", label);
}

void tfr_doctor_unlabelled(struct tfr_doctor *d, const struct tfr_dset *s)
{
	TFR_AUTO_FREE char *where = NULL;
	struct tfr_command c = { .tells = true };
	char records[64];

	if (!s->label || !s->classes.n || !s->unlabelled ||
		tfr_doctor_of_objects(s->label, strlen(s->label)))
		return;
	where = where_absent(s->label);
	d->no_memory |= !where;
	tfr_command_add(&c, "tfr", "count", "--where", where ? where : "", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c, "%s of %llu without '%s'",
		tfr_format_grouped(s->unlabelled, "record", records),
		(unsigned long long)s->examples, s->label);
}

static struct tfr_command count_classes(const struct tfr_dset *s)
{
	struct tfr_command c = { .tells = true };

	tfr_command_add(&c, "tfr", "count", "--by", s->label, s->name, NULL);
	return c;
}

void tfr_doctor_one_class(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c;
	char records[64];

	if (!has_classes(s) || s->classes.n > 1 || s->classes.list[0].records < LEAST_RECORDS ||
		(!s->complete && s->classes.list[0].places < LEAST_PLACES))
		return;
	c = count_classes(s);
	tfr_doctor_tell(d, s->name, &c, "'%s' is %s in all of %s that were read", s->label,
		s->classes.list[0].text,
		tfr_format_grouped(s->classes.list[0].records, "record", records));
}

static void skew_of_all(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_dclass *most = s->classes.list, *least = most;
	struct tfr_command c;

	for (size_t i = 1; i < s->classes.n; i++) {
		const struct tfr_dclass *class = &s->classes.list[i];

		most = class->records > most->records ? class : most;
		least = class->records < least->records ? class : least;
	}
	if (most->records < SKEW * least->records)
		return;
	c = count_classes(s);
	tfr_doctor_tell(d, s->name, &c,
		"'%.100s' %s has %llu of %llu records and %s has %llu, %.0f times fewer", s->label,
		most->text, (unsigned long long)most->records,
		(unsigned long long)(s->examples - s->unlabelled), least->text,
		(unsigned long long)least->records, (double)most->records / (double)least->records);
}

/* Counts one record per random position, weighted by its inverse size: neighbouring records are
 * often of one class, and a random position meets large records more often.  A share within three
 * standard deviations of what chance gives for so many positions is not skew. */
static void skew_of_places(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_dclass *most = NULL, *least = NULL;
	struct tfr_command c;
	uint64_t places = 0;
	double few;

	for (size_t i = 0; i < s->classes.n; i++) {
		const struct tfr_dclass *class = &s->classes.list[i];

		places += class->places;
		if (!class->places)
			continue;
		most = !most || class->weight > most->weight ? class : most;
		least = !least || class->weight < least->weight ? class : least;
	}
	if (places < LEAST_PLACES)
		return;
	few = (double)least->places + 3 * sqrt((double)least->places) + 3;
	if ((double)most->places < SKEW * few || most->weight < SKEW * least->weight)
		return;
	c = count_classes(s);
	tfr_doctor_tell(d, s->name, &c,
		"'%.100s' is %s in %llu of %llu random places and %s in %llu; '--full' counts all",
		s->label, most->text, (unsigned long long)most->places, (unsigned long long)places,
		least->text, (unsigned long long)least->places);
}

void tfr_doctor_skew(struct tfr_doctor *d, const struct tfr_dset *s)
{
	if (!has_classes(s) || s->classes.n < 2)
		return;
	if (s->complete)
		skew_of_all(d, s);
	else
		skew_of_places(d, s);
}

/* --- the order --- */

static void judge_all(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_order_report *o = &s->order;
	char reading[64] = "one file after another is read";
	struct tfr_command c = { 0 };

	if (!s->ordered || o->enough)
		return;
	if (o->cycles[o->worst].files > 1)
		snprintf(reading, sizeof(reading), "%llu files are read side by side",
			(unsigned long long)o->cycles[o->worst].files);
	tfr_doctor_rewrite(&c, s, "shuffle-to-disk", NULL, NULL);
	tfr_doctor_tell(d, s->name, &c,
		"badly shuffled by '%.100s': where %s, batches of %llu after a shuffle buffer of "
		"%llu have %.2f bits of classes, and %.2f in a random order; up to %llu records "
		"of one class follow each other",
		s->label, reading, (unsigned long long)o->batch, (unsigned long long)o->buffer,
		o->entropy, o->random_entropy, (unsigned long long)o->longest_run);
}

static void judge_sample(struct tfr_doctor *d, const struct tfr_dset *s)
{
	const struct tfr_order_report *o = &s->order;
	bool pure = s->stretches >= LEAST_STRETCHES && 4 * s->pure >= 3 * s->stretches &&
		    2 * s->pure_by_chance < (double)s->pure;
	struct tfr_command c = { 0 };

	/* A sample varies more than all records do. */
	if (!pure && (!s->ordered || !o->batches || o->entropy >= 0.8 * o->random_entropy))
		return;
	tfr_doctor_rewrite(&c, s, "shuffle-to-disk", NULL, NULL);
	if (pure)
		tfr_doctor_tell(d, s->name, &c,
			"badly shuffled by '%.100s': in %llu of %llu places that were read, "
			"records that follow each other are of one class",
			s->label, (unsigned long long)s->pure, (unsigned long long)s->stretches);
	else
		tfr_doctor_tell(d, s->name, &c,
			"badly shuffled by '%.100s': %llu records, one of every %llu, have %.2f "
			"bits of classes where a random order has %.2f",
			s->label, (unsigned long long)o->batch, (unsigned long long)s->stride,
			o->entropy, o->random_entropy);
}

void tfr_doctor_order(struct tfr_doctor *d, const struct tfr_dset *s)
{
	if (!has_classes(s) || s->classes.n < 2)
		return;
	if (s->stride)
		judge_sample(d, s);
	else
		judge_all(d, s);
}

/* --- the numbers of classes ---
 *
 * If a class is 2 in the training set and 1 in the other, examining one set alone cannot reveal it.
 */

/* A file with faults is not read again: they are findings, and here a fault ends the command. */
static void find_map(struct tfr_doctor *d, const struct tfr_dset *s, struct tfr_class_map *m)
{
	TFR_AUTO_FREE const char **files = calloc(s->files + 1, sizeof(*files));
	struct tfr_error err = { 0 };
	size_t n = 0;

	for (size_t i = 0; files && i < s->files; i++) {
		const struct tfr_dlook *l = &d->files[s->first + i].look;

		if (l->opened && !l->faults)
			files[n++] = d->files[s->first + i].path;
	}
	d->no_memory |= !files;
	if (n && tfr_class_map_find(m, files, n, &err))
		d->failure = err;
}

static void compare_maps(struct tfr_doctor *d, size_t i, size_t k, const struct tfr_class_map *maps)
{
	const struct tfr_class_entry *a, *b;
	char text[256], more[80] = "";
	size_t n = tfr_class_map_conflicts(&maps[i], &maps[k], &a, &b);

	if (!n)
		return;
	if (n > 1)
		snprintf(more, sizeof(more), ", and %zu more class%s differ%s", n - 1,
			n == 2 ? "" : "es", n == 2 ? "s" : "");
	tfr_escape_line(text, sizeof(text), a->text);
	tfr_doctor_tell(d, d->sets[i].name, NULL,
		"'%s' is %lld here and %lld in '%s'%s: a model learns one of them", text,
		(long long)a->label, (long long)b->label, d->sets[k].name, more);
}

void tfr_doctor_class_numbers(struct tfr_doctor *d)
{
	struct tfr_class_map *maps = calloc(d->set_count + 1, sizeof(*maps));

	if (!maps) {
		d->no_memory = true;
		return;
	}
	for (size_t i = 0; d->set_count > 1 && i < d->set_count && !d->failure.status; i++)
		find_map(d, &d->sets[i], &maps[i]);
	for (size_t i = 0; i < d->set_count; i++)
		for (size_t k = i + 1; k < d->set_count; k++)
			compare_maps(d, i, k, maps);
	for (size_t i = 0; i < d->set_count; i++)
		tfr_class_map_clear(&maps[i]);
	free(maps);
}
