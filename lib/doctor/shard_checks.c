/* doctor/shard_checks.c - checks the number and the size of files, and the size of the images in
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

/* The recommended sizes of shards: 100 MB or more, at least 10 MB, ten files per reader
 * (tensorflow.org/tutorials/load_data/tfrecord); at most 1 GiB (TensorFlow Datasets'
 * core/utils/shard_utils.py). */
enum { LEAST_SHARD = 10 << 20, MANY = 16, UNEVEN = 1 << 20, A_READER = 10 };
enum { LARGE_SIDE = 1024, TO_SIDE = 512, LEAST_IMAGES = 8 };

static const uint64_t MOST_SHARD = 1 << 30;

static bool is_events(const struct tfr_dset *s)
{
	return strstr(s->name, "tfevents") != NULL;
}

/* The number of shards for so many readers: a multiple of it, up to ten per reader unless the
 * shards become small. */
static uint64_t for_readers(const struct tfr_dset *s, uint64_t readers)
{
	uint64_t each = s->bytes / (128 << 20) / readers;

	return readers * (each > A_READER ? A_READER : each ? each : 1);
}

void tfr_doctor_few_shards(struct tfr_doctor *d, const struct tfr_dset *s)
{
	uint64_t readers = d->opts->readers;
	struct tfr_command c = { 0 };
	char files[64];

	if (s->files >= readers || is_events(s))
		return;
	tfr_doctor_write_beside(&c, s, "cat", "dealt", for_readers(s, readers));
	tfr_doctor_tell(d, s->name, &c, "%s for %llu readers: %llu of them %s nothing to read",
		tfr_doctor_number(files, s->files, "file"), (unsigned long long)readers,
		(unsigned long long)(readers - s->files), readers - s->files == 1 ? "has" : "have");
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
		"the sizes of its files range from %s ('%s') to %s ('%s'): all readers wait for the "
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
		tfr_doctor_number(files, s->files, "file"),
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

/* --- images --- */

static int compare_sides(const void *a, const void *b)
{
	const struct tfr_dimage *p = a, *q = b;
	uint32_t x = p->width < p->height ? p->width : p->height;
	uint32_t y = q->width < q->height ? q->width : q->height;
	uint64_t m = (uint64_t)p->width * p->height, n = (uint64_t)q->width * q->height;

	return x != y ? (x > y) - (x < y) : (m > n) - (m < n);
}

/* Changing the images needs the sources of the set and an option of 'tfr shard'; 'tfr bench-feed'
 * shows what the change would gain. */
static void measure(struct tfr_command *c, const struct tfr_dset *s)
{
	c->tells = true;
	tfr_command_add(c, "tfr", "bench-feed", s->name, NULL);
}

void tfr_doctor_large_images(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_dset *own = &d->sets[s - d->sets];
	const struct tfr_dimage *p;
	struct tfr_command c = { 0 };
	uint32_t side;

	if (s->image_count < LEAST_IMAGES)
		return;
	qsort(own->images, s->image_count, sizeof(*own->images), compare_sides);
	p = &s->images[s->image_count / 2];
	side = p->width < p->height ? p->width : p->height;
	if (side < LARGE_SIDE)
		return;
	measure(&c, s);
	tfr_doctor_tell(d, s->name, &c,
		"the median image is %ux%u: decoding it takes %.0f times the work of one whose "
		"shorter side is %d ('tfr shard --resize %d' of the source)",
		p->width, p->height, (double)side * side / ((double)TO_SIDE * TO_SIDE), TO_SIDE,
		TO_SIDE);
}

static int compare_rates(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Drawings and masks take a fraction of a byte per pixel; lossless photographs take one or more. */
void tfr_doctor_png(struct tfr_doctor *d, const struct tfr_dset *s)
{
	TFR_AUTO_FREE double *rates = calloc(s->image_count + 1, sizeof(*rates));
	struct tfr_command c = { 0 };
	size_t n = 0;

	d->no_memory |= !rates;
	for (size_t i = 0; rates && i < s->image_count; i++) {
		const struct tfr_dimage *p = &s->images[i];
		double pixels = (double)p->width * p->height;

		if (p->format == TFR_IMAGE_PNG && pixels >= 128 * 128)
			rates[n++] = (double)p->bytes / pixels;
	}
	if (n < LEAST_IMAGES || n * 2 < s->image_count)
		return;
	qsort(rates, n, sizeof(*rates), compare_rates);
	if (rates[n / 2] < 1)
		return;
	measure(&c, s);
	tfr_doctor_tell(d, s->name, &c,
		"%zu of %zu images are PNG of %.1f bytes per pixel, typical of photographs: JPEG of "
		"quality 95 takes about a quarter of that, and decodes faster ('tfr shard --reencode jpeg' "
		"of the source)",
		n, s->image_count, rates[n / 2]);
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
