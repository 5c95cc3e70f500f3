/* shard/set_part.c - a part of a set: the shards part, part + parts, ... and a note beside them.
 *
 * The note is a manifest of these shards (shard/manifest.c).  It is published with them, as the
 * file that commits them, under a lock of the part.  So parts exchange no data, and a killed part
 * leaves either all of its shards and its note, or the files that existed before.
 *
 * Objects have no journal.  Before the first one appears, a note without shards claims their names,
 * so that a part that was killed in between recognizes them as its own when it runs again. */
#include "shard/set_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "io/object.h"
#include "io/output.h"
#include "io/path.h"
#include "shard/finished_run.h"
#include "shard/manifest.h"
#include "shard/set_writer_state.h"

char *tfr_set_name_note(const struct tfr_set_name *name, uint32_t part, uint32_t parts)
{
	char what[64];

	snprintf(what, sizeof(what), "part-%05u-of-%05u.json", part, parts);
	return tfr_set_name_beside(name, what);
}

enum tfr_status tfr_file_remove(const char *path, struct tfr_error *err)
{
	const struct tfr_object_module *remote;
	enum tfr_status status;

	if (!tfr_is_url(path))
		return unlink(path) && errno != ENOENT
			       ? tfr_fail_errno(err, errno, path, "cannot remove")
			       : TFR_OK;
	status = tfr_objects(&remote, path, err);
	return status ? status : remote->remove(path, err);
}

/* TFR_END: there is no such file. */
static enum tfr_status read_if_there(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	*m = NULL;
	return status ? status : tfr_manifest_read(path, shards, m, err);
}

enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_options_compare(then->options ?: "", now->options ?: "", which, err);

	if (!status && then->inputs != now->inputs)
		status = tfr_fail(err, TFR_EUSAGE, "%s had other or changed input files", which);
	return status;
}

enum tfr_status tfr_set_part_open(
	struct tfr_set_writer *w, const struct tfr_set_info *terms, struct tfr_error *err)
{
	struct tfr_manifest *m = NULL;
	enum tfr_status status;

	w->note_path = tfr_set_name_note(&w->name, w->opts.part, w->opts.parts);
	if (!w->note_path)
		return tfr_fail_nomem(err, "creating a set");
	status = read_if_there(w->note_path, w->count, &m, err);
	if (status == TFR_END)
		return TFR_OK;
	if (status == TFR_EDATA && w->opts.force) {
		status = TFR_OK;
	} else if (status == TFR_EDATA) {
		tfr_fail_path(err, TFR_EDATA, w->note_path, "the note of this part is damaged:");
		tfr_error_hint(err, "Give -f to replace it and its shards.");
	}
	if (!status && m && terms && terms->options && !w->opts.force) {
		status = tfr_terms_compare(m, terms, "the earlier run of this part", err);
		if (status == TFR_EUSAGE)
			tfr_error_hint(err, "Give -f to replace its shards.");
	}
	tfr_manifest_free(m);
	w->repeats = !status;
	w->opts.force = w->opts.force || w->repeats;
	return status;
}

enum tfr_status tfr_set_part_note(struct tfr_set_writer *w, const struct tfr_set_info *info,
	struct tfr_output **note, struct tfr_error *err)
{
	struct tfr_part_note own = { .part = w->opts.part, .parts = w->opts.parts };

	if (w->tally)
		own.tally = *w->tally;
	own.labels = (char *)(uintptr_t)w->labels;
	return tfr_set_write_manifest(w, w->note_path, info, &own, note, err);
}

/* The manifest of another run does not describe the shards that this part publishes. */
static enum tfr_status remove_manifest(
	const struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_set_name_manifest(&w->name);
	struct tfr_manifest *m = NULL;
	enum tfr_status status;

	if (!path)
		return tfr_fail_nomem(err, "publishing a set");
	status = read_if_there(path, w->count, &m, err);
	if (status == TFR_END)
		return TFR_OK;
	if (!status && info->options && !tfr_terms_compare(m, info, "", NULL)) {
		tfr_manifest_free(m);
		return TFR_OK;
	}
	tfr_manifest_free(m);
	if (status && status != TFR_EDATA)
		return status;
	if (w->opts.force)
		return tfr_file_remove(path, err);
	tfr_fail_path(err, TFR_EEXIST, path, "another run wrote");
	tfr_error_hint(err, "Give -f to replace its set.");
	return TFR_EEXIST;
}

static enum tfr_status claim_objects(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = false };
	struct tfr_part_note own = { .part = w->opts.part, .parts = w->opts.parts };
	struct tfr_manifest m = { .note = &own };
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status;

	if (w->repeats || !tfr_is_url(w->note_path))
		return TFR_OK;
	status = tfr_manifest_format(&text, &m, info, err);
	if (!status)
		status = tfr_output_whole(w->note_path, &opts, text.data, text.size, err);
	w->claimed = !status;
	return status;
}

enum tfr_status tfr_set_part_begin(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	enum tfr_status status = remove_manifest(w, info, err);

	return status ? status : claim_objects(w, info, err);
}

void tfr_set_part_undo(struct tfr_set_writer *w)
{
	if (w->claimed)
		tfr_file_remove(w->note_path, NULL);
	w->claimed = false;
}

void tfr_set_writer_tally(
	struct tfr_set_writer *w, const struct tfr_part_tally *tally, const char *labels)
{
	w->tally = tally;
	w->labels = labels;
}
