/* cmd/shard.c - tfr shard: convert images, annotations and other files to sets of records. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/on_error.h"
#include "common/text.h"

/* The options: those whose values the library takes as they are, and those that are parsed. */
struct shard_settings {
	struct tfr_convert_opts convert;
	struct opt_list include, exclude, types, embeds, outputs;
	const char *resize, *filter, *audio, *delimiter, *on_error, *part;
	double frame;		/* -1: not given */
	double checkpoint;	/* seconds; 0: never */
	double max_skipped;	/* percent */
	uint64_t quality, jobs; /* 0: not given */
	struct expecting expect;
	int reencode, level, compress, progress;
	bool quiet, json, force;
};

static const struct shard_settings defaults = {
	.convert.run.memory = 1 << 30,
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

static const struct opt options[] = {
	OPT_HEADING("Input"),
	ROW(STRING, 0, "from", "KIND",
		"folder|audio|pairs|coco|voc|yolo|metadata|csv-boxes|csv-classes|createml|archive|"
		"webdataset|npy|hdf5|csv|tsv|jsonl|records",
		convert.input.from,
		"the kind of input: folder, audio, pairs, coco, voc, yolo, metadata, csv-boxes, "
		"csv-classes, createml, archive, webdataset, npy, hdf5, csv, tsv, jsonl or records "
		"[auto: detected from "
		"the contents]"),
	ROW(STRING, 0, "mask", "DIR", NULL, convert.input.masks,
		"pair each image of INPUT with the mask of the same name in DIR"),
	ROW(STRING, 0, "annotations", "FILE", NULL, convert.input.annotations,
		"add boxes, classes and keypoints from COCO's annotations; a folder holds VOC's"),
	ROW(STRING, 0, "captions", "FILE", NULL, convert.input.captions, "add COCO's captions"),
	ROW(STRING, 0, "panoptic", "FILE", NULL, convert.input.panoptic,
		"add COCO's panoptic segments"),
	ROW(STRING, 0, "panoptic-masks", "DIR", NULL, convert.input.segments,
		"the folder with the images of --panoptic [its name without .json]"),
	ROW(FLAG, 0, "draw-masks", NULL, NULL, convert.input.draw_masks,
		"COCO, YOLO: draw a mask for each object from its polygons or runs"),
	ROW(STRING, 0, "image-set", "NAME", NULL, convert.input.image_set,
		"VOC: take only the images listed in ImageSets/Main/NAME.txt, such as train"),
	ROW(LIST, 0, "include", "GLOB", NULL, include,
		"take only files whose name, path or folder matches GLOB, such as '*.jpg' or "
		"'cats/**'"),
	ROW(LIST, 0, "exclude", "GLOB", NULL, exclude,
		"leave out files and folders that match GLOB"),
	ROW(FLAG, 0, "ignore-annotations", NULL, NULL, convert.input.ignore_annotations,
		"leave out files that look like annotations and would not be read"),
	OPT_MISSING(struct shard_settings, convert.input.allow_missing),
	ROW(FLAG, 0, "no-sandbox", NULL, NULL, convert.input.no_sandbox,
		"HDF5: read a trusted file without the sandbox, on systems that have none"),

	OPT_HEADING("Classes"),
	ROW(STRING, 0, "labels", "FILE", NULL, convert.classes.labels,
		"take the labels of class folders from FILE, one line LABEL:NAME or NAME per "
		"class"),
	ROW(COUNT, 0, "label-base", "N", NULL, convert.classes.base,
		"the label of the first class [0]"),
	ROW(STRING, 0, "synsets", "FILE", NULL, convert.classes.synsets,
		"take the text of each class from FILE, one line CLASS TAB TEXT per class, as for "
		"ImageNet's synsets"),
	ROW(STRING, 0, "class-list", "FILE", NULL, convert.classes.list,
		"take the class of each image from FILE, one line per image, not from folders"),
	ROW(FLAG, 0, "no-classes", NULL, NULL, convert.classes.none,
		"take all files of a folder or an archive, at any depth, and ignore classes and "
		"splits"),

	OPT_HEADING("Images"),
	ROW(STRING, 0, "resize", "SIZE", NULL, resize,
		"make the shorter side SIZE pixels and keep the shape, or with WxH set both "
		"sides; SIZE leaves smaller images as they are"),
	ROW(STRING, 0, "filter", "NAME", "triangle|area|cubic|lanczos|bilinear|nearest", filter,
		"how to resize: triangle, area, cubic or lanczos as Pillow does, bilinear or "
		"nearest as TensorFlow does [triangle]"),
	ROW(FLAG, 0, "enlarge", NULL, NULL, convert.images.rework.enlarge,
		"with --resize SIZE: enlarge smaller images too"),
	ROW(CHOICE, 0, "reencode", "KIND", "keep|jpeg|png", reencode,
		"encode images of other formats as jpeg or png [keep]"),
	ROW(POSITIVE, 0, "quality", "N", NULL, quality,
		"the quality of encoded JPEGs, from 1 to 100 [95]"),
	ROW(FLAG, 0, "orient", NULL, NULL, convert.images.rework.orient,
		"turn images by their EXIF orientation"),
	ROW(FLAG, 0, "rgb8", NULL, NULL, convert.images.rework.rgb8,
		"convert images in CMYK or with 16 bits per sample to RGB of 8 bits"),
	ROW(FLAG, 0, "sha256", NULL, NULL, convert.images.sha256,
		"add image/key/sha256, the digest of image/encoded"),
	ROW(FLAG, 0, "verify-images", NULL, NULL, convert.images.verify,
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
	ROW(STRING, 0, "na", "TEXT,...", NULL, convert.tables.na,
		"CSV and TSV: treat cells with one of these texts as empty"),
	ROW(LIST, 0, "embed", "COLUMN[=FEATURE]", NULL, embeds,
		"COLUMN holds paths: store the files' bytes as FEATURE; image/encoded adds all "
		"features of an image [COLUMN]"),
	ROW(STRING, 0, "root", "DIR", NULL, convert.tables.root,
		"the folder of the paths that --embed reads [that of the list]"),
	ROW(STRING, 0, "tmpdir", "DIR", NULL, convert.tables.tmpdir,
		"unpack in DIR what cannot be read as a stream: arrays, compressed lists, "
		"compressed archives with annotations [beside the set]"),

	OPT_HEADING("Order and division"),
	ROW(FLAG, 0, "shuffle", NULL, NULL, convert.order.shuffle,
		"shuffle the items by --seed, the default for folders, which have no order"),
	ROW(FLAG, 0, "no-shuffle", NULL, NULL, convert.order.keep,
		"take the files of a folder in the order of their paths"),
	ROW(COUNT, 0, "seed", "N", NULL, convert.order.seed, "the seed of the shuffle [0]"),
	ROW(FLAG, 0, "stratify-classes", NULL, NULL, convert.order.stratify,
		"divide each class by the fractions of -o, not all images together"),

	OPT_HEADING("Output"),
	ROW(LIST, 'o', "output", "SET[=FRACTION]", NULL, outputs,
		"write SET, such as 'out/train@16.tfrecord'; may be repeated with fractions, such "
		"as 'val@2.tfrecord=0.1', or with folders of INPUT, such as "
		"'train@16.tfrecord=train/'; one SET without a fraction takes the rest"),
	ROW(STRING, 0, "tfds", "DIR", NULL, convert.output.tfds,
		"make DIR a data set for TensorFlow Datasets from a folder of images; -o then "
		"names its splits, such as -o train=0.9 -o test [train]"),
	ROW(SIZE, 0, "shard-size", "SIZE", NULL, convert.output.shard_size,
		"for a set named 'train@auto.tfrecord': fill one shard after another with at most "
		"SIZE [128M]"),
	ROW(POSITIVE, 0, "records-per-shard", "N", NULL, convert.output.records_per_shard,
		"for a set named 'train@auto.tfrecord': put N records into each shard but the "
		"last"),
	ROW(FLAG, 0, "dry-run", NULL, NULL, convert.output.dry_run,
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
	ROW(STRING, 0, "report", "FILE", NULL, convert.run.report,
		"list skipped items and unusual images in FILE, as lines of PATH, code, detail, "
		"set, shard and record, or as JSON in FILE.json"),
	ROW(STRING, 0, "part", "I/N", NULL, part,
		"write the shards I, I + N, ... only, counted from 0; auto: ask the scheduler; "
		"'tfr finish' completes the set (tfr-cluster(7))"),
	ROW(FLAG, 0, "resume", NULL, NULL, convert.run.resume,
		"continue a run with the same options that was killed or failed, or begin one"),
	ROW(REAL, 0, "checkpoint", "SECONDS", NULL, checkpoint,
		"how often to save the position for --resume; 0: never [10]"),
	ROW(SIZE, 'm', "memory", "SIZE", NULL, convert.run.memory,
		"use at most SIZE of memory for items [1G]"),
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

/* --- options of the input --- */

/* Each parser checks its options and puts them into `o`.  On failure it prints the error and
 * returns the exit status; 0 is success.  An option that would have no effect is refused. */

static int check_globs(struct cmd *c, const char *option, const struct opt_list *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!globs->values[i][0] || strlen(globs->values[i]) >= 4096)
			return cmd_usage(c, "--%s takes a pattern of 1 to 4095 bytes", option);
	return 0;
}

static int set_inputs(struct cmd *c, struct tfr_convert_opts *o)
{
	static const char *const standard_input[] = { "-" };
	bool records = o->input.from && !strcmp(o->input.from, "records");

	o->input.paths = c->operands;
	o->input.count = c->count;
	if (!c->count && records && !isatty(STDIN_FILENO)) {
		o->input.paths = standard_input;
		o->input.count = 1;
	}
	if (!o->input.count)
		return cmd_usage(
			c, "no input: name a folder of images, an archive, a list or records");
	return 0;
}

/* The inputs, annotations and patterns.  `o` keeps pointers into `c` and `s`. */
static int parse_input(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	struct tfr_convert_input *in = &o->input;

	if (in->draw_masks && !in->annotations && (in->captions || in->panoptic))
		return cmd_usage(c, "--draw-masks needs --annotations");
	if (in->segments && !in->panoptic)
		return cmd_usage(c, "--panoptic-masks needs --panoptic");
	if (set_inputs(c, o) || check_globs(c, "include", &s->include) ||
		check_globs(c, "exclude", &s->exclude))
		return c->exit;
	in->include = s->include.values;
	in->include_count = s->include.count;
	in->exclude = s->exclude.values;
	in->exclude_count = s->exclude.count;
	return 0;
}

/* --- options of images --- */

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

static int parse_images(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	static const enum tfr_image_format formats[] = { TFR_IMAGE_UNKNOWN, TFR_IMAGE_JPEG,
		TFR_IMAGE_PNG };
	struct tfr_rework *w = &o->images.rework;

	if (s->resize && parse_resize(c, s->resize, w))
		return c->exit;
	if (s->filter && !s->resize)
		return cmd_usage(c, "--filter needs --resize");
	if (s->filter && !tfr_filter_parse(s->filter, &w->filter))
		return cmd_usage_word(c, "filter",
			"triangle, area, cubic, lanczos, bilinear or nearest", s->filter);
	if (w->enlarge && !w->shorter)
		return cmd_usage(c, "--enlarge needs --resize SIZE, the size of the shorter side");
	if (s->quality > 100)
		return cmd_usage(c, "--quality takes a number from 1 to 100");
	w->format = formats[s->reencode];
	w->quality = (unsigned)s->quality;
	if (s->quality &&
		(w->format == TFR_IMAGE_PNG || !(s->resize || w->format || w->orient || w->rgb8)))
		return cmd_usage(c, "--quality has no effect: no JPEG will be encoded");
	return 0;
}

/* --- options of audio --- */

static int parse_audio(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	bool floats = s->audio && !strcmp(s->audio, "floats");

	if (s->audio && !floats && strcmp(s->audio, "bytes"))
		return cmd_usage_word(c, "audio", "bytes or floats", s->audio);
	if (s->frame != -1 && !(s->frame > 0))
		return cmd_usage(c, "--frame takes a number of seconds above 0");
	if (s->frame > 0 && s->audio && !floats)
		return cmd_usage(c, "--frame needs --audio floats, not bytes");
	o->audio.kind = floats || s->frame > 0 ? TFR_AUDIO_FLOATS : TFR_AUDIO_BYTES;
	o->audio.frame = s->frame > 0 ? s->frame : 0;
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
	struct tfr_column_type *types = reallocarray(
		(void *)(uintptr_t)o->tables.types, o->tables.type_count + 1, sizeof(*types));
	char *name = strndup(word, size), *equals = name ? strrchr(name, '=') : NULL;
	int status = 0;

	if (types)
		o->tables.types = types;
	if (!types || !name) {
		status = cmd_no_memory(c);
	} else if (!equals || equals == name) {
		status = cmd_usage(c, "--types takes NAME=TYPE, not '%s'", name);
	} else {
		*equals = '\0';
		if (!parse_kind(equals + 1, &types[o->tables.type_count].kind))
			status =
				cmd_usage(c, "--types takes int, float or bytes for '%s', not '%s'",
					name, equals + 1);
	}
	if (status) {
		free(name);
		return status;
	}
	types[o->tables.type_count++].name = name;
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
	struct tfr_embed *embeds = reallocarray(
		(void *)(uintptr_t)o->tables.embeds, o->tables.embed_count + 1, sizeof(*embeds));
	char *column = strdup(text), *equals = column ? strrchr(column, '=') : NULL;

	if (embeds)
		o->tables.embeds = embeds;
	if (!embeds || !column) {
		free(column);
		return cmd_no_memory(c);
	}
	if (equals)
		*equals = '\0';
	embeds[o->tables.embed_count++] =
		(struct tfr_embed){ .column = column, .feature = equals ? equals + 1 : column };
	if (!*column || (equals && !equals[1]))
		return cmd_usage(c, "--embed takes COLUMN or COLUMN=FEATURE, not '%s'", text);
	for (size_t i = 0; i + 1 < o->tables.embed_count; i++)
		if (!strcmp(embeds[i].feature, embeds[o->tables.embed_count - 1].feature) ||
			!strcmp(embeds[i].column, column))
			return cmd_usage(c, "--embed is given twice for '%s'", text);
	return 0;
}

/* --types NAME=TYPE,..., --embed COLUMN[=FEATURE], --delimiter and --na: allocates lists in `o`. */
static int parse_columns(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o)
{
	for (size_t i = 0; i < s->types.count; i++)
		if (add_types(c, o, s->types.values[i]))
			return c->exit;
	for (size_t i = 0; i < s->embeds.count; i++)
		if (add_embed(c, o, s->embeds.values[i]))
			return c->exit;
	if (s->delimiter)
		o->tables.delimiter = strcmp(s->delimiter, "tab") ? *s->delimiter : '\t';
	if (s->delimiter && strcmp(s->delimiter, "tab") &&
		(strlen(s->delimiter) != 1 || strchr("\"\r\n", *s->delimiter) ||
			!isascii((unsigned char)*s->delimiter)))
		return cmd_usage(
			c, "--delimiter takes one ASCII character or tab, not '%s'", s->delimiter);
	return 0;
}

static void free_columns(struct tfr_convert_opts *o)
{
	for (size_t i = 0; i < o->tables.type_count; i++)
		free((void *)(uintptr_t)o->tables.types[i].name);
	for (size_t i = 0; i < o->tables.embed_count; i++)
		free((void *)(uintptr_t)o->tables.embeds[i].column);
	free((void *)(uintptr_t)o->tables.types);
	free((void *)(uintptr_t)o->tables.embeds);
}

/* Options that do not change what is written: a run can be resumed with others. */
static const char *const indifferent[] = { "output", "force", "resume", "checkpoint", "memory",
	"jobs", "json", "max-skipped", "no-sandbox", "part", "progress", "quiet", "tmpdir",
	"expect", "expect-sum", "allow-empty", NULL };

/* --- sets that name a folder of INPUT --- */

/* The splits of an input that was refused. */
struct splits_found {
	struct split_found {
		char *folder;
		uint64_t files;
		bool classes; /* it has class folders */
	} * list;
	size_t n;
};

/* Parses "SET=FOLDER/" into `share`, which gets copies.  False: `text` has another form, or, if
 * *status is not 0, out of memory. */
static bool splits_parse(const char *text, struct tfr_share *share, enum tfr_status *status)
{
	const char *equals = strrchr(text, '='), *folder = equals ? equals + 1 : "";
	size_t n = strlen(folder);

	*status = TFR_OK;
	if (!n || folder[n - 1] != '/' || equals == text)
		return false;
	share->fraction = 0;
	share->set = strndup(text, (size_t)(equals - text));
	share->folder = strdup(folder);
	*status = share->set && share->folder ? TFR_OK : TFR_ENOMEM;
	return !*status;
}

/* False: out of memory. */
static bool splits_add(struct splits_found *s, const struct tfr_found_split *found)
{
	struct split_found *larger = reallocarray(s->list, s->n + 1, sizeof(*larger));
	char *folder = larger ? strdup(found->folder) : NULL;

	if (larger)
		s->list = larger;
	if (folder)
		larger[s->n++] = (struct split_found){ folder, found->files, found->folders };
	return folder != NULL;
}

/* --- names of sets --- */

/* Makes "out/val@2.tfrecord" for the split "val", like "out/all@16.tfrecord".  The largest split
 * gets the given number of shards, and the others a number in proportion to their files. */
static char *name_set(const char *like, const char *split, uint64_t files, uint64_t most)
{
	struct tfr_set_name name;
	const char *base, *extension, *slash;
	char *text = NULL, count[32] = "";
	bool is_set = tfr_set_name_parse(&name, like, NULL) == TFR_OK;
	uint64_t shards = is_set ? name.count : 0;

	base = is_set ? name.base : strcmp(like, "-") ? like : ".tfrecord";
	slash = strrchr(base, '/');
	extension = is_set ? name.extension : strchr(slash ? slash : base, '.');
	if (is_set && name.automatic)
		strcpy(count, "@auto");
	else if (is_set)
		snprintf(count, sizeof(count), "@%llu",
			(unsigned long long)(most ? (shards * files + most - 1) / most : 1));
	if (asprintf(&text, "%.*s%s%s%s", slash ? (int)(slash - base) + 1 : 0, base, split, count,
		    extension ? extension : "") < 0)
		text = NULL;
	if (is_set)
		tfr_set_name_clear(&name);
	return text;
}

static void print_sets(const struct splits_found *s, const char *like, bool tfds)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->list[i].files > most ? s->list[i].files : most;
	for (size_t i = 0; i < s->n; i++) {
		char *set = tfds ? strdup(s->list[i].folder)
				 : name_set(like, s->list[i].folder, s->list[i].files, most);
		char *text = NULL;

		if (set && asprintf(&text, "%s=%s/", set, s->list[i].folder) >= 0) {
			fputs(" -o ", stderr);
			cmd_put_word(stderr, text);
			free(text);
		}
		free(set);
	}
}

/* --- the other words --- */

/* Prints a word; of a word with a set, only the other letters ("-f" of "-fo").  *skip: the next
 * word is the set. */
static bool print_word(const struct cmd *c, const char *word, bool *skip)
{
	const char *value, *letter;
	const struct opt *o = opt_find(c->command->options, word, &value);

	*skip = o && !value;
	if (!o || !o->name || strcmp(o->name, "output")) {
		fputc(' ', stderr);
		cmd_put_word(stderr, word);
		return false;
	}
	letter = strchr(word, o->letter);
	if (word[1] != '-' && letter > word + 1)
		fprintf(stderr, " %.*s", (int)(letter - word), word);
	return true;
}

/* Warns if some splits have classes and others do not. */
static void print_classless(const struct splits_found *s)
{
	char folder[4096];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->list[i].classes;
	for (size_t i = 0; n && i < s->n; i++)
		if (!s->list[i].classes)
			fprintf(stderr,
				"hint: '%s' has no class folders: its records get no labels.\n",
				tfr_escape_line(folder, sizeof(folder), s->list[i].folder));
}

/* Prints the given command, word by word, with one set for each split, so that pasting it runs the
 * same conversion.  `like` is the first of the given sets, which they replace.  Notes about the
 * splits follow. */
static void splits_print_command(
	struct cmd *c, const struct splits_found *s, const char *like, bool tfds)
{
	bool printed = false, operands = false;

	if (!s->n)
		return;
	fprintf(stderr, "  tfr %s", c->argv[1]);
	for (int i = 2; i < c->argc; i++) {
		bool skip = false, is_set = false;

		/* After "--", no word is an option. */
		if (!operands && !strcmp(c->argv[i], "--")) {
			operands = true;
			if (!printed)
				print_sets(s, like, tfds);
			printed = true;
		}
		if (!operands)
			is_set = print_word(c, c->argv[i], &skip);
		if (operands || (skip && !is_set && i + 1 < c->argc)) {
			fputc(' ', stderr);
			cmd_put_word(stderr, c->argv[operands ? i : i + 1]);
		}
		i += skip;
		if (is_set && !printed)
			print_sets(s, like, tfds);
		printed |= is_set;
	}
	if (!printed)
		print_sets(s, like, tfds);
	fputc('\n', stderr);
	print_classless(s);
}

static void splits_clear(struct splits_found *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].folder);
	free(s->list);
	*s = (struct splits_found){ 0 };
}

/* --- the conversion --- */

static int parse_on_error(struct cmd *c, const char *how, struct tfr_convert_opts *o)
{
	o->run.quarantine = on_error_quarantine(how);
	if (!how)
		return 0;
	if (o->run.quarantine)
		o->run.on_error = TFR_ON_ERROR_QUARANTINE;
	else if (!strcmp(how, "skip"))
		o->run.on_error = TFR_ON_ERROR_SKIP;
	else if (!strcmp(how, "fail"))
		o->run.on_error = TFR_ON_ERROR_FAIL;
	else
		return cmd_usage_word(c, "on-error", "skip, fail or quarantine=FILE", how);
	return 0;
}

/* The values of -o.  A TFDS data set has the split "train" by default. */
static struct opt_list outputs_of(const struct shard_settings *s)
{
	static const char *train[] = { "train" };

	return s->convert.output.tfds && !s->outputs.count ? (struct opt_list){ train, 1 }
							   : s->outputs;
}

/* Fills the targets from the values of -o; their names are copies. */
static int parse_outputs(struct cmd *c, const struct opt_list *outputs, struct tfr_share *targets)
{
	const struct shard_settings *s = c->settings;
	struct tfr_error err;

	for (size_t i = 0; i < outputs->count; i++) {
		enum tfr_status status;
		char *set;

		if (!splits_parse(outputs->values[i], &targets[i], &status)) {
			if (status)
				return cmd_no_memory(c);
			if (tfr_share_parse(outputs->values[i], &set, &targets[i].fraction, &err))
				return cmd_fail(c, &err);
			targets[i].set = set;
		}
		if (cmd_check_terminal(c, targets[i].set, s->force))
			return c->exit;
	}
	return 0;
}

/* The context of the library's callbacks: the command, the JSON of a dry run, and the splits of an
 * input when no set names one. */
struct talk {
	struct cmd *c;
	struct tfr_json *json; /* NULL: text */
	struct splits_found splits;
};

static void warn_of(void *ctx, const char *text)
{
	struct talk *t = ctx;

	cmd_warn_text(t->c, text);
}

static void note_split(void *ctx, const struct tfr_found_split *split)
{
	struct talk *t = ctx;

	if (!splits_add(&t->splits, split))
		splits_clear(&t->splits);
}

/* When the input has splits, the hint is the command that names them. */
static void print_failure(struct talk *t, const struct tfr_convert_opts *o, struct tfr_error *err)
{
	if (t->splits.n)
		tfr_error_hint(err, "Write one set for each split; all sets get the same labels:");
	cmd_error(t->c, err);
	splits_print_command(t->c, &t->splits, o->output.targets[0].set, o->output.tfds);
}

static void print_planned(void *ctx, const struct tfr_planned_shard *shard)
{
	struct talk *t = ctx;

	if (!t->json) {
		cmd_print_planned(shard->file, shard->records, shard->bytes);
		return;
	}
	tfr_json_open_object(t->json, NULL);
	tfr_json_string(t->json, "file", shard->file);
	tfr_json_u64(t->json, "records", shard->records);
	tfr_json_u64(t->json, "bytes", shard->bytes);
	tfr_json_close_object(t->json);
}

static void print_json(struct talk *t, const struct tfr_convert_report *r, bool records_on_stdout)
{
	const struct shard_settings *s = t->c->settings;

	if (s->convert.output.dry_run)
		tfr_json_close_array(t->json);
	tfr_json_string(t->json, "kind", r->kind);
	tfr_json_u64(t->json, "read", r->files - r->left);
	tfr_json_u64(t->json, s->convert.output.dry_run ? "records" : "written", r->records);
	tfr_json_u64(t->json, "skipped", r->skipped);
	tfr_json_u64(t->json, "unassigned", r->left);
	if (s->convert.run.resume) {
		tfr_json_u64(t->json, "resumed", r->resumed);
		tfr_json_bool(t->json, "complete", r->complete);
	}
	tfr_json_u64(t->json, "bytes", r->bytes);
	if (!s->convert.output.dry_run) {
		tfr_json_f64(t->json, "seconds", cmd_seconds());
		cmd_json_sum(t->json, "sum", r->sum);
	}
	tfr_json_close_object(t->json);
	cmd_print_json(t->c, t->json, records_on_stdout ? stderr : stdout);
	t->json = NULL;
}

/* Warns of unusual images, one line for each kind. */
static void warn_of_findings(struct cmd *c, const struct tfr_convert_report *r)
{
	for (unsigned i = TFR_FOUND_UNUSABLE + 1; i < TFR_FINDINGS; i++)
		if (r->found[i])
			cmd_warn(c, "%s: %llu (%s)", tfr_finding_text((enum tfr_finding)i),
				(unsigned long long)r->found[i],
				tfr_finding_code((enum tfr_finding)i));
}

static void print_end(struct cmd *c, const struct tfr_convert_report *r)
{
	char items[TFR_COUNTED_TEXT];
	const struct shard_settings *s = c->settings;
	struct cmd_summary summary = {
		.read = r->files - r->left,
		.written = r->records,
		.skipped = r->skipped,
		.bytes = r->payload_bytes,
		.read_bytes = r->bytes,
		.seconds = cmd_seconds(),
		.sum = r->sum,
		.kind = s->convert.input.from ? NULL : r->kind_text,
	};

	if (r->resumed && !s->quiet && !s->json)
		fprintf(stderr, "tfr %s: resumed after %s\n", c->command->name,
			tfr_format_counted(r->resumed, "item", items));
	if (s->convert.output.dry_run && !s->json && summary.kind)
		cmd_closing_line(c, "read as %s", summary.kind);
	if (s->convert.output.dry_run || s->json)
		return;
	warn_of_findings(c, r);
	cmd_print_summary(c, &summary);
}

/* What is left to do after a part, with the names of the sets. */
static void print_part(struct cmd *c, const struct tfr_convert_opts *o, uint32_t shards)
{
	struct text words;
	bool room = text_open(&words);
	char *text;

	if (c->part >= shards)
		cmd_closing_line(c, "part %u of %u has no shards: there are only %u", c->part,
			c->parts, shards);
	for (size_t t = 0; room && t < o->output.target_count; t++) {
		const char *set = o->output.targets[t].set, *at = strstr(set, "@auto");
		char name[4096];

		/* "@*": the number of shards that @auto has got */
		snprintf(name, sizeof(name), "%.*s%s%s",
			(int)(at ? (size_t)(at - set) : strlen(set)), set, at ? "@*" : "",
			at ? at + 5 : "");
		fputc(' ', words.f);
		room = cmd_put_word(words.f, name);
	}
	text = text_close(&words);
	if (room && text)
		cmd_closing_line(c, "part %u of %u is written; after all parts, run: tfr finish%s",
			c->part, c->parts, text);
	else
		cmd_no_memory(c);
	free(text);
}

static void warn_of_left(struct cmd *c, const struct tfr_convert_report *r)
{
	if (r->left)
		cmd_warn(c, "%llu of %llu files are in no set: the fractions add up to less than 1",
			(unsigned long long)r->left, (unsigned long long)r->files);
}

static bool records_on_stdout(const struct tfr_convert_opts *o)
{
	for (size_t t = 0; t < o->output.target_count; t++)
		if (!strcmp(o->output.targets[t].set, "-"))
			return true;
	return false;
}

static void run_convert(struct cmd *c, struct tfr_convert_opts *o)
{
	const struct shard_settings *s = c->settings;
	struct talk talk = { .c = c, .json = s->json ? cmd_json_open(0) : NULL };
	char *options_text = opt_describe(options, s, indifferent);
	struct tfr_progress progress = { 0 };
	struct tfr_convert_report report;
	struct tfr_error err;
	enum tfr_status status;

	if (!options_text || (s->json && !talk.json)) {
		tfr_json_free(talk.json);
		free(options_text);
		cmd_no_memory(c);
		return;
	}
	if (talk.json && s->convert.output.dry_run)
		tfr_json_open_array(talk.json, "shards");
	o->output.options = options_text;
	o->run.progress = &progress;
	o->run.warn = warn_of;
	o->run.planned = print_planned;
	o->run.found_split = note_split;
	o->run.ctx = &talk;
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_convert(o, &report, &err);
	cmd_progress_stop();
	if (status) {
		print_failure(&talk, o, &err);
	} else {
		warn_of_left(c, &report);
		if (talk.json)
			print_json(
				&talk, &report, records_on_stdout(o) && !s->convert.output.dry_run);
		if (report.complete && !s->json)
			cmd_print_complete(c, report.records, report.sum);
		else
			print_end(c, &report);
		if (c->parts && !report.complete)
			print_part(c, o, report.shards);
	}
	splits_clear(&talk.splits);
	tfr_json_free(talk.json);
	free(options_text);
}

static struct tfr_convert_opts make_opts(const struct cmd *c)
{
	const struct shard_settings *s = c->settings;
	struct tfr_convert_opts o = s->convert;

	o.output.writer = (struct tfr_writer_opts){
		.threads = (unsigned)s->jobs,
		.compression = (enum tfr_compression)s->compress,
		.level = s->level,
		.part = c->part,
		.parts = c->parts,
		.force = s->force,
		.temporaries = cmd_temporaries(),
	};
	o.output.command = c->line;
	o.run.threads = (unsigned)s->jobs;
	o.run.checkpoint = s->checkpoint > 0 ? s->checkpoint : -1;
	/* the library takes 0 for its default */
	o.run.max_skipped = s->max_skipped > 0 ? s->max_skipped / 100 : 1e-18;
	return o;
}

/* Options that need all items in one process, or the end of all parts. */
static int check_part(struct cmd *c, const struct shard_settings *s)
{
	static const char alone[] = "Run the command without --part, or leave the option out.";
	static const char finish[] = "Give it to 'tfr finish', which sees all parts.";

	if (cmd_take_part(c, s->part))
		return c->exit;
	if (cmd_refuse_in_part(
		    c, on_error_quarantine(s->on_error), "--on-error quarantine", alone) ||
		cmd_refuse_in_part(
			c, s->convert.run.resume, "--resume", "If a part fails, run it again.") ||
		cmd_refuse_in_part(c, s->convert.output.dry_run, "--dry-run", alone) ||
		cmd_refuse_in_part(c, s->convert.run.report, "--report", alone) ||
		cmd_refuse_in_part(c, s->convert.output.tfds, "--tfds", alone) ||
		cmd_refuse_in_part(c, s->convert.output.shard_size, "--shard-size",
			"Name the number of shards, or @auto, which computes it.") ||
		cmd_refuse_in_part(c, s->convert.output.records_per_shard, "--records-per-shard",
			"Name the number of shards, or @auto, which computes it.") ||
		cmd_refuse_in_part(c, s->expect.records, "--expect", finish) ||
		cmd_refuse_in_part(c, s->expect.sum, "--expect-sum", finish) ||
		cmd_refuse_in_part(c, s->expect.allow_empty, "--allow-empty", finish))
		return c->exit;
	return 0;
}

static int run_into(struct cmd *c, struct tfr_convert_opts *o, const struct opt_list *outputs)
{
	const struct shard_settings *s = c->settings;
	struct tfr_share *targets = calloc(outputs->count, sizeof(*targets));

	if (!targets)
		return cmd_no_memory(c);
	o->output.targets = targets;
	o->output.target_count = outputs->count;
	if (!parse_columns(c, s, o) && !parse_outputs(c, outputs, targets) &&
		!cmd_check_operands_apart(c))
		run_convert(c, o);
	free_columns(o);
	for (size_t i = 0; i < outputs->count; i++) {
		free((void *)(uintptr_t)targets[i].set);
		free((void *)(uintptr_t)targets[i].folder);
	}
	free(targets);
	return c->exit;
}

static int shard_main(struct cmd *c)
{
	const struct shard_settings *s = c->settings;
	struct opt_list outputs = outputs_of(s);
	struct tfr_convert_opts o;

	c->quiet = s->quiet;
	if (check_part(c, s))
		return c->exit;
	o = make_opts(c);
	if (parse_input(c, s, &o))
		return c->exit;
	if (o.order.shuffle && o.order.keep)
		return cmd_usage(c, "--shuffle and --no-shuffle exclude each other");
	if (!outputs.count)
		return cmd_usage(c, "no output: name a set, such as -o train@16.tfrecord");
	if (s->max_skipped < 0 || s->max_skipped > 100)
		return cmd_usage(c, "--max-skipped takes a percentage from 0 to 100");
	if (cmd_expect(c, &s->expect, &o.output.expect) || parse_on_error(c, s->on_error, &o) ||
		parse_images(c, s, &o) || parse_audio(c, s, &o))
		return c->exit;
	return run_into(c, &o, &outputs);
}

const struct command cmd_shard = {
	.name = "shard",
	.operands = "[INPUT]...",
	.summary = "convert images and other files to records, or re-shard",
	.options = options,
	.settings_size = sizeof(struct shard_settings),
	.defaults = &defaults,
	.main = shard_main,
};
