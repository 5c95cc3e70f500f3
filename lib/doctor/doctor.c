/* doctor/doctor.c - the table of checks, and the findings that they report.
 *
 * A check is one row.  It examines the collected facts and reports findings under the row's name
 * and level.  After all checks have run, the findings are sorted here. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

#include "base/array.h"

static const struct tfr_check_row rows[] = {
	/* files of the folder */
	{ "unreadable", TFR_GRAVITY_ERROR, .all = tfr_doctor_unreadable },
	{ "foreign", TFR_GRAVITY_ERROR, .all = tfr_doctor_foreign },
	{ "special", TFR_GRAVITY_WARNING, .all = tfr_doctor_special },
	{ "temporary", TFR_GRAVITY_WARNING, .all = tfr_doctor_temporary },
	{ "stranger", TFR_GRAVITY_NOTE, .all = tfr_doctor_stranger },
	{ "uploads", TFR_GRAVITY_NOTE, .all = tfr_doctor_uploads },
	/* sets and their manifests */
	{ "missing", TFR_GRAVITY_ERROR, .set = tfr_doctor_missing },
	{ "mixture", TFR_GRAVITY_ERROR, .all = tfr_doctor_mixture },
	{ "twice", TFR_GRAVITY_WARNING, .all = tfr_doctor_twice },
	{ "empty", TFR_GRAVITY_WARNING, .set = tfr_doctor_empty },
	{ "manifest", TFR_GRAVITY_ERROR, .set = tfr_doctor_manifest },
	{ "dataset-info", TFR_GRAVITY_ERROR, .set = tfr_doctor_dataset_info },
	{ "no-manifest", TFR_GRAVITY_NOTE, .set = tfr_doctor_no_manifest },
	/* bytes */
	{ "damage", TFR_GRAVITY_ERROR, .set = tfr_doctor_damage },
	{ "called-gz", TFR_GRAVITY_WARNING, .set = tfr_doctor_called_gz },
	{ "not-called-gz", TFR_GRAVITY_NOTE, .set = tfr_doctor_not_called_gz },
	{ "one-stream", TFR_GRAVITY_WARNING, .set = tfr_doctor_one_stream },
	{ "stale-index", TFR_GRAVITY_WARNING, .set = tfr_doctor_stale_index },
	/* records */
	{ "two-kinds", TFR_GRAVITY_ERROR, .set = tfr_doctor_two_kinds },
	{ "oversized", TFR_GRAVITY_WARNING, .set = tfr_doctor_oversized },
	{ "drift", TFR_GRAVITY_WARNING, .set = tfr_doctor_drift },
	{ "leak", TFR_GRAVITY_ERROR, .all = tfr_doctor_leak },
	{ "copies", TFR_GRAVITY_WARNING, .all = tfr_doctor_copies },
	{ "overlap", TFR_GRAVITY_NOTE, .all = tfr_doctor_overlap },
	{ "duplicates", TFR_GRAVITY_NOTE, .set = tfr_doctor_duplicates },
	/* classes and their order */
	{ "class-numbers", TFR_GRAVITY_ERROR, .all = tfr_doctor_class_numbers },
	{ "no-label", TFR_GRAVITY_ERROR, .set = tfr_doctor_no_label },
	{ "unlabelled", TFR_GRAVITY_WARNING, .set = tfr_doctor_unlabelled },
	{ "one-class", TFR_GRAVITY_WARNING, .set = tfr_doctor_one_class },
	{ "skew", TFR_GRAVITY_WARNING, .set = tfr_doctor_skew },
	{ "order", TFR_GRAVITY_WARNING, .set = tfr_doctor_order },
	/* how many files, and how large */
	{ "uneven", TFR_GRAVITY_WARNING, .set = tfr_doctor_uneven },
	{ "tiny", TFR_GRAVITY_NOTE, .set = tfr_doctor_tiny },
	{ "large", TFR_GRAVITY_NOTE, .set = tfr_doctor_large },
	{ "sampled", TFR_GRAVITY_NOTE, .set = tfr_doctor_sampled },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

const char *tfr_gravity_name(enum tfr_gravity level)
{
	static const char *const names[] = { "note", "warning", "error" };

	return names[level];
}

/* --- reporting --- */

/* Whether a word of the command is the name of this set. */
static bool names_set(const struct tfr_command *c, const struct tfr_dset *s)
{
	struct tfr_command name = { 0 };
	const char *p = (const char *)c->text.data, *end = p + c->text.size;
	bool found = false;

	tfr_command_add(&name, s->name, NULL);
	while (!found && name.text.size &&
		(p = memmem(p, (size_t)(end - p), name.text.data, name.text.size))) {
		const char *after = p + name.text.size;

		found = p > (const char *)c->text.data && p[-1] == ' ' &&
			(after == end || *after == ' ');
		p++;
	}
	tfr_buf_clear(&name.text);
	return found;
}

/* Whether damage or a missing member would make the command fail.  These have findings of their
 * own, whose commands do not fail. */
static bool would_fail(const struct tfr_doctor *d, const struct tfr_command *c)
{
	static const char allowing[] = "--allow-missing", repairing[] = "tfr repair ";
	bool allows = memmem(c->text.data, c->text.size, allowing, sizeof(allowing) - 1);

	if (memmem(c->text.data, c->text.size, repairing, sizeof(repairing) - 1) || c->tells)
		return false;
	for (size_t i = 0; i < d->set_count; i++) {
		const struct tfr_dset *s = &d->sets[i];
		bool lacks = tfr_doctor_absent(s) && !allows;

		if ((lacks || tfr_doctor_damaged(d, s)) && names_set(c, s))
			return true;
	}
	return false;
}

static struct tfr_doctor_finding *new_finding(struct tfr_doctor *d)
{
	if (TFR_ARRAY_RESERVE(d->findings, d->finding_cap, d->finding_count + 1))
		return NULL;
	return &d->findings[d->finding_count++];
}

void tfr_doctor_tell(struct tfr_doctor *d, const char *subject, struct tfr_command *command,
	const char *format, ...)
{
	bool has = command && command->text.size && !would_fail(d, command);
	struct tfr_doctor_finding *f = new_finding(d);
	char *text = NULL;
	va_list args;

	if (f) {
		va_start(args, format);
		if (vasprintf(&text, format, args) < 0)
			text = NULL;
		va_end(args);
		*f = (struct tfr_doctor_finding){ .name = d->row->name,
			.level = d->row->level,
			.subject = strdup(subject),
			.text = text,
			.command = has ? strndup((char *)command->text.data, command->text.size)
				       : NULL,
			.fixes = has && !command->tells };
	}
	d->no_memory |= !f || !f->subject || !text || (has && !f->command);
	if (command) {
		d->no_memory |= command->no_memory;
		tfr_buf_clear(&command->text);
	}
}

bool tfr_doctor_ends(enum tfr_status status, const struct tfr_error *why)
{
	bool answered = why->sys_errno == ENOENT || why->sys_errno == EACCES;

	return status == TFR_ENOMEM ||
	       (status == TFR_ESYS && (tfr_errno_of_process(why->sys_errno) ||
					      (!answered && tfr_is_url(tfr_error_path(why)))));
}

void tfr_doctor_fail(struct tfr_doctor *d, enum tfr_status status, const struct tfr_error *why)
{
	if (!d->failure.status && tfr_doctor_ends(status, why))
		d->failure = *why;
}

static void run_checks(struct tfr_doctor *d)
{
	for (size_t i = 0; i < ROWS && !d->failure.status; i++) {
		assert(!rows[i].all != !rows[i].set);
		d->row = &rows[i];
		if (rows[i].all)
			rows[i].all(d);
		for (size_t k = 0; rows[i].set && k < d->set_count && !d->failure.status; k++)
			rows[i].set(d, &d->sets[k]);
	}
}

/* The worst come first; the sort is stable. */
static bool sort_findings(struct tfr_doctor *d)
{
	struct tfr_doctor_finding *sorted = calloc(d->finding_count + 1, sizeof(*sorted));
	size_t n = 0;

	if (!sorted)
		return false;
	for (int level = TFR_GRAVITY_ERROR; level >= TFR_GRAVITY_NOTE; level--)
		for (size_t i = 0; i < d->finding_count; i++)
			if ((int)d->findings[i].level == level)
				sorted[n++] = d->findings[i];
	assert(n == d->finding_count);
	free(d->findings);
	d->findings = sorted;
	return true;
}

static enum tfr_status examine_files(struct tfr_doctor *d, struct tfr_error *err)
{
	TFR_TRY(tfr_doctor_list(d, err));
	TFR_TRY(tfr_doctor_read(d, err));
	run_checks(d);
	TFR_TRY(tfr_error_pass(&d->failure, err));
	TFR_NEED_MEMORY(!d->no_memory && sort_findings(d), err, "judging");
	return TFR_OK;
}

enum tfr_status tfr_doctor_run(
	struct tfr_doctor **out, const struct tfr_doctor_opts *opts, struct tfr_error *err)
{
	struct tfr_doctor *d = calloc(1, sizeof(*d));
	enum tfr_status status;

	TFR_NEED_MEMORY(d, err, "looking at the files");
	d->opts = opts;
	status = examine_files(d, err);
	d->opts = NULL;
	if (status)
		tfr_doctor_free(d);
	else
		*out = d;
	return status;
}

static void clear_set(struct tfr_dset *s)
{
	free(s->name);
	free(s->base);
	free(s->ext);
	free(s->label);
	tfr_dclasses_clear(&s->classes);
	tfr_dhashes_clear(&s->hashes);
	tfr_dhashes_clear(&s->items);
}

void tfr_doctor_free(struct tfr_doctor *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->file_count; i++) {
		free(d->files[i].path);
		tfr_dlook_clear(&d->files[i].look);
	}
	for (size_t i = 0; i < d->set_count; i++)
		clear_set(&d->sets[i]);
	for (size_t i = 0; i < d->other_count; i++) {
		free(d->others[i].path);
		free(d->others[i].text);
	}
	for (size_t i = 0; i < d->finding_count; i++) {
		free((char *)d->findings[i].subject);
		free((char *)d->findings[i].text);
		free((char *)d->findings[i].command);
	}
	tfr_dataset_info_clear(&d->info);
	free(d->files);
	free(d->sets);
	free(d->others);
	free(d->findings);
	free(d);
}

/* --- results --- */

size_t tfr_doctor_count(const struct tfr_doctor *d)
{
	return d->finding_count;
}

const struct tfr_doctor_finding *tfr_doctor_finding(const struct tfr_doctor *d, size_t i)
{
	assert(i < d->finding_count);
	return &d->findings[i];
}

size_t tfr_doctor_sets(const struct tfr_doctor *d)
{
	return d->set_count;
}

struct tfr_doctor_set tfr_doctor_set(const struct tfr_doctor *d, size_t i)
{
	const struct tfr_dset *s = &d->sets[i];

	assert(i < d->set_count);
	return (struct tfr_doctor_set){ .name = s->name,
		.files = s->files,
		.bytes = s->bytes,
		.records = s->records,
		.read = s->read,
		.complete = s->complete,
		.label = s->classes.n ? s->label : NULL,
		.classes = s->classes.n };
}

void tfr_doctor_json(const struct tfr_doctor *d, struct tfr_json *j)
{
	tfr_json_open_array(j, "sets");
	for (size_t i = 0; i < d->set_count; i++) {
		struct tfr_doctor_set s = tfr_doctor_set(d, i);

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "name", s.name);
		tfr_json_u64(j, "files", s.files);
		tfr_json_u64(j, "bytes", s.bytes);
		tfr_json_u64(j, "records_read", s.records);
		tfr_json_u64(j, "bytes_read", s.read);
		tfr_json_bool(j, "complete", s.complete);
		if (s.label) {
			tfr_json_string(j, "label", s.label);
			tfr_json_u64(j, "classes", s.classes);
		}
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_u64(j, "files_not_inspected", d->files_left);
	tfr_json_open_array(j, "findings");
	for (size_t i = 0; i < d->finding_count; i++) {
		const struct tfr_doctor_finding *f = &d->findings[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "level", tfr_gravity_name(f->level));
		tfr_json_string(j, "name", f->name);
		tfr_json_string(j, "subject", f->subject);
		tfr_json_string(j, "text", f->text);
		if (f->command) {
			tfr_json_string(j, "command", f->command);
			tfr_json_bool(j, "fixes", f->fixes);
		}
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}
