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

/* TFR_END: the files of a manifest are not in the folder of `target` with the sizes and times that
 * it states. */
static enum tfr_status check_files(
	const struct tfr_manifest *m, const char *target, struct tfr_error *err)
{
	const char *slash = strrchr(target, '/');

	if (!m->options || !m->count)
		return TFR_END;
	for (size_t i = 0; i < m->count; i++) {
		TFR_AUTO_FREE char *path = tfr_asprintf(
			"%.*s%s", slash ? (int)(slash - target) + 1 : 0, target, m->shards[i].name);
		struct stat st;

		TFR_NEED_MEMORY(path, err, "looking for a finished run");
		TFR_TRY(tfr_look(path, &st, err));
		if (!tfr_manifest_fits(&m->shards[i], path, &st))
			return TFR_END;
	}
	return TFR_OK;
}

/* Sets the number of shards of a set that was written as @auto, by its first shard.  TFR_END: no
 * such set, or several. */
static enum tfr_status find_count(struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *pattern = tfr_asprintf("%s-00000-of-*%s", name->base, name->extension);
	TFR_AUTO_NAMES found = { 0 };
	struct tfr_shard_file f;
	size_t n = 0;

	TFR_NEED_MEMORY(pattern, err, "looking for a finished run");
	TFR_TRY(tfr_glob(pattern, &found, err));
	for (size_t i = 0; i < found.n; i++)
		if (tfr_shard_file_of(name, found.list[i], &f)) {
			name->count = f.count;
			n++;
		}
	return n == 1 ? TFR_OK : TFR_END;
}

static enum tfr_status find(struct tfr_manifest **m, struct tfr_set_name *name, const char *target,
	struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status = tfr_set_name_parse(name, target, err);

	if (status == TFR_END) {
		path = tfr_file_name_beside(target, "manifest.json");
		TFR_NEED_MEMORY(path, err, "looking for a finished run");
		TFR_TRY(tfr_manifest_read(path, 1, m, err));
		return check_files(*m, target, err);
	}
	TFR_TRY(status);
	if (name->automatic)
		TFR_TRY(find_count(name, err));
	if (!name->count)
		return TFR_END;
	TFR_TRY(tfr_manifest_find(name, m, &path, err));
	return (*m)->count == name->count ? check_files(*m, name->base, err) : TFR_END;
}

enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	struct tfr_error why = { 0 };
	enum tfr_status status;

	*m = NULL;
	status = find(m, &name, target, &why);
	if (!status)
		return TFR_OK;
	tfr_manifest_free(*m);
	*m = NULL;
	return status == TFR_EDATA ? TFR_END : tfr_absent_or_failed(target, status, &why, err);
}
