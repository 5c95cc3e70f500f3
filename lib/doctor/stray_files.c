/* doctor/stray_files.c - checks the files in a folder that belong to no set. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/doctor.h"
#include "io/object.h"

enum { MOST_NAMED = 8 };

/* Reports the files of one kind: the words before and after their text. */
static void tell_each(
	struct tfr_doctor *d, enum tfr_dwhat what, const char *before, const char *after)
{
	for (size_t i = 0; i < d->other_count; i++)
		if (d->others[i].what == what)
			tfr_doctor_tell(d, d->others[i].path, NULL, "%s%s%s", before,
				d->others[i].text, after);
}

void tfr_doctor_unreadable(struct tfr_doctor *d)
{
	size_t before = d->finding_count;

	tell_each(d, TFR_D_UNREADABLE, "it cannot be read: ", "");
	for (size_t i = 0; i < d->file_count; i++)
		if (d->files[i].look.system)
			tfr_doctor_tell(d, d->files[i].path, NULL, "%s", d->files[i].look.damage);
	for (size_t i = before; i < d->finding_count; i++)
		d->findings[i].system = true;
}

void tfr_doctor_foreign(struct tfr_doctor *d)
{
	tell_each(d, TFR_D_FOREIGN, "called a TFRecord file, it is ", ": every reader fails there");
}

void tfr_doctor_special(struct tfr_doctor *d)
{
	tell_each(d, TFR_D_SPECIAL, "no file of records but ", "");
}

static const char *temporary_text(const char *path)
{
	const char *dot = strrchr(path, '.');
	struct stat st;

	if (!strcmp(dot, ".old"))
		return "the former content of a file that a killed run was replacing; the next "
		       "command that writes the set restores or removes it";
	if (strcmp(dot, ".lock") != 0)
		return "left by a run that was killed; no process is writing it.  'tfr repair' "
		       "reads the records in it, and '--resume' may need it";
	if (tfr_stat(path, &st) == 0 && st.st_size > 0)
		return "a run was killed while it published; the next command that writes the "
		       "set undoes or finishes what it began";
	return "left by a run that was killed; the next command that writes the set removes it";
}

/* By AWS's command line, which also speaks to GCS with its HMAC keys. */
static void tell_upload(struct tfr_doctor *d, const struct tfr_dother *o)
{
	const char *bucket = strstr(o->path, "://") + 3, *key = strchr(bucket, '/');
	TFR_AUTO_FREE char *name = key ? strndup(bucket, (size_t)(key - bucket)) : NULL;
	const struct tfr_object_module *remote;
	struct tfr_command c = { 0 };
	char endpoint[512] = "";

	tfr_command_add(&c, "aws", "s3api", "abort-multipart-upload", NULL);
	if (!tfr_objects(&remote, o->path, NULL))
		remote->endpoint(o->path, endpoint, sizeof(endpoint));
	if (*endpoint)
		tfr_command_add(&c, "--endpoint-url", endpoint, NULL);
	if (name)
		tfr_command_add(
			&c, "--bucket", name, "--key", key + 1, "--upload-id", o->text, NULL);
	tfr_doctor_tell(d, o->path, name ? &c : NULL,
		"an upload that was not completed, and whose parts are paid for; abort it if no "
		"process is writing the object");
}

void tfr_doctor_uploads(struct tfr_doctor *d)
{
	tell_each(d, TFR_D_NO_UPLOADS, "unfinished uploads cannot be listed: ", "");
}

void tfr_doctor_temporary(struct tfr_doctor *d)
{
	for (size_t i = 0; i < d->other_count; i++) {
		const struct tfr_dother *o = &d->others[i];

		if (o->what == TFR_D_TEMPORARY)
			tfr_doctor_tell(d, o->path, NULL, "%s", temporary_text(o->path));
		else if (o->what == TFR_D_UPLOAD)
			tell_upload(d, o);
	}
}

/* Moves the files of one kind out of the way, if their names can be listed. */
static void move_away(struct tfr_command *c, const struct tfr_doctor *d, size_t first)
{
	const char *path = d->others[first].path;
	TFR_AUTO_FREE char *folder = NULL;

	folder = tfr_asprintf("%.*sothers", (int)(tfr_doctor_base_name(path) - path), path);
	c->no_memory |= !folder;
	if (!folder)
		return;
	tfr_command_add(c, "mkdir", "-p", folder, "&&", "mv", "-n", NULL);
	for (size_t i = first; i < d->other_count; i++)
		if (d->others[i].what == TFR_D_STRANGER &&
			!strcmp(d->others[i].text, d->others[first].text))
			tfr_command_add(c, d->others[i].path, NULL);
	tfr_command_add(c, folder, NULL);
}

static bool told_before(const struct tfr_doctor *d, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (d->others[k].what == TFR_D_STRANGER &&
			!strcmp(d->others[k].text, d->others[i].text))
			return true;
	return false;
}

void tfr_doctor_stranger(struct tfr_doctor *d)
{
	for (size_t i = 0; i < d->other_count; i++) {
		const struct tfr_dother *o = &d->others[i];
		struct tfr_command c = { 0 };
		char files[64];
		size_t n = 0;

		if (o->what != TFR_D_STRANGER || told_before(d, i))
			continue;
		for (size_t k = i; k < d->other_count; k++)
			n += d->others[k].what == TFR_D_STRANGER &&
			     !strcmp(d->others[k].text, o->text);
		if (n <= MOST_NAMED && !tfr_is_url(o->path))
			move_away(&c, d, i);
		if (n == 1)
			tfr_doctor_tell(d, o->path, &c, "no TFRecord file but %s", o->text);
		else
			tfr_doctor_tell(d, o->path, &c,
				"the first of %s that are none of records: each is %s",
				tfr_format_grouped(n, "file", files), o->text);
	}
}
