/* doctor/folder_listing.c - lists a folder and groups its files into sets.
 *
 * Files are one set if they are shards of one set.  Files with other names are one set if their
 * names differ only in digits, and if one pattern matches them and no other file.  Only the first
 * bytes of a file are read here. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/suffix.h"
#include "base/url.h"
#include "doctor/doctor.h"
#include "io/object.h"
#include "io/path.h"
#include "io/source.h"
#include "record/filetype.h"
#include "record/framing.h"
#include "shard/manifests.h"
#include "shard/set.h"
#include "shard/set_name.h"
#include "shard/set_writer.h"

enum { HEAD = 512, MOST_MANIFEST = 64 << 20 };

/* A file of records whose set is not known yet. */
struct found {
	char *path, *key;
	uint64_t size;
	struct tfr_shard_file name; /* of a member of a set of N */
	bool member, gaps;
};

struct list {
	struct tfr_doctor *d;
	struct found *found;
	size_t n, cap;
};

static const char listing[] = "listing the files";

/* The path of a file in a folder, in one spelling: without a leading "./", unless the name would
 * then look like an option. */
static char *join_path(const char *folder, const char *name)
{
	char *path = NULL;
	const char *p;

	if (asprintf(&path, "%s%s%s", folder, !*folder || tfr_has_suffix(folder, "/") ? "" : "/",
		    name) < 0)
		return NULL;
	for (p = path; p[0] == '.' && p[1] == '/' && p[2];)
		for (p += 2; *p == '/' && p[1]; p++)
			;
	if (*p != '-') {
		memmove(path, p, strlen(p) + 1);
		return path;
	}
	p = strdup(p);
	free(path);
	if (!p || asprintf(&path, "./%s", p) < 0)
		path = NULL;
	free((char *)p);
	return path;
}

/* --- the kind of a file --- */

/* Whether the name is that of a file that belongs beside sets. */
static bool named_as_company(const char *name)
{
	static const char *const suffixes[] = { ".idx", ".tfindex", ".gzi", ".json", ".txt", ".md",
		".csv", ".tsv", ".pb", ".pbtxt", ".metadata", ".schema", ".py", ".sh", ".log",
		".html", ".yaml", ".yml" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (tfr_has_suffix(name, suffixes[i]))
			return true;
	return false;
}

static enum tfr_status add_other(struct list *l, enum tfr_dwhat what, const char *path,
	const char *text, struct tfr_error *err)
{
	struct tfr_doctor *d = l->d;
	struct tfr_dother *o;

	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(d->others, d->other_cap, d->other_count + 1), err, listing);
	o = &d->others[d->other_count];
	*o = (struct tfr_dother){ what, strdup(path), strdup(text) };
	d->other_count++; /* freed with the others, also after a failure */
	TFR_NEED_MEMORY(o->path && o->text, err, listing);
	return TFR_OK;
}

static enum tfr_status add_found(
	struct list *l, const char *path, uint64_t size, bool gaps, struct tfr_error *err)
{
	struct found *f;

	TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(l->found, l->cap, l->n + 1), err, listing);
	f = &l->found[l->n];
	*f = (struct found){ .path = strdup(path), .size = size, .gaps = gaps };
	TFR_NEED_MEMORY(f->path, err, listing);
	l->n++;
	f->member = tfr_shard_file_parse(f->path, &f->name);
	return TFR_OK;
}

/* Asks the reader, which decompresses as needed.  Damage is checked later. */
static enum tfr_status ask_reader(const char *path, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .block_size = 16 << 10, .threads = 1 };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	enum tfr_status status = tfr_reader_open(&r, path, &opts, err);

	if (!status)
		status = tfr_reader_next(r, &rec, err);
	tfr_reader_close(r);
	return status;
}

static enum tfr_status look_at_head(struct list *l, const char *path, const struct stat *st,
	bool named, bool gaps, struct tfr_error *err)
{
	bool claims = named || tfr_set_named_as_records(tfr_doctor_base_name(path));
	uint8_t head[HEAD];
	struct tfr_source *s = NULL;
	struct tfr_error inner = { 0 };
	size_t got = 0;
	const char *hint, *is;
	enum tfr_status status = tfr_source_open(&s, path, &inner);

	if (!status)
		status = tfr_source_read(s, head, sizeof(head), &got, &inner);
	tfr_source_close(s);
	if (tfr_doctor_ends(status, &inner))
		return tfr_error_pass(&inner, err);
	if (status) {
		return add_other(l, TFR_D_UNREADABLE, path,
			inner.sys_errno && !inner.explained ? strerror(inner.sys_errno)
							    : inner.message,
			err);
	}
	if (!got && !claims)
		return TFR_OK;
	if (!got)
		return add_found(l, path, 0, gaps, err);
	if (got >= TFR_RECORD_HEADER && tfr_header_verifies(head))
		return add_found(l, path, (uint64_t)st->st_size, gaps, err);
	if (claims || (got > 1 && ((head[0] == 0x1f && head[1] == 0x8b) || head[0] == 0x78))) {
		status = ask_reader(path, &inner);
		if (tfr_doctor_ends(status, &inner))
			return tfr_error_pass(&inner, err);
		if (status != TFR_EFORMAT && (claims || status == TFR_OK))
			return add_found(l, path, (uint64_t)st->st_size, gaps, err);
	}
	is = tfr_filetype_name(head, got, &hint);
	return add_other(l, claims ? TFR_D_FOREIGN : TFR_D_STRANGER, path,
		is ? is : "a file of an unknown kind", err);
}

static enum tfr_status look_at(
	struct list *l, const char *path, bool named, bool gaps, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, &why);
	int fault = status == TFR_END ? ENOENT : why.sys_errno;

	if (tfr_doctor_ends(status, &why))
		return tfr_error_pass(&why, err);
	if (status)
		return add_other(l, TFR_D_SPECIAL, path,
			fault == ENOENT	 ? "a symbolic link to nothing"
			: fault == ELOOP ? "a symbolic link that leads to itself"
					 : strerror(fault),
			err);
	if (S_ISDIR(st.st_mode))
		return TFR_OK;
	if (!S_ISREG(st.st_mode))
		return add_other(l, TFR_D_SPECIAL, path,
			S_ISFIFO(st.st_mode)   ? "a FIFO"
			: S_ISSOCK(st.st_mode) ? "a socket"
					       : "a device",
			err);
	return look_at_head(l, path, &st, named, gaps, err);
}

/* Whether the name is one that tfr uses while it publishes files (tfr-records(5)). */
static bool named_as_temporary(const char *name)
{
	return name[0] == '.' && (tfr_has_suffix(name, ".tmp") || tfr_has_suffix(name, ".lock") ||
					 tfr_has_suffix(name, ".old"));
}

/* Whether this is a regular file that no process has locked.  The shards of a large set are not
 * locked themselves. */
static bool left_behind(const char *path)
{
	int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       TEMP_FAILURE_RETRY(flock(fd, LOCK_SH | LOCK_NB)) == 0;
	close(fd);
	return left && !tfr_temporary_is_written(path);
}

/* --- folders --- */

static enum tfr_status look_at_entry(
	struct list *l, const char *folder, const char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;

	if (named_as_company(name) && name[0] != '.')
		return TFR_OK;
	if (name[0] == '.' && !named_as_temporary(name))
		return TFR_OK;
	path = join_path(folder, name);
	TFR_NEED_MEMORY(path, err, listing);
	if (name[0] == '.')
		return left_behind(path) ? add_other(l, TFR_D_TEMPORARY, path, "", err) : TFR_OK;
	return look_at(l, path, false, true, err);
}

static enum tfr_status take_upload(
	void *ctx, const char *url, const char *id, int64_t began, struct tfr_error *err)
{
	(void)began;
	return add_other(ctx, TFR_D_UPLOAD, url, id, err);
}

/* Public buckets may refuse the request, and some servers do not know it. */
static enum tfr_status add_uploads(struct list *l, const char *url, struct tfr_error *err)
{
	const struct tfr_object_module *remote;
	TFR_AUTO_FREE char *prefix = join_path(url, "");
	struct tfr_error why = { 0 };
	char text[1000];

	TFR_NEED_MEMORY(prefix, err, listing);
	TFR_TRY(tfr_objects(&remote, url, err));
	if (!remote->uploads(prefix, take_upload, l, &why))
		return TFR_OK;
	if (why.sys_errno != EACCES && why.sys_errno != ENOSYS)
		return tfr_error_pass(&why, err);
	return add_other(l, TFR_D_NO_UPLOADS, url, tfr_error_format(&why, text, sizeof(text)), err);
}

static enum tfr_status add_folder(struct list *l, const char *folder, struct tfr_error *err)
{
	size_t before = l->n, others = l->d->other_count, said = 0;
	TFR_AUTO_NAMES names = { 0 };

	TFR_TRY(tfr_list_folder(folder, &names, err));
	tfr_names_sort(&names);
	for (size_t i = 0; i < names.n; i++)
		TFR_TRY(look_at_entry(l, folder, names.list[i], err));
	if (tfr_is_url(folder))
		TFR_TRY(add_uploads(l, folder, err));
	/* A folder with a file that is named like a TFRecord file has at least one finding. */
	for (size_t i = others; i < l->d->other_count; i++)
		said += l->d->others[i].what != TFR_D_STRANGER &&
			l->d->others[i].what != TFR_D_NO_UPLOADS;
	if (l->n != before || said)
		return TFR_OK;
	tfr_fail_path(err, TFR_EDATA, folder, "no TFRecord files in");
	tfr_set_hint_at_folders(folder, err);
	return TFR_EDATA;
}

/* --- other inputs --- */

static enum tfr_status add_files(
	struct list *l, const struct tfr_set *set, bool gaps, struct tfr_error *err)
{
	for (size_t i = 0; i < tfr_set_count(set); i++) {
		const char *path = tfr_set_path(set, i);

		if (!strcmp(path, "-"))
			return tfr_fail(
				err, TFR_EUSAGE, "how files lie cannot be seen on standard input");
		TFR_TRY(look_at(l, path, true, gaps, err));
	}
	return TFR_OK;
}

static enum tfr_status add_named(
	struct list *l, const char *input, bool gaps, struct tfr_error *err)
{
	struct tfr_set_opts opts = { .inputs = &input, .count = 1, .allow_missing = true };
	struct tfr_set *set = NULL;
	enum tfr_status status;

	TFR_TRY(tfr_set_open(&set, &opts, err));
	status = add_files(l, set, gaps, err);
	tfr_set_close(set);
	return status;
}

static enum tfr_status read_manifest(
	const char *path, struct tfr_manifest **m, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_error why = { 0 };

	TFR_TRY(tfr_source_read_file(path, MOST_MANIFEST, &text, "reading a manifest", err));
	if (text.size > MOST_MANIFEST)
		return tfr_fail_path(err, TFR_EDATA, path, "no manifest: too large:");
	if (tfr_manifest_parse(m, text.data, text.size, &why) == TFR_EDATA)
		return tfr_fail_path(err, TFR_EDATA, path, "no manifest: %s:", why.message);
	return tfr_error_pass(&why, err);
}

/* The name of the set that a manifest describes. */
static enum tfr_status name_set(
	const struct tfr_manifest *m, const char *path, char **name, struct tfr_error *err)
{
	const char *first = m->count ? m->shards[0].name : "";
	struct tfr_shard_file f;

	if (!tfr_shard_file_parse(first, &f))
		return tfr_fail_path(err, TFR_EDATA, path, "no set is named in");
	*name = tfr_asprintf("%.*s%.*s@%u%s", (int)(tfr_doctor_base_name(path) - path), path,
		(int)f.base_size, first, f.count, f.extension);
	TFR_NEED_MEMORY(*name, err, listing);
	return TFR_OK;
}

/* Adds the set that a manifest describes, even if some of its files are missing. */
static enum tfr_status add_manifest(struct list *l, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *name = NULL;
	struct tfr_manifest *m = NULL;
	enum tfr_status status;

	TFR_TRY(read_manifest(path, &m, err));
	status = name_set(m, path, &name, err);
	tfr_manifest_free(m);
	TFR_TRY(status);
	return add_named(l, name, true, err);
}

static enum tfr_status add_path(struct list *l, const char *given, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;
	TFR_AUTO_SET_NAME name = { 0 };
	size_t others = l->d->other_count;
	struct tfr_error why = { 0 };
	enum tfr_status status;
	struct stat st;
	bool whole;

	if (!strcmp(given, "-"))
		return tfr_fail(err, TFR_EUSAGE, "how files lie cannot be seen on standard input");
	path = join_path("", given);
	TFR_NEED_MEMORY(path, err, listing);
	status = tfr_look(path, &st, err);
	if (status && status != TFR_END)
		return status;
	if (!status && S_ISDIR(st.st_mode))
		return add_folder(l, path, err);
	if (!status && S_ISREG(st.st_mode) && tfr_has_suffix(path, ".manifest.json"))
		return add_manifest(l, path, err);
	whole = status && tfr_set_name_parse(&name, path, NULL) == TFR_OK;
	status = add_named(l, path, whole, &why);
	if (!status)
		return TFR_OK;
	if (why.sys_errno != ENOENT || !tfr_is_url(path) || tfr_is_web(path))
		return tfr_error_pass(&why, err);
	/* A first run that was killed leaves a prefix with uploads and no objects. */
	TFR_TRY(add_uploads(l, path, err));
	for (size_t i = others; i < l->d->other_count; i++)
		if (l->d->others[i].what == TFR_D_UPLOAD)
			return TFR_OK;
	return tfr_error_pass(&why, err);
}

/* --- sets --- */

/* Replaces digits by one star: the common pattern of files whose names do not have the form of N
 * shards. */
static char *pattern_of(const char *path)
{
	const char *name = tfr_doctor_base_name(path);
	TFR_AUTO_BUF text = { 0 };

	if (strpbrk(path, "*?[\\"))
		return strdup(path);
	if (!tfr_buf_append(&text, path, (size_t)(name - path)))
		return NULL;
	for (const char *p = name; *p;) {
		bool digit = isdigit((unsigned char)*p);

		if (!tfr_buf_append(&text, digit ? "*" : p, 1))
			return NULL;
		for (p++; digit && isdigit((unsigned char)*p); p++)
			;
	}
	return tfr_buf_append(&text, "", 1) ? strdup((char *)text.data) : NULL;
}

static enum tfr_status make_key(struct found *f, struct tfr_error *err)
{
	if (f->member)
		f->key = tfr_asprintf("%.*s@%u%s", (int)f->name.base_size, f->path, f->name.count,
			f->name.extension);
	else
		f->key = pattern_of(f->path);
	TFR_NEED_MEMORY(f->key, err, listing);
	return TFR_OK;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *f = a, *g = b;
	int c = strcmp(f->key, g->key);

	if (!c)
		c = (int)g->member - (int)f->member;
	if (!c && f->member)
		c = (f->name.shard > g->name.shard) - (f->name.shard < g->name.shard);
	return c ? c : strcmp(f->path, g->path);
}

/* Whether the pattern matches these files and no other. */
static bool names_alone(const struct found *f, size_t n)
{
	glob_t all = { 0 };
	bool same = strpbrk(f->key, "*") && !glob(f->key, 0, NULL, &all) && all.gl_pathc == n;

	for (size_t i = 0; same && i < n; i++)
		same = !strcmp(all.gl_pathv[i], f[i].path);
	globfree(&all);
	return same;
}

static enum tfr_status add_set(
	struct tfr_doctor *d, struct found *f, size_t n, struct tfr_error *err)
{
	bool member = f->member;
	struct tfr_dset *s = &d->sets[d->set_count++];

	assert(n);
	*s = (struct tfr_dset){ .first = d->file_count,
		.files = n,
		.count = member ? f->name.count : 0,
		.name = strdup(member || n > 1 ? f->key : f->path) };
	if (member) {
		s->base = strndup(f->path, f->name.base_size);
		s->ext = strdup(f->name.extension);
	}
	for (size_t i = 0; i < n; i++) {
		struct tfr_dfile *file = &d->files[d->file_count++];

		*file = (struct tfr_dfile){ .path = f[i].path,
			.size = f[i].size,
			.shard = member ? f[i].name.shard : (uint32_t)i };
		f[i].path = NULL;
		s->bytes += f[i].size;
		s->gaps |= member && f[i].gaps;
	}
	TFR_NEED_MEMORY(s->name && (!member || (s->base && s->ext)), err, listing);
	return TFR_OK;
}

/* Makes one set of each group of files with the same key. */
static enum tfr_status make_sets(struct list *l, struct tfr_error *err)
{
	struct tfr_doctor *d = l->d;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		TFR_TRY(make_key(&l->found[i], err));
	if (l->n)
		qsort(l->found, l->n, sizeof(*l->found), compare_found);
	for (size_t i = 0; i < l->n; i++) { /* a file that was named twice counts once */
		struct found *f = &l->found[i];

		if (n && !strcmp(l->found[n - 1].path, f->path)) {
			l->found[n - 1].gaps |= f->gaps;
			free(f->path);
			free(f->key);
		} else {
			struct found move = *f;

			*f = (struct found){ 0 };
			l->found[n++] = move;
		}
	}
	l->n = n;
	d->files = calloc(n + 1, sizeof(*d->files));
	d->sets = calloc(n + 1, sizeof(*d->sets));
	TFR_NEED_MEMORY(d->files && d->sets, err, listing);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && l->found[end].member == l->found[i].member &&
				  !strcmp(l->found[end].key, l->found[i].key);)
			end++;
		if (!l->found[i].member && end - i > 1 && !names_alone(&l->found[i], end - i))
			end = i + 1;
		TFR_TRY(add_set(d, &l->found[i], end - i, err));
	}
	assert(d->file_count == n);
	return TFR_OK;
}

static enum tfr_status list_paths(struct list *l, struct tfr_error *err)
{
	for (size_t i = 0; i < l->d->opts->count; i++)
		TFR_TRY(add_path(l, l->d->opts->paths[i], err));
	return make_sets(l, err);
}

enum tfr_status tfr_doctor_list(struct tfr_doctor *d, struct tfr_error *err)
{
	struct list l = { .d = d };
	enum tfr_status status = list_paths(&l, err);

	for (size_t i = 0; i < l.n; i++) {
		free(l.found[i].path);
		free(l.found[i].key);
	}
	free(l.found);
	return status;
}
