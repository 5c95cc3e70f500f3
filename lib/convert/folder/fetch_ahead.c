/* convert/folder/fetch_ahead.c - announces objects to the module that fetches them. */
#include "convert/folder/fetch_ahead.h"

#include <stdlib.h>

#include "io/object.h"

enum { AHEAD = 64, JUMPS = 3, MOST = 4 << 20 /* larger ones come in ranges of their own */ };

/* False: there is no room for it now. */
static bool announce(const struct tfr_root *root, const char *path, uint64_t size,
	const struct tfr_object_module *remote)
{
	bool failed;
	TFR_AUTO_FREE char *url = tfr_root_url(root, path, &failed);

	return !url || size > MOST || remote->prefetch(url, size);
}

void tfr_fetch_ahead_of(struct tfr_fetch_ahead *a, const struct tfr_root *root, uint64_t at,
	uint64_t count, tfr_fetch_ahead_path *path, void *ctx)
{
	const struct tfr_object_module *remote;
	TFR_AUTO_BUF text = { 0 };
	bool room = true;

	if (!(tfr_root_is_remote(root) || a->addresses) || tfr_objects(&remote, "s3://", NULL))
		return;
	a->jumps += at < a->at || at > a->at + AHEAD;
	a->at = at;
	if (a->jumps > JUMPS)
		return;
	if (a->next < at)
		a->next = at;
	while (room && a->next < at + AHEAD && a->next < count) {
		uint64_t size = 0;

		text.size = 0;
		if (path(ctx, a->next, &text, &size))
			room = announce(root, (const char *)text.data, size, remote);
		a->next += room;
	}
}
