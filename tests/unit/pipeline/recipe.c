/* Recipes compared with the same stages one at a time in plain code, to the bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "pipeline/images/executor.h"
#include "unit/pipeline/naive.h"

enum { OUTPUTS_MAX = 64 };

static struct tfr_rng seeded(uint64_t seed)
{
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	return r;
}

/* ---- a record ---- */

struct made {
	struct tfr_encoder *encoders[2]; /* whose memory the files are */
	struct tfr_image_input in;
};

static void paint(
	uint8_t *to, uint32_t width, uint32_t height, unsigned channels, struct tfr_rng *r)
{
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (unsigned c = 0; c < channels; c++)
				*to++ = channels == 1 ? (uint8_t)((x / 5 + y / 3) % 21)
						      : (uint8_t)(128 +
								  70 * sin(x * 0.3 + c) *
									  cos(y * 0.2 - c) +
								  tfr_rng_below(r, 40));
}

static void encode(struct tfr_encoder **e, uint32_t width, uint32_t height, unsigned channels,
	const struct tfr_encode_opts *opts, struct tfr_rng *r, const void **data, size_t *size)
{
	uint8_t *pixels = malloc((size_t)width * height * channels);
	struct tfr_image image = { .data = pixels,
		.stride = (size_t)width * channels,
		.width = width,
		.height = height,
		.channels = channels };

	*e = tfr_encoder_new();
	paint(pixels, width, height, channels, r);
	cr_assert_eq(tfr_encode(*e, &image, opts, data, size, NULL), TFR_OK);
	free(pixels);
}

static void make_sized(struct made *m, uint32_t width, uint32_t height, struct tfr_rng *r)
{
	struct tfr_encode_opts opts = {
		.format = tfr_rng_below(r, 4) ? TFR_IMAGE_JPEG : TFR_IMAGE_PNG,
		.quality = 90,
		.subsampling = tfr_rng_below(r, 2) ? "4:2:0" : "4:4:4",
	};

	*m = (struct made){ .in = { .epoch = tfr_rng_below(r, 3),
				    .ordinal = tfr_rng_below(r, 1000) } };
	encode(&m->encoders[0], width, height, 3, &opts, r, &m->in.encoded, &m->in.encoded_size);
	opts = (struct tfr_encode_opts){ .format = TFR_IMAGE_PNG, .runs = true };
	encode(&m->encoders[1], width, height, 1, &opts, r, &m->in.mask_encoded,
		&m->in.mask_encoded_size);
}

static void make(struct made *m, struct tfr_rng *r)
{
	uint32_t width = 1 + (uint32_t)tfr_rng_below(r, 70);

	make_sized(m, width, 1 + (uint32_t)tfr_rng_below(r, 70), r);
}

static void unmake(struct made *m)
{
	tfr_encoder_free(m->encoders[0]);
	tfr_encoder_free(m->encoders[1]);
}

/* ---- outputs of a run ---- */

struct outputs {
	struct output {
		void *data;
		struct tfr_image_form form;
	} at[OUTPUTS_MAX][2]; /* images, masks */
	uint32_t count[2];
};

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct outputs *o = ctx;
	size_t size = (tfr_image_form_bytes(form) + 63) & ~(size_t)63;
	void *data = aligned_alloc(64, size + 64);

	cr_assert_eq(k, o->count[mask], "outputs come in order");
	cr_assert(!mask || o->count[0] == k + 1, "an image comes before its mask");
	cr_assert_lt(k, OUTPUTS_MAX);
	memset(data, 0xa5, size + 64);
	o->at[k][mask] = (struct output){ data, *form };
	o->count[mask]++;
	return data;
}

static void clear(struct outputs *o)
{
	for (unsigned m = 0; m < 2; m++)
		for (uint32_t k = 0; k < o->count[m]; k++)
			free(o->at[k][m].data);
	*o = (struct outputs){ 0 };
}

static void expect_equal(const char *list, unsigned k, const struct output *o,
	const struct naive *n, const struct tfr_image_form *promised)
{
	size_t size, own = tfr_image_form_bytes(&o->form);
	uint8_t *bytes = naive_bytes(n, &size), *got = o->data;

	cr_assert(o->form.width == n->width && o->form.height == n->height &&
			  o->form.channels == n->channels && o->form.dtype == n->dtype,
		"%s: output %u is %ux%ux%u of %s, %ux%ux%u of %s wanted", list, k, o->form.width,
		o->form.height, o->form.channels, tfr_dtype_name(o->form.dtype), n->width,
		n->height, n->channels, tfr_dtype_name(n->dtype));
	cr_assert(n->mask || o->form.chw == n->chw);
	cr_assert_eq(own, size);
	if (promised->fixed)
		cr_assert(promised->width == n->width && promised->height == n->height, "%s", list);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(got[i], bytes[i], "%s: output %u%s, byte %zu of %zu", list, k,
			n->mask ? " (mask)" : "", i, size);
	for (size_t i = size; i < ((size + 63) & ~(size_t)63) + 64; i++)
		cr_assert_eq(got[i], 0xa5, "%s: output %u is written beyond its end", list, k);
	free(bytes);
}

/* ---- a list over one record ---- */

/* The run that begins at `from`, of everything that came out of the run before it. */
static enum tfr_status run_one(struct tfr_image_executor *st, const struct tfr_recipe *r,
	const struct tfr_image_input *record, struct outputs *o, struct tfr_error *err)
{
	struct outputs before = *o;
	enum tfr_status status = TFR_OK;
	uint32_t all = 0;

	*o = (struct outputs){ 0 };
	if (r->decodes)
		return tfr_image_executor_run(st, r, record, place, o, err);
	for (uint32_t k = 0; status == TFR_OK && k < before.count[0]; k++) {
		struct tfr_image_input in = {
			.epoch = record->epoch, .ordinal = record->ordinal, .copy = k
		};
		const struct output *p = before.at[k];
		struct outputs some = { 0 };

		cr_assert_eq(p[0].form.dtype, r->in_form.dtype);
		in.image = tfr_pixels_dense(
			p[0].data, p[0].form.width, p[0].form.height, 3, p[0].form.dtype);
		if (r->masks)
			in.mask = tfr_pixels_dense(
				p[1].data, p[1].form.width, p[1].form.height, 1, TFR_UINT8);
		status = tfr_image_executor_run(st, r, &in, place, &some, err);
		for (uint32_t j = 0; j < some.count[0]; j++, all++)
			memcpy(o->at[all], some.at[j], sizeof(some.at[j]));
		o->count[0] += some.count[0];
		o->count[1] += some.count[1];
	}
	clear(&before);
	return status;
}

/* All runs of a list; what came out is compared with what plain code makes. */
static void compare(struct tfr_image_executor *st, const char *list, const struct tfr_stage_list *s,
	const struct tfr_image_input *in, uint64_t seed)
{
	unsigned decode = tfr_stage_list_find(s, STAGE_DECODE);
	bool masks = s->at[decode].masks, good = true;
	struct naive_stream expected = naive_decode(in, masks);
	struct outputs *o = calloc(1, sizeof(*o));
	enum tfr_status status = TFR_OK;
	struct tfr_error err = { 0 };
	struct tfr_recipe r = { 0 };

	for (unsigned i = decode + 1; i < s->count && good; i++)
		if (s->at[i].kind == STAGE_IMAGE)
			good = naive_apply(&expected, s, i, seed, in);
	for (unsigned i = decode; status == TFR_OK && i < s->count; i = r.to) {
		while (i < s->count && s->at[i].kind != STAGE_IMAGE && i != decode)
			i++;
		if (i == s->count)
			break;
		tfr_recipe_init(&r, s, i, seed);
		status = run_one(st, &r, in, o, &err);
	}
	for (unsigned k = 0; good && k < expected.count; k++) {
		expect_equal(list, k, &o->at[k][0], &expected.at[k].image, &r.form);
		if (masks)
			expect_equal(list, k, &o->at[k][1], &expected.at[k].mask, &r.mask_form);
	}
	clear(o);
	free(o);
	naive_free(&expected);
}

static void expect_list(struct tfr_image_executor *st, const char *list, struct tfr_rng *r)
{
	struct tfr_stage_list s;
	struct tfr_error err = { 0 };
	struct made m;

	cr_assert_eq(tfr_stage_list_parse(&s, list, &err), TFR_OK, "%s: %s", list, err.message);
	make(&m, r);
	compare(st, list, &s, &m.in, tfr_rng_below(r, 100));
	unmake(&m);
	tfr_stage_list_free(&s);
}

/* ---- lists ---- */

static unsigned side(struct tfr_rng *r)
{
	return 1 + (unsigned)tfr_rng_below(r, tfr_rng_below(r, 4) ? 24 : 80);
}

static void add_stage(char *list, size_t size, struct tfr_rng *r)
{
	size_t n = strlen(list);
	char *to = list + n;
	unsigned w = side(r), h = side(r);

	size -= n;
	switch (tfr_rng_below(r, 24)) {
	case 0:
		snprintf(to, size, ",resize=%ux%u", w, h);
		break;
	case 1:
		snprintf(to, size, ",resize=%ux%u:area", w, h);
		break;
	case 2:
	case 3:
		snprintf(to, size, ",random-resized-crop=%ux%u", w, h);
		break;
	case 4:
		snprintf(to, size, ",random-crop=%ux%u", w, h);
		break;
	case 5:
		snprintf(to, size, ",random-crop=%u*%u", w, 1 + h % 4);
		break;
	case 6:
		snprintf(to, size, ",centre-crop=%ux%u", w, h);
		break;
	case 7:
		snprintf(to, size, ",five-crop=%ux%u", w, h);
		break;
	case 8:
		snprintf(to, size, ",mirror");
		break;
	case 9:
	case 10:
		snprintf(to, size, ",flip");
		break;
	case 11:
		snprintf(to, size, ",flip-vertical");
		break;
	case 12:
		snprintf(to, size, ",reflect-pad=%u", 1 + w % 6);
		break;
	case 13:
		snprintf(to, size, ",pad=%ux%u", w, h);
		break;
	case 14:
		snprintf(to, size, ",rotate=%u", 1 + w * 2);
		break;
	case 15:
		snprintf(to, size, ",cutout=%u", w);
		break;
	case 16:
	case 17:
		snprintf(to, size, ",normalise");
		break;
	case 18:
		snprintf(to, size, ",normalise=0.485/0.456/0.406:0.229/0.224/0.225");
		break;
	case 19:
		snprintf(to, size, ",standardise");
		break;
	case 20:
		snprintf(to, size, ",cast=uint8");
		break;
	case 21:
		snprintf(to, size, ",cast=float32");
		break;
	case 22:
		snprintf(to, size, ",normalise=0.5:0.25");
		break;
	default:
		snprintf(to, size, ",shuffle=9");
		break;
	}
}

static void random_list(char *list, size_t size, struct tfr_rng *r)
{
	static const char *const ends[] = { ",cast=float16", ",cast=uint8", ",chw",
		",cast=float16,chw", ",chw,cast=uint8,cast=float16", ",chw,hwc" };

	snprintf(list, size, "read,parse,decode%s", tfr_rng_below(r, 2) ? "=masks" : "");
	for (uint64_t n = 1 + tfr_rng_below(r, 7); n; n--)
		add_stage(list, size, r);
	if (tfr_rng_below(r, 2))
		strcat(list, ends[tfr_rng_below(r, sizeof(ends) / sizeof(*ends))]);
}

TestSuite(recipe, .timeout = 300);

Test(recipe, random_lists_equal_plain_code)
{
	struct tfr_rng r = seeded(7);
	struct tfr_image_executor *st;
	unsigned compared = 0;

	cr_assert_eq(tfr_image_executor_new(&st, 64 << 20, false, NULL), TFR_OK);
	while (compared < 3000) {
		char list[600];
		struct tfr_stage_list s;

		random_list(list, sizeof(list), &r);
		if (tfr_stage_list_parse(&s, list, NULL))
			continue;
		if (tfr_stage_list_copies(&s) <= OUTPUTS_MAX) {
			expect_list(st, list, &r);
			compared++;
		}
		tfr_stage_list_free(&s);
	}
	tfr_image_executor_free(st);
}

/* Every pair of stages, one after the other. */
Test(recipe, pairs_of_stages_equal_plain_code)
{
	static const char *const stages[] = { "resize=20", "resize=9x7:area",
		"random-resized-crop=16", "random-crop=12*3", "centre-crop=11", "five-crop=10",
		"mirror", "flip", "flip-vertical", "reflect-pad=3", "pad=30x18", "rotate=30",
		"cutout=7", "normalise", "normalise=0.4/0.5/0.6:0.2/0.3/0.4", "standardise",
		"cast=uint8", "cast=float32" };
	static const char *const ends[] = { "", ",cast=float16,chw", ",cast=uint8" };
	enum { STAGES = sizeof(stages) / sizeof(*stages) };
	struct tfr_rng r = seeded(11);
	struct tfr_image_executor *st;

	cr_assert_eq(tfr_image_executor_new(&st, 64 << 20, false, NULL), TFR_OK);
	for (unsigned i = 0; i < STAGES * STAGES * 3; i++) {
		char list[200];

		snprintf(list, sizeof(list), "read,parse,decode=masks,%s,%s%s",
			stages[i / 3 % STAGES], stages[i / 3 / STAGES], ends[i % 3]);
		expect_list(st, list, &r);
	}
	tfr_image_executor_free(st);
}

/* ---- draws ---- */

/* The outputs of a list for a record, to be cleared. */
static struct outputs *outputs_of(const char *list, const struct tfr_image_input *in)
{
	struct outputs *o = calloc(1, sizeof(*o));
	struct tfr_stage_list s;
	struct tfr_image_executor *st;
	struct tfr_recipe r;

	cr_assert_eq(tfr_stage_list_parse(&s, list, NULL), TFR_OK, "%s", list);
	cr_assert_eq(tfr_image_executor_new(&st, 1 << 20, false, NULL), TFR_OK);
	tfr_recipe_init(&r, &s, tfr_stage_list_find(&s, STAGE_DECODE), 9);
	cr_assert_eq(tfr_image_executor_run(st, &r, in, place, o, NULL), TFR_OK, "%s", list);
	tfr_image_executor_free(st);
	tfr_stage_list_free(&s);
	return o;
}

static bool same_output(const struct outputs *a, unsigned i, const struct outputs *b, unsigned k)
{
	return !memcmp(a->at[i][0].data, b->at[k][0].data, tfr_image_form_bytes(&a->at[i][0].form));
}

static void drop(struct outputs *o)
{
	clear(o);
	free(o);
}

Test(recipe, copies_and_stages_given_twice_draw_for_themselves)
{
	struct tfr_rng r = seeded(23);
	unsigned flipped = 0, both = 0;
	struct made m;

	make_sized(&m, 61, 47, &r);
	for (m.in.ordinal = 0; m.in.ordinal < 64; m.in.ordinal++) {
		struct outputs *one = outputs_of("read,parse,decode,random-crop=9", &m.in);
		struct outputs *four = outputs_of("read,parse,decode,random-crop=9*4", &m.in);
		struct outputs *plain = outputs_of("read,parse,decode", &m.in);
		struct outputs *once = outputs_of("read,parse,decode,flip", &m.in);
		struct outputs *twice = outputs_of("read,parse,decode,flip,flip", &m.in);

		cr_expect(same_output(one, 0, four, 0), "the first copy is what one would be");
		for (unsigned k = 1; k < 4; k++)
			cr_expect(!same_output(four, 0, four, k));
		flipped += !same_output(plain, 0, once, 0);
		both += !same_output(once, 0, twice, 0);
		drop(one);
		drop(four);
		drop(plain);
		drop(once);
		drop(twice);
	}
	cr_expect(flipped > 16 && flipped < 48, "%u of 64 are mirrored", flipped);
	cr_expect(both > 16 && both < 48, "%u of 64 are mirrored once more", both);
	unmake(&m);
}

/* ---- missing and too large images ---- */

static enum tfr_status attempt(const char *list, const struct tfr_image_input *in,
	uint64_t max_bytes, struct tfr_error *err)
{
	struct tfr_stage_list s;
	struct tfr_image_executor *st;
	struct tfr_recipe r;
	struct outputs *o = calloc(1, sizeof(*o));
	enum tfr_status status;

	cr_assert_eq(tfr_stage_list_parse(&s, list, NULL), TFR_OK, "%s", list);
	cr_assert_eq(tfr_image_executor_new(&st, max_bytes, false, NULL), TFR_OK);
	tfr_recipe_init(&r, &s, tfr_stage_list_find(&s, STAGE_DECODE), 0);
	status = tfr_image_executor_run(st, &r, in, place, o, err);
	clear(o);
	free(o);
	tfr_image_executor_free(st);
	tfr_stage_list_free(&s);
	return status;
}

Test(recipe, faults_are_named)
{
	struct tfr_rng r = seeded(3);
	struct tfr_error err = { 0 };
	struct made a, b;
	struct tfr_image_input in;

	make_sized(&a, 40, 30, &r);
	make_sized(&b, 40, 31, &r);
	cr_expect_eq(
		attempt("read,parse,decode,random-crop=41x8", &a.in, 1 << 20, &err), TFR_EDATA);
	cr_expect_str_eq(
		err.message, "an image of 40x30 is too small for stage 'random-crop=41x8'");
	cr_expect_eq(attempt("read,parse,decode,five-crop=31", &a.in, 1 << 20, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "an image of 40x30 is too small for stage 'five-crop=31'");
	cr_expect_eq(attempt("read,parse,decode,reflect-pad=30", &a.in, 1 << 20, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "an image of 40x30 is too small for stage 'reflect-pad=30'");
	in = a.in;
	in.mask_encoded = b.in.mask_encoded;
	in.mask_encoded_size = b.in.mask_encoded_size;
	cr_expect_eq(attempt("read,parse,decode=masks", &in, 1 << 20, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "a mask of 40x31 beside an image of 40x30");
	in.mask_encoded = NULL;
	cr_expect_eq(attempt("read,parse,decode=masks", &in, 1 << 20, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "no mask beside the image");
	cr_expect_eq(attempt("read,parse,decode,resize=1000,rotate=3", &a.in, 1 << 20, &err),
		TFR_ENOMEM);
	cr_expect_str_eq(err.message,
		"stage 'rotate=3' needs more than the 1048576 bytes that an image may take");
	in = a.in;
	in.encoded_size /= 2;
	cr_expect_eq(attempt("read,parse,decode", &in, 1 << 20, &err), TFR_EDATA);
	in.encoded = "nothing of the kind";
	in.encoded_size = 19;
	cr_expect_eq(attempt("read,parse,decode", &in, 1 << 20, &err), TFR_EFORMAT);
	unmake(&a);
	unmake(&b);
}

/* ---- plans ---- */

static uint64_t scratch(const char *list)
{
	struct tfr_stage_list s;
	struct tfr_recipe r;
	uint64_t bytes;

	cr_assert_eq(tfr_stage_list_parse(&s, list, NULL), TFR_OK, "%s", list);
	tfr_recipe_init(&r, &s, tfr_stage_list_find(&s, STAGE_DECODE), 0);
	bytes = tfr_recipe_scratch(&r, 1000, 800);
	tfr_stage_list_free(&s);
	return bytes;
}

Test(recipe, scratch_is_known_beforehand)
{
	const uint64_t whole = 1000 * 800 * 3;

	cr_expect_eq(scratch("read,parse,decode,random-resized-crop=224,flip,normalise"), 0);
	cr_expect_eq(scratch("read,parse,decode,five-crop=224,mirror,normalise"), 0);
	cr_expect_eq(scratch("read,parse,decode=masks,resize=224,normalise"), 1000 * 800);
	cr_expect_eq(scratch("read,parse,decode,resize=100,rotate=3"), 2 * (100 * 100 * 12 + 63));
	cr_expect_eq(scratch("read,parse,decode,rotate=3,resize=100"), 2 * (whole + 63));
	cr_expect_eq(
		scratch("read,parse,decode,reflect-pad=4,random-crop=100*5,cast=float32,mirror"),
		4 * (1008 * 808 * 3 + 63));
}

/* The first run of a list takes no more memory than planned. */
Test(recipe, scratch_is_no_more_than_was_said)
{
	struct tfr_rng r = seeded(19);
	struct outputs *o = calloc(1, sizeof(*o));

	for (unsigned i = 0; i < 2000; i++) {
		char list[600];
		struct tfr_stage_list s;
		struct tfr_recipe recipe;
		struct tfr_image_executor *st;
		struct made m;

		random_list(list, sizeof(list), &r);
		if (tfr_stage_list_parse(&s, list, NULL))
			continue;
		tfr_recipe_init(&recipe, &s, tfr_stage_list_find(&s, STAGE_DECODE), 0);
		make_sized(&m, 60, 50, &r);
		cr_assert_eq(tfr_image_executor_new(&st, 64 << 20, false, NULL), TFR_OK);
		if (recipe.copies <= OUTPUTS_MAX &&
			!tfr_image_executor_run(st, &recipe, &m.in, place, o, NULL))
			cr_assert_leq(st->bytes, tfr_recipe_scratch(&recipe, 60, 50), "%s", list);
		clear(o);
		tfr_image_executor_free(st);
		unmake(&m);
		tfr_stage_list_free(&s);
	}
	free(o);
}

/* ---- measures ---- */

Test(recipe, what_stages_took_is_told)
{
	struct tfr_rng rng = seeded(5);
	struct made m;
	struct tfr_stage_list s;
	struct tfr_recipe r;
	struct tfr_image_executor *st;
	struct outputs *o = calloc(1, sizeof(*o));
	const uint64_t *spent;

	make_sized(&m, 300, 200, &rng);
	cr_assert_eq(
		tfr_stage_list_parse(&s,
			"read,parse,decode,flip,resize=200,rotate=9,standardise,shuffle=2", NULL),
		TFR_OK);
	cr_assert_eq(tfr_image_executor_new(&st, 64 << 20, false, NULL), TFR_OK);
	tfr_recipe_init(&r, &s, 2, 0);
	cr_expect_eq(r.to, 7);
	cr_assert_eq(tfr_image_executor_run(st, &r, &m.in, place, o, NULL), TFR_OK);
	spent = tfr_image_executor_spent(st);
	for (unsigned i = 0; i < s.count; i++)
		cr_expect_eq(spent[i] > 0, i >= 2 && i < 7, "stage %u: %llu ns", i,
			(unsigned long long)spent[i]);
	clear(o);
	free(o);
	tfr_image_executor_free(st);
	tfr_stage_list_free(&s);
	unmake(&m);
}
