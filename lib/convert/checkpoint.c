/* convert/checkpoint.c - the saved position of a run: a text of options, a digest of the input,
 * and the state of the other parts.
 *
 * The text is compared line by line, so that the first difference can be printed.  The digest is
 * computed at the first checkpoint, and by a run that finds one: a short run does not pay for
 * it. */
#include "convert/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <tfr-private/io.h>
#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/unread.h"
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "io/temporaries.h"
#include "shard/manifests.h"

/* --- the file --- */

/* The saved state of a run, from which another run of the same build on the same machine
 * continues.
 *
 * The body in its form in memory, between a magic and a checksum. */

static const char MAGIC[8] = "tfrshrd5";

enum { BLOCK = 1 << 20 };

static enum tfr_status refuse(
	const char *path, const char *why, const char *hint, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_EDATA, path, "will not resume from %s:", why);
	tfr_error_hint(err, "%s", hint);
	return TFR_EDATA;
}

/* A file that another user could have created or changed is not read: the state decides what a
 * resumed run writes and where. */
static enum tfr_status check_owner(const char *path, const struct stat *st, struct tfr_error *err)
{
	static const char again[] = "Remove it to begin again.";
	const char *slash = strrchr(path, '/');
	TFR_AUTO_FREE char *folder =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	struct stat at;

	TFR_NEED_MEMORY(folder, err, "looking for a run to resume");
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1)
		return refuse(
			path, "anything that is not a regular file with one name", again, err);
	if (st->st_uid != geteuid())
		return refuse(path, "the file of another user", again, err);
	if (stat(folder, &at))
		return tfr_fail_errno(err, errno, folder, "cannot open");
	if ((st->st_mode & S_IWOTH) || ((at.st_mode & S_IWOTH) && !(at.st_mode & S_ISVTX)))
		return refuse(path, "a file that other users could replace",
			"Remove it to begin again; 'chmod o-w' on its folder makes the next run "
			"resumable.",
			err);
	return TFR_OK;
}

/* Reads the file, if it begins with the magic: in growing pieces, because a sparse file can claim
 * any size. */
static enum tfr_status read_file(const char *path, struct tfr_buf *buf, struct tfr_error *err)
{
	TFR_AUTO_CLOSE int fd = TEMP_FAILURE_RETRY(
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
	struct stat st;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return TFR_END;
	if (fd < 0 && errno == ELOOP)
		return refuse(path, "a symbolic link", "Remove it to begin again.", err);
	if (fd < 0 || fstat(fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (!st.st_nlink) /* the run that it belonged to has just ended */
		return TFR_END;
	TFR_TRY(check_owner(path, &st, err));
	do {
		TFR_NEED_MEMORY(tfr_buf_reserve(buf, BLOCK), err, "looking for a run to resume");
		n = tfr_fd_read(fd, buf->data + buf->size, BLOCK, -1);
		if (n < 0)
			return tfr_fail_errno(err, errno, path, "cannot read");
		buf->size += (size_t)n;
		if (buf->size < sizeof(MAGIC) || memcmp(buf->data, MAGIC, sizeof(MAGIC)))
			return TFR_END;
	} while (n == BLOCK);
	return TFR_OK;
}

/* Reads the file into `body`; *unread covers all of it.  TFR_END: no file, another kind, or
 * damaged. TFR_EDATA: not a regular file with one name that this user owns, or other users may
 * write to it or to its folder; the hint says how to begin again.  The body has passed a checksum,
 * which anyone can compute, so its numbers must be checked before use. */
static enum tfr_status state_load(
	const char *path, struct tfr_buf *body, struct tfr_unread *unread, struct tfr_error *err)
{
	uint64_t sum;
	size_t size;

	body->size = 0;
	TFR_TRY(read_file(path, body, err));
	if (body->size < sizeof(MAGIC) + sizeof(sum))
		return TFR_END;
	size = body->size - sizeof(MAGIC) - sizeof(sum);
	memcpy(&sum, body->data + sizeof(MAGIC) + size, sizeof(sum));
	if (sum != XXH3_64bits(body->data + sizeof(MAGIC), size))
		return TFR_END;
	*unread = (struct tfr_unread){ body->data + sizeof(MAGIC),
		body->data + sizeof(MAGIC) + size };
	return TFR_OK;
}

/* --- the checkpoint --- */

#define INTERVAL 10.0 /* seconds */

/* --- what decides the bytes --- */

static bool say(struct tfr_buf *said, const char *what, const char *value)
{
	char line[4200];

	return tfr_buf_printf(said, "%s %s\n", what, tfr_escape_line(line, sizeof(line), value));
}

static enum tfr_status say_all(struct tfr_checkpoint *c, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = c->opts;
	const struct {
		const char *what;
		uint64_t value;
	} numbers[] = {
		{ "compression", o->output.writer.compression },
		{ "level", (uint64_t)o->output.writer.level },
		{ "shard size", o->output.shard_size },
		{ "records per shard", o->output.records_per_shard },
		{ "label base", (uint64_t)o->classes.base },
		{ "shuffle", o->order.shuffle },
		{ "keep order", o->order.keep },
		{ "seed", o->order.seed },
		{ "verify", o->images.verify },
		{ "on error", o->run.on_error },
	};
	struct tfr_buf *s = &c->said;
	bool good = say(s, "version", tfr_version()) && say(s, "kind", c->in->ops->name);

	for (size_t k = 0; good && k < o->input.count; k++)
		good = say(s, "input", o->input.paths[k]);
	if (good && o->output.tfds)
		good = say(s, "tfds", o->output.tfds);
	for (size_t t = 0; good && t < o->output.target_count; t++)
		good = say(s, "set", o->output.targets[t].set) &&
		       (o->output.targets[t].folder ? say(s, "folder", o->output.targets[t].folder)
						    : tfr_buf_printf(s, "fraction %.17g\n",
							      o->output.targets[t].fraction));
	for (size_t k = 0; good && k < sizeof(numbers) / sizeof(*numbers); k++)
		good = tfr_buf_printf(
			s, "%s %llu\n", numbers[k].what, (unsigned long long)numbers[k].value);
	good = good && say(s, "quarantine", o->run.quarantine ? o->run.quarantine : "none") &&
	       (!o->output.options ||
		       tfr_buf_append(s, o->output.options, strlen(o->output.options))) &&
	       tfr_buf_append(s, "", 1);
	return good ? TFR_OK : tfr_fail_nomem(err, "noting the options");
}

static enum tfr_status take_digest(struct tfr_checkpoint *c, struct tfr_error *err)
{
	if (!c->digested)
		TFR_TRY(tfr_input_digest(c->in, c->items, &c->digest, err));
	c->digested = true;
	return TFR_OK;
}

/* --- an existing checkpoint --- */

static enum tfr_status look_at(struct tfr_checkpoint *c, struct tfr_error *err)
{
	uint64_t size = 0, digest = 0;
	const char *said;
	enum tfr_status status;

	if (!tfr_unread_copy(&c->found, &size, sizeof(size)) ||
		!tfr_unread_copy(&c->found, &digest, sizeof(digest)) ||
		!(said = tfr_unread_take(&c->found, size)) || !size || said[size - 1])
		return tfr_fail_path(
			err, TFR_EDATA, c->path, "the saved position of a run is damaged:");
	status =
		tfr_options_compare(said, (const char *)c->said.data, "the run to be resumed", err);
	if (status) {
		tfr_error_hint(err, "Use the options of that run, or remove '%s' to start again.",
			c->path);
		return status;
	}
	TFR_TRY(take_digest(c, err));
	if (digest == c->digest)
		return TFR_OK;
	return tfr_fail_path(err, TFR_EDATA, c->opts->input.paths[0],
		"since the run to be resumed, files were changed, added or removed in");
}

void tfr_checkpoint_hint(
	const struct tfr_checkpoint *c, enum tfr_status status, struct tfr_error *err)
{
	if (err && status == TFR_EDATA && c->resumes && !*tfr_error_hint_text(err))
		tfr_error_hint(err, "Remove '%s' to start again.", c->path);
}

/* An upload ends with its process. */
static enum tfr_status check_objects(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	const char *object = NULL;

	for (size_t t = 0; t < o->output.target_count; t++)
		object = tfr_is_url(o->output.targets[t].set) ? o->output.targets[t].set : object;
	object = o->run.quarantine && tfr_is_url(o->run.quarantine) ? o->run.quarantine : object;
	object = o->run.report && tfr_is_url(o->run.report) ? o->run.report : object;
	if (!object)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Start it without --resume, or write to a local folder and copy that.",
		"a run that writes to '%s' cannot be resumed", object);
}

/* Whether this run can be resumed; TFR_EUSAGE says why not. */
static enum tfr_status check(const struct tfr_checkpoint *c, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = c->opts;
	struct stat st;

	TFR_TRY(check_objects(o, err));
	for (size_t t = 0; t < o->output.target_count; t++) {
		const char *set =
			strcmp(o->output.targets[t].set, "-") ? o->output.targets[t].set : NULL;
		enum tfr_status status = set ? tfr_look(set, &st, err) : TFR_OK;

		if (!status && !(set && S_ISREG(st.st_mode)))
			return tfr_fail(err, TFR_EUSAGE,
				"a run that writes to '%s' cannot be resumed",
				set ? set : "standard output");
		if (status && status != TFR_END)
			return status;
	}
	return tfr_input_is_lasting(c->in, "a run that reads it cannot be resumed", err);
}

/* Compares one of the sets with the run that wrote it. */
static enum tfr_status compare_finished(
	struct tfr_checkpoint *c, const struct tfr_manifest *m, struct tfr_error *err)
{
	static const char which[] = "the completed run";
	enum tfr_status status =
		tfr_options_compare(m->options, (const char *)c->said.data, which, err);

	if (!status)
		status = take_digest(c, err);
	if (!status && c->digest != m->inputs)
		status = tfr_fail_path(err, TFR_EUSAGE, c->opts->input.paths[0],
			"since %s, files were changed, added or removed in", which);
	if (status == TFR_EUSAGE)
		tfr_error_hint(err, "Use -f to write the sets again, or the options of that run.");
	return status;
}

enum tfr_status tfr_checkpoint_finished(struct tfr_checkpoint *c, bool *finished,
	struct tfr_convert_report *report, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = c->opts;
	enum tfr_status status = TFR_OK;

	*finished = false;
	if (!o->output.writer.parts && (!o->run.resume || c->resumes || !c->path))
		return TFR_OK;
	for (size_t t = 0; !status && t < o->output.target_count; t++) {
		struct tfr_manifest *m = NULL;

		status = tfr_finished_find(&m, o->output.targets[t].set, err);
		if (!status)
			status = compare_finished(c, m, err);
		if (!status) {
			report->records += m->records;
			report->sum += m->sum;
		}
		tfr_manifest_free(m);
	}
	*finished = !status;
	if (status)
		report->records = report->sum = 0;
	if (status == TFR_END || (status == TFR_EUSAGE && o->output.writer.force))
		return TFR_OK;
	return status;
}

enum tfr_status tfr_checkpoint_said(
	struct tfr_checkpoint *c, const char **options, uint64_t *inputs, struct tfr_error *err)
{
	*options = NULL;
	*inputs = 0;
	if (!c->opts->output.writer.parts && !c->path)
		return TFR_OK;
	TFR_TRY(take_digest(c, err));
	*options = (const char *)c->said.data;
	*inputs = c->digest;
	return TFR_OK;
}

enum tfr_status tfr_checkpoint_open(struct tfr_checkpoint *c, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_error *err)
{
	enum tfr_status status;

	c->opts = opts;
	c->in = in;
	if (opts->output.writer.parts)
		return say_all(c, err);
	status = check(c, err);
	if (status)
		return status == TFR_EUSAGE && !opts->run.resume ? TFR_OK : status;
	c->path = tfr_hidden_name(opts->output.targets[0].set, 0, "resume");
	TFR_NEED_MEMORY(c->path, err, "noting how far a run is");
	TFR_TRY(say_all(c, err));
	if (!opts->run.resume)
		return TFR_OK;
	status = state_load(c->path, &c->body, &c->found, err);
	if (status == TFR_END)
		return TFR_OK;
	c->resumes = !status;
	if (!status)
		status = look_at(c, err);
	c->saved = !status;
	tfr_checkpoint_hint(c, status, err);
	return status;
}

/* --- saving --- */

static void set_due(struct tfr_checkpoint *c)
{
	double seconds = c->opts->run.checkpoint > 0 ? c->opts->run.checkpoint : INTERVAL;

	c->due = tfr_clock_ns() + (uint64_t)(seconds * 1e9);
}

void tfr_checkpoint_begin(struct tfr_checkpoint *c)
{
	TFR_AUTO_FREE char *half = NULL; /* of a run that was killed while it wrote a checkpoint */

	set_due(c);
	if (!c->path || c->resumes)
		return;
	unlink(c->path);
	half = tfr_hidden_name(c->path, 0, "tmp");
	if (half)
		tfr_left_file_remove(half);
}

bool tfr_checkpoint_is_due(const struct tfr_checkpoint *c)
{
	return c->path && c->opts->run.checkpoint >= 0 && tfr_clock_ns() >= c->due;
}

enum tfr_status tfr_checkpoint_save(
	struct tfr_checkpoint *c, const struct tfr_buf *body, struct tfr_error *err)
{
	struct tfr_output_opts opts = { .force = true,
		.temporaries = c->opts->output.writer.temporaries };
	uint64_t size = c->said.size, sum;
	enum tfr_status status;

	TFR_TRY(take_digest(c, err));
	c->body.size = 0;
	if (!tfr_buf_append(&c->body, MAGIC, sizeof(MAGIC)) ||
		!tfr_buf_append(&c->body, &size, sizeof(size)) ||
		!tfr_buf_append(&c->body, &c->digest, sizeof(c->digest)) ||
		!tfr_buf_append(&c->body, c->said.data, size) ||
		!tfr_buf_append(&c->body, body->data, body->size))
		return tfr_fail_nomem(err, "noting how far a run is");
	sum = XXH3_64bits(c->body.data + sizeof(MAGIC), c->body.size - sizeof(MAGIC));
	TFR_NEED_MEMORY(
		tfr_buf_append(&c->body, &sum, sizeof(sum)), err, "noting how far a run is");
	/* Registered before its temporary file is: a signal removes this one first, so that no
	 * later renaming restores it. */
	if (!c->opts->run.resume && !c->noted)
		c->noted = tfr_temporaries_note(c->opts->output.writer.temporaries, c->path);
	/* Completely or not at all; it is on disk when this returns. */
	status = tfr_output_whole(c->path, &opts, c->body.data, c->body.size, err);
	c->saved = !status || c->saved;
	set_due(c);
	return status;
}

void tfr_checkpoint_done(struct tfr_checkpoint *c)
{
	if (c->saved)
		unlink(c->path);
	c->saved = false;
}

void tfr_checkpoint_close(struct tfr_checkpoint *c)
{
	if (c->saved && !c->opts->run.resume)
		unlink(c->path);
	tfr_temporaries_forget(c->noted);
	free(c->path);
	tfr_buf_clear(&c->said);
	tfr_buf_clear(&c->body);
	*c = (struct tfr_checkpoint){ 0 };
}
