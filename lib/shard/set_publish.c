/* shard/set_publish.c - publishes sets, or their parts, and their companion files together.
 *
 * This file lists the files, claims the names of objects, and withdraws the manifest of an older
 * set; shard/publication.c carries out the steps. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "io/object.h"
#include "io/output.h"
#include "io/path.h"
#include "shard/finished_run.h"
#include "shard/manifests.h"
#include "shard/publication.h"
#include "shard/set_writer_state.h"

/* Writes and seals a manifest of the shards that this process owns; `path` NULL:
 * out of memory. */
static enum tfr_status write_manifest(struct tfr_set_writer *w, const char *path,
	const struct tfr_set_info *info, struct tfr_part_note *note, struct tfr_output **out,
	struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = true, .temporaries = w->opts.temporaries };
	TFR_AUTO_FREE struct tfr_manifest_shard *shards = calloc(w->count, sizeof(*shards));
	struct tfr_manifest m = { .shards = shards, .note = note };
	TFR_AUTO_BUF text = { 0 };

	TFR_NEED_MEMORY(shards && path, err, "publishing a set");
	for (uint32_t k = 0; k < w->count; k++) {
		const struct tfr_totals *t;

		if (!w->shards[k])
			continue;
		t = tfr_writer_totals(w->shards[k]);
		m.payload_bytes += t->payload_bytes;
		shards[m.count++] = (struct tfr_manifest_shard){
			.name = (char *)(uintptr_t)tfr_last_part(w->files[k]),
			.records = t->records,
			.bytes = t->file_bytes,
			.sum = t->sum,
			.crc = t->file_crc,
			.mtime = tfr_writer_mtime(w->shards[k]),
		};
	}
	TFR_TRY(tfr_manifest_format(&text, &m, info, err));
	TFR_TRY(tfr_output_open(out, path, &opts, err));
	TFR_TRY(tfr_output_write(*out, text.data, text.size, err));
	return tfr_output_seal(*out, err);
}

/* --- the note of a part --- */

/* A part of a set: the shards part, part + parts, ... and a note beside them.
 *
 * The note is a manifest of these shards (shard/manifest.c).  It is published with them, as the
 * file that commits them, under a lock of the part.  So parts exchange no data, and a killed part
 * leaves either all of its shards and its note, or the files that existed before.
 *
 * Objects have no journal.  Before the first one appears, a note without shards claims their names,
 * so that a part that was killed in between recognizes them as its own when it runs again. */

/* TFR_END: there is no such file. */
static enum tfr_status read_if_there(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	*m = NULL;
	return status ? status : tfr_manifest_read(path, shards, m, err);
}

enum tfr_status tfr_set_part_open(
	struct tfr_set_writer *w, const struct tfr_set_info *terms, struct tfr_error *err)
{
	struct tfr_manifest *m = NULL;
	enum tfr_status status;

	w->note_path = tfr_set_name_note(&w->name, w->opts.part, w->opts.parts);
	TFR_NEED_MEMORY(w->note_path, err, "creating a set");
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

/* The sealed note, as an output that the caller closes. */
static enum tfr_status write_note(struct tfr_set_writer *w, const struct tfr_set_info *info,
	struct tfr_output **note, struct tfr_error *err)
{
	struct tfr_part_note own = { .part = w->opts.part, .parts = w->opts.parts };

	if (w->tally)
		own.tally = *w->tally;
	own.labels = (char *)(uintptr_t)w->labels;
	return write_manifest(w, w->note_path, info, &own, note, err);
}

/* The manifest of another run does not describe the shards that this part publishes. */
static enum tfr_status remove_manifest(
	const struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_set_name_manifest(&w->name);
	struct tfr_manifest *m = NULL;
	enum tfr_status status;

	TFR_NEED_MEMORY(path, err, "publishing a set");
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
	return status ? status : tfr_output_whole(w->note_path, &opts, text.data, text.size, err);
}

/* Called before anything is published: removes the manifest of an older set, and claims the
 * objects. */
static enum tfr_status begin_part(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_TRY(remove_manifest(w, info, err));
	return claim_objects(w, info, err);
}

void tfr_set_writer_tally(
	struct tfr_set_writer *w, const struct tfr_part_tally *tally, const char *labels)
{
	w->tally = tally;
	w->labels = labels;
}

/* --- publishing --- */

static enum tfr_status add_company(
	struct tfr_set_writer *w, const struct tfr_companion *one, struct tfr_error *err)
{
	TFR_NEED_MEMORY(!TFR_ARRAY_ONE_MORE(w->company, w->n_company), err, "publishing a set");
	w->company[w->n_company++] = *one;
	return TFR_OK;
}

enum tfr_status tfr_set_writer_company(
	struct tfr_set_writer *w, struct tfr_output *file, bool proof, struct tfr_error *err)
{
	return add_company(w, &(struct tfr_companion){ .file = file, .proof = proof }, err);
}

enum tfr_status tfr_set_writer_withdraw(
	struct tfr_set_writer *w, const char *path, struct tfr_error *err)
{
	struct tfr_companion one = { .path = strdup(path) };
	enum tfr_status status =
		one.path ? add_company(w, &one, err) : tfr_fail_nomem(err, "publishing a set");

	if (status)
		free(one.path);
	return status;
}

/* Adds the companions that are proofs, or those that are not. */
static enum tfr_status publish_company(struct tfr_publication *p, const struct tfr_set_writer *w,
	bool proof, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < w->n_company; k++) {
		const struct tfr_companion *one = &w->company[k];

		if (one->proof != proof)
			continue;
		status = one->path ? tfr_publication_withdraw(p, one->path, TFR_PUBLISH_MEMBER, err)
				   : tfr_publication_add(p, one->file,
					     proof ? TFR_PUBLISH_PROOF : TFR_PUBLISH_MEMBER, err);
	}
	return status;
}

/* A set has a manifest; a single file has one if it records which run wrote it. */
static bool has_manifest(const struct tfr_set_writer *w, const struct tfr_set_info *info)
{
	return w->named && (w->name.base || info->options);
}

/* Adds the shards and the files beside them. */
static enum tfr_status add_members(struct tfr_publication *p, struct tfr_set_writer *w,
	const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_TRY(publish_company(p, w, false, err));
	for (uint32_t k = 0; has_manifest(w, info) && k < w->count; k++)
		if (tfr_set_writer_owns(w, k))
			TFR_TRY(tfr_publication_add(
				p, tfr_writer_output(w->shards[k]), TFR_PUBLISH_MEMBER, err));
	return TFR_OK;
}

/* Removes a manifest under the name of version 0.1.0, if it belongs to this set. */
static enum tfr_status withdraw_former(
	struct tfr_publication *p, const struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL, *own = tfr_set_name_manifest(name);
	struct tfr_manifest *old = NULL;
	enum tfr_status status;

	TFR_NEED_MEMORY(own, err, "publishing a set");
	status = tfr_manifest_find(name, &old, &path, err);
	tfr_manifest_free(old);
	if (status == TFR_ENOMEM)
		return status;
	if (status == TFR_END || !path || !strcmp(path, own))
		return TFR_OK;
	return tfr_publication_withdraw(p, path, TFR_PUBLISH_PROOF, err);
}

/* The file of records is the commit point; an old manifest no longer describes it. */
static enum tfr_status add_file(
	struct tfr_publication *p, struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_AUTO_FREE char *manifest = tfr_file_name_beside(w->files[0], "manifest.json");

	TFR_NEED_MEMORY(manifest, err, "publishing a file");
	TFR_TRY(tfr_publication_withdraw(p, manifest, TFR_PUBLISH_PROOF, err));
	return tfr_publication_add(p, tfr_writer_output(w->shards[0]), TFR_PUBLISH_LAST, err);
}

/* The manifest of a set or a file, or the note of a part. */
static enum tfr_status write_proof(struct tfr_set_writer *w, const struct tfr_set_info *info,
	struct tfr_output **out, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;

	if (w->opts.parts)
		return write_note(w, info, out, err);
	path = w->name.base ? tfr_set_name_manifest(&w->name)
			    : tfr_file_name_beside(w->files[0], "manifest.json");
	return write_manifest(w, path, info, NULL, out, err);
}

static enum tfr_status add_proof(struct tfr_publication *p, struct tfr_set_writer *w,
	const struct tfr_set_info *info, struct tfr_output **manifest, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	TFR_TRY(publish_company(p, w, true, err));
	if (!has_manifest(w, info))
		return add_file(p, w, err);
	if (w->name.base && w->lock && !w->opts.parts)
		status = withdraw_former(p, &w->name, err);
	if (!status)
		status = write_proof(w, info, manifest, err);
	if (status)
		return status;
	/* The note of a part stays until the new one replaces it: it claims the names of objects. */
	return tfr_publication_add(
		p, *manifest, w->opts.parts ? TFR_PUBLISH_LAST : TFR_PUBLISH_PROOF, err);
}

/* Publishes the files beside a stream, such as a quarantine. */
static enum tfr_status publish_stream(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_writer_publish(w->shards[0], err);

	assert(w->count == 1);
	for (uint32_t k = 0; !status && k < w->n_company; k++)
		status = tfr_output_publish(w->company[k].file, err);
	return status;
}

/* A single file needs no journal: one rename publishes it. */
static enum tfr_status publish_one(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = tfr_writer_publish(w->shards[0], err);

	assert(w->count == 1);
	return status ? status : tfr_sync_directory_of(w->files[0], err);
}

static enum tfr_status add_beside(
	struct tfr_set_writer *w, struct tfr_stream_writer *file, struct tfr_error *err)
{
	TFR_TRY(tfr_stream_writer_seal(file, err));
	return tfr_set_writer_company(w, tfr_stream_writer_output(file), false, err);
}

/* Whether all can be published. */
static enum tfr_status check_unpublished(
	struct tfr_set_writer *const *w, size_t n, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		TFR_TRY(tfr_latch_check(&w[i]->failed, err));
		if (w[i]->published)
			return tfr_fail_path(err, TFR_EUSAGE, w[i]->subject, "already published:");
	}
	return TFR_OK;
}

static enum tfr_status seal_all(struct tfr_set_writer *const *w, const struct tfr_set_info *info,
	size_t n, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < n; i++) {
		status = tfr_set_writer_seal(w[i], err);
		for (int k = 0; !status && k < TFR_SET_BESIDE; k++)
			status = info[i].beside[k] ? add_beside(w[i], info[i].beside[k], err)
						   : TFR_OK;
	}
	return status;
}

/* Adds all files of all sets, the proofs last. */
static enum tfr_status add_all(struct tfr_publication *p, struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_output **manifests,
	struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint32_t target = 0;

	for (size_t i = 0; !status && i < n; i++) {
		if (w[i]->lock)
			status = tfr_publication_lock(p, w[i]->lock, err);
		if (!status)
			status = w[i]->named ? add_members(p, w[i], &info[i], err)
					     : publish_stream(w[i], err);
	}
	for (size_t i = 0; !status && i < n; i++) {
		if (!w[i]->named)
			continue;
		if (w[i]->lock)
			p->current = target++;
		status = add_proof(p, w[i], &info[i], &manifests[i], err);
	}
	return status;
}

enum tfr_status tfr_set_writers_publish(struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_error *err)
{
	struct tfr_output **manifests;
	struct tfr_publication p = { 0 };
	enum tfr_status status;

	TFR_TRY(check_unpublished(w, n, err));
	manifests = calloc(n + 1, sizeof(struct tfr_output *));
	status = manifests ? seal_all(w, info, n, err) : tfr_fail_nomem(err, "publishing a set");
	for (size_t i = 0; !status && i < n && w[i]->opts.parts; i++)
		status = begin_part(w[i], &info[i], err);
	if (!status && !(n && w[0]->opts.dry_run))
		status = add_all(&p, w, info, n, manifests, err);
	if (!status && p.journal.n == 1 && !p.n_objects && n == 1 && !w[0]->opts.parts)
		status = publish_one(w[0], err);
	else if (!status && (p.journal.n || p.n_objects))
		status = tfr_publication_commit(&p, w[0]->opts.temporaries, err);
	for (size_t i = 0; manifests && i < n; i++)
		tfr_output_close(manifests[i]);
	for (size_t i = 0; i < n; i++) {
		w[i]->published = !status;
		tfr_latch_keep(&w[i]->failed, status, err);
	}
	free((void *)manifests);
	tfr_publication_clear(&p);
	return status;
}

enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	static const struct tfr_set_info nothing;

	return tfr_set_writers_publish(&w, info ? info : &nothing, 1, err);
}
