/* convert/input_kinds.c - the kinds of input, in the order in which they are asked whether they
 * recognise an input.
 *
 * The order matters: a kind that looks for more comes before one that takes anything similar. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "base/url.h"
#include "convert/annotations/kinds.h"
#include "convert/folder/splits.h"
#include "convert/folder/unused_files.h"
#include "convert/image_features.h"
#include "convert/input.h"
#include "io/path.h"
#include "io/source.h"
#include "io/temporaries.h"
#include "record/filetype.h"

enum { HEAD = 512 }; /* a tar archive has its magic number at byte 257 */

/* Kinds of annotated data sets: all are asked, and one must answer. */
static const struct tfr_set_kind *const sets[] = { &tfr_set_voc, &tfr_set_coco, &tfr_set_yolo,
	&tfr_set_metadata, &tfr_set_box_lists, &tfr_set_tag_lists, &tfr_set_createml,
	&tfr_set_pairs, NULL };

/* The other kinds, in the order in which they are asked: one that looks for more comes before one
 * that takes anything similar. */
static const struct tfr_input_ops *const others[] = {
	&tfr_input_audio, /* looks for a WAV file; tfr_input_folder takes any folder */
	&tfr_input_folder,
	&tfr_input_npy, /* an NPZ file is also a zip archive */
	&tfr_input_hdf5,
	&tfr_input_records, /* verifies a checksum */
	&tfr_input_csv,
	&tfr_input_tsv,
	&tfr_input_jsonl,
	&tfr_input_webdataset,
	&tfr_input_archive, /* takes any GZIP file */
	NULL,
};

/* The kind of an input: one of the two. */
struct kind {
	const struct tfr_set_kind *set;
	const struct tfr_input_ops *ops; /* of the set, too */
};

/* --- which kind --- */

/* Examines the first input.  Only folders and regular files are opened: reading from a pipe would
 * take bytes that the conversion needs. */
static enum tfr_status look(
	struct tfr_offer *offer, uint8_t *head, const char *path, struct tfr_error *err)
{
	struct tfr_names names = { 0 };
	enum tfr_status status;
	struct stat st;

	*offer = (struct tfr_offer){ .path = path };
	if (!strcmp(path, "-"))
		return TFR_OK;
	status = tfr_look(path, &st, err);
	offer->missing = status == TFR_END && strpbrk(path, "*?[@{");
	if (offer->missing)
		return TFR_OK;
	if (status)
		return status == TFR_END ? tfr_fail_errno(err, ENOENT, path, "cannot open")
					 : status;
	offer->directory = S_ISDIR(st.st_mode);
	/* Of a web server nothing but this is known, and the listing fails with the reason. */
	if (offer->directory && tfr_is_web(path))
		return tfr_list_folder(path, &names, err);
	if (S_ISREG(st.st_mode)) {
		status = tfr_root_head(NULL, path, head, HEAD, &offer->head_size, err);
		offer->head = head;
	}
	return status == TFR_END ? TFR_ESYS : status;
}

static enum tfr_status kind_by_name(struct kind *kind, const char *name, struct tfr_error *err)
{
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, name, strlen(name));
	*kind = (struct kind){ NULL, NULL };
	for (size_t i = 0; sets[i] && !kind->ops; i++) {
		if (!strcmp(sets[i]->ops.name, name))
			*kind = (struct kind){ sets[i], &sets[i]->ops };
		tfr_suggestion_offer(&meant, sets[i]->ops.name, strlen(sets[i]->ops.name));
	}
	for (size_t i = 0; others[i] && !kind->ops; i++) {
		if (!strcmp(others[i]->name, name))
			*kind = (struct kind){ NULL, others[i] };
		tfr_suggestion_offer(&meant, others[i]->name, strlen(others[i]->name));
	}
	if (kind->ops)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "unknown kind of input '%s'", name);
	if (!strcmp(name, "tsv-raw"))
		tfr_error_hint(err, "It was removed: quote the cells by " TFR_QUOTE_TSV
				    ", and use --from tsv.");
	else
		tfr_suggestion_hint(&meant, err);
	return TFR_EUSAGE;
}

/* Names the kind of file, if it is known. */
static enum tfr_status not_known(const struct tfr_offer *offer, struct tfr_error *err)
{
	const char *hint = NULL, *name = NULL;

	if (offer->head)
		name = offer->head_size ? tfr_filetype_name(offer->head, offer->head_size, &hint)
					: "an empty file";
	tfr_fail_path(
		err, TFR_EUSAGE, offer->path, "cannot convert %s:", name ?: "this kind of input");
	if (!offer->directory && !offer->head)
		hint = "Use --from KIND: the kind of a pipe cannot be detected.";
	if (hint)
		tfr_error_hint(err, "%s", hint);
	return TFR_EUSAGE;
}

void tfr_offer_failed(const struct tfr_offer *offer, const struct tfr_error *why)
{
	if (why->status == TFR_ENOMEM || (why->status == TFR_ESYS && why->sys_errno != ENOENT))
		*offer->err = *why;
}

/* The set that options of annotations name. */
static enum tfr_status asked_set(
	const struct tfr_set_kind **set, const struct tfr_convert_input *o, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status;

	*set = o->masks ? &tfr_set_pairs : NULL;
	if (o->annotations || o->captions || o->panoptic)
		*set = &tfr_set_coco;
	if (!o->annotations)
		return TFR_OK;
	status = tfr_look(o->annotations, &st, err);
	if (!status && S_ISDIR(st.st_mode))
		*set = &tfr_set_voc;
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status ambiguous(const char *path, const struct tfr_set_kind *a,
	const struct tfr_set_kind *b, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUSAGE, "'%s' can be read as %s and as %s", path, a->ops.what,
		b->ops.what);
	tfr_error_hint(err,
		"Use --from %s or --from %s, and --ignore-annotations to leave the other ones out.",
		a->ops.name, b->ops.name);
	return TFR_EUSAGE;
}

enum tfr_status tfr_set_recognise(const struct tfr_set_kind **found,
	const struct tfr_convert_opts *opts, struct tfr_scan *scan, struct tfr_error *err)
{
	struct tfr_error why = { 0 };

	*found = NULL;
	for (size_t i = 0; sets[i]; i++) {
		struct tfr_parts parts = { .opts = opts, .scan = scan, .err = &why };
		bool yes;

		if (!sets[i]->find)
			continue;
		sets[i]->find(&parts, tfr_parts_base(scan));
		yes = parts.n > 0;
		tfr_parts_clear(&parts);
		TFR_TRY(tfr_error_pass(&why, err));
		if (yes && *found)
			return ambiguous(scan->path, *found, sets[i], err);
		*found = yes ? sets[i] : *found;
	}
	return TFR_OK;
}

static enum tfr_status recognise(struct kind *kind, const struct tfr_convert_opts *opts,
	struct tfr_offer *offer, struct tfr_error *err)
{
	const struct tfr_convert_classes *classes = &opts->classes;
	struct tfr_error why = { 0 };

	*kind = (struct kind){ NULL, NULL };
	TFR_TRY(asked_set(&kind->set, &opts->input, err));
	if (!kind->set && offer->scan && !classes->list && !classes->synsets)
		TFR_TRY(tfr_set_recognise(&kind->set, opts, offer->scan, err));
	if (kind->set) {
		kind->ops = &kind->set->ops;
		return TFR_OK;
	}
	offer->err = &why;
	for (size_t i = 0; others[i]; i++) {
		bool yes = others[i]->recognises(opts, offer);

		TFR_TRY(tfr_error_pass(&why, err));
		if (yes) {
			kind->ops = others[i];
			return TFR_OK;
		}
	}
	return not_known(offer, err);
}

/* Sets that name folders of the input exclude any other division. */
static enum tfr_status check_splits(
	const struct tfr_input_ops *ops, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if (!tfr_splits_are_asked(opts))
		return TFR_OK;
	if (!(ops->flags & TFR_INPUT_SPLITS))
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' names a folder of the input, but %s has no folders",
			opts->output.targets[0].folder, ops->what);
	if (opts->order.stratify)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes needs sets with fractions, not with folders");
	if (opts->classes.list)
		return tfr_fail(err, TFR_EUSAGE, "--class-list needs an input without sub-folders");
	return TFR_OK;
}

/* Parts of objects may be collected in files. */
static bool writes_objects(const struct tfr_convert_opts *opts)
{
	for (size_t i = 0; i < opts->output.target_count; i++)
		if (tfr_is_url(opts->output.targets[i].set))
			return true;
	return false;
}

/* Refuses options that have no effect on this kind of input. */
static enum tfr_status check_opts(
	const struct tfr_input_ops *ops, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	const struct tfr_convert_input *in = &opts->input;
	const struct tfr_convert_classes *classes = &opts->classes;
	const struct tfr_convert_tables *tables = &opts->tables;
	const bool framed = opts->audio.frame != 0;
	const struct {
		bool asked;
		unsigned needs;		    /* one of these; 0: the option is wrong with others */
		const char *before, *after; /* of the kind of input; NULL: it is not named */
	} rules[] = {
		{ in->count > 1, TFR_INPUT_SEVERAL, "only one input is allowed for ", "" },
		{ tfr_rework_wanted(&opts->images.rework), TFR_INPUT_REWORKS,
			"options that change images do not apply to ", "" },
		{ opts->images.sha256, TFR_INPUT_IMAGES, "--sha256 needs images, and ",
			" has none" },
		{ opts->images.verify, TFR_INPUT_IMAGES | TFR_INPUT_FRAMED,
			"--verify-images needs images, and ", " has none" },
		{ framed, TFR_INPUT_AUDIO, "--frame needs audio files, not ", "" },
		{ opts->audio.kind, TFR_INPUT_AUDIO, "--audio needs audio files, not ", "" },
		{ framed && opts->audio.kind != TFR_AUDIO_FLOATS, 0,
			"--frame needs audio as floats", NULL },
		{ in->include_count || in->exclude_count, TFR_INPUT_CHOOSES,
			"--include and --exclude do not apply to ", "" },
		{ in->no_sandbox, TFR_INPUT_SANDBOX, "--no-sandbox needs an HDF5 file, not ", "" },
		{ classes->labels, TFR_INPUT_LABELS, "--labels does not apply to ", "" },
		{ classes->base > INT32_MAX, 0, "--label-base is above 2147483647", NULL },
		{ classes->base, TFR_INPUT_NUMBERS, "--label-base does not apply to ", "" },
		{ tables->type_count + tables->embed_count, TFR_INPUT_COLUMNS,
			"--types and --embed need a list, not ", "" },
		{ tables->delimiter || tables->na, TFR_INPUT_CELLS,
			"--delimiter and --na need CSV or TSV, not ", "" },
		{ tables->root && !tables->embed_count, 0, "--root needs --embed", NULL },
		{ in->allow_missing, TFR_INPUT_FRAMED, "--allow-missing needs records, not ", "" },
		{ classes->synsets, TFR_INPUT_PLAIN, "--synsets needs a folder of images, not ",
			"" },
		{ classes->list, TFR_INPUT_PLAIN, "--class-list needs a folder of images, not ",
			"" },
		{ classes->none, TFR_INPUT_CLASSLESS,
			"--no-classes needs a folder or an archive, not ", "" },
		{ classes->none && (classes->labels || classes->synsets || classes->list ||
					   opts->order.stratify || opts->output.tfds ||
					   tfr_splits_are_asked(opts)),
			0, "--no-classes excludes options of classes and of splits", NULL },
		{ tables->tmpdir && !tfr_list_is_packed(in->paths[0]) && !writes_objects(opts),
			TFR_INPUT_TMPDIR,
			"--tmpdir has no effect: no temporary files are needed for ", "" },
		{ classes->synsets && opts->output.tfds, 0,
			"--synsets and --tfds exclude each other: a TFDS data set has no feature "
			"for synsets",
			NULL },
		{ in->masks, TFR_INPUT_MASKS, "--mask does not apply to ", "" },
		{ opts->order.stratify && ops->flags & TFR_INPUT_BOXES, 0,
			"--stratify-classes needs one class per image, and images with annotations "
			"can have several",
			NULL },
		{ in->image_set, TFR_INPUT_IMAGE_SET, "--image-set does not apply to ", "" },
		{ in->annotations || in->captions || in->panoptic, TFR_INPUT_ANNOTATIONS,
			"files of annotations do not apply to ", "" },
		{ in->draw_masks, TFR_INPUT_SHAPES, "--draw-masks does not apply to ", "" },
		{ opts->output.tfds, TFR_INPUT_PLAIN, "--tfds needs a folder of images, not ", "" },
	};
	const size_t n = sizeof(rules) / sizeof(*rules);
	size_t i = 0;

	while (i < n && !(rules[i].asked && !(ops->flags & rules[i].needs)))
		i++;
	if (i == n)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "%s%s%s", rules[i].before, rules[i].after ? ops->what : "",
		rules[i].after ? rules[i].after : "");
	if (i == n - 1)
		tfr_error_hint(err, "Write an ordinary set with -o in place of --tfds.");
	return TFR_EUSAGE;
}

enum tfr_status tfr_input_check(
	const struct tfr_input_ops *ops, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_TRY(tfr_rework_check(&opts->images.rework, err));
	TFR_TRY(check_opts(ops, opts, err));
	return check_splits(ops, opts, err);
}

/* One look at the tree of a folder, for all kinds. */
static enum tfr_status scan_tree(
	struct tfr_offer *offer, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	const struct tfr_convert_input *o = &opts->input;
	struct tfr_scan_globs globs = { o->include, o->exclude, o->include_count,
		o->exclude_count };
	struct tfr_scan *scan;
	enum tfr_status status;

	if (!offer->directory)
		return TFR_OK;
	scan = calloc(1, sizeof(*scan));
	TFR_NEED_MEMORY(scan, err, "listing a folder");
	status = tfr_scan_folder(scan, offer->path, &globs, err);
	if (status)
		free(scan);
	else
		offer->scan = scan;
	return status;
}

/* Annotations of a set can also be in an archive.  A pipe may be one. */
static bool is_archive(
	const struct kind *kind, const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	return kind->ops == &tfr_input_archive ||
	       (kind->set && !offer->scan &&
		       (!offer->head || tfr_input_archive.recognises(opts, offer)));
}

static enum tfr_status open_kind(struct tfr_input **in, const struct kind *kind,
	const struct tfr_convert_opts *opts, const struct tfr_offer *offer, struct tfr_error *err)
{
	if (!kind->set && !kind->ops->open_tree)
		return kind->ops->open(in, opts, err);
	if (is_archive(kind, opts, offer))
		return tfr_archive_open_set(in, kind->set, opts, err);
	if (!offer->scan)
		return tfr_fail_path(err, TFR_EUSAGE, opts->input.paths[0], "%s",
			kind->set ? "neither a folder nor an archive:" : "not a folder:");
	return kind->set ? tfr_images_open(in, kind->set, opts, offer->scan, err)
			 : kind->ops->open_tree(in, opts, offer->scan, err);
}

enum tfr_status tfr_input_open(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct kind kind;
	enum tfr_status status;
	struct tfr_opened opened = { 0 };
	struct tfr_offer offer;
	uint8_t head[HEAD];

	if (opts->input.from)
		TFR_TRY(kind_by_name(&kind, opts->input.from, err));
	status = look(&offer, head, opts->input.paths[0], err);
	if (opts->input.from && status && !kind.set && !kind.ops->open_tree)
		status = TFR_OK; /* opening it says why */
	if (!status && !(opts->input.from && !kind.set && !kind.ops->open_tree))
		status = scan_tree(&offer, opts, err);
	if (!status && !opts->input.from)
		status = recognise(&kind, opts, &offer, err);
	/* What an archive has shows when it is open. */
	if (!status && !is_archive(&kind, opts, &offer))
		status = tfr_input_check(kind.ops, opts, err);
	tfr_opened_collect(&opened);
	if (!status)
		status = open_kind(in, &kind, opts, &offer, err);
	tfr_opened_collect(NULL);
	if (!status && opened.failed)
		status = tfr_fail_nomem(err, "opening an input");
	if (*in) {
		(*in)->scan = offer.scan ?: (*in)->scan;
		(*in)->opened = opened.sum;
		if (!status && (*in)->ops->tree)
			status = tfr_unused_refuse(*in, &opened, err);
	} else if (offer.scan) {
		tfr_scan_clear(offer.scan);
		free(offer.scan);
	}
	tfr_buf_clear(&opened.names);
	return status;
}

void tfr_input_close(struct tfr_input *in)
{
	struct tfr_scan *scan = in->scan;

	in->ops->close(in);
	if (scan)
		tfr_scan_clear(scan);
	free(scan);
}

/* --- what several kinds do --- */

int tfr_class_by_label(const void *a, const void *b)
{
	int64_t x = ((const struct tfr_class *)a)->label, y = ((const struct tfr_class *)b)->label;

	return (x > y) - (x < y);
}

struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench)
{
	if (!bench->decoder)
		bench->decoder = tfr_decoder_new(NULL);
	return bench->decoder;
}

struct tfr_encoder *tfr_workbench_encoder(struct tfr_workbench *bench)
{
	if (!bench->encoder)
		bench->encoder = tfr_encoder_new();
	return bench->encoder;
}

void tfr_workbench_clear(struct tfr_workbench *bench)
{
	tfr_decoder_free(bench->decoder);
	tfr_scaler_free(bench->scaler);
	tfr_encoder_free(bench->encoder);
	tfr_buf_clear(&bench->turned);
	tfr_buf_clear(&bench->encoded);
	tfr_buf_clear(&bench->pixels);
	tfr_buf_clear(&bench->scratch);
	tfr_buf_clear(&bench->ends);
	for (int i = 0; i < TFR_WORKBENCH_LISTS; i++)
		tfr_buf_clear(&bench->lists[i]);
	*bench = (struct tfr_workbench){ 0 };
}

void tfr_measure_add(const struct tfr_root *folder, const char *name, struct tfr_measure *m)
{
	struct stat st;

	if (tfr_root_stat(folder, name, &st)) {
		m->fault = errno == ENOENT || errno == ENOTDIR ? m->fault : errno;
		return;
	}
	m->bytes += (uint64_t)st.st_size;
	m->mark += tfr_opened_mark(name, &st, tfr_root_is_remote(folder) || tfr_is_url(name));
}

void tfr_warn(const struct tfr_convert_opts *opts, const char *format, ...)
{
	char text[9000];
	va_list args;

	if (!opts->run.warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	opts->run.warn(opts->run.ctx, text);
}

/* The folder of what is unpacked. */
static char *unpacking_folder(const struct tfr_convert_opts *opts)
{
	const char *set = opts->output.targets[0].set, *slash = strrchr(set, '/');

	if (opts->tables.tmpdir)
		return strdup(opts->tables.tmpdir);
	if (tfr_is_url(set))
		return strdup(getenv("TMPDIR") ?: "/tmp");
	return slash ? strndup(set, (size_t)(slash - set) + 1) : strdup(".");
}

static enum tfr_status unpacking_failed(
	const struct tfr_convert_opts *opts, const char *what, struct tfr_error *err)
{
	int errnum = errno;
	TFR_AUTO_FREE char *folder = unpacking_folder(opts);

	return folder ? tfr_fail_errno(err, errnum, folder, "cannot %s a temporary file in", what)
		      : tfr_fail_nomem(err, "unpacking an input");
}

enum tfr_status tfr_unpacked_open(
	const struct tfr_convert_opts *opts, int *fd, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = unpacking_folder(opts);

	TFR_NEED_MEMORY(folder, err, "unpacking an input");
	*fd = tfr_temporary_nameless(folder);
	return *fd < 0 ? unpacking_failed(opts, "make", err) : TFR_OK;
}

enum tfr_status tfr_unpacked_write(const struct tfr_convert_opts *opts, int fd, const uint8_t *data,
	size_t size, struct tfr_error *err)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return unpacking_failed(opts, "write to", err);
		data += n;
		size -= (size_t)n;
	}
	return TFR_OK;
}

enum tfr_status tfr_input_walk(struct tfr_input *in, const uint32_t *order,
	enum tfr_status (*each)(void *ctx, struct tfr_item *item, struct tfr_error *err), void *ctx,
	struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct tfr_item item = { 0 };

	for (uint64_t i = 0; !status && i < in->items; i++) {
		status = tfr_item_start(&item, order ? order[i] : i, err);
		in->order = order;
		in->place = i;
		if (!status)
			status = in->ops->next(in, &item, &(struct tfr_room){ 0 }, err);
		if (!status)
			status = each(ctx, &item, err);
		tfr_item_trim(&item);
	}
	tfr_item_clear(&item);
	return status == TFR_END ? TFR_OK : status;
}

/* --- the files of an input --- */

/* The files that are read: the members of a set, or the inputs themselves. */
static size_t file_count(const struct tfr_input *in)
{
	return in->files ? tfr_set_count(in->files) : in->opts->input.count;
}

static const char *file_path(const struct tfr_input *in, size_t k)
{
	return in->files ? tfr_set_path(in->files, k) : in->opts->input.paths[k];
}

enum tfr_status tfr_input_is_lasting(struct tfr_input *in, const char *why, struct tfr_error *err)
{
	struct stat st;

	for (size_t k = 0; k < file_count(in); k++) {
		const char *path = file_path(in, k);
		struct tfr_error fault = { 0 };
		enum tfr_status status = strcmp(path, "-") ? tfr_look(path, &st, &fault) : TFR_OK;

		if (status)
			status = tfr_absent_or_failed(path, status, &fault, err);
		if (status == TFR_END)
			return tfr_fail(err, TFR_EUSAGE, "'%s' is not one file: %s", path, why);
		TFR_TRY(status);
		if (!strcmp(path, "-") || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			return tfr_fail(err, TFR_EUSAGE, "'%s' can be read only once: %s",
				strcmp(path, "-") ? path : "standard input", why);
	}
	return TFR_OK;
}

uint64_t tfr_item_mark(const struct tfr_item *item, uint64_t mark)
{
	return XXH3_64bits_withSeed(item->name.data, item->name.size, mark);
}

struct measuring {
	struct tfr_input *in;
	uint64_t sum;
};

static enum tfr_status add_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct measuring *all = ctx;
	struct tfr_measure m;

	all->in->ops->measure(all->in, item, &m);
	if (m.fault)
		return tfr_fail_errno(err, m.fault, (const char *)item->name.data, "cannot access");
	all->sum += tfr_item_mark(item, m.mark);
	return TFR_OK;
}

/* A missing file has a mark, too. */
static enum tfr_status mark_of(const char *path, uint64_t *mark, struct tfr_error *err)
{
	struct stat st = { 0 };
	enum tfr_status status = tfr_look(path, &st, err);

	*mark = tfr_opened_mark(path, &st, tfr_is_url(path));
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_input_digest(
	struct tfr_input *in, const uint64_t *items, uint64_t *digest, struct tfr_error *err)
{
	struct measuring all = { in, 0 };
	uint64_t mark;

	if (!in->ops->measure || in->items == TFR_STREAM)
		for (size_t k = 0; k < file_count(in); k++) {
			TFR_TRY(mark_of(file_path(in, k), &mark, err));
			all.sum += mark;
		}
	else if (items)
		all.sum = *items;
	else
		TFR_TRY(tfr_input_walk(in, NULL, add_item, &all, err));
	all.sum += in->opened;
	*digest = XXH3_64bits_withSeed(&all.sum, sizeof(all.sum), in->items);
	return TFR_OK;
}
