/* tfr-private/record.h - record files, as far as the commands need more than <tfr/record.h>. */
#ifndef TFR_PRIVATE_RECORD_H
#define TFR_PRIVATE_RECORD_H

#include <tfr/record.h>

#include <tfr-private/codec.h>
#include <tfr-private/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A reader that is closed when its scope ends. */
static inline void tfr_reader_auto_close(struct tfr_reader **r)
{
	tfr_reader_close(*r);
}
#define TFR_AUTO_READER __attribute__((cleanup(tfr_reader_auto_close))) struct tfr_reader *

/* What the file turned out to be (after the first tfr_reader_next()), and its name. */
enum tfr_compression tfr_reader_compression(const struct tfr_reader *r);
const char *tfr_reader_name(const struct tfr_reader *r);

/* Readers refuse records larger than `bytes`, with TFR_ENOMEM and a hint of the commands' -m [no
 * limit].  The first 512 KiB are read in any case.  Call it before there are threads. */
void tfr_limit_records(uint64_t bytes);

struct tfr_gzi; /* <tfr-private/gzi.h> */

/* Opens a file at record `index`, which begins at uncompressed byte `offset`; a FILE.idx has
 * both numbers. tfr_reader_next() counts records from `index`.  In a GZIP file, decompression
 * starts at the last point before `offset`.  The checksum at the end of that GZIP member
 * therefore cannot be verified; those of the records are.  A plain file needs no points; a ZLIB
 * file is decompressed from its beginning.  NULL gzi: no points; NULL opts: the defaults. */
enum tfr_status tfr_reader_open_at(struct tfr_reader **r, const char *path,
	const struct tfr_gzi *gzi, uint64_t offset, uint64_t index,
	const struct tfr_reader_opts *opts, struct tfr_error *err);

/* Moves an open reader of records to another record, backwards or forwards, as tfr_reader_open_at()
 * does.  A failed move can be retried; until a move succeeds, no record can be read.
 *
 *   TFR_EUSAGE  the file has fewer bytes, or the input is a pipe, which cannot go back.
 *   TFR_EDATA   the compressed stream is damaged before the record.
 *   TFR_ESYS, TFR_ENOMEM. */
enum tfr_status tfr_reader_seek(struct tfr_reader *r, const struct tfr_gzi *gzi, uint64_t offset,
	uint64_t index, struct tfr_error *err);

/* The members of a compressed file, complete after TFR_END; all 0 for a plain one. */
struct tfr_members tfr_reader_members(const struct tfr_reader *r);

/* FILE.idx is a text, a line `OFFSET LENGTH` a record in decimal: the offset of the record's first
 * byte, in the uncompressed stream of a compressed file, and its length with its 16 bytes of
 * framing.  It is what tfrecord2idx writes, the one of NVIDIA DALI and the one of PyPI's tfrecord,
 * and what their readers read. */
struct tfr_index_entry {
	uint64_t offset, size;
};

struct tfr_index;

/* "FILE.idx" for a file; the caller frees it.  NULL: out of memory. */
char *tfr_index_path(const char *path);

/* Opens an index by its own path. */
enum tfr_status tfr_index_open(
	struct tfr_index **ix, const char *index_path, struct tfr_error *err);

/* Reads memory, which stays the caller's and must outlive the index. */
enum tfr_status tfr_index_open_memory(
	struct tfr_index **ix, const void *text, size_t size, struct tfr_error *err);

/* The next pair of numbers, whatever white space is between them, as DALI's reader takes them
 * (indexed_file_loader.h).  But where DALI stops silently, at anything that is no number, there is
 * a failure here.  TFR_END after the last.  TFR_EDATA: no pair of numbers, or not the place of a
 * record: shorter than its framing, or past the end of every file.  Whether a pair fits the file
 * that it belongs to is not looked at: pairs may leave records out, and come in any order. */
enum tfr_status tfr_index_next(
	struct tfr_index *ix, struct tfr_index_entry *entry, struct tfr_error *err);
void tfr_index_close(struct tfr_index *ix); /* accepts NULL */

/* Computes the digest of a payload; any thread may do it before the payload is written. */
void tfr_digest_pieces(const struct iovec *pieces, int count, struct tfr_digest *d);

/* The same of a record that was read: its CRC is known already. */
void tfr_digest_record(const struct tfr_record *rec, struct tfr_digest *d);

/* A payload in pieces, written without copying large ones.  `digest` may be NULL: computed here. */
enum tfr_status tfr_writer_put_pieces(struct tfr_writer *w, const struct iovec *pieces, int count,
	const struct tfr_digest *digest, struct tfr_error *err);

/* Ends the stream and forces it to disk.  Nothing can be put afterwards. */
enum tfr_status tfr_writer_seal(struct tfr_writer *w, struct tfr_error *err);

/* Hands to the system what is gathered.  What a codec holds back stays there. */
enum tfr_status tfr_writer_flush(struct tfr_writer *w, struct tfr_error *err);

/* Modification time of the sealed file, nanoseconds since 1970; 0 for a stream. */
uint64_t tfr_writer_mtime(const struct tfr_writer *w);

/* Bytes without framing into the same kind of output: gathered, compressed where asked, whole or
 * absent.  What a record writer writes through. */
struct tfr_stream_writer;

enum tfr_status tfr_stream_writer_open(struct tfr_stream_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err);
enum tfr_status tfr_stream_writer_put(
	struct tfr_stream_writer *w, const struct iovec *pieces, int count, struct tfr_error *err);

/* As tfr_writer_flush(). */
enum tfr_status tfr_stream_writer_flush(struct tfr_stream_writer *w, struct tfr_error *err);

/* Ends the stream and forces it to disk, under its temporary name still; publishing does this too.
 */
enum tfr_status tfr_stream_writer_seal(struct tfr_stream_writer *w, struct tfr_error *err);
enum tfr_status tfr_stream_writer_publish(struct tfr_stream_writer *w, struct tfr_error *err);
void tfr_stream_writer_close(struct tfr_stream_writer *w); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
