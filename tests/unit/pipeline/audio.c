/* Audio: runs of its stages compared with the same stages one at a time in plain code, to the
 * bit; and feeds of audio. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "base/rng.h"
#include "pipeline/images/executor.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(audio, .init = setup, .fini = teardown, .timeout = 120);

enum { RATE = 16000, SAMPLES_MOST = 400, VOICES_MOST = 6, OUTPUTS_MOST = 64 };

static struct tfr_rng seeded(uint64_t seed)
{
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	return r;
}

/* ---- plain code: a clip is the array of its numbers ---- */

struct plain {
	uint32_t samples;
	unsigned channels;
	float *values;
};

static struct plain plain_new(uint32_t samples, unsigned channels)
{
	return (struct plain){ samples, channels,
		calloc((size_t)samples * channels + 1, sizeof(float)) };
}

static struct plain plain_decoded(const struct tfr_image_input *in)
{
	struct tfr_audio_info info;
	struct plain s;

	cr_assert_eq(tfr_audio_probe(in->encoded, in->encoded_size, &info, NULL), TFR_OK);
	s = plain_new((uint32_t)info.samples, info.channels);
	tfr_audio_samples(in->encoded, &info, 0, info.samples, s.values);
	return s;
}

static struct plain plain_cut(const struct plain *s, uint32_t skip, uint32_t length)
{
	struct plain to = plain_new(length, s->channels);

	for (uint32_t i = 0; i < length && skip + i < s->samples; i++)
		for (unsigned c = 0; c < s->channels; c++)
			to.values[i * s->channels + c] = s->values[(skip + i) * s->channels + c];
	return to;
}

static struct plain plain_mix(const struct plain *s, const struct tfr_stage *stage)
{
	struct plain to = plain_new(s->samples, stage->voices);

	for (uint32_t i = 0; i < s->samples; i++) {
		const float *in = s->values + (size_t)i * s->channels;
		float sum = 0;

		for (unsigned c = 0; c < s->channels; c++)
			sum += in[c];
		for (unsigned c = 0; c < stage->voices; c++)
			to.values[i * stage->voices + c] = !strcmp(stage->row->name, "mono")
								   ? sum / (float)s->channels
							   : c < s->channels ? in[c]
									     : in[s->channels - 1];
	}
	return to;
}

static struct plain plain_stage(const struct plain *s, const struct tfr_stage *stage,
	unsigned occurrence, uint64_t seed, const struct tfr_image_input *in, uint32_t copy)
{
	struct tfr_draw draw = { seed + occurrence * 0x9e3779b97f4a7c15u, in->epoch, in->ordinal,
		copy };
	struct tfr_crop window = { 0 };
	uint32_t spare = s->samples > stage->width ? s->samples - stage->width : 0;

	if (!strcmp(stage->row->name, "mono") || !strcmp(stage->row->name, "channels"))
		return plain_mix(s, stage);
	if (!strcmp(stage->row->name, "crop"))
		return plain_cut(s, 0, stage->width);
	if (!strcmp(stage->row->name, "centre-crop"))
		return plain_cut(s, spare / 2, stage->width);
	if (strcmp(stage->row->name, "random-crop"))
		return plain_cut(s, 0, s->samples);
	if (spare)
		tfr_random_crop(&draw, s->samples, 1, stage->width, 1, &window);
	cr_assert_leq(window.x, spare);
	return plain_cut(s, window.x, stage->width);
}

/* The bytes of a batch. */
static void plain_put(const struct plain *s, enum tfr_dtype dtype, bool first, uint8_t *to)
{
	size_t size = tfr_dtype_size(dtype);

	for (uint32_t i = 0; i < s->samples; i++)
		for (unsigned c = 0; c < s->channels; c++)
			tfr_audio_convert(&s->values[i * s->channels + c], 1, dtype,
				to + size * (first ? c * s->samples + i : i * s->channels + c));
}

struct outputs {
	struct tfr_image_form forms[OUTPUTS_MOST];
	uint8_t *at[OUTPUTS_MOST];
	uint32_t count;
};

static void clear(struct outputs *o)
{
	for (uint32_t k = 0; k < o->count; k++)
		free(o->at[k]);
}

/* The result of a list, stage by stage, which takes over `s`. */
static void plain_run(const struct tfr_stage_list *list, unsigned i, struct plain s, uint64_t seed,
	const struct tfr_image_input *in, uint32_t copy, struct outputs *o)
{
	const struct tfr_stage *stage = &list->at[i];
	unsigned occurrence = 0;

	if (i == list->count || stage->kind == STAGE_BATCH) {
		struct tfr_image_form *f = &o->forms[o->count];

		*f = (struct tfr_image_form){ .width = s.samples,
			.height = 1,
			.channels = s.channels,
			.dtype = TFR_FLOAT32 };
		for (unsigned j = 0; j < i; j++) {
			if (!strcmp(list->at[j].row->name, "cast"))
				f->dtype = list->at[j].dtype;
			f->chw |= list->at[j].chw;
		}
		o->at[o->count] = malloc(tfr_image_form_bytes(f) + 1);
		plain_put(&s, f->dtype, f->chw, o->at[o->count++]);
		free(s.values);
		return;
	}
	for (unsigned j = 0; j < i; j++)
		occurrence += list->at[j].row == stage->row;
	for (uint32_t c = 0; c < stage->copies; c++)
		plain_run(list, i + 1,
			plain_stage(&s, stage, occurrence, seed, in, copy * stage->copies + c),
			seed, in, copy * stage->copies + c, o);
	free(s.values);
}

/* ---- comparisons ---- */

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct outputs *o = ctx;

	cr_assert(!mask && k == o->count && k < OUTPUTS_MOST);
	o->forms[k] = *form;
	/* No more than that is written: AddressSanitizer sees it. */
	return o->at[o->count++] = malloc(tfr_image_form_bytes(form));
}

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* A random file of PCM. */
static uint8_t *make_wav(struct tfr_rng *r, unsigned channels, uint32_t rate, size_t *size)
{
	unsigned width = 1 + (unsigned)tfr_rng_below(r, 4);
	uint32_t values = (1 + (uint32_t)tfr_rng_below(r, SAMPLES_MOST)) * channels;
	uint8_t *wav = malloc(44 + (size_t)values * width);

	memcpy(wav, "RIFF....WAVEfmt ....", 20);
	put(wav + 4, 36 + values * width, 4);
	put(wav + 16, 16, 4);
	put(wav + 20, TFR_AUDIO_PCM, 2);
	put(wav + 22, channels, 2);
	put(wav + 24, rate, 4);
	put(wav + 28, (uint64_t)rate * channels * width, 4);
	put(wav + 32, channels * width, 2);
	put(wav + 34, 8 * width, 2);
	memcpy(wav + 36, "data", 4);
	put(wav + 40, values * width, 4);
	for (uint32_t i = 0; i < values * width; i++)
		wav[44 + i] = (uint8_t)tfr_rng_u32(r);
	*size = 44 + (size_t)values * width;
	return wav;
}

static void make_list(struct tfr_rng *r, char *list, size_t size)
{
	static const char *const kinds[] = { "mono", "channels=2", "channels=3",
		"crop=", "crop=", "random-crop=", "random-crop=", "centre-crop=", "random-crop=" };
	static const char *const ends[] = { "", ",cast=int16", ",cast=float16", ",cast=bfloat16",
		",cast=float32", ",channels-first", ",channels-first,cast=int16",
		",cast=bfloat16,channels-first" };
	unsigned n = (unsigned)tfr_rng_below(r, 5);
	int used = snprintf(list, size, "read,parse,decode=audio");

	for (unsigned i = 0; i < n; i++) {
		const char *kind = kinds[tfr_rng_below(r, 9)];

		used += snprintf(list + used, size - (size_t)used, ",%s", kind);
		if (kind[strlen(kind) - 1] == '=')
			used += snprintf(list + used, size - (size_t)used, "%u",
				1 + (unsigned)tfr_rng_below(r, SAMPLES_MOST));
		if (!strcmp(kind, "random-crop=") && !tfr_rng_below(r, 3))
			used += snprintf(list + used, size - (size_t)used, "*%u",
				1 + (unsigned)tfr_rng_below(r, 3));
	}
	snprintf(list + used, size - (size_t)used, "%s", ends[tfr_rng_below(r, 8)]);
}

static void compare(const struct outputs *made, const struct outputs *plain, const char *list)
{
	cr_assert_eq(made->count, plain->count, "%s", list);
	for (uint32_t k = 0; k < made->count; k++) {
		const struct tfr_image_form *a = &made->forms[k], *b = &plain->forms[k];

		cr_assert(a->width == b->width && a->height == 1 && a->channels == b->channels &&
				  a->dtype == b->dtype && a->chw == b->chw,
			"%s: %u x %u, not %u x %u", list, a->width, a->channels, b->width,
			b->channels);
		cr_assert(!memcmp(made->at[k], plain->at[k], tfr_image_form_bytes(a)), "%s", list);
	}
}

/* The stages after decode, on its output, as if another stage came between them. */
static void run_in_two(struct tfr_image_executor *st, const struct tfr_stage_list *s,
	const struct tfr_image_input *in, const struct outputs *plain, const char *list)
{
	struct outputs whole = { .count = 0 }, rest = { .count = 0 };
	struct tfr_image_input second = *in;
	struct tfr_error err;
	struct tfr_recipe r;

	tfr_recipe_init(&r, s, 2, 5);
	r.to = 3;
	r.copies = 1;
	r.form.fixed = false;
	r.form.dtype = TFR_FLOAT32;
	r.form.chw = false;
	cr_assert_eq(
		tfr_image_executor_run(st, &r, in, place, &whole, &err), TFR_OK, "%s", err.message);
	second.image = tfr_pixels_dense(
		whole.at[0], whole.forms[0].width, 1, whole.forms[0].channels, TFR_FLOAT32);
	tfr_recipe_init(&r, s, 3, 5);
	cr_assert_eq(tfr_image_executor_run(st, &r, &second, place, &rest, &err), TFR_OK, "%s",
		err.message);
	compare(&rest, plain, list);
	clear(&whole);
	clear(&rest);
}

Test(audio, runs_are_their_stages_one_by_one)
{
	struct tfr_rng r = seeded(5);
	struct tfr_image_executor *st;
	struct tfr_error err;

	cr_assert_eq(tfr_image_executor_new(&st, 1 << 24, false, &err), TFR_OK);
	for (unsigned i = 0; i < 600; i++) {
		struct outputs made = { .count = 0 }, plain = { .count = 0 };
		struct tfr_image_input in = { .epoch = i % 3, .ordinal = i };
		unsigned channels = 1 + (unsigned)tfr_rng_below(&r, VOICES_MOST);
		struct tfr_recipe recipe;
		struct tfr_stage_list s;
		char list[400];
		uint8_t *wav;

		wav = make_wav(&r, channels, RATE, &in.encoded_size);
		in.encoded = wav;
		make_list(&r, list, sizeof(list));
		cr_assert_eq(
			tfr_stage_list_parse(&s, list, &err), TFR_OK, "%s: %s", list, err.message);
		cr_assert_eq(tfr_stage_list_settle_audio(&s, RATE, channels, &err), TFR_OK);
		tfr_recipe_init(&recipe, &s, 2, 5);
		cr_assert_eq(tfr_image_executor_run(st, &recipe, &in, place, &made, &err), TFR_OK,
			"%s: %s", list, err.message);
		plain_run(&s, 3, plain_decoded(&in), 5, &in, 0, &plain);
		compare(&made, &plain, list);
		cr_assert_eq(made.count, recipe.copies);
		if (recipe.form.fixed)
			cr_assert(made.forms[0].width == recipe.form.width &&
				  made.forms[0].channels == recipe.form.channels);
		if (s.count > 3)
			run_in_two(st, &s, &in, &plain, list);
		clear(&made);
		clear(&plain);
		tfr_stage_list_free(&s);
		free(wav);
	}
	tfr_image_executor_free(st);
}

static void expect_refused(const char *list, const char *message)
{
	struct tfr_error err = { 0 };
	struct tfr_stage_list s;
	enum tfr_status status = tfr_stage_list_parse(&s, list, &err);

	if (status == TFR_OK) {
		status = tfr_stage_list_settle_audio(&s, RATE, 2, &err);
		tfr_stage_list_free(&s);
	}
	cr_assert_eq(status, TFR_EUSAGE, "%s", list);
	cr_assert_str_eq(err.message, message);
}

Test(audio, lists_that_make_no_sense_are_refused)
{
	expect_refused("read,parse,decode=sound", "'sound' is not what stage 'decode' takes");
	expect_refused("read,parse,decode=audio:", "'audio:' is not what stage 'decode' takes");
	expect_refused("read,parse,mono", "stage 'mono' is for audio");
	expect_refused("read,parse,decode,crop=9", "stage 'crop' is for audio");
	expect_refused("read,parse,decode=audio,resize=9",
		"stage 'resize' is for images, not for the audio of 'decode=audio'");
	expect_refused("read,parse,decode=audio,crop=9x9", "'9x9' is not what stage 'crop' takes");
	expect_refused("read,parse,decode=audio,crop=0", "'0' is not what stage 'crop' takes");
	expect_refused("read,parse,decode=audio,crop=-1s", "'-1s' is not what stage 'crop' takes");
	expect_refused(
		"read,parse,decode=audio,channels=0", "'0' is not what stage 'channels' takes");
	expect_refused(
		"read,parse,decode=audio,cast=uint8", "'uint8' is not what stage 'cast' takes");
	expect_refused(
		"read,parse,decode=audio,batch=9", "stage 'batch' needs audio clips of one length");
	expect_refused("read,parse,decode=audio,cast=int16,mono",
		"stage 'mono' must come before 'cast=int16'");
	expect_refused("read,parse,decode=audio,channels-first,shuffle=2,cast=int16",
		"stage 'cast=int16' must come before 'channels-first'");
	expect_refused("read,parse,decode=audio,random-crop=9*999,random-crop=9*2",
		"stage 'random-crop=9*2' makes 1998 clips of one: at most 1000");
	expect_refused("read,parse,decode=audio,crop=0.00001s",
		"stage 'crop=1e-05s': that is 0 samples at 16000 per second; it can be 1 to "
		"268435456");
}

Test(audio, a_list_is_filled_in_by_the_first_sound)
{
	struct tfr_error err;
	struct tfr_stage_list s;
	char *text;

	cr_assert_eq(
		tfr_stage_list_parse(&s, "read,parse,decode=audio,random-crop=.25s*2,crop=9", &err),
		TFR_OK);
	text = tfr_stage_list_text(&s);
	cr_expect_str_eq(text, "read=4:1,parse,decode=audio,random-crop=0.25s*2,crop=9");
	free(text);
	cr_assert_eq(tfr_stage_list_settle_audio(&s, 44100, 2, &err), TFR_OK);
	text = tfr_stage_list_text(&s);
	cr_expect_str_eq(text, "read=4:1,parse,decode=audio:44100,random-crop=11025*2,crop=9");
	free(text);
	cr_expect_eq(s.at[2].voices, 2);
	tfr_stage_list_free(&s);
	cr_assert_eq(tfr_stage_list_parse(&s, "read,parse,decode=audio:8000,mono,crop=1s", &err),
		TFR_OK);
	cr_assert_eq(tfr_stage_list_settle_audio(&s, 8000, 2, &err), TFR_OK);
	cr_expect(s.at[2].voices == 0 && s.at[4].width == 8000);
	tfr_stage_list_free(&s);
}

/* ---- feeds ---- */

/* Files of Examples with a WAV file each.  In file 0, record `other` has another sample rate, or
 * other channels if `stereo` is set, and record `broken` is cut in half. */
static void make_audio(unsigned files, unsigned each, int other, bool stereo, int broken)
{
	struct tfr_rng r = seeded(9);
	struct tfr_builder *b = tfr_builder_new();

	for (unsigned f = 0; f < files; f++) {
		struct tfr_writer *w;
		char path[40];

		snprintf(path, sizeof(path), "s-%u", f);
		cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
		for (unsigned i = 0; i < each; i++) {
			bool odd = !f && (int)i == other;
			const uint8_t *record;
			size_t size, whole;
			uint8_t *wav = make_wav(
				&r, odd && stereo ? 3 : 2, odd && !stereo ? 8000 : RATE, &whole);

			tfr_builder_reset(b);
			size = !f && (int)i == broken ? whole / 2 : whole;
			tfr_builder_bytes(
				b, "audio/encoded", &(struct tfr_bytes){ wav, size }, 1, NULL);
			tfr_builder_int64(b, "audio/class/label", f * each + i, NULL);
			cr_assert_eq(tfr_builder_flatten(b, &record, &size, NULL), TFR_OK);
			cr_assert_eq(tfr_writer_put(w, record, size, NULL), TFR_OK);
			free(wav);
		}
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
	}
	tfr_builder_free(b);
}

static void expect_same(const struct run *a, const struct run *b, const char *list)
{
	cr_assert_eq(b->end, TFR_END, "%s: %s", list, b->err.message);
	cr_assert_eq(a->batches, b->batches, "%s", list);
	cr_assert(!memcmp(a->hashes, b->hashes, a->batches * sizeof(*a->hashes)), "%s", list);
	cr_assert(!memcmp(a->records, b->records, a->batches * sizeof(*a->records)), "%s", list);
}

Test(audio, a_feed_is_the_same_for_any_workers_memory_and_devices)
{
	static const char *const lists[] = {
		"read,parse,shuffle=7,decode=audio,random-crop=100,batch=5,upload",
		"read,parse,decode=audio,shuffle=9,mono,random-crop=0.01s*3,cast=int16,batch=4,"
		"upload",
		"read,parse,cache,decode=audio,channels=1,centre-crop=64,shuffle=5,prefetch=2,"
		"channels-first,cast=bfloat16,batch=8,upload",
		"read,parse,decode=audio,crop=300,cache,random-crop=50,cast=float16,batch=3,upload",
	};
	static const char *const paths[] = { "s-0", "s-1", "s-2", NULL };
	static struct run first, run;

	make_audio(3, 17, -1, false, -1);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct tfr_pipeline_opts opts = {
			.stages = lists[i], .threads = 1, .epochs = 2, .seed = 4
		};

		run_feed_on(&first, "s-*", opts);
		cr_assert_eq(first.end, TFR_END, "%s: %s", lists[i], first.err.message);
		cr_assert_gt(first.batches, 5);
		for (opts.threads = 2; opts.threads < 5; opts.threads++) {
			opts.memory = opts.threads % 2 ? 0 : 64 << 20;
			run_feed_on(&run, "s-*", opts);
			expect_same(&first, &run, lists[i]);
		}
		opts.verify = true;
		opts.steps_per_transfer = 3;
		run_feed_over(&run, paths, "sim:1G,1us,3", opts, 0);
		expect_same(&first, &run, lists[i]);
	}
	cr_assert_eq(first.plan.audio_rate, RATE);
	cr_assert(first.plan.audio_samples == 50 && first.plan.audio_channels == 2);
}

Test(audio, are_what_a_feed_of_records_with_sounds_is_of)
{
	const struct tfr_batch_feature label = {
		.name = "audio/class/label", .kind = TFR_KIND_INT64, .count = 1
	};
	static struct run first, run;
	struct tfr_pipeline_opts opts = { .epochs = 1, .seed = 1 };

	make_audio(1, 70, -1, false, -1);
	run_feed_on(&first, "s-*", opts);
	cr_assert_eq(first.end, TFR_END, "%s", first.err.message);
	cr_assert(first.batches == 2 && first.plan.audio_samples == RATE);
	opts.stages = "read=4:1,parse,shuffle=2048,decode=audio:16000,random-crop=1s,batch=64,"
		      "upload";
	run_feed_on(&run, "s-*", opts);
	expect_same(&first, &run, "default");
	opts.features = &label;
	opts.feature_count = 1;
	run_feed_on(&run, "s-*", opts);
	cr_assert(run.end == TFR_END && run.batches == 2 && run.records[0] == 64, "%s",
		run.err.message);
	cr_assert_neq(run.hashes[0], first.hashes[0]);
	opts.fast_decode = true;
	run_feed_on(&run, "s-*", opts);
	cr_assert_eq(run.end, TFR_EUSAGE);
}

Test(audio, one_that_is_broken_or_another_is_left_out_or_ends_the_feed)
{
	static struct run run;
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,decode=audio:16000,crop=40,batch=4,upload", .epochs = 1
	};

	make_audio(1, 10, 3, false, 5);
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	for (opts.threads = 1; opts.threads < 4; opts.threads++) {
		opts.skip_bad = true;
		run_feed_on(&run, "s-0", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.stats.skipped, 2);
		cr_assert_eq(run.stats.records, 8);
	}
	opts.threads = 1;
	run_feed_on(&run, "s-0", opts);
	cr_assert_not_null(strstr(run.first_skipped,
				   "an audio clip of 8000 samples per second, where "
				   "'decode=audio:16000' has 16000: clips are not resampled"),
		"%s", run.first_skipped);
	/* Without a rate there is no telling which of them are meant. */
	opts.stages = "read,parse,decode=audio,crop=40,batch=4,upload";
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_EUSAGE);
	cr_assert_str_eq(run.err.message,
		"the first records hold audio clips of 16000 and of 8000 samples per second");
	opts.stages = "read,parse,decode=audio:44100,crop=40,batch=4,upload";
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(
		run.err.message, "an audio clip of 16000 samples per second, not of 44100");
}

Test(audio, of_other_channels_are_mixed_or_refused)
{
	static struct run run;
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,decode=audio,crop=40,batch=4,upload", .epochs = 1
	};

	make_audio(1, 10, 3, true, -1);
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_EUSAGE);
	cr_assert_str_eq(
		run.err.message, "the first records hold audio clips of 2 and of 3 channels");
	opts.stages = "read,parse,decode=audio,shuffle=4,mono,crop=40,batch=4,upload";
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_eq(run.stats.records, 10);
	opts.stages = "read,parse,decode=audio,channels=4,crop=40,batch=4,upload";
	run_feed_on(&run, "s-0", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_eq(run.plan.audio_channels, 4);
}
