/* record/stream_writer.h - what the record writer needs beyond the public calls of a stream writer.
 */
#ifndef TFR_RECORD_STREAM_WRITER_H
#define TFR_RECORD_STREAM_WRITER_H

#include <tfr/record.h>

struct tfr_press;

/* How `path` will be compressed. */
enum tfr_compression tfr_writer_compression(const struct tfr_writer_opts *opts, const char *path);
/* What `files` files like `path` that are open at once share; NULL where they are not compressed.
 * It must outlive them. */
enum tfr_status tfr_writer_press(struct tfr_press **press, const struct tfr_writer_opts *opts,
	const char *path, uint32_t files, struct tfr_error *err);
/* `press` may be NULL: the file makes its own where it is compressed. */
enum tfr_status tfr_stream_writer_open_with(struct tfr_stream_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_press *press, struct tfr_error *err);

/* A record of `size` bytes comes next: where the stream may be cut.  Putting does it, adding does
 * not. */
enum tfr_status tfr_stream_writer_mark(
	struct tfr_stream_writer *w, uint64_t size, struct tfr_error *err);
enum tfr_status tfr_stream_writer_add(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err);
bool tfr_stream_writer_compresses(const struct tfr_stream_writer *w);

/* Size and CRC-32C of what was written so far, as it lies in the file. */
void tfr_stream_writer_file(const struct tfr_stream_writer *w, uint64_t *bytes, uint32_t *crc);
/* After sealing: gives back the buffers, the descriptor, and with it the lock. */
void tfr_stream_writer_release(struct tfr_stream_writer *w);
uint64_t tfr_stream_writer_mtime(const struct tfr_stream_writer *w);

#endif
