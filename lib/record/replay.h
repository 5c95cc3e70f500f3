/* record/replay.h - inflates a damaged file again, in fixed steps.
 *
 * How much ISA-L inflates before damage depends on the room in the output, by some hundred bytes.
 * So the bytes before damage would depend on the size of a reader's blocks and on the number of
 * threads.  When damage is met in a file that can be read again, it is inflated from its start in
 * the same steps for any caller, and bytes that were returned before are skipped. */
#ifndef TFR_RECORD_REPLAY_H
#define TFR_RECORD_REPLAY_H

#include "codec/codec.h"
#include "io/source.h"

struct tfr_replay;

/* `z` starts at the source's position and is taken over, also on failure.  The source stays the
 * caller's.  `skip`: bytes that were returned before. */
enum tfr_status tfr_replay_open(struct tfr_replay **r, struct tfr_source *source,
	struct tfr_inflate *z, uint64_t skip, struct tfr_error *err);
void tfr_replay_close(struct tfr_replay *r); /* accepts NULL */
/* As tfr_stream_read(). */
enum tfr_status tfr_replay_read(
	struct tfr_replay *r, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* The inflater at the current position. */
const struct tfr_inflate *tfr_replay_inflate(const struct tfr_replay *r);

#endif
