/* pipeline/report/remote_advice.c - tells a server that limits requests from a distant one and from
 * a slow link.
 *
 * A server is distant if the first byte of an answer comes later than half of the time that a
 * request of mean size then takes: more requests at once would help.  Otherwise the link is full.
 */
#include "pipeline/report/remote_advice.h"

#include <stdio.h>

#include <tfr/remote.h>
#include <tfr-private/text.h>

bool tfr_advise_remote(double seconds, char *text, size_t size)
{
	struct tfr_remote_statistics s;
	char rate[TFR_SIZE_TEXT];
	double each;

	tfr_remote_statistics(&s);
	if (!s.requests || !(seconds > 0))
		return false;
	each = seconds * s.most_at_once / (double)s.requests; /* about what one request takes */
	tfr_format_size((uint64_t)((double)s.bytes_in / seconds), rate);
	if (s.throttled > s.requests / 100)
		snprintf(text, size,
			"a server that allows more requests: it refused %llu of %llu.  Fewer "
			"--connections, or a copy on a local disk",
			(unsigned long long)s.throttled, (unsigned long long)s.requests);
	else if (s.first_byte_p50 > 0.005 && s.first_byte_p50 > each / 2)
		snprintf(text, size,
			"a nearer server: the first byte comes after %.0f ms.  More files at once "
			"(--cycle-length), more --connections, or a bucket in this region",
			1000 * s.first_byte_p50);
	else
		snprintf(text, size,
			"a faster link: %s/s came over %u connections.  Compressed files ('tfr cat "
			"-z "
			"gzip'), or a copy on a local disk",
			rate, s.most_at_once);
	return true;
}
