/* rewrite/shuffle/resume.c - the file with the positions of the records after a finished pass,
 * and the run it belongs to.  Only the same version can read it, because the version is part of
 * the fingerprint. */
#include "rewrite/shuffle/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/error.h"
#include "shard/finished_run.h"
#include "shard/state_file.h"

static const char MAGIC[] = "tfrshuf3";

char *tfr_resume_path(const char *folder, const char *name)
{
	return tfr_asprintf("%s/.%s-state", folder, name);
}

char *tfr_resume_name(const char *output)
{
	const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
	TFR_AUTO_FREE char *folder = tfr_default_tmpdir(output), *real = NULL;

	real = folder ? realpath(folder, NULL) : NULL;
	if (!real)
		real = folder ? strdup(folder) : NULL;
	if (!real)
		return NULL;
	return tfr_asprintf("%s.shuffle-%08x", base, (unsigned)XXH3_64bits(real, strlen(real)));
}

/* --- identity of a run --- */

static void mix(XXH3_state_t *x, const void *data, size_t size)
{
	XXH3_64bits_update(x, &size, sizeof(size));
	XXH3_64bits_update(x, data, size);
}

static void mix_text(XXH3_state_t *x, const char *text)
{
	mix(x, text ? text : "", text ? strlen(text) : 0);
}

static enum tfr_status mix_input(XXH3_state_t *x, const char *path, struct tfr_error *err)
{
	struct stat st;

	if (strcmp(path, "-") && tfr_stat(path, &st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (!strcmp(path, "-") || !S_ISREG(st.st_mode))
		return tfr_fail_path(err, TFR_EUSAGE, path,
			"a shuffle can be resumed from files only, not from");
	mix_text(x, path);
	mix(x, &st.st_size, sizeof(st.st_size));
	mix(x, &st.st_mtim, sizeof(st.st_mtim));
	mix(x, &st.st_ino, sizeof(st.st_ino));
	return TFR_OK;
}

enum tfr_status tfr_resume_fingerprint(const struct tfr_shuffle_opts *o, const char *const *folders,
	size_t count, uint64_t *fingerprint, struct tfr_error *err)
{
	const uint64_t numbers[] = { o->common.seed, o->common.sweep.skip_damaged };
	XXH3_state_t *x = XXH3_createState();
	enum tfr_status status = TFR_OK;

	if (!x)
		return tfr_fail_nomem(err, "looking at the inputs");
	if (!strcmp(o->output, "-"))
		status = tfr_fail(err, TFR_EUSAGE,
			"a shuffle can be resumed to a file or a set only, not to standard output");
	XXH3_64bits_reset(x);
	mix_text(x, tfr_version());
	mix(x, numbers, sizeof(numbers));
	mix_text(x, o->common.sweep.where);
	for (size_t k = 0; k < count; k++)
		mix_text(x, folders[k]);
	for (size_t k = 0; !status && k < tfr_set_count(o->common.sweep.input); k++)
		status = mix_input(x, tfr_set_path(o->common.sweep.input, k), err);
	*fingerprint = XXH3_64bits_digest(x);
	XXH3_freeState(x);
	return status;
}

/* --- a complete run --- */

static bool say(struct tfr_buf *said, const char *what, const char *value)
{
	char line[4200];

	return tfr_buf_printf(
		said, "%s %s\n", what, tfr_escape_line(line, sizeof(line), value ? value : ""));
}

static bool say_number(struct tfr_buf *said, const char *what, uint64_t value)
{
	return tfr_buf_printf(said, "%s %llu\n", what, (unsigned long long)value);
}

enum tfr_status tfr_resume_said(const struct tfr_shuffle_opts *o, struct tfr_buf *said,
	uint64_t *inputs, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *c = &o->common;
	XXH3_state_t *x = XXH3_createState();
	enum tfr_status status = x ? TFR_OK : tfr_fail_nomem(err, "looking at the inputs");
	bool good = say(said, "version", tfr_version());

	if (x)
		XXH3_64bits_reset(x);
	for (size_t k = 0; !status && k < tfr_set_count(c->sweep.input); k++) {
		status = mix_input(x, tfr_set_path(c->sweep.input, k), err);
		good = good && say(said, "input", tfr_set_path(c->sweep.input, k));
	}
	*inputs = x ? XXH3_64bits_digest(x) : 0;
	XXH3_freeState(x);
	good = good && say(said, "output", o->output) && say(said, "where", c->sweep.where) &&
	       say_number(said, "seed", c->seed) &&
	       say_number(said, "skip damaged", c->sweep.skip_damaged) &&
	       say_number(said, "compression", c->writer.compression) &&
	       say_number(said, "level", (uint64_t)c->writer.level) && tfr_buf_append(said, "", 1);
	return status || good ? status : tfr_fail_nomem(err, "noting the options");
}

enum tfr_status tfr_resume_finished(const struct tfr_shuffle_opts *o, const struct tfr_buf *said,
	uint64_t inputs, struct tfr_shuffle_report *report, struct tfr_error *err)
{
	static const char which[] = "the completed run";
	struct tfr_manifest *m = NULL;
	enum tfr_status status = tfr_finished_find(&m, o->output, err);

	if (!status)
		status = tfr_options_compare(m->options, (const char *)said->data, which, err);
	if (!status && inputs != m->inputs)
		status = tfr_fail(err, TFR_EUSAGE, "the inputs have changed since %s", which);
	if (status == TFR_EUSAGE)
		tfr_error_hint(err, "Give -f to write the output again, or the options it had.");
	if (!status) {
		report->complete = true;
		report->common.written = m->records;
		report->common.sum = m->sum;
		status = tfr_expect_check(&o->common.expect, m->records, m->sum, err);
	}
	tfr_manifest_free(m);
	return status == TFR_END || (status == TFR_EUSAGE && o->common.writer.force) ? TFR_OK
										     : status;
}

/* --- the state --- */

enum tfr_status tfr_resume_save(const char *path, const struct tfr_kept *kept,
	const struct tfr_buckets *buckets, struct tfr_error *err)
{
	TFR_AUTO_BUF buf = { 0 };

	return tfr_kept_pack(kept, buckets, &buf) ? tfr_state_save(path, MAGIC, &buf, NULL, err)
						  : tfr_fail_nomem(err, "noting a finished pass");
}

enum tfr_status tfr_resume_load(const char *path, struct tfr_kept *kept, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, struct tfr_error *err)
{
	uint64_t wanted = kept->fingerprint, found;
	TFR_AUTO_BUF buf = { 0 };
	enum tfr_status status;
	struct tfr_unread bytes;

	status = tfr_state_load(path, MAGIC, &buf, &bytes, err);
	if (status)
		return status;
	if (!tfr_kept_fingerprint(bytes, &found) || found != wanted)
		return TFR_END;
	status = tfr_kept_unpack(kept, bytes, dealt, buckets, err);
	return status == TFR_EDATA ? TFR_END : status;
}
