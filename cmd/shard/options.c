/* cmd/shard/options.c - the options of tfr shard: their table, in the order of its page, and the
 * checks of those that need more than their type, which put them into the settings of the
 * conversion.
 *
 * An option that would have no effect is refused. */
#include "shard/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct shard_settings shard_defaults = {
	.memory = 1 << 30,
	.checkpoint = 10,
	.max_skipped = 50,
	.frame = -1,
};

/* A row: NAME and MEMBER are those of struct shard_settings. */
#define ROW(type_, letter_, name_, arg_, values_, member_, help_)                                  \
	OPT(type_, letter_, name_, arg_, values_, help_, struct shard_settings, member_)

static const char FOLLOW_GONE[] =
	"Run tfr shard when the writer has finished; it reads a FIFO to its end.  tfr cat --follow "
	"reads a file that grows.";

const struct opt shard_options[] = {
	OPT_HEADING("Input"),
	ROW(STRING, 0, "from", "KIND",
		"folder|audio|pairs|coco|voc|yolo|metadata|archive|webdataset|npy|hdf5|csv|tsv|"
		"jsonl|records",
		from,
		"the kind of input: folder, audio, pairs, coco, voc, yolo, metadata, archive, "
		"webdataset, npy, hdf5, csv, tsv, jsonl or records [auto: detected from "
		"the contents]"),
	ROW(STRING, 0, "mask", "DIR", NULL, mask,
		"pair each image of INPUT with the mask of the same name in DIR"),
	ROW(STRING, 0, "annotations", "FILE", NULL, annotations,
		"add boxes, classes and keypoints from COCO's annotations; a folder holds VOC's"),
	ROW(STRING, 0, "captions", "FILE", NULL, captions, "add COCO's captions"),
	ROW(STRING, 0, "panoptic", "FILE", NULL, panoptic, "add COCO's panoptic segments"),
	ROW(STRING, 0, "panoptic-masks", "DIR", NULL, panoptic_masks,
		"the folder with the images of --panoptic [its name without .json]"),
	ROW(FLAG, 0, "draw-masks", NULL, NULL, draw_masks,
		"draw a mask for each annotation from its polygons or runs"),
	ROW(STRING, 0, "image-set", "NAME", NULL, image_set,
		"VOC: take only the images listed in ImageSets/Main/NAME.txt, such as train"),
	ROW(LIST, 0, "include", "GLOB", NULL, include,
		"take only files whose name, path or folder matches GLOB, such as '*.jpg' or "
		"'cats/**'"),
	ROW(LIST, 0, "exclude", "GLOB", NULL, exclude,
		"leave out files and folders that match GLOB"),
	ROW(FLAG, 0, "ignore-annotations", NULL, NULL, ignore_annotations,
		"leave out files that look like annotations but are in no layout that is read"),
	OPT_MISSING(struct shard_settings, allow_missing),
	ROW(FLAG, 0, "no-sandbox", NULL, NULL, no_sandbox,
		"HDF5: read a trusted file without the sandbox, on systems that have none"),

	OPT_HEADING("Classes"),
	ROW(STRING, 0, "labels", "FILE", NULL, labels,
		"take the labels of class folders from FILE, one line LABEL:NAME or NAME per "
		"class"),
	ROW(COUNT, 0, "label-base", "N", NULL, label_base, "the label of the first class [0]"),
	ROW(STRING, 0, "synsets", "FILE", NULL, synsets,
		"take the text of each class from FILE, one line CLASS TAB TEXT per class, as for "
		"ImageNet's synsets"),
	ROW(STRING, 0, "class-list", "FILE", NULL, class_list,
		"take the class of each image from FILE, one line per image, not from folders"),
	ROW(FLAG, 0, "no-classes", NULL, NULL, no_classes,
		"take all files of a folder or an archive, at any depth, and ignore classes and "
		"splits"),

	OPT_HEADING("Images"),
	ROW(STRING, 0, "resize", "SIZE", NULL, resize,
		"make the shorter side SIZE pixels and keep the shape, or with WxH set both "
		"sides; SIZE leaves smaller images as they are"),
	ROW(STRING, 0, "filter", "NAME", "triangle|area|cubic|lanczos|bilinear|nearest", filter,
		"how to resize: triangle, area, cubic or lanczos as Pillow does, bilinear or "
		"nearest as TensorFlow does [triangle]"),
	ROW(FLAG, 0, "enlarge", NULL, NULL, enlarge,
		"with --resize SIZE: enlarge smaller images too"),
	ROW(CHOICE, 0, "reencode", "KIND", "keep|jpeg|png", reencode,
		"encode images of other formats as jpeg or png [keep]"),
	ROW(POSITIVE, 0, "quality", "N", NULL, quality,
		"the quality of encoded JPEGs, from 1 to 100 [95]"),
	ROW(FLAG, 0, "orient", NULL, NULL, orient, "turn images by their EXIF orientation"),
	ROW(FLAG, 0, "rgb8", NULL, NULL, rgb8,
		"convert images in CMYK or with 16 bits per sample to RGB of 8 bits"),
	ROW(FLAG, 0, "sha256", NULL, NULL, sha256,
		"add image/key/sha256, the digest of image/encoded"),
	ROW(FLAG, 0, "verify-images", NULL, NULL, verify,
		"decode every image completely, not only its header and end"),

	OPT_HEADING("Audio"),
	ROW(STRING, 0, "audio", "KIND", "bytes|floats", audio,
		"store WAV files as bytes in audio/encoded, or decoded as floats in "
		"audio/waveform [bytes]"),
	ROW(REAL, 0, "frame", "SECONDS", NULL, frame,
		"cut the floats into frames of SECONDS, as SequenceExamples"),

	OPT_HEADING("Lists and arrays"),
	ROW(LIST, 0, "types", "NAME=TYPE,...", NULL, types,
		"columns that are int, float or bytes, whatever their values look like"),
	ROW(STRING, 0, "delimiter", "CHAR", NULL, delimiter,
		"CSV and TSV: the character between cells, or the word tab [detected]"),
	ROW(STRING, 0, "na", "TEXT,...", NULL, na,
		"CSV and TSV: treat cells with one of these texts as empty"),
	ROW(LIST, 0, "embed", "COLUMN[=FEATURE]", NULL, embeds,
		"COLUMN holds paths: store the files' bytes as FEATURE; image/encoded adds all "
		"features of an image [COLUMN]"),
	ROW(STRING, 0, "root", "DIR", NULL, root,
		"the folder of the paths that --embed reads [that of the list]"),
	ROW(STRING, 0, "tmpdir", "DIR", NULL, tmpdir,
		"archives of arrays, compressed lists: unpack in DIR what cannot be streamed "
		"[beside the set]"),

	OPT_HEADING("Order and division"),
	ROW(FLAG, 0, "shuffle", NULL, NULL, shuffle,
		"shuffle the items by --seed, the default for folders, which have no order"),
	ROW(FLAG, 0, "no-shuffle", NULL, NULL, keep_order,
		"take the files of a folder in the order of their paths"),
	ROW(COUNT, 0, "seed", "N", NULL, seed, "the seed of the shuffle [0]"),
	ROW(FLAG, 0, "stratify-classes", NULL, NULL, stratify,
		"divide each class by the fractions of -o, not all images together"),

	OPT_HEADING("Output"),
	ROW(LIST, 'o', "output", "SET[=FRACTION]", NULL, outputs,
		"write SET, such as 'out/train@16.tfrecord'; may be repeated with fractions, such "
		"as 'val@2.tfrecord=0.1', or with folders of INPUT, such as "
		"'train@16.tfrecord=train/'; one SET without a fraction takes the rest"),
	ROW(STRING, 0, "tfds", "DIR", NULL, tfds,
		"make DIR a data set for TensorFlow Datasets from a folder of images; -o then "
		"names its splits, such as -o train=0.9 -o test [train]"),
	ROW(SIZE, 0, "shard-size", "SIZE", NULL, shard_size,
		"for a set named 'train@auto.tfrecord': fill one shard after another with at most "
		"SIZE [128M]"),
	ROW(POSITIVE, 0, "records-per-shard", "N", NULL, records_per_shard,
		"for a set named 'train@auto.tfrecord': put N records into each shard but the "
		"last"),
	ROW(FLAG, 0, "dry-run", NULL, NULL, dry_run,
		"write nothing; print the shards with their records and approximate sizes"),
	OPT_EXPECT_OUTPUT(struct shard_settings, expect),
	OPT_FORCE(struct shard_settings, force),
	OPT_COMPRESS(struct shard_settings, compress),
	OPT_LEVEL(struct shard_settings, level),

	OPT_HEADING("Running"),
	ROW(STRING, 0, "on-error", "HOW", "skip|fail|quarantine=", on_error,
		"unusable items, such as broken images: skip them with a warning, fail (the "
		"default for records), or quarantine=FILE: skip them and write PATH TAB REASON to "
		"FILE [skip]"),
	ROW(REAL, 0, "max-skipped", "PERCENT", NULL, max_skipped,
		"fail and write nothing if more than PERCENT of the items are skipped [50]"),
	ROW(STRING, 0, "report", "FILE", NULL, report,
		"list skipped items and unusual images in FILE, as lines of PATH, code, detail, "
		"set, shard and record, or as JSON in FILE.json"),
	ROW(STRING, 0, "part", "I/N", NULL, part,
		"write the shards I, I + N, ... only, counted from 0; auto: ask the scheduler; "
		"'tfr finish' completes the set (tfr-cluster(7))"),
	ROW(FLAG, 0, "resume", NULL, NULL, resume,
		"continue a run with the same options that was killed or failed, or begin one"),
	ROW(REAL, 0, "checkpoint", "SECONDS", NULL, checkpoint,
		"how often to save the position for --resume; 0: never [10]"),
	ROW(SIZE, 'm', "memory", "SIZE", NULL, memory, "use at most SIZE of memory for items [1G]"),
	OPT_JOBS(struct shard_settings, jobs),
	ROW(FLAG, 0, "json", NULL, NULL, json,
		"one JSON object in place of the closing line, or of the output of --dry-run"),
	OPT_PROGRESS(struct shard_settings, progress),
	OPT_QUIET(struct shard_settings, quiet),

	OPT_ALIAS("masks", "draw-masks"),
	OPT_ALIAS("stratify", "stratify-classes"),
	OPT_ALIAS("verify", "verify-images"),
	OPT_GONE("image", "Name the folder of images as INPUT: tfr shard DIR --mask MASKS."),
	OPT_GONE("images", "Name the folder of images as INPUT: tfr shard DIR --annotations FILE."),
	OPT_GONE("per-epoch", FOLLOW_GONE),
	OPT_GONE("follow", FOLLOW_GONE),
	OPTIONS_END,
};

/* --- input --- */

static int check_globs(struct cmd *c, const char *option, const struct opt_list *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!globs->values[i][0] || strlen(globs->values[i]) >= 4096)
			return cmd_usage(c, "--%s takes a pattern of 1 to 4095 bytes", option);
	return 0;
}

static int set_inputs(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	static const char *const standard_input[] = { "-" };
	bool records = s->from && !strcmp(s->from, "records");

	o->inputs = c->operands;
	o->input_count = c->count;
	if (!c->count && records && !isatty(STDIN_FILENO)) {
		o->inputs = standard_input;
		o->input_count = 1;
	}
	if (!o->input_count)
		return cmd_usage(
			c, "no input: name a folder of images, an archive, a list or records");
	return 0;
}

int shard_parse_input(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	if (s->draw_masks && !s->annotations && (s->captions || s->panoptic))
		return cmd_usage(c, "--draw-masks needs --annotations");
	if (s->panoptic_masks && !s->panoptic)
		return cmd_usage(c, "--panoptic-masks needs --panoptic");
	if (set_inputs(c, s, o) || check_globs(c, "include", &s->include) ||
		check_globs(c, "exclude", &s->exclude))
		return c->exit;
	o->masks = s->mask;
	o->annotations = s->annotations;
	o->captions = s->captions;
	o->panoptic = s->panoptic;
	o->segments = s->panoptic_masks;
	o->image_set = s->image_set;
	o->instance_masks = s->draw_masks;
	o->include = s->include.values;
	o->include_count = s->include.count;
	o->exclude = s->exclude.values;
	o->exclude_count = s->exclude.count;
	return 0;
}

/* --- images --- */

enum { SIDE_MAX = 65500 /* the longest side of a JPEG */ };

/* Reads a number of pixels at *text, and moves *text past it.  0: not a number up to SIDE_MAX. */
static uint32_t parse_pixels(const char **text)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	n = strtoul(*text, &end, 10);
	*text = end;
	return n <= SIDE_MAX ? (uint32_t)n : 0;
}

static int parse_resize(struct cmd *c, const char *text, struct tfr_rework *w)
{
	const char *at = text;
	uint32_t width = parse_pixels(&at), height = 0;
	bool both = width && *at == 'x';

	if (both) {
		at++;
		height = parse_pixels(&at);
	}
	if (!width || (both && !height) || *at)
		return cmd_usage(c,
			"--resize takes a size such as 256 or 320x240, of 1 to %d pixels, not '%s'",
			SIDE_MAX, text);
	if (both) {
		w->width = width;
		w->height = height;
	} else {
		w->shorter = width;
	}
	return 0;
}

int shard_parse_images(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	static const enum tfr_image_format formats[] = { TFR_IMAGE_UNKNOWN, TFR_IMAGE_JPEG,
		TFR_IMAGE_PNG };
	struct tfr_rework *w = &o->rework;

	if (s->resize && parse_resize(c, s->resize, w))
		return c->exit;
	if (s->filter && !s->resize)
		return cmd_usage(c, "--filter needs --resize");
	if (s->filter && !tfr_filter_parse(s->filter, &w->filter))
		return cmd_usage_word(c, "filter",
			"triangle, area, cubic, lanczos, bilinear or nearest", s->filter);
	if (s->enlarge && !w->shorter)
		return cmd_usage(c, "--enlarge needs --resize SIZE, the size of the shorter side");
	if (s->quality > 100)
		return cmd_usage(c, "--quality takes a number from 1 to 100");
	w->format = formats[s->reencode];
	w->quality = (unsigned)s->quality;
	w->enlarge = s->enlarge;
	w->orient = s->orient;
	w->rgb8 = s->rgb8;
	if (s->quality &&
		(w->format == TFR_IMAGE_PNG || !(s->resize || w->format || s->orient || s->rgb8)))
		return cmd_usage(c, "--quality has no effect: no JPEG will be encoded");
	return 0;
}

/* --- audio --- */

int shard_parse_audio(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	bool floats = s->audio && !strcmp(s->audio, "floats");

	if (s->audio && !floats && strcmp(s->audio, "bytes"))
		return cmd_usage_word(c, "audio", "bytes or floats", s->audio);
	if (s->frame != -1 && !(s->frame > 0))
		return cmd_usage(c, "--frame takes a number of seconds above 0");
	if (s->frame > 0 && s->audio && !floats)
		return cmd_usage(c, "--frame needs --audio floats, not bytes");
	o->audio = floats || s->frame > 0 ? TFR_AUDIO_FLOATS : TFR_AUDIO_BYTES;
	o->frame = s->frame > 0 ? s->frame : 0;
	return 0;
}

/* --- the columns of a list --- */

static bool parse_kind(const char *word, enum tfr_kind *kind)
{
	static const struct {
		const char *word;
		enum tfr_kind kind;
	} words[] = { { "int", TFR_KIND_INT64 }, { "int64", TFR_KIND_INT64 },
		{ "float", TFR_KIND_FLOAT }, { "bytes", TFR_KIND_BYTES },
		{ "text", TFR_KIND_BYTES } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i].word)) {
			*kind = words[i].kind;
			return true;
		}
	return false;
}

/* Adds "NAME=TYPE".  The name ends at the last '=', because it can contain one. */
static int add_type(struct cmd *c, struct tfr_convert_opts *o, const char *word, size_t size)
{
	struct tfr_column_type *types =
		reallocarray((void *)(uintptr_t)o->types, o->type_count + 1, sizeof(*types));
	char *name = strndup(word, size), *equals = name ? strrchr(name, '=') : NULL;
	int status = 0;

	if (types)
		o->types = types;
	if (!types || !name) {
		status = cmd_no_memory(c);
	} else if (!equals || equals == name) {
		status = cmd_usage(c, "--types takes NAME=TYPE, not '%s'", name);
	} else {
		*equals = '\0';
		if (!parse_kind(equals + 1, &types[o->type_count].kind))
			status =
				cmd_usage(c, "--types takes int, float or bytes for '%s', not '%s'",
					name, equals + 1);
	}
	if (status) {
		free(name);
		return status;
	}
	types[o->type_count++].name = name;
	return 0;
}

static int add_types(struct cmd *c, struct tfr_convert_opts *o, const char *list)
{
	for (;;) {
		size_t n = strcspn(list, ",");

		if (add_type(c, o, list, n))
			return c->exit;
		if (!list[n])
			return 0;
		list += n + 1;
	}
}

static int add_embed(struct cmd *c, struct tfr_convert_opts *o, const char *text)
{
	struct tfr_embed *embeds =
		reallocarray((void *)(uintptr_t)o->embeds, o->embed_count + 1, sizeof(*embeds));
	char *column = strdup(text), *equals = column ? strrchr(column, '=') : NULL;

	if (embeds)
		o->embeds = embeds;
	if (!embeds || !column) {
		free(column);
		return cmd_no_memory(c);
	}
	if (equals)
		*equals = '\0';
	embeds[o->embed_count++] =
		(struct tfr_embed){ .column = column, .feature = equals ? equals + 1 : column };
	if (!*column || (equals && !equals[1]))
		return cmd_usage(c, "--embed takes COLUMN or COLUMN=FEATURE, not '%s'", text);
	for (size_t i = 0; i + 1 < o->embed_count; i++)
		if (!strcmp(embeds[i].feature, embeds[o->embed_count - 1].feature) ||
			!strcmp(embeds[i].column, column))
			return cmd_usage(c, "--embed is given twice for '%s'", text);
	return 0;
}

int shard_parse_columns(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	for (size_t i = 0; i < s->types.count; i++)
		if (add_types(c, o, s->types.values[i]))
			return c->exit;
	for (size_t i = 0; i < s->embeds.count; i++)
		if (add_embed(c, o, s->embeds.values[i]))
			return c->exit;
	o->na = s->na;
	if (s->delimiter)
		o->delimiter = strcmp(s->delimiter, "tab") ? *s->delimiter : '\t';
	if (s->delimiter && strcmp(s->delimiter, "tab") &&
		(strlen(s->delimiter) != 1 || strchr("\"\r\n", *s->delimiter) ||
			!isascii((unsigned char)*s->delimiter)))
		return cmd_usage(
			c, "--delimiter takes one ASCII character or tab, not '%s'", s->delimiter);
	return 0;
}

void shard_free_columns(struct tfr_convert_opts *o)
{
	for (size_t i = 0; i < o->type_count; i++)
		free((void *)(uintptr_t)o->types[i].name);
	for (size_t i = 0; i < o->embed_count; i++)
		free((void *)(uintptr_t)o->embeds[i].column);
	free((void *)(uintptr_t)o->types);
	free((void *)(uintptr_t)o->embeds);
}
