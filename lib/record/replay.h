/* record/replay.h - a damaged compressed file once more, in fixed steps.
 *
 * ISA-L does not say how much of what it gave before it met damage is whole: it depends on the room
 * that it had, by some hundred bytes.  So what follows damage would depend on the size of a
 * reader's blocks and on the number of threads.  Once damage is met in a file that can be read
 * again, it is inflated from its beginning with the same steps whoever asks, and what was handed
 * out before is passed over. */
#ifndef TFR_RECORD_REPLAY_H
#define TFR_RECORD_REPLAY_H

#include "codec/codec.h"
#include "io/source.h"

struct tfr_replay;

/* `z` begins where the source stands, and is taken over, also where it fails; the source stays the
 * caller's.  `skip`: bytes that were handed out. */
enum tfr_status tfr_replay_open(struct tfr_replay **r, struct tfr_source *source,
	struct tfr_inflate *z, uint64_t skip, struct tfr_error *err);
void tfr_replay_close(struct tfr_replay *r); /* accepts NULL */
/* As tfr_stream_read(). */
enum tfr_status tfr_replay_read(
	struct tfr_replay *r, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* The inflater that has come to what is read next. */
const struct tfr_inflate *tfr_replay_inflate(const struct tfr_replay *r);

#endif
