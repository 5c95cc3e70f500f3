/* pipeline/stages/stages.h - the list of stages that a user writes, and its grammar.
 *
 *     read=4:1, parse, shuffle=10000:5000, decode, five-crop=224, mirror, normalise, batch=128,
 * upload
 *
 * A stage is a row of one array (stages.c): its name, its kind, what reads its argument and, of a
 * transform of images, what it does to them.  What is parsed here is only what was written; that
 * it makes sense in this order is checked as well, that the records suit it is not. */
#ifndef TFR_PIPELINE_STAGES_H
#define TFR_PIPELINE_STAGES_H

#include <stdbool.h>
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
	STAGE_IMAGE, /* every transform, of images or of sounds: the row says which */
	STAGE_SHUFFLE,
	STAGE_PREFETCH,
	STAGE_BATCH,
	STAGE_UPLOAD,
	STAGE_KINDS
};

struct tfr_stage;
struct tfr_transform;

struct tfr_stage_row {
	const char *name;
	enum tfr_stage_kind kind;
	const char *argument; /* how it is written: "=W[xH]", "[=FILE]"; NULL: it takes none */
	/* Reads the argument, NULL where none was given, and writes its normal form behind the name
	 * in `text`. */
	enum tfr_status (*parse)(struct tfr_stage *st, const char *arg, struct tfr_error *err);
	unsigned flags;			       /* enum tfr_stage_flags */
	const struct tfr_transform *transform; /* of an image: what it does, in transforms.c */
};

enum tfr_stage_flags {
	STAGE_SIZES = 1,    /* all images behind it have one size */
	STAGE_FINISHES = 2, /* the form in which an image is handed on: no transform behind it */
	STAGE_FLOATS = 4,   /* an image of float32 comes out */
	STAGE_GROWS = 8,    /* by n pixels on each side */
	STAGE_SOUNDS = 16,  /* a transform of sounds */
};

struct tfr_stage {
	const struct tfr_stage_row *row;
	enum tfr_stage_kind kind;
	char *text; /* "five-crop=224", in normal form: what is left out is filled in */
	/* read: cycle and block length; shuffle: capacity and minimum (0: none given); batch,
	 * prefetch, cutout, reflect-pad: their number. */
	uint64_t n, min;
	uint32_t width, height; /* of a crop, a resize, a pad; of sounds: samples, and 1 */
	uint32_t copies;	/* images that one becomes: 1 of all but three transforms */
	bool masks;		/* decode */
	bool sound;		/* decode=audio, */
	uint32_t rate;		/* of so many samples a second; 0: as the first sound has */
	uint32_t first_voices;	/* the channels that it has, once that is known */
	/* Channels behind mono and channels=N; in decode=audio those that each sound must have.  0:
	 * any. */
	uint32_t voices;
	double seconds; /* of a length that was given in them; 0: in samples */
	bool area;	/* resize */
	double degrees; /* rotate: at most, to either side */
	/* normalise: in units of x / 255, of all channels (1) or each (3); 0: (x - 127.5) / 127.5.
	 */
	unsigned channels;
	float mean[3], std[3];
	enum tfr_dtype dtype; /* cast */
	bool chw;	      /* chw; hwc has it false */
	char *file;	      /* cache; NULL: in memory */
};

struct tfr_stage_list {
	struct tfr_stage *at;
	unsigned count;
};

/* The most images that one may become, and stages of a list. */
enum { STAGES_COPIES_MAX = 1000, STAGES_COUNT_MAX = 100 };

/* Stages are separated by commas, blanks around them do not matter, and a file's name with either
 * in it stands in double quotes.
 *
 * What is made sure of: read is first, and only there; inflate right behind it; parse before filter
 * and decode, filter before decode, decode before transforms; one each of these, of cache, batch
 * and upload; behind chw, hwc and cast=float16 no transform but these and, behind chw and hwc,
 * another cast, right behind one another; all but parse and prefetch before batch, and upload last
 * of all, behind batch; and where images are batched, a stage that gives them one size.  Behind
 * decode=audio stand transforms of sounds, and others behind any other decode; the same goes for
 * sounds behind channels-first and a cast to another type than float32.  A list may end anywhere.
 *
 * TFR_EUSAGE names the stage; the hint has what is wanted.  TFR_ENOMEM.  On failure `s` is empty.
 */
enum tfr_status tfr_stage_list_parse(
	struct tfr_stage_list *s, const char *list, struct tfr_error *err);
void tfr_stage_list_free(struct tfr_stage_list *s);

/* Fills in what the first sound says: its rate, where the list says none, its channels, where no
 * stage makes any number of them one, and how many samples a length in seconds is.  TFR_EUSAGE: a
 * length that is none, or out of reach. */
enum tfr_status tfr_stage_list_settle_audio(
	struct tfr_stage_list *s, uint32_t rate, uint32_t channels, struct tfr_error *err);

/* The list in normal form, as it can be given again, to be freed; NULL: out of memory. */
char *tfr_stage_list_text(const struct tfr_stage_list *s);

/* Index of the first stage of a kind; count: there is none. */
unsigned tfr_stage_list_find(const struct tfr_stage_list *s, enum tfr_stage_kind kind);

/* Images that one has become by the end of the list. */
uint32_t tfr_stage_list_copies(const struct tfr_stage_list *s);

#endif
