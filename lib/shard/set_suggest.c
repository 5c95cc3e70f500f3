/* shard/set_suggest.c - suggests the file or set that a user may have meant.
 *
 * The names of a folder are offered to base/suggest.c, shards as the name of their set, so that
 * "train@16" leads to "train@16.tfrecord".  Where the folder itself does not exist, the first
 * missing part of the path is corrected, and the result is suggested only if it exists. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/path.h"
#include "shard/set.h"
#include "shard/set_name.h"

enum { ENTRIES_MAX = 1 << 16 }; /* of a folder: an error message must not take seconds */

static bool is_directory(const char *path)
{
	struct stat st;

	return tfr_stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether two names are similar before their '@' or '.': a common ".tfrecord" makes no similarity.
 */
static bool similar_base(const char *a, const char *b)
{
	size_t n = strcspn(a, "@."), m = strcspn(b, "@.");

	return !n || !m || !strncmp(a, b, n < m ? n : m) ||
	       tfr_text_distance(a, n, b, m) != UINT32_MAX;
}

/* Offers the file, or the set that it is a shard of, spelled as the user spells it. */
static void offer(struct tfr_suggestion *meant, const char *wanted, const char *file)
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
static char *nearest(const char *folder, const char *wanted, bool folders_only)
{
	struct tfr_suggestion meant;
	struct tfr_names names = { 0 };

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
		offer(&meant, wanted, names.list[i]);
	}
	tfr_names_clear(&names);
	return tfr_suggestion_word(&meant) ? strdup(tfr_suggestion_word(&meant)) : NULL;
}

static bool exists(const char *input)
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

/* `input` with the first part of its path that does not exist replaced; NULL: there is no such part
 * before the last, or nothing similar. */
static char *with_other_folder(const char *input)
{
	for (const char *part = input, *end; (end = strchr(part, '/')); part = end + 1) {
		TFR_AUTO_FREE char *before = strndup(input, (size_t)(part - input));
		TFR_AUTO_FREE char *upto = strndup(input, (size_t)(end - input));
		TFR_AUTO_FREE char *wanted = strndup(part, (size_t)(end - part));
		TFR_AUTO_FREE char *word = NULL;
		char *other;

		if (!before || !upto || !wanted)
			return NULL;
		if (end == part || is_directory(upto))
			continue;
		word = nearest(before, wanted, true);
		other = word ? tfr_asprintf("%s%s%s", before, word, end) : NULL;
		if (other && exists(other))
			return other;
		free(other);
		return NULL;
	}
	return NULL;
}

void tfr_set_hint_at_name(const char *input, struct tfr_error *err)
{
	const char *slash = strrchr(input, '/');
	TFR_AUTO_FREE char *folder = strndup(input, slash ? (size_t)(slash - input) + 1 : 0);
	TFR_AUTO_FREE char *other = NULL, *word = NULL;

	if (!folder || !*input || (slash && !slash[1]))
		return;
	if (!*folder || is_directory(folder)) {
		word = nearest(folder, slash ? slash + 1 : input, false);
		other = word ? tfr_asprintf("%s%s", folder, word) : NULL;
	} else {
		other = with_other_folder(input);
	}
	if (other)
		tfr_error_hint(err, "Did you mean '%s'?", other);
}
