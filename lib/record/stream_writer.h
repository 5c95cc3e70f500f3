/* record/stream_writer.h - what the record writer needs beyond the public calls of a stream writer.
 */
#ifndef TFR_RECORD_STREAM_WRITER_H
#define TFR_RECORD_STREAM_WRITER_H

#include <tfr/record.h>

/* Size and CRC-32C of what was written so far, as it lies in the file. */
void tfr_stream_writer_file(const struct tfr_stream_writer *w, uint64_t *bytes, uint32_t *crc);
/* After sealing: gives back the buffers, the descriptor, and with it the lock. */
void tfr_stream_writer_release(struct tfr_stream_writer *w);
uint64_t tfr_stream_writer_mtime(const struct tfr_stream_writer *w);

#endif
