/* doctor/record_checks.c - checks the contents of records: features, and duplicate records. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor/doctor.h"
#include "inspect/survey.h"

/* --- features --- */

/* Adds the features of file `i`. */
static enum tfr_status survey_file(struct tfr_survey *v, size_t i, const struct tfr_dfile *f)
{
	v->file_records[i] = f->look.examples;
	v->paths[i] = strdup(f->path);
	TFR_NEED_MEMORY(v->paths[i], NULL, "judging");
	for (size_t k = 0; k < f->look.feature_count; k++) {
		const struct tfr_dfeature *in = &f->look.features[k];
		struct tfr_occurrence first = { i, in->first, 0 };
		struct tfr_surveyed *out;

		TFR_TRY(tfr_survey_get(v, in->name, in->size, in->kind, &out, NULL));
		if (!out->facts.records)
			out->facts.first = first;
		out->facts.records += in->records;
		out->files[i] = (struct tfr_in_file){ in->records, in->min, in->max };
	}
	return TFR_OK;
}

static enum tfr_status survey_files(
	struct tfr_survey *v, const struct tfr_doctor *d, const struct tfr_dset *s)
{
	v->files = s->files;
	v->paths = calloc(s->files + 1, sizeof(*v->paths));
	v->file_records = calloc(s->files + 1, sizeof(*v->file_records));
	TFR_NEED_MEMORY(v->paths && v->file_records, NULL, "judging");
	for (size_t i = 0; i < s->files; i++)
		TFR_TRY(survey_file(v, i, &d->files[s->first + i]));
	return TFR_OK;
}

/* Makes a survey of the records that were read, with names, kinds and lengths only.  NULL: out of
 * memory, or more files or features than a survey holds. */
static struct tfr_survey *survey_of(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_survey *v = s->files <= TFR_SURVEY_FILES ? tfr_survey_new(false) : NULL;
	enum tfr_status status = v ? survey_files(v, d, s) : TFR_ENOMEM;

	if (!status)
		return v;
	d->no_memory |= status == TFR_ENOMEM && s->files <= TFR_SURVEY_FILES;
	tfr_survey_free(v);
	return NULL;
}

struct teller {
	struct tfr_doctor *d;
	const struct tfr_dset *s;
};

static void tell_schema(void *ctx, const char *text)
{
	const struct teller *t = ctx;
	struct tfr_command c = { .tells = true };

	tfr_command_add(&c, "tfr", "schema", t->s->name, NULL);
	tfr_doctor_tell(t->d, t->s->name, &c, "%s", text);
}

/* An image without objects is valid, so the features of objects may be absent from a file. */
static bool of_objects(const char *text)
{
	const char *name = strchr(text, '\''), *end = name ? strchr(name + 1, '\'') : NULL;

	return end && strstr(text, "absent") &&
	       tfr_doctor_of_objects(name + 1, (size_t)(end - name) - 1);
}

static void tell_drift(void *ctx, const char *text)
{
	const struct teller *t = ctx;

	/* A sample does not show what the rest of a file has. */
	if (!of_objects(text) && (t->s->complete || !strstr(text, "absent")))
		tell_schema(ctx, text);
}

void tfr_doctor_two_kinds(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_survey *v = survey_of(d, s);

	if (v)
		tfr_survey_contradictions(v, tell_schema, &(struct teller){ d, s });
	tfr_survey_free(v);
}

void tfr_doctor_drift(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_survey *v = s->files > 1 ? survey_of(d, s) : NULL;

	if (v)
		tfr_survey_drift(v, tell_drift, &(struct teller){ d, s });
	tfr_survey_free(v);
}

/* --- images --- */

void tfr_doctor_oversized(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_command c = { .tells = true };
	char images[64];
	uint64_t n = 0;

	for (size_t i = s->first; i < s->first + s->files; i++)
		n += d->files[i].look.oversized;
	if (!n)
		return;
	tfr_command_add(&c, "tfr", "stats", s->name, NULL);
	tfr_doctor_tell(d, s->name, &c, "%s of 2^29 samples or more, which TensorFlow refuses",
		tfr_format_grouped(n, "image", images));
}

/* --- duplicate records --- */

/* An estimate unless h->bits is 0. */
static uint64_t count_again(struct tfr_dhashes *h)
{
	uint64_t again = 0;

	tfr_dhashes_settle(h, h->bits);
	for (size_t i = 1; i < h->n; i++)
		again += h->list[i] == h->list[i - 1];
	return again << h->bits;
}

static bool has_images(const struct tfr_dlook *l)
{
	for (size_t i = 0; i < l->feature_count; i++)
		if (!strcmp(l->features[i].name, "image/encoded"))
			return true;
	return false;
}

void tfr_doctor_duplicates(struct tfr_doctor *d, const struct tfr_dset *s)
{
	struct tfr_dset *own = &d->sets[s - d->sets];
	struct tfr_command c = { 0 };
	uint64_t again = count_again(&own->hashes);
	bool images = !again && has_images(&d->files[s->first].look);
	char records[64], all[TFR_SIZE_TEXT];

	if (images)
		again = count_again(&own->items);
	if (!again)
		return;
	tfr_doctor_write_beside(&c, s, "dedup", "unique", 0);
	if (images)
		tfr_command_add(&c, "--key", "image/encoded", NULL);
	tfr_doctor_tell(d, s->name, &c, "%s%s of %s %s %s of another one",
		(images ? own->items : own->hashes).bits ? "about " : "",
		tfr_format_grouped(again, "record", records),
		s->complete ? tfr_format_count((double)s->records, all) : "those that were read",
		again == 1 ? (images ? "has" : "is") : (images ? "each have" : "are each"),
		images ? "the image" : "a copy");
}

/* Records that two sets share. */
struct shared {
	uint64_t n, of; /* shared; in the smaller set; estimates unless `bits` is 0 */
	unsigned bits;
};

static uint64_t in_list(const struct tfr_dhashes *h, size_t *at, uint64_t hash)
{
	uint64_t n = 0;

	for (; *at < h->n && h->list[*at] == hash; ++*at)
		n++;
	return n;
}

/* Counts distinct contents. */
static struct shared in_common(struct tfr_dhashes *a, struct tfr_dhashes *b)
{
	struct shared s = { .bits = a->bits > b->bits ? a->bits : b->bits };
	uint64_t of_a = 0, of_b = 0;

	tfr_dhashes_settle(a, s.bits);
	tfr_dhashes_settle(b, s.bits);
	assert(a->bits == b->bits && a->sorted && b->sorted);
	for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
		uint64_t x = i < a->n ? a->list[i] : UINT64_MAX;
		uint64_t y = k < b->n ? b->list[k] : UINT64_MAX;
		bool in_a = in_list(a, &i, x < y ? x : y) > 0;
		bool in_b = in_list(b, &k, x < y ? x : y) > 0;

		s.n += in_a && in_b;
		of_a += in_a;
		of_b += in_b;
	}
	s.n <<= s.bits;
	s.of = (of_a < of_b ? of_a : of_b) << s.bits;
	return s;
}

/* The role of a set (training, validation, test) that a word of its name indicates; 0: none. */
static int role_of_word(const char *word, size_t n)
{
	static const struct {
		const char *word;
		int role;
	} words[] = { { "train", 1 }, { "training", 1 }, { "val", 2 }, { "valid", 2 },
		{ "validation", 2 }, { "dev", 2 }, { "eval", 2 }, { "test", 3 }, { "testing", 3 } };

	while (n && isdigit((unsigned char)word[n - 1])) /* val2017 */
		n--;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == n && !strncasecmp(words[i].word, word, n))
			return words[i].role;
	return 0;
}

/* The role given by the last word of its path that indicates one. */
static int role_of(const struct tfr_dset *s)
{
	const char *name = s->count ? s->base : s->name;
	int role = 0;

	for (size_t n; *name; name += n + (name[n] != '\0')) {
		int of_word;

		for (n = 0; isalnum((unsigned char)name[n]);)
			n++;
		of_word = role_of_word(name, n);
		role = of_word ? of_word : role;
	}
	return role;
}

enum relation { UNRELATED, LEAK, COPIES, OVERLAP };

enum { FEW = 10 };

/* Between splits, one shared image or other large value is a leak.  Small records, such as rows of
 * a few numbers, can be equal by chance; they are a leak only if they make up a twentieth.  The
 * purpose of other sets is unknown. */
static enum relation relation_of(
	struct tfr_dset *a, struct tfr_dset *b, struct shared *records, struct shared *items)
{
	int role_a = role_of(a), role_b = role_of(b);
	bool splits = role_a && role_b && role_a != role_b;
	bool many;

	*records = in_common(&a->hashes, &b->hashes);
	*items = in_common(&a->items, &b->items);
	many = records->n >= FEW && records->n * 20 >= records->of;
	if (splits && (items->n || (records->n && records->n * 20 >= records->of)))
		return LEAK;
	if (!splits && records->n >= FEW && records->n * 10 >= records->of * 9)
		return COPIES;
	if (many || (items->n >= FEW && items->n * 20 >= items->of) ||
		(splits && records->n >= FEW))
		return OVERLAP;
	return UNRELATED;
}

static void tell_shared(struct tfr_doctor *d, const struct tfr_dset *a, const struct tfr_dset *b,
	const struct shared *records, const struct shared *items)
{
	bool by_items = items->n > records->n;
	const struct shared *s = by_items ? items : records;
	struct tfr_command c = { 0 };
	char number[TFR_SIZE_TEXT];
	const char *what = by_items ? "images or other large values" : "records";

	if (s->n == 1)
		what = by_items ? "image or other large value" : "record";
	tfr_doctor_compare(&c, a, b);
	tfr_doctor_tell(d, a->name, &c, "%s%s %s %s in '%s' too%s%s", s->bits ? "about " : "",
		tfr_format_count((double)s->n, number), what, s->n == 1 ? "is" : "are", b->name,
		by_items ? ", in other records" : "",
		a->complete && b->complete ? "" : ", of those that were read");
}

static void compare_sets(struct tfr_doctor *d, enum relation wanted)
{
	for (size_t i = 0; i < d->set_count; i++) {
		for (size_t k = i + 1; k < d->set_count; k++) {
			struct tfr_dset *a = &d->sets[i], *b = &d->sets[k];
			struct shared records, items;

			/* Sets with one name are a mixture, which has a finding of its own. */
			if (!a->hashes.n || !b->hashes.n || tfr_doctor_one_name(a, b))
				continue;
			if (relation_of(a, b, &records, &items) == wanted)
				tell_shared(d, a, b, &records, &items);
		}
	}
}

void tfr_doctor_leak(struct tfr_doctor *d)
{
	compare_sets(d, LEAK);
}

void tfr_doctor_copies(struct tfr_doctor *d)
{
	compare_sets(d, COPIES);
}

void tfr_doctor_overlap(struct tfr_doctor *d)
{
	compare_sets(d, OVERLAP);
}
