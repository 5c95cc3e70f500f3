/* convert/folder/fetch_ahead.c - announces objects to the module that fetches them. */
#include "convert/folder/fetch_ahead.h"

#include <stdlib.h>

#include "io/object.h"

enum { AHEAD = 64, JUMPS = 3, MOST = 4 << 20 /* larger ones come in ranges of their own */ };

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
		TFR_AUTO_FREE char *url = NULL;
		uint64_t size = 0;
		bool failed;

		text.size = 0;
		if (path(ctx, a->next, &text, &size))
			url = tfr_root_url(root, (const char *)text.data, &failed);
		if (url && size <= MOST)
			room = remote->prefetch(url, size);
		a->next += room;
	}
}
