/* convert/archive/libarchive_absent.c - replaces libarchive.c in a build without libarchive. */
#include "convert/archive/members.h"

enum tfr_status tfr_packed_open(
	struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err)
{
	(void)m;
	tfr_fail_path(err, TFR_EUNAVAILABLE, feed->name, "not built with libarchive, which is needed to read");
	tfr_error_hint(err,
		"Uncompressed tar archives can be read: decompress it with gzip, "
		"xz, zstd or bzip2.");
	return TFR_EUNAVAILABLE;
}
