/* pipeline/images/audio.c - runs of audio stages: one pass over the samples that are
 * wanted.
 *
 * Stages that cut only move the ends of a range of samples, so that only the samples of a batch
 * are decoded.  The samples are read once: straight from the record to their place where only
 * their type changes, else a block at a time that stays in the cache: decoded, mixed, converted.
 * To all other code an audio clip is an image of one row, as wide as it has samples. */
#include <assert.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "base/error.h"
#include "pipeline/images/executor.h"

enum { BLOCK = 8192 /* numbers */ };

/* The origin of samples: a record, or the output of an earlier run. */
struct origin {
	const void *data;
	struct tfr_audio_info info;
	struct tfr_audio_stream *stream; /* of a coding that is not ours */
	const float *floats;
};

/* ---- what stages do ---- */

/* A range of the samples of a clip, followed by zeros. */
struct sample_range {
	uint64_t from, there, length; /* there <= length, zeros included */
};

static void cut_range(struct sample_range *s, uint64_t skip, uint64_t length)
{
	uint64_t gone = skip < s->there ? skip : s->there;

	assert(s->there <= s->length);
	s->from += gone;
	s->there -= gone;
	s->length = length;
	if (s->there > length)
		s->there = length;
}

static void crop(const struct tfr_stage *stage, const struct tfr_draw *draw, struct sample_range *s)
{
	(void)draw;
	cut_range(s, 0, stage->width);
}

static void random_crop(
	const struct tfr_stage *stage, const struct tfr_draw *draw, struct sample_range *s)
{
	struct tfr_crop window = { 0 };

	if (s->length > stage->width)
		tfr_random_crop(draw, (uint32_t)s->length, 1, stage->width, 1, &window);
	cut_range(s, window.x, stage->width);
}

static void centre_crop(
	const struct tfr_stage *stage, const struct tfr_draw *draw, struct sample_range *s)
{
	(void)draw;
	cut_range(s, s->length > stage->width ? (s->length - stage->width) / 2 : 0, stage->width);
}

/* The mean, added up in the order of the channels. */
static void mono(const struct tfr_stage *stage, const float *in, size_t samples, unsigned channels,
	float *out)
{
	(void)stage;
	for (size_t i = 0; channels == 2 && i < samples; i++)
		out[i] = (in[2 * i] + in[2 * i + 1]) / 2;
	if (channels == 2)
		return;
	for (size_t i = 0; i < samples; i++) {
		float sum = 0;

		for (unsigned c = 0; c < channels; c++)
			sum += in[i * channels + c];
		out[i] = sum / (float)channels;
	}
}

/* tf.audio.decode_wav's desired_channels: the first ones; the last one again where there are less.
 */
static void channels_of(const struct tfr_stage *stage, const float *in, size_t samples,
	unsigned channels, float *out)
{
	for (size_t i = 0; i < samples; i++, in += channels)
		for (unsigned c = 0; c < stage->voices; c++)
			*out++ = in[c < channels ? c : channels - 1];
}

/* A stage has one of the two, or none. */
static const struct audio_transform {
	/* Shortens the range. */
	void (*stretch)(
		const struct tfr_stage *stage, const struct tfr_draw *draw, struct sample_range *s);
	/* Makes stage->voices channels of `channels`, side by side. */
	void (*mix)(const struct tfr_stage *stage, const float *in, size_t samples,
		unsigned channels, float *out);
} audio_transforms[TRANSFORMS] = {
	[TRANSFORM_CROP] = { .stretch = crop },
	[TRANSFORM_RANDOM_CROP] = { .stretch = random_crop },
	[TRANSFORM_CENTRE_CROP] = { .stretch = centre_crop },
	[TRANSFORM_MONO] = { .mix = mono },
	[TRANSFORM_CHANNELS] = { .mix = channels_of },
};

static const struct audio_transform *transform_of(const struct tfr_stage *stage)
{
	return &audio_transforms[stage->row->transform];
}

/* ---- where samples come from ---- */

static enum tfr_status check_clip(
	const struct tfr_stage *decode, const struct tfr_audio_info *info, struct tfr_error *err)
{
	if (info->samples > UINT32_MAX)
		return tfr_fail(err, TFR_EDATA, "an audio clip of %llu samples is too long",
			(unsigned long long)info->samples);
	if (info->sample_rate != decode->rate)
		return tfr_fail(err, TFR_EDATA,
			"an audio clip of %u samples per second, where '%s' has %u: clips are not "
			"resampled",
			info->sample_rate, decode->text, decode->rate);
	if (decode->voices && info->channels != decode->voices)
		return tfr_fail_hint(err, TFR_EDATA,
			"The stages mono and channels=N give all clips the same number "
			"of channels.",
			"an audio clip of %u channel%s, where the first one has %u", info->channels,
			info->channels == 1 ? "" : "s", decode->voices);
	return TFR_OK;
}

static enum tfr_status open_record(
	struct tfr_image_executor *st, struct origin *o, struct tfr_error *err)
{
	const struct tfr_image_input *in = st->in;
	enum tfr_status status = tfr_audio_probe(in->encoded, in->encoded_size, &o->info, err);
	struct tfr_error other;

	o->data = in->encoded;
	if (status == TFR_EFORMAT && o->info.recognised) {
		/* The probe has the better reason. */
		status =
			tfr_audio_open(&o->stream, in->encoded, in->encoded_size, &o->info, &other);
		if (status == TFR_EUNAVAILABLE)
			tfr_error_hint(err, "libsndfile reads more codings: %s.", other.message);
	}
	return status ? status
		      : check_clip(&st->recipe->stages->at[st->recipe->from], &o->info, err);
}

static enum tfr_status read_samples(
	const struct origin *o, uint64_t first, uint64_t count, float *out, struct tfr_error *err)
{
	if (o->stream)
		return tfr_audio_read(o->stream, first, count, out, err);
	if (o->floats)
		memcpy(out, o->floats + first * o->info.channels,
			(size_t)count * o->info.channels * sizeof(*out));
	else
		tfr_audio_samples(o->data, &o->info, first, count, out);
	return TFR_OK;
}

/* ---- where they go ---- */

struct clip {
	struct tfr_image_executor *st;
	const struct origin *origin;
	struct sample_range stretch;
	struct tfr_image_form form;
	uint8_t *out;
	unsigned most; /* channels, between any two stages */
};

static const struct tfr_stage *stage_at(const struct clip *s, unsigned i)
{
	return &s->st->recipe->stages->at[i];
}

/* What stage `i` draws from for output `k` of the run: each stage before it has divided the outputs
 * among its copies. */
static uint32_t copy_at(const struct tfr_image_executor *st, unsigned i, uint32_t k)
{
	const struct tfr_recipe *r = st->recipe;
	uint32_t later = 1;

	for (unsigned j = i + 1; j < r->to; j++)
		later *= r->stages->at[j].copies;
	return (st->in->copy * r->copies + k) / later;
}

/* Follows the stages: which samples, of how many channels. */
static void measure_clip(struct clip *s, uint32_t k)
{
	const struct tfr_recipe *r = s->st->recipe;
	unsigned channels = s->origin->info.channels;

	s->stretch = (struct sample_range){ 0, s->origin->info.samples, s->origin->info.samples };
	s->most = channels;
	for (unsigned i = r->from + r->decodes; i < r->to; i++) {
		const struct tfr_stage *stage = stage_at(s, i);
		struct tfr_draw draw = tfr_image_executor_draw(s->st, i, copy_at(s->st, i, k));

		if (transform_of(stage)->stretch)
			transform_of(stage)->stretch(stage, &draw, &s->stretch);
		if (stage->voices)
			channels = stage->voices;
		if (channels > s->most)
			s->most = channels;
	}
	assert(channels && s->stretch.length <= UINT32_MAX);
	s->form = r->form;
	s->form.width = (uint32_t)s->stretch.length;
	s->form.height = 1;
	s->form.channels = channels;
}

/* The next stage from `*i` on that makes other channels of so many; NULL: none does.  As many as
 * there are stay what they are. */
static const struct tfr_stage *next_mix(const struct clip *s, unsigned *i, unsigned channels)
{
	for (; *i < s->st->recipe->to; ++*i) {
		const struct tfr_stage *stage = stage_at(s, *i);

		if (transform_of(stage)->mix && stage->voices != channels)
			return stage;
	}
	return NULL;
}

static bool mixes(const struct clip *s)
{
	unsigned i = s->st->recipe->from + s->st->recipe->decodes;

	return next_mix(s, &i, s->origin->info.channels);
}

/* A block alternates between two buffers, and ends in the one returned. */
static float *mix_block(const struct clip *s, float *block, float *other, size_t samples)
{
	unsigned i = s->st->recipe->from + s->st->recipe->decodes;
	unsigned channels = s->origin->info.channels;
	const struct tfr_stage *stage;

	while ((stage = next_mix(s, &i, channels))) {
		float *mixed = other;

		transform_of(stage)->mix(stage, block, samples, channels, mixed);
		channels = stage->voices;
		other = block;
		block = mixed;
	}
	return block;
}

/* Samples from `at` on, with all channels of each side by side, or each channel in a row. */
static void put_block(
	const struct clip *s, const float *block, float *lane, uint64_t at, size_t samples)
{
	const struct tfr_image_form *f = &s->form;
	size_t size = tfr_dtype_size(f->dtype);

	if (!f->chw || f->channels == 1) {
		tfr_audio_convert(
			block, samples * f->channels, f->dtype, s->out + at * f->channels * size);
		return;
	}
	for (unsigned c = 0; c < f->channels; c++) {
		for (size_t i = 0; i < samples; i++)
			lane[i] = block[i * f->channels + c];
		tfr_audio_convert(lane, samples, f->dtype, s->out + (c * f->width + at) * size);
	}
}

static enum tfr_status put_blocks(const struct clip *s, struct tfr_error *err)
{
	size_t each = s->most < BLOCK ? BLOCK / s->most : 1;
	float *block, *other, *lane;
	struct tfr_pixels room;

	TFR_TRY(tfr_image_executor_between(s->st, (uint32_t)each, 3, s->most, &room, err));
	block = room.data;
	other = block + each * s->most;
	lane = other + each * s->most;
	for (uint64_t at = 0; at < s->stretch.there; at += each) {
		uint64_t left = s->stretch.there - at, n = left < each ? left : each;

		TFR_TRY(read_samples(s->origin, s->stretch.from + at, n, block, err));
		put_block(s, mix_block(s, block, other, n), lane, at, n);
	}
	return TFR_OK;
}

static void put_silence(const struct clip *s)
{
	size_t size = tfr_dtype_size(s->form.dtype), there = (size_t)s->stretch.there;
	size_t rows = s->form.chw ? s->form.channels : 1;
	size_t each = size * (s->form.chw ? 1 : s->form.channels);

	for (size_t r = 0; r < rows; r++)
		memset(s->out + (r * s->form.width + there) * each, 0,
			(s->form.width - there) * each);
}

static enum tfr_status put_clip(const struct clip *s, struct tfr_error *err)
{
	const struct origin *o = s->origin;
	size_t each = o->info.channels * sizeof(int16_t);
	bool straight = !mixes(s) && (!s->form.chw || s->form.channels == 1);

	if (straight && s->form.dtype == TFR_FLOAT32)
		TFR_TRY(read_samples(
			o, s->stretch.from, s->stretch.there, (float *)(void *)s->out, err));
	else if (straight && s->form.dtype == TFR_INT16 && !o->floats &&
		 o->info.coding == TFR_AUDIO_PCM && o->info.bits == 16)
		memcpy(s->out, (const uint8_t *)o->data + o->info.place + s->stretch.from * each,
			(size_t)s->stretch.there * each); /* the bytes as they are */
	else
		TFR_TRY(put_blocks(s, err));
	put_silence(s);
	return TFR_OK;
}

static enum tfr_status make_one(
	struct tfr_image_executor *st, const struct origin *o, uint32_t k, struct tfr_error *err)
{
	struct clip s = { .st = st, .origin = o };

	measure_clip(&s, k);
	if (tfr_image_form_bytes(&s.form) > st->max_bytes)
		return tfr_fail(err, TFR_ENOMEM,
			"an audio clip of %u samples needs more than the limit of %llu bytes",
			s.form.width, (unsigned long long)st->max_bytes);
	s.out = st->place(st->ctx, k, false, &s.form);
	if (!s.out)
		return tfr_fail(err, TFR_ECANCELLED, "no place for an audio clip");
	return put_clip(&s, err);
}

enum tfr_status tfr_image_executor_run_audio(struct tfr_image_executor *st, struct tfr_error *err)
{
	const struct tfr_pixels *px = &st->in->image; /* unless it decodes */
	struct origin o = { .data = NULL };
	enum tfr_status status = TFR_OK;

	if (st->recipe->decodes)
		status = open_record(st, &o, err);
	else
		o = (struct origin){ .floats = px->data,
			.info = { .samples = px->width, .channels = px->channels } };
	for (uint32_t k = 0; status == TFR_OK && k < st->recipe->copies; k++)
		status = make_one(st, &o, k, err);
	tfr_audio_close(o.stream);
	tfr_image_executor_charge(st, st->recipe->from);
	return status;
}
