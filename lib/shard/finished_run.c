/* shard/finished_run.c - a manifest holds what determines the bytes of a run: its options and a
 * digest of its inputs.
 *
 * Files are compared by size and time, as the inputs are, so a script that repeats a finished run
 * reads nothing. */
#include "shard/finished_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/path.h"
#include "shard/set_name.h"

enum tfr_status tfr_options_compare(
	const char *then, const char *now, const char *which, struct tfr_error *err)
{
	size_t n, m;

	do {
		n = strcspn(then, "\n");
		m = strcspn(now, "\n");
		if (n != m || memcmp(then, now, n))
			break;
		then += n + (then[n] != 0);
		now += m + (now[m] != 0);
	} while (*then || *now);
	if (!*then && !*now)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE, "%s had '%.*s', and this one has '%.*s'", which, (int)n,
		then, (int)m, now);
}

enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err)
{
	TFR_TRY(tfr_options_compare(then->options ?: "", now->options ?: "", which, err));
	if (then->inputs != now->inputs)
		return tfr_fail(err, TFR_EUSAGE, "%s had other or changed input files", which);
	return TFR_OK;
}

/* Whether the files of a manifest are in the folder of `target` with the sizes and times that it
 * states. */
static bool all_fit(const struct tfr_manifest *m, const char *target)
{
	const char *slash = strrchr(target, '/');
	bool fit = m->options && m->count;

	for (size_t i = 0; fit && i < m->count; i++) {
		TFR_AUTO_FREE char *path = NULL;

		path = tfr_asprintf(
			"%.*s%s", slash ? (int)(slash - target) + 1 : 0, target, m->shards[i].name);
		fit = path && tfr_manifest_fits(&m->shards[i], path);
	}
	return fit;
}

/* Sets the number of shards of a set that was written as @auto, by its first shard.  False: no such
 * set, or several. */
static bool find_count(struct tfr_set_name *name)
{
	TFR_AUTO_FREE char *pattern = tfr_asprintf("%s-00000-of-*%s", name->base, name->extension);
	TFR_AUTO_NAMES found = { 0 };
	struct tfr_shard_file f;
	size_t n = 0;

	if (!pattern || tfr_glob(pattern, &found, NULL))
		return false;
	for (size_t i = 0; i < found.n; i++)
		if (tfr_shard_file_of(name, found.list[i], &f)) {
			name->count = f.count;
			n++;
		}
	return n == 1;
}

enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status = tfr_set_name_parse(&name, target, err);
	bool is_set = status == TFR_OK;

	*m = NULL;
	if (status && status != TFR_END)
		return status;
	if (is_set && name.automatic && !find_count(&name))
		return TFR_END;
	if (is_set)
		status = name.count ? tfr_manifest_find(&name, m, &path, err) : TFR_END;
	else
		path = tfr_file_name_beside(target, "manifest.json");
	if (!is_set)
		status = path ? tfr_manifest_read(path, 1, m, err)
			      : tfr_fail_nomem(err, "looking for a finished run");
	if (!status && is_set && (*m)->count != name.count)
		status = TFR_END;
	if (!status && !all_fit(*m, is_set ? name.base : target))
		status = TFR_END;
	if (status == TFR_OK || status == TFR_ENOMEM)
		return status;
	tfr_manifest_free(*m);
	*m = NULL;
	return TFR_END;
}
