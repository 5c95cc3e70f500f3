/* pipeline/stages.h - the list of stages that a user writes, and its grammar.
 *
 *     read=4:1, parse, shuffle=10000, decode, five-crop=224, normalise, batch=128, upload
 *
 * A stage is a row of one array (stages.c): its name, its kind, the reader of its argument and,
 * for a transform, which one it is.  The parser checks the text and the order of stages; whether
 * they suit the records is checked later. */
#ifndef TFR_PIPELINE_STAGES_H
#define TFR_PIPELINE_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/dtype.h>
#include <tfr-private/error.h>

enum tfr_stage_kind {
	STAGE_READ,
	STAGE_INFLATE, /* nothing to do: shown where inputs are compressed */
	STAGE_PARSE,
	STAGE_FILTER,
	STAGE_CACHE,
	STAGE_DECODE,
	STAGE_IMAGE, /* every transform, of images or audio: the row says which */
	STAGE_SHUFFLE,
	STAGE_PREFETCH,
	STAGE_BATCH,
	STAGE_UPLOAD,
	STAGE_KINDS
};

/* What transforms do is in images/transforms.c, and of audio in images/audio.c. */
enum tfr_transform_id {
	TRANSFORM_NONE,
	TRANSFORM_RESIZE,
	TRANSFORM_RANDOM_RESIZED_CROP,
	TRANSFORM_RANDOM_CROP,
	TRANSFORM_CENTRE_CROP,
	TRANSFORM_FIVE_CROP,
	TRANSFORM_MIRROR,
	TRANSFORM_FLIP,
	TRANSFORM_FLIP_VERTICAL,
	TRANSFORM_REFLECT_PAD,
	TRANSFORM_PAD,
	TRANSFORM_ROTATE,
	TRANSFORM_CUTOUT,
	TRANSFORM_NORMALISE,
	TRANSFORM_STANDARDISE,
	TRANSFORM_CAST,
	TRANSFORM_FORM, /* chw, hwc, channels-first: the recipe says what the output is */
	TRANSFORM_CROP, /* of audio, as are the next two */
	TRANSFORM_MONO,
	TRANSFORM_CHANNELS,
	TRANSFORMS
};

struct tfr_stage;

struct tfr_stage_row {
	const char *name;
	enum tfr_stage_kind kind;
	const char *argument; /* how it is written: "=W[xH]", "[=FILE]"; NULL: it takes none */
	/* Reads the argument, NULL if there is none, and writes its normal form after the name
	 * in `text`. */
	enum tfr_status (*parse)(struct tfr_stage *st, const char *arg, struct tfr_error *err);
	unsigned flags; /* enum tfr_stage_flags */
	enum tfr_transform_id transform;
	uint32_t copies; /* images that one becomes; 0: 1, or as the argument says */
};

enum tfr_stage_flags {
	STAGE_SIZES = 1,    /* all images after it have one size */
	STAGE_FINISHES = 2, /* the final form of an image: no transform follows */
	STAGE_FLOATS = 4,   /* an image of float32 comes out */
	STAGE_GROWS = 8,    /* by n pixels on each side */
	STAGE_AUDIO = 16,   /* a transform of audio */
	STAGE_PLANES = 32,  /* each channel is a plane of its own from here on */
	STAGE_CUTS = 64,    /* a window of an image */
};

struct tfr_stage {
	const struct tfr_stage_row *row;
	enum tfr_stage_kind kind;
	char *text; /* "five-crop=224", in normal form, with all defaults */
	/* read: cycle and block length; shuffle: capacity; batch, prefetch, cutout, reflect-pad:
	 * their number. */
	uint64_t n, min;
	uint32_t width, height; /* of a crop, a resize, a pad; for audio: samples, and 1 */
	uint32_t copies;	/* images that one becomes: 1 of all but three transforms */
	bool masks;		/* decode */
	bool audio;		/* decode=audio, */
	uint32_t rate;		/* samples per second; 0: those of the first clip */
	uint32_t first_voices;	/* its channels, once they are known */
	/* Channels after mono and channels=N; for decode=audio those that each clip must have.
	 * 0: any. */
	uint32_t voices;
	double seconds; /* a length given in seconds; 0: in samples */
	bool area;	/* resize */
	double degrees; /* rotate: at most, to either side */
	/* normalise: in units of x / 255, of all channels (1) or each (3); 0: (x - 127.5) / 127.5.
	 */
	unsigned channels;
	float mean[3], std[3];
	enum tfr_dtype dtype; /* cast */
	bool chw;	      /* chw; hwc has it false */
};

struct tfr_stage_list {
	struct tfr_stage *at;
	unsigned count;
};

/* The most images made of one, and the most stages of a list. */
enum { STAGES_COPIES_MAX = 1000, STAGES_COUNT_MAX = 100 };

/* Stages are separated by commas.  Blanks around them do not matter.
 *
 * The order is checked: read comes first, and only there; inflate directly after it; parse
 * before filter and decode; filter before decode; decode before transforms.  There is one each
 * of these, of cache, batch and upload.  After chw, hwc and cast=float16 no transform follows
 * but these, directly after one another.  All but parse and prefetch come before batch, and
 * upload last of all.  Where images are batched, a stage gives them one size.  Transforms of
 * audio come after decode=audio, all others after any other decode.  No other transform of audio
 * follows channels-first, or a cast to another type than float32.  A list may end anywhere.
 *
 * TFR_EUSAGE names the stage; the hint says what is accepted.  TFR_ENOMEM.  On failure `s` is
 * empty. */
enum tfr_status tfr_stage_list_parse(
	struct tfr_stage_list *s, const char *list, struct tfr_error *err);
void tfr_stage_list_free(struct tfr_stage_list *s);

/* Fills in the facts of the first audio clip: its rate, if the list has none; its channels,
 * unless a stage sets their number; and how many samples a length in seconds is.  TFR_EUSAGE: a
 * length of 0, or out of range. */
enum tfr_status tfr_stage_list_settle_audio(
	struct tfr_stage_list *s, uint32_t rate, uint32_t channels, struct tfr_error *err);

/* The list in normal form, as it can be given again, without stages that have no text; to be freed.
 * NULL: out of memory. */
char *tfr_stage_list_text(const struct tfr_stage_list *s);

/* Index of the first stage of a kind; `count` if there is none. */
unsigned tfr_stage_list_find(const struct tfr_stage_list *s, enum tfr_stage_kind kind);

/* Images made of one by the end of the list. */
uint32_t tfr_stage_list_copies(const struct tfr_stage_list *s);

#endif
