/* convert/input_kinds.c - the kinds of input, in the order in which they are asked whether they
 * recognise an input.
 *
 * The order matters: a kind that looks for more comes before one that takes anything similar. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "convert/folder/splits.h"
#include "convert/input.h"
#include "convert/parts.h"
#include "convert/rework.h"
#include "io/path.h"
#include "record/filetype.h"

enum { HEAD = 512 }; /* a tar archive has its magic number at byte 257 */

static const struct tfr_input_ops *const rows[] = {
	&tfr_input_voc, /* its annotations can be a folder of files */
	&tfr_input_coco,
	&tfr_input_yolo,
	&tfr_input_metadata,
	&tfr_input_pairs,
	&tfr_input_audio, /* looks for a WAV file; tfr_input_folder takes any folder */
	&tfr_input_folder,
	&tfr_input_npy, /* an NPZ file is also a zip archive */
	&tfr_input_hdf5,
	&tfr_input_records, /* verifies a checksum; tfr_input_archive takes any GZIP file */
	&tfr_input_webdataset,
	&tfr_input_archive,
	&tfr_input_csv,
	&tfr_input_tsv,
	&tfr_input_jsonl,
};

#define N_ROWS (sizeof(rows) / sizeof(*rows))

/* Examines the first input.  Only folders and regular files are opened: reading from a pipe would
 * take bytes that the conversion needs. */
static enum tfr_status look(
	struct tfr_offer *offer, uint8_t *head, const char *path, struct tfr_error *err)
{
	struct tfr_names names = { 0 };
	struct stat st;
	ssize_t n;

	*offer = (struct tfr_offer){ .path = path };
	offer->missing = strcmp(path, "-") && tfr_stat(path, &st) && errno == ENOENT &&
			 strpbrk(path, "*?[@{");
	if (!strcmp(path, "-") || offer->missing)
		return TFR_OK;
	if (tfr_stat(path, &st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	offer->directory = S_ISDIR(st.st_mode);
	/* Of a web server nothing but this is known, and the listing fails with the reason. */
	if (offer->directory && !strncasecmp(path, "http", 4) && tfr_is_url(path))
		return tfr_list_folder(path, &names, err);
	if (S_ISREG(st.st_mode)) {
		n = tfr_root_head(NULL, path, head, HEAD);
		if (n < 0)
			return tfr_fail_errno(err, errno, path, "cannot open");
		offer->head = head;
		offer->head_size = (size_t)n;
	}
	return TFR_OK;
}

static enum tfr_status by_name(
	const struct tfr_input_ops **ops, const char *name, struct tfr_error *err)
{
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, name, strlen(name));
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strcmp(rows[i]->name, name)) {
			*ops = rows[i];
			return TFR_OK;
		}
		tfr_suggestion_offer(&meant, rows[i]->name, strlen(rows[i]->name));
	}
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

static enum tfr_status recognise(const struct tfr_input_ops **ops,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	uint8_t head[HEAD];
	struct tfr_offer offer;
	int failed = 0;

	TFR_TRY(look(&offer, head, opts->inputs[0], err));
	offer.failed = &failed;
	for (size_t i = 0; i < N_ROWS; i++) {
		bool yes = rows[i]->recognises(opts, &offer);

		if (failed)
			return tfr_fail_errno(err, failed, offer.path, "cannot look at");
		if (yes) {
			*ops = rows[i];
			return TFR_OK;
		}
	}
	return not_known(&offer, err);
}

/* Sets that name folders of the input exclude any other division. */
static enum tfr_status check_splits(
	const struct tfr_input_ops *ops, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if (!tfr_splits_are_asked(opts))
		return TFR_OK;
	if (!ops->splits)
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' names a folder of the input, but %s has no folders",
			opts->targets[0].folder, ops->what);
	if (opts->stratify)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes needs sets with fractions, not with folders");
	if (opts->class_list)
		return tfr_fail(err, TFR_EUSAGE, "--class-list needs an input without sub-folders");
	return TFR_OK;
}

/* Parts of objects may be collected in files. */
static bool writes_objects(const struct tfr_convert_opts *opts)
{
	for (size_t i = 0; i < opts->target_count; i++)
		if (tfr_is_url(opts->targets[i].set))
			return true;
	return false;
}

/* Refuses options that have no effect on this kind of input. */
static enum tfr_status check_opts(
	const struct tfr_input_ops *ops, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	if ((opts->synsets || opts->class_list) && ops != &tfr_input_folder)
		return tfr_fail(err, TFR_EUSAGE, "%s needs a folder of images, not %s",
			opts->synsets ? "--synsets" : "--class-list", ops->what);
	if (opts->tmpdir && ops != &tfr_input_npy && !writes_objects(opts))
		return tfr_fail(err, TFR_EUSAGE,
			"--tmpdir has no effect: %s needs no temporary files", ops->what);
	if (opts->synsets && opts->tfds)
		return tfr_fail(err, TFR_EUSAGE,
			"--synsets and --tfds exclude each other: a TFDS data set has no feature "
			"for synsets");
	if (opts->masks && ops != &tfr_input_pairs)
		return tfr_fail(err, TFR_EUSAGE, "--mask does not apply to %s", ops->what);
	if (opts->image_set && ops != &tfr_input_voc)
		return tfr_fail(err, TFR_EUSAGE, "--image-set does not apply to %s", ops->what);
	if ((opts->annotations || opts->captions || opts->panoptic) && ops != &tfr_input_coco &&
		ops != &tfr_input_voc)
		return tfr_fail(
			err, TFR_EUSAGE, "files of annotations do not apply to %s", ops->what);
	if (opts->instance_masks && ops != &tfr_input_coco && ops != &tfr_input_voc)
		return tfr_fail(err, TFR_EUSAGE, "--draw-masks does not apply to %s", ops->what);
	if (opts->tfds && ops != &tfr_input_folder) {
		tfr_fail(err, TFR_EUSAGE, "--tfds needs a folder of images, not %s", ops->what);
		tfr_error_hint(err, "Write an ordinary set with -o in place of --tfds.");
		return TFR_EUSAGE;
	}
	return TFR_OK;
}

enum tfr_status tfr_input_open(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	const struct tfr_input_ops *ops = NULL;

	TFR_TRY(opts->from ? by_name(&ops, opts->from, err) : recognise(&ops, opts, err));
	TFR_TRY(tfr_rework_check(&opts->rework, err));
	if (opts->input_count > 1 && !ops->several)
		return tfr_fail(err, TFR_EUSAGE, "only one input is allowed for %s", ops->what);
	if (!ops->reworks && tfr_rework_wanted(&opts->rework))
		return tfr_fail(err, TFR_EUSAGE, "options that change images do not apply to %s",
			ops->what);
	if (!ops->images && opts->sha256)
		return tfr_fail(
			err, TFR_EUSAGE, "--sha256 needs images, and %s has none", ops->what);
	if (!ops->images && !ops->framed && opts->verify)
		return tfr_fail(err, TFR_EUSAGE, "--verify-images needs images, and %s has none",
			ops->what);
	if (!ops->audio && (opts->audio || opts->frame != 0))
		return tfr_fail(err, TFR_EUSAGE, "%s needs audio files, not %s",
			opts->frame != 0 ? "--frame" : "--audio", ops->what);
	if (opts->frame != 0 && opts->audio != TFR_AUDIO_FLOATS)
		return tfr_fail(err, TFR_EUSAGE, "--frame needs audio as floats");
	if (!ops->chooses && !ops->arrays &&
		(opts->include_count || opts->exclude_count || (opts->labels && !ops->labelled)))
		return tfr_fail(err, TFR_EUSAGE,
			"options that choose files and labels do not apply to %s", ops->what);
	if (opts->type_count + opts->embed_count && !ops->columns)
		return tfr_fail(
			err, TFR_EUSAGE, "--types and --embed need a list, not %s", ops->what);
	if (opts->root && !opts->embed_count)
		return tfr_fail(err, TFR_EUSAGE, "--root needs --embed");
	if (opts->allow_missing && !ops->framed)
		return tfr_fail(
			err, TFR_EUSAGE, "--allow-missing needs records, not %s", ops->what);
	TFR_TRY(check_opts(ops, opts, err));
	TFR_TRY(check_splits(ops, opts, err));
	return ops->open(in, opts, err);
}

/* --- what several kinds do --- */

void tfr_measure_add(const struct tfr_root *folder, const char *name, struct tfr_measure *m)
{
	struct stat st;
	int64_t mtime;

	if (tfr_root_stat(folder, name, &st))
		return;
	mtime = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	m->bytes += (uint64_t)st.st_size;
	m->mtime = mtime > m->mtime ? mtime : m->mtime;
}

void tfr_warn(const struct tfr_convert_opts *opts, const char *format, ...)
{
	char text[9000];
	va_list args;

	if (!opts->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	opts->warn(opts->ctx, text);
}

enum tfr_status tfr_open_named_folder(
	struct tfr_root **f, char **prefix, const char *folder, struct tfr_error *err)
{
	*prefix = tfr_path_join(folder, "");
	if (!*prefix)
		return tfr_fail_nomem(err, "opening a folder");
	if (!tfr_root_open(f, folder))
		return TFR_OK;
	if (errno == ENOTDIR)
		return tfr_fail_path(err, TFR_EUSAGE, folder, "not a folder:");
	return tfr_fail_errno(err, errno, folder, "cannot open folder");
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
