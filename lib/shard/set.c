/* shard/set.c - turns the names that a user gives into a list of files.
 *
 * Each input is tried in this order: "-", an existing path, "@list", a set name, a glob.  So an
 * existing path wins, whatever characters it has.  A set name or a directory stands for complete
 * sets and is checked for gaps; listed files and globs may be any subset. */
#include "shard/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "base/url.h"
#include "io/path.h"
#include "io/root.h"
#include "io/source.h"
#include "record/framing.h"
#include "shard/set_name.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return tfr_stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Indexes, which have the name of their file of records. */
static bool named_as_index(const char *name)
{
	return tfr_has_suffix(name, ".idx") || tfr_has_suffix(name, ".tfindex") ||
	       tfr_has_suffix(name, ".gzi");
}

bool tfr_set_never_records(const char *name)
{
	return name[0] == '.' || named_as_index(name) || tfr_has_suffix(name, ".json") ||
	       tfr_has_suffix(name, ".txt");
}

/* --- suggestions --- */

/* The file or set that a user may have meant.  The names of a folder are offered to base/suggest.c,
 * shards as the name of their set, so that "train@16" leads to "train@16.tfrecord".  Where the
 * folder itself does not exist, the first missing name of the path is corrected, and the result is
 * suggested only if it exists. */

enum { ENTRIES_MAX = 1 << 16 }; /* of a folder: an error message must not take seconds */

/* Whether two names are similar before their '@' or '.': a common ".tfrecord" makes no similarity.
 */
static bool similar_base(const char *a, const char *b)
{
	size_t n = strcspn(a, "@."), m = strcspn(b, "@.");

	return !n || !m || !strncmp(a, b, n < m ? n : m) ||
	       tfr_text_distance(a, n, b, m) != UINT32_MAX;
}

/* Offers the file, or the set that it is a shard of, spelled as the user spells it. */
static void offer_name(struct tfr_suggestion *meant, const char *wanted, const char *file)
{
	TFR_AUTO_FREE char *set = NULL;
	struct tfr_shard_file f;

	if (!similar_base(wanted, file))
		return;
	if (strstr(wanted, "-of-") || !tfr_shard_file_parse(file, &f)) {
		tfr_suggestion_offer(meant, file, strlen(file));
		return;
	}
	set = strstr(wanted, "@*")
		      ? tfr_asprintf("%.*s@*%s", (int)f.base_size, file, f.extension)
		      : tfr_asprintf("%.*s@%u%s", (int)f.base_size, file, f.count, f.extension);
	if (set)
		tfr_suggestion_offer(meant, set, strlen(set));
}

/* The name in `folder` that may have been meant by `wanted`, of folders only where asked; the
 * caller frees it.  NULL: none is similar. */
static char *nearest_name(const char *folder, const char *wanted, bool folders_only)
{
	struct tfr_suggestion meant;
	TFR_AUTO_NAMES names = { 0 };

	if (tfr_list_folder(*folder ? folder : ".", &names, NULL))
		return NULL;
	tfr_suggestion_init(&meant, wanted, strlen(wanted));
	for (size_t i = 0; i < ENTRIES_MAX && i < names.n; i++) {
		TFR_AUTO_FREE char *path = NULL;

		if (tfr_set_never_records(names.list[i]))
			continue;
		if (folders_only) {
			path = tfr_asprintf("%s%s", folder, names.list[i]);
			if (!path || !is_directory(path))
				continue;
		}
		offer_name(&meant, wanted, names.list[i]);
	}
	return tfr_suggestion_word(&meant) ? strdup(tfr_suggestion_word(&meant)) : NULL;
}

static bool input_exists(const char *input)
{
	TFR_AUTO_SET_NAME name = { 0 };
	bool found = false;
	struct stat st;

	if (tfr_stat(input, &st) == 0)
		return true;
	if (tfr_set_name_parse(&name, input, NULL) != TFR_OK)
		return false;
	for (uint32_t k = 0; !found && k < name.count; k++) {
		TFR_AUTO_FREE char *file = tfr_set_name_file(&name, k);

		found = file && tfr_stat(file, &st) == 0;
	}
	return found;
}

/* `input` with the first name of its path that does not exist replaced; NULL: there is no such name
 * before the last, or nothing similar. */
static char *with_other_folder(const char *input)
{
	for (const char *name = input, *end; (end = strchr(name, '/')); name = end + 1) {
		TFR_AUTO_FREE char *before = strndup(input, (size_t)(name - input));
		TFR_AUTO_FREE char *upto = strndup(input, (size_t)(end - input));
		TFR_AUTO_FREE char *wanted = strndup(name, (size_t)(end - name));
		TFR_AUTO_FREE char *word = NULL;
		char *other;

		if (!before || !upto || !wanted)
			return NULL;
		if (end == name || is_directory(upto))
			continue;
		word = nearest_name(before, wanted, true);
		other = word ? tfr_asprintf("%s%s%s", before, word, end) : NULL;
		if (other && input_exists(other))
			return other;
		free(other);
		return NULL;
	}
	return NULL;
}

/* Adds a hint to the error about a file or set that does not exist: the name that may have been
 * meant, of the files and sets in its folder, or with another folder where that is misspelt. */
static void hint_at_name(const char *input, struct tfr_error *err)
{
	const char *slash = strrchr(input, '/');
	TFR_AUTO_FREE char *folder = strndup(input, slash ? (size_t)(slash - input) + 1 : 0);
	TFR_AUTO_FREE char *other = NULL, *word = NULL;

	if (!folder || !*input || (slash && !slash[1]))
		return;
	if (!*folder || is_directory(folder)) {
		word = nearest_name(folder, slash ? slash + 1 : input, false);
		other = word ? tfr_asprintf("%s%s", folder, word) : NULL;
	} else {
		other = with_other_folder(input);
	}
	if (other)
		tfr_error_hint(err, "Did you mean '%s'?", other);
}

/* --- inputs --- */

struct tfr_set {
	struct tfr_names paths;
	const struct tfr_set_opts *opts; /* only while opening */
};

static enum tfr_status add_input(
	struct tfr_set *set, const char *input, bool in_list, struct tfr_error *err);

static enum tfr_status add_path(struct tfr_set *set, const char *path, struct tfr_error *err)
{
	TFR_NEED_MEMORY(tfr_names_insert(&set->paths, set->paths.n, path, strlen(path)), err,
		"listing the inputs");
	return TFR_OK;
}

static void warn_missing(struct tfr_set *set, const char *path)
{
	char text[4200];

	if (!set->opts->warn)
		return;
	snprintf(text, sizeof(text), "missing set member '%s'", path);
	set->opts->warn(set->opts->ctx, text);
}

static enum tfr_status missing_member(struct tfr_set *set, const char *path, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };

	if (set->opts->allow_missing) {
		warn_missing(set, path);
		return TFR_OK;
	}
	tfr_fail_path(err, TFR_EDATA, path, "missing set member");
	if (!tfr_shard_file_set(&name, path, NULL) && !tfr_set_has_notes(&name, NULL))
		tfr_error_hint(err,
			"The set is being written in parts: 'tfr finish %s@%u%s' names those "
			"that are missing.",
			name.base, name.count, name.extension);
	else
		tfr_error_hint(err, "With --allow-missing the others are read.");
	return TFR_EDATA;
}

/* --- sets by name --- */

static enum tfr_status fail_no_shards(const char *input, struct tfr_error *err)
{
	enum tfr_status status = tfr_fail_errno(err, ENOENT, input, "no shards of");

	hint_at_name(input, err);
	return status;
}

enum tfr_status tfr_set_name_count(
	struct tfr_set_name *name, const char *input, struct tfr_error *err)
{
	TFR_AUTO_FREE char *pattern = tfr_asprintf("%s-*-of-*%s", name->base, name->extension);
	TFR_AUTO_NAMES found = { 0 };
	struct tfr_shard_file f;

	TFR_NEED_MEMORY(pattern, err, "listing a set");
	TFR_TRY(tfr_glob(pattern, &found, err));
	for (size_t i = 0; i < found.n; i++) {
		if (!tfr_shard_file_of(name, found.list[i], &f))
			continue;
		if (name->count && name->count != f.count) {
			tfr_fail_path(err, TFR_EDATA, input, "sets of %u and of %u shards match",
				name->count, f.count);
			tfr_error_hint(err, "Name one of them: '%s@%u%s'.", name->base, name->count,
				name->extension);
			return TFR_EDATA;
		}
		name->count = f.count;
	}
	return name->count ? TFR_OK : fail_no_shards(input, err);
}

/* If a set has no file at all, naming its first missing member would not help.  TFR_END: it has
 * none. */
static enum tfr_status find_member(const struct tfr_set_name *name, struct tfr_error *err)
{
	struct stat st;

	for (uint32_t k = 0; k < name->count; k++) {
		TFR_AUTO_FREE char *file = tfr_set_name_file(name, k);
		enum tfr_status status;

		TFR_NEED_MEMORY(file, err, "listing a set");
		status = tfr_look(file, &st, err);
		if (status != TFR_END)
			return status;
	}
	return TFR_END;
}

static enum tfr_status add_set(
	struct tfr_set *set, struct tfr_set_name *name, const char *input, struct tfr_error *err)
{
	enum tfr_status status;
	struct stat st;

	if (!name->count)
		TFR_TRY(tfr_set_name_count(name, input, err));
	if (name->count > 2)
		tfr_look_ahead(name->base);
	status = find_member(name, err);
	if (status == TFR_END)
		return fail_no_shards(input, err);
	TFR_TRY(status);
	for (uint32_t k = 0; k < name->count; k++) {
		TFR_AUTO_FREE char *file = tfr_set_name_file(name, k);

		TFR_NEED_MEMORY(file, err, "listing a set");
		status = tfr_look(file, &st, err);
		if (status != TFR_END)
			TFR_TRY(status);
		TFR_TRY(status ? missing_member(set, file, err) : add_path(set, file, err));
	}
	return TFR_OK;
}

/* --- directories --- */

bool tfr_set_named_as_records(const char *name)
{
	static const char *const suffixes[] = { ".tfrecord", ".tfrecord.gz", ".tfrecords", ".tfrec",
		".record", ".snapshot" };
	struct tfr_shard_file f;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (tfr_has_suffix(name, suffixes[i]))
			return true;
	return strstr(name, "tfevents") || tfr_shard_file_parse(name, &f);
}

/* Whether the first header verifies.  TFR_END: the file is gone. */
static enum tfr_status starts_with_record(const char *path, bool *yes, struct tfr_error *err)
{
	uint8_t head[TFR_RECORD_HEADER];
	size_t got = 0;
	enum tfr_status status = tfr_root_head(NULL, path, head, sizeof(head), &got, err);

	*yes = !status && got == sizeof(head) && tfr_header_verifies(head);
	return status;
}

/* Reports the missing members of the set of the path `first`, and marks its members as checked. */
static enum tfr_status check_gaps_of(struct tfr_set *set, size_t first,
	const struct tfr_shard_file *f, bool *looked_at, struct tfr_error *err)
{
	const char *any = set->paths.list[first];
	TFR_AUTO_FREE bool *seen = calloc(f->count, sizeof(*seen));
	TFR_AUTO_SET_NAME name = { strndup(any, f->base_size), strdup(f->extension), f->count };

	TFR_NEED_MEMORY(seen && name.base && name.extension, err, "listing a set");
	for (size_t i = first; i < set->paths.n; i++) {
		const char *path = set->paths.list[i];
		struct tfr_shard_file g;

		if (!tfr_shard_file_parse(path, &g) || !tfr_shard_file_in_set_of(path, &g, any, f))
			continue;
		seen[g.shard] = true;
		looked_at[i] = true;
	}
	for (uint32_t k = 0; k < f->count; k++) {
		TFR_AUTO_FREE char *file = seen[k] ? NULL : tfr_set_name_file(&name, k);

		if (seen[k])
			continue;
		TFR_NEED_MEMORY(file, err, "listing a set");
		TFR_TRY(missing_member(set, file, err));
	}
	return TFR_OK;
}

static enum tfr_status check_gaps(struct tfr_set *set, size_t first, struct tfr_error *err)
{
	TFR_AUTO_FREE bool *looked_at = calloc(set->paths.n, sizeof(*looked_at));
	struct tfr_shard_file f;

	TFR_NEED_MEMORY(looked_at, err, "listing a directory");
	for (size_t i = first; i < set->paths.n; i++)
		if (!looked_at[i] && tfr_shard_file_parse(set->paths.list[i], &f))
			TFR_TRY(check_gaps_of(set, i, &f, looked_at, err));
	return TFR_OK;
}

/* A second slash would belong to the key. */
static const char *slash_after(const char *folder)
{
	return tfr_has_suffix(folder, "/") ? "" : "/";
}

/* The folders that a hint names. */
struct folder_hint {
	char text[300];
	size_t at;
	int found, left; /* folders; names to look at, since an error must not take seconds */
};

/* Adds the folder if it has files that are named like TFRecord files, otherwise those in it. */
static void find_folders(struct folder_hint *h, const char *folder, int levels)
{
	TFR_AUTO_NAMES names = { 0 };

	if (h->found == 3 || h->at >= sizeof(h->text) || tfr_list_folder(folder, &names, NULL))
		return;
	tfr_names_sort(&names);
	for (size_t i = 0; i < names.n; i++) {
		if (!tfr_set_never_records(names.list[i]) &&
			tfr_set_named_as_records(names.list[i])) {
			h->at += (size_t)snprintf(h->text + h->at, sizeof(h->text) - h->at,
				"%s'%s'", h->found++ ? ", " : "", folder);
			return;
		}
	}
	for (size_t i = 0; levels && i < names.n && h->left-- > 0; i++) {
		TFR_AUTO_FREE char *path =
			tfr_asprintf("%s%s%s", folder, slash_after(folder), names.list[i]);

		if (path && names.list[i][0] != '.' && is_directory(path))
			find_folders(h, path, levels - 1);
	}
}

/* For a folder without files: the folders below it that have some, such as TFX's Split-train and
 * Split-eval. */
void tfr_set_hint_at_folders(const char *path, struct tfr_error *err)
{
	struct folder_hint h = { .left = 1000 };

	find_folders(&h, path, 3);
	if (h.found && h.at < sizeof(h.text))
		tfr_error_hint(err, "TFRecord files are in %s: name one of these folders.", h.text);
}

/* Adds a file in a folder if it is one of records.  Others than regular files are not opened:
 * reading a FIFO would consume its bytes. */
static enum tfr_status add_found(
	struct tfr_set *set, const char *folder, const char *name, struct tfr_error *err)
{
	bool yes = tfr_set_named_as_records(name);
	TFR_AUTO_FREE char *file = NULL;
	enum tfr_status status;
	struct stat st;

	if (tfr_set_never_records(name))
		return TFR_OK;
	file = tfr_asprintf("%s%s%s", folder, slash_after(folder), name);
	TFR_NEED_MEMORY(file, err, "listing a directory");
	status = tfr_look(file, &st, err);
	if (!status && S_ISDIR(st.st_mode))
		return TFR_OK;
	if (!status && !yes && S_ISREG(st.st_mode))
		status = starts_with_record(file, &yes, err);
	if (status && status != TFR_END) /* a file that is gone is missed by its name alone */
		return status;
	return yes ? add_path(set, file, err) : TFR_OK;
}

static enum tfr_status add_directory(struct tfr_set *set, const char *path, struct tfr_error *err)
{
	size_t first = set->paths.n;
	TFR_AUTO_NAMES names = { 0 };

	TFR_TRY(tfr_list_folder(path, &names, err));
	for (size_t i = 0; i < names.n; i++)
		TFR_TRY(add_found(set, path, names.list[i], err));
	if (set->paths.n == first) {
		tfr_fail_path(err, TFR_EDATA, path, "no TFRecord files in");
		tfr_set_hint_at_folders(path, err);
		return TFR_EDATA;
	}
	qsort((void *)(set->paths.list + first), set->paths.n - first, sizeof(*set->paths.list),
		tfr_compare_names);
	return check_gaps(set, first, err);
}

/* --- lists and globs --- */

static enum tfr_status add_list(struct tfr_set *set, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	char *end, *next;

	TFR_TRY(tfr_source_read_file(path, SIZE_MAX, &text, "reading a list of files", err));
	TFR_NEED_MEMORY(tfr_buf_append(&text, "\n", 1), err, "reading a list of files");
	end = (char *)text.data + text.size;
	for (char *line = (char *)text.data; line < end; line = next) {
		size_t n;

		next = (char *)memchr(line, '\n', (size_t)(end - line)) + 1;
		n = (size_t)(next - 1 - line);
		while (n && line[n - 1] == '\r')
			n--;
		line[n] = '\0';
		if (strlen(line) < n)
			return tfr_fail_path(
				err, TFR_EUSAGE, path, "a path with a NUL byte in the list");
		if (n)
			TFR_TRY(add_input(set, line, true, err));
	}
	return TFR_OK;
}

/* In a web address, '?' begins a query. */
static bool is_pattern(const char *input)
{
	return strpbrk(input, tfr_is_web(input) ? "*" : "*?[");
}

static enum tfr_status add_glob(struct tfr_set *set, const char *pattern, struct tfr_error *err)
{
	TFR_AUTO_NAMES found = { 0 };

	TFR_TRY(tfr_glob(pattern, &found, err));
	if (!found.n)
		return tfr_fail_path(err, TFR_ESYS, pattern, "no file matches");
	/* 'train-*' names the same files before and after the set is indexed. */
	for (size_t i = 0; i < found.n; i++)
		if (!is_directory(found.list[i]) &&
			(!named_as_index(found.list[i]) || named_as_index(pattern)))
			TFR_TRY(add_path(set, found.list[i], err));
	return TFR_OK;
}

/* The name of a set is hardly ever an object, and a reader who may not list is not told that it is
 * none.  TFR_END: this is no set, or it has no members. */
static enum tfr_status add_set_of_objects(
	struct tfr_set *set, const char *input, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };

	if (!tfr_is_url(input) || tfr_set_name_parse(&name, input, NULL) || !name.count)
		return TFR_END;
	if (name.count > 2)
		tfr_look_ahead(name.base);
	TFR_TRY(find_member(&name, err));
	return add_set(set, &name, input, err);
}

static enum tfr_status add_stdin(struct tfr_set *set, struct tfr_error *err)
{
	for (size_t i = 0; i < set->paths.n; i++)
		if (!strcmp(set->paths.list[i], "-"))
			return tfr_fail(err, TFR_EUSAGE, "standard input can be read only once");
	return add_path(set, "-", err);
}

static enum tfr_status add_name(
	struct tfr_set *set, const char *input, bool in_list, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	enum tfr_status status;
	struct stat st;

	if (!strcmp(input, "-"))
		return add_stdin(set, err);
	status = add_set_of_objects(set, input, err);
	if (status != TFR_END)
		return status;
	status = tfr_look(input, &st, err);
	if (!status)
		return S_ISDIR(st.st_mode) ? add_directory(set, input, err)
					   : add_path(set, input, err);
	if (status != TFR_END)
		return status;
	if (input[0] == '@' && input[1] && !in_list)
		return add_list(set, input + 1, err);
	status = tfr_set_name_parse(&name, input, err);
	if (!status && name.automatic)
		return tfr_fail(err, TFR_EUSAGE, "'%s' is a set to write; '%s@*%s' reads it", input,
			name.base, name.extension);
	if (!status)
		return add_set(set, &name, input, err);
	if (status != TFR_END)
		return status;
	if (is_pattern(input))
		return add_glob(set, input, err);
	status = tfr_fail_errno(err, ENOENT, input, "cannot open");
	hint_at_name(input, err);
	return status;
}

/* The name is from the user, from a list or from another program. */
static enum tfr_status add_input(
	struct tfr_set *set, const char *input, bool in_list, struct tfr_error *err)
{
	TFR_AUTO_FREE char *shown = NULL;

	TFR_TRY(tfr_hide_secrets(input, &shown, err));
	return add_name(set, shown ?: input, in_list, err);
}

/* --- parts --- */

static int compare_paths(const void *a, const void *b, void *paths)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int order = strcmp(((char **)paths)[i], ((char **)paths)[k]);

	return order ? order : (i > k) - (i < k);
}

size_t *tfr_set_order(const struct tfr_set *set)
{
	size_t n = set->paths.n, *order = calloc(n + 1, sizeof(*order));

	for (size_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof(*order), compare_paths, set->paths.list);
	return order;
}

/* Drops the files of other parts. */
static enum tfr_status keep_part(
	struct tfr_set *set, uint32_t part, uint32_t parts, struct tfr_error *err)
{
	struct tfr_names *paths = &set->paths;
	TFR_AUTO_FREE size_t *order = tfr_set_order(set);
	size_t kept = 0;

	TFR_NEED_MEMORY(order, err, "listing the inputs");
	for (size_t i = 0; i < paths->n; i++)
		if (!strcmp(paths->list[i], "-"))
			return tfr_fail(
				err, TFR_EUSAGE, "standard input cannot be divided into parts");
	for (size_t i = 0; i < paths->n; i++)
		if (i % parts != part) {
			free(paths->list[order[i]]);
			paths->list[order[i]] = NULL;
		}
	for (size_t i = 0; i < paths->n; i++)
		if (paths->list[i])
			paths->list[kept++] = paths->list[i];
	paths->n = kept;
	return TFR_OK;
}

static enum tfr_status list_inputs(
	struct tfr_set *set, const struct tfr_set_opts *opts, struct tfr_error *err)
{
	set->opts = opts;
	for (size_t i = 0; i < opts->count; i++)
		TFR_TRY(add_input(set, opts->inputs[i], false, err));
	set->opts = NULL;
	return opts->parts ? keep_part(set, opts->part, opts->parts, err) : TFR_OK;
}

enum tfr_status tfr_set_open(
	struct tfr_set **out, const struct tfr_set_opts *opts, struct tfr_error *err)
{
	struct tfr_set *set = calloc(1, sizeof(*set));
	enum tfr_status status;

	TFR_NEED_MEMORY(set, err, "listing the inputs");
	status = list_inputs(set, opts, err);
	if (status)
		tfr_set_close(set);
	else
		*out = set;
	return status;
}

void tfr_set_close(struct tfr_set *set)
{
	if (!set)
		return;
	tfr_names_clear(&set->paths);
	free(set);
}

size_t tfr_set_count(const struct tfr_set *set)
{
	return set->paths.n;
}

const char *tfr_set_path(const struct tfr_set *set, size_t file)
{
	return set->paths.list[file];
}

uint64_t tfr_set_bytes(const struct tfr_set *set)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < set->paths.n; i++)
		if (strcmp(set->paths.list[i], "-") && tfr_stat(set->paths.list[i], &st) == 0 &&
			S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	return bytes;
}
