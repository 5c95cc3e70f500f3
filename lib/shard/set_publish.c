/* shard/set_publish.c - publishes sets and their companion files together.
 *
 * This file only lists the files; shard/publication.c carries out the steps. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "shard/manifest.h"
#include "shard/manifests.h"
#include "shard/publication.h"
#include "shard/set_writer_state.h"

static enum tfr_status add_company(
	struct tfr_set_writer *w, const struct tfr_companion *one, struct tfr_error *err)
{
	if (TFR_ARRAY_ONE_MORE(w->company, w->n_company))
		return tfr_fail_nomem(err, "publishing a set");
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
	enum tfr_status status = publish_company(p, w, false, err);

	for (uint32_t k = 0; !status && has_manifest(w, info) && k < w->count; k++)
		if (tfr_set_writer_owns(w, k))
			status = tfr_publication_add(
				p, tfr_writer_output(w->shards[k]), TFR_PUBLISH_MEMBER, err);
	return status;
}

/* Removes a manifest under the name of version 0.1.0, if it belongs to this set. */
static enum tfr_status withdraw_former(
	struct tfr_publication *p, const struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL, *own = tfr_set_name_manifest(name);
	struct tfr_manifest *old = NULL;
	enum tfr_status status;

	if (!own)
		return tfr_fail_nomem(err, "publishing a set");
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
	enum tfr_status status =
		manifest ? tfr_publication_withdraw(p, manifest, TFR_PUBLISH_PROOF, err)
			 : tfr_fail_nomem(err, "publishing a file");

	return status ? status
		      : tfr_publication_add(
				p, tfr_writer_output(w->shards[0]), TFR_PUBLISH_LAST, err);
}

enum tfr_status tfr_set_write_manifest(struct tfr_set_writer *w, const char *path,
	const struct tfr_set_info *info, struct tfr_part_note *note, struct tfr_output **out,
	struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = true, .temporaries = w->opts.temporaries };
	TFR_AUTO_FREE struct tfr_manifest_shard *shards = calloc(w->count, sizeof(*shards));
	struct tfr_manifest m = { .shards = shards, .note = note };
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status = shards && path ? TFR_OK : tfr_fail_nomem(err, "publishing a set");

	for (uint32_t k = 0; !status && k < w->count; k++) {
		const struct tfr_totals *t;
		char *slash = strrchr(w->files[k], '/');

		if (!w->shards[k])
			continue;
		t = tfr_writer_totals(w->shards[k]);
		m.payload_bytes += t->payload_bytes;
		shards[m.count++] = (struct tfr_manifest_shard){
			.name = slash ? slash + 1 : w->files[k],
			.records = t->records,
			.bytes = t->file_bytes,
			.sum = t->sum,
			.crc = t->file_crc,
			.mtime = tfr_writer_mtime(w->shards[k]),
		};
	}
	if (!status)
		status = tfr_manifest_format(&text, &m, info, err);
	if (!status)
		status = tfr_output_open(out, path, &opts, err);
	if (!status)
		status = tfr_output_write(*out, text.data, text.size, err);
	return status ? status : tfr_output_seal(*out, err);
}

/* The manifest of a set or a file, or the note of a part. */
static enum tfr_status write_proof(struct tfr_set_writer *w, const struct tfr_set_info *info,
	struct tfr_output **out, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;

	if (w->opts.parts)
		return tfr_set_part_note(w, info, out, err);
	path = w->name.base ? tfr_set_name_manifest(&w->name)
			    : tfr_file_name_beside(w->files[0], "manifest.json");
	return tfr_set_write_manifest(w, path, info, NULL, out, err);
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
	enum tfr_status status = tfr_stream_writer_seal(file, err);

	return status ? status
		      : tfr_set_writer_company(w, tfr_stream_writer_output(file), false, err);
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
	struct tfr_output **manifests = calloc(n + 1, sizeof(struct tfr_output *));
	struct tfr_publication p = { 0 };
	enum tfr_status status =
		manifests ? seal_all(w, info, n, err) : tfr_fail_nomem(err, "publishing a set");

	for (size_t i = 0; !status && i < n && w[i]->opts.parts; i++)
		status = tfr_set_part_begin(w[i], &info[i], err);
	if (!status && !(n && w[0]->opts.dry_run))
		status = add_all(&p, w, info, n, manifests, err);
	if (!status && p.journal.n == 1 && !p.n_objects && n == 1 && !w[0]->opts.parts)
		status = publish_one(w[0], err);
	else if (!status && (p.journal.n || p.n_objects))
		status = tfr_publication_commit(&p, w[0]->opts.temporaries, err);
	for (size_t i = 0; status && i < n && w[i]->opts.parts; i++)
		tfr_set_part_undo(w[i]);
	for (size_t i = 0; manifests && i < n; i++)
		tfr_output_close(manifests[i]);
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
