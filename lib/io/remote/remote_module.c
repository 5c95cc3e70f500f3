/* io/remote/remote_module.c - the module remote: objects of stores and web servers, by
 * libcurl. */
#include <stdlib.h>
#include <string.h>

#include "base/module_export.h"
#include "io/remote/http/engine.h"
#include "io/remote/http/measurements.h"
#include "io/remote/listing.h"
#include "io/remote/object_reader.h"
#include "io/remote/store.h"
#include "io/remote/upload.h"

/* S3 refuses parts of other sizes, but for the last one. */
static const uint64_t least_part = UINT64_C(5) << 20, largest_part = UINT64_C(5) << 30;

enum { MOST_SECONDS = 1000000 };

static enum tfr_status set(const struct tfr_remote_opts *opts, struct tfr_error *err)
{
	struct tfr_remote_opts kept = *opts;

	if (opts->connections > 1024)
		return tfr_fail(err, TFR_EUSAGE, "more connections than 1024");
	if (!(opts->timeout >= 0 && opts->timeout <= MOST_SECONDS)) /* nor NaN */
		return tfr_fail(err, TFR_EUSAGE, "a timeout is 0 to %d seconds, not %g",
			MOST_SECONDS, opts->timeout);
	if (opts->part_size && (opts->part_size < least_part || opts->part_size > largest_part))
		return tfr_fail(err, TFR_EUSAGE, "a part has 5 MiB to 5 GiB");
	kept.tmpdir = opts->tmpdir ? strdup(opts->tmpdir) : NULL;
	if (opts->tmpdir && !kept.tmpdir)
		return tfr_fail_nomem(err, "changing settings");
	free((void *)(uintptr_t)tfr_engine_opts()->tmpdir);
	tfr_engine_set(&kept);
	tfr_stores_set(&kept);
	return TFR_OK;
}

static enum tfr_status remove_object(const char *url, struct tfr_error *err)
{
	struct tfr_call call = { .method = "DELETE", .empty = true };
	TFR_AUTO_ANSWER a = { 0 };
	struct tfr_store *s;
	enum tfr_status status;

	TFR_TRY(tfr_store_find(&s, url, &call.key, err));
	tfr_object_changed(url);
	status = tfr_exchange(s, &call, NULL, 64 << 10, &a, err);
	return status == TFR_END ? TFR_OK : status;
}

struct unfinished {
	const struct tfr_store *s;
	tfr_upload_each *each;
	void *ctx;
};

static enum tfr_status take_upload(
	void *ctx, const char *key, const char *id, int64_t began, struct tfr_error *err)
{
	const struct unfinished *u = ctx;
	char url[1200];

	return u->each(u->ctx, tfr_store_show(u->s, key, url, sizeof(url)), id, began, err);
}

static enum tfr_status uploads(
	const char *url, tfr_upload_each *each, void *ctx, struct tfr_error *err)
{
	struct tfr_store *s;
	const char *key;
	enum tfr_status status = tfr_store_find(&s, url, &key, err);
	struct unfinished u = { s, each, ctx };

	return status ? status : tfr_listing_uploads(s, key, take_upload, &u, err);
}

static void endpoint(const char *url, char *text, size_t size)
{
	struct tfr_store *s;
	const char *key;

	*text = '\0';
	if (!tfr_store_find(&s, url, &key, NULL))
		tfr_store_endpoint(s, text, size);
}

static const struct tfr_object_module calls = {
	.set = set,
	.statistics = tfr_measured,
	.stop = tfr_engine_stop,
	.hide = tfr_hide_query,
	.authorize = tfr_store_authorize,
	.look = tfr_object_look,
	.list = tfr_list_objects,
	.remove = remove_object,
	.open = tfr_object_open,
	.close = tfr_object_close,
	.stat = tfr_object_stat,
	.seekable = tfr_object_seekable,
	.read = tfr_object_read,
	.read_at = tfr_object_read_at,
	.reads_on = tfr_object_reads_on,
	.prefetch = tfr_object_prefetch,
	.fetch = tfr_object_fetch,
	.upload = tfr_upload_open,
	.write = tfr_upload_write,
	.seal = tfr_upload_seal,
	.complete = tfr_upload_complete,
	.uploaded = tfr_upload_stat,
	.end = tfr_upload_end,
	.uploads = uploads,
	.endpoint = endpoint,
	.abort = tfr_uploads_abort,
};

TFR_MODULE_EXPORT("remote", calls);
