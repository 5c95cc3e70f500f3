/* tfr/record.h - reads and writes TFRecord files, record by record.
 *
 * A record consists of, all little-endian: u64 length of the payload; u32 masked CRC-32C of those 8
 * bytes; the payload; u32 masked CRC-32C of the payload (tensorflow: tsl/lib/io/record_writer.h).
 * masked(c) = rotr(c, 15) + 0xa282ead8 (tsl/lib/hash/crc32c.h).  A file has no magic, no index and
 * no footer, so complete files can be concatenated.  Both checksums are always verified: reading
 * the page cache is slower than checking it. */
#ifndef TFR_RECORD_H
#define TFR_RECORD_H

#include <sys/uio.h>

#include <tfr/codec.h>
#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Only the tfr command can make these objects; other programs set such options to NULL. */
struct tfr_growing;
struct tfr_gzi;
struct tfr_temporaries;

#define TFR_RECORD_HEADER 12   /* bytes: length and its CRC */
#define TFR_RECORD_FOOTER 4    /* bytes: the payload's CRC */
#define TFR_RECORD_OVERHEAD 16 /* bytes of framing per record */

/* One record, as the reader returns it. */
struct tfr_record {
	const uint8_t
		*data;	 /* the payload; belongs to the reader, valid until the next call on it */
	size_t size;	 /* of the payload, bytes */
	uint64_t index;	 /* counted from 0 in this file */
	uint64_t offset; /* of the record's first byte, in the uncompressed stream */
	uint32_t crc;	 /* CRC-32C of the payload (not masked), verified */
};

/* --- reading --- */

struct tfr_reader;

/* How a file separates payloads. */
enum tfr_framing {
	TFR_FRAMING_RECORDS, /* TFRecord */
	TFR_FRAMING_LINES,   /* text: each line is a payload, without its newline; the last line may
				lack it */
	TFR_FRAMING_DELIMITED, /* each payload after its length as a varint, as protobuf's
				  writeDelimitedTo() has it */
};

struct tfr_reader_opts {
	/* AUTO: detected from the content.  Lines and delimited payloads have nothing to verify, so
	 * a name that ends in .gz means GZIP, and any other means NONE. */
	enum tfr_compression compression;
	size_t block_size; /* bytes read at a time; 0: 512 KiB.  A larger record grows the block */
	/* With a framing other than RECORDS, only tfr_reader_next() may be called; `offset` is that
	 * of the first byte of the payload or of its length, and every fault is TFR_FAULT_STREAM.
	 */
	enum tfr_framing framing;
	/* Receives the raw bytes of every fault that the reader skips, in order, uncompressed, in
	 * one or more pieces per fault.  tfr_reader_next() passes those of a record with
	 * TFR_FAULT_PAYLOAD, tfr_reader_resync() all others.  A failure ends that call.  May be
	 * NULL. */
	enum tfr_status (*lost)(void *ctx, const void *data, size_t size, struct tfr_error *err);
	void *ctx;
	/* For a file that grows while it is read, with tfr_reader_next() only.  TFR_ESYS: the file
	 * shrank, or was replaced or removed.  NULL: the file does not grow. */
	const struct tfr_growing *growing;
	/* Threads that inflate, including the caller's; 0: one per processor.  More than one helps
	 * with GZIP files, not pipes, that have flush points to start at; the caller's thread
	 * inflates other files.  The records do not depend on it. */
	unsigned threads;
};

/* Opens `path` ("-": standard input).  NULL opts: the defaults.  An empty file is valid and has no
 * records. */
TFR_API enum tfr_status tfr_reader_open(struct tfr_reader **r, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
/* Reads memory, which the caller keeps and which must outlive the reader. */
TFR_API enum tfr_status tfr_reader_open_memory(struct tfr_reader **r, const void *data, size_t size,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
TFR_API void tfr_reader_close(struct tfr_reader *r); /* accepts NULL */

/* Reads the next record.
 *   TFR_OK       `rec` is filled.
 *   TFR_END      the file ends at the end of a record.
 *   TFR_EFORMAT  the first header does not verify: not a TFRecord file.  The message names the kind
 *                of file, if it is known.
 *   TFR_EDATA    damaged; tfr_reader_fault() tells how, and whether records can follow.
 *   TFR_ESYS, TFR_ENOMEM.
 * Memory grows with bytes that have arrived, never with what a length claims.  A length past the
 * end of a regular file is refused at once. */
TFR_API enum tfr_status tfr_reader_next(
	struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err);

/* Reads the next record, and those after it that are in memory already, at most `max` (at least 1),
 * into `recs`.  Only the first can wait for the file.  *count is their number, also on failure: the
 * record after them is the one that failed.  All views are valid until the next call.  Statuses as
 * of tfr_reader_next(); with TFR_END, *count is 0. */
TFR_API enum tfr_status tfr_reader_next_many(struct tfr_reader *r, struct tfr_record *recs,
	size_t max, size_t *count, struct tfr_error *err);

/* How the last TFR_EDATA or TFR_EFORMAT of tfr_reader_next() left the reader. */
enum tfr_fault {
	TFR_FAULT_NONE,
	TFR_FAULT_PAYLOAD, /* the data CRC is wrong: the next call returns the record after it */
	TFR_FAULT_LENGTH,  /* the length CRC is wrong, or no file is that long: tfr_reader_resync()
			      may find the next record */
	TFR_FAULT_CUT, /* the file ends inside a record, or in its header, which TensorFlow ignores
			  silently */
	TFR_FAULT_STREAM, /* the compressed stream is damaged: no record can follow */
};
TFR_API enum tfr_fault tfr_reader_fault(const struct tfr_reader *r);

/* Goes to the next record after any fault.  After TFR_FAULT_PAYLOAD the reader is there already.
 * After TFR_FAULT_LENGTH and TFR_FAULT_CUT it looks for the next length whose CRC verifies and that
 * the data CRC or the next header confirms.  After TFR_FAULT_STREAM no record can follow.  TFR_OK:
 * *lost bytes were skipped.  TFR_END: no record follows in the *lost bytes up to the end of the
 * file.  TFR_ESYS: the file is a character device, which may have no end. */
TFR_API enum tfr_status tfr_reader_resync(
	struct tfr_reader *r, uint64_t *lost, struct tfr_error *err);

/* Counts the records of a file by their headers.  Length CRCs are verified and the last record must
 * be complete; payloads are not read in a file where they can be skipped.  Statuses as of
 * tfr_reader_next(). */
TFR_API enum tfr_status tfr_count_records(const char *path, const struct tfr_reader_opts *opts,
	uint64_t *records, struct tfr_error *err);

/* --- indexes --- */

/* The state of FILE.idx, and for a GZIP file of FILE.gzi. */
enum tfr_index_state {
	TFR_INDEX_GOOD, /* its lines cover the file from 0 to its end, and it is not older than
			   the file; FILE.gzi likewise */
	TFR_INDEX_MISSING,
	TFR_INDEX_OLDER,     /* the file was modified after the index */
	TFR_INDEX_OTHER_END, /* its last line does not end where the file ends */
	TFR_INDEX_DIFFERS,   /* its lines do not match the records of the file; only
				tfr_index_write() detects this */
	TFR_INDEX_UNCHAINED, /* a line does not begin where the previous one ended: a selection of
				records, or damage */
	TFR_INDEX_FOREIGN,   /* not an index */
	/* FILE.idx is good, but FILE.gzi is */
	TFR_INDEX_NO_POINTS,	  /* missing */
	TFR_INDEX_POINTS_OLDER,	  /* older than the file */
	TFR_INDEX_POINTS_DIFFER,  /* of another file: its points are past the end, cannot be used to
				     start inflating, or differ from those in the file */
	TFR_INDEX_POINTS_FOREIGN, /* not an index of points */
};
/* The state in words, such as "older than the file". */
TFR_API const char *tfr_index_state_text(enum tfr_index_state state);

struct tfr_index_opts {
	enum tfr_compression compression;    /* of the file */
	bool force;			     /* write, whatever exists */
	struct tfr_temporaries *temporaries; /* NULL */
	unsigned threads;		     /* as struct tfr_reader_opts */
	bool no_points;			     /* no FILE.gzi for a GZIP file */
};

/* Inspects the index of a file without reading the records.  It reads the first bytes and the size
 * of a plain file, inflates a GZIP file from its last point to its end, and other compressed files
 * from the start.  Of `opts` it uses compression, threads and no_points; NULL: the defaults.
 * TFR_EUSAGE: `path` is not a regular file.  TFR_EDATA: the compressed stream is damaged. */
TFR_API enum tfr_status tfr_index_inspect(const char *path, const struct tfr_index_opts *opts,
	enum tfr_index_state *state, struct tfr_error *err);

struct tfr_index_report {
	uint64_t records;		  /* before the fault, if there is one */
	enum tfr_index_state before;	  /* the index that existed */
	enum tfr_compression compression; /* of the file, if it could be opened */
	uint64_t points;		  /* in FILE.gzi */
	/* The file inflates to more than 4 MiB and has no point: every record is reached from the
	 * start of the file. */
	bool one_stream;
	bool written; /* false: the index was good and is unchanged */
};

/* Writes FILE.idx, and for a GZIP file FILE.gzi: both, or neither.  Length CRCs are verified and
 * the last record must be complete; payloads are not read in a file where they can be skipped.  An
 * index that matches the records is kept, and a stale one is replaced.  An unchained or foreign one
 * may have been made by a user and is replaced only with `force`. TFR_EDATA, TFR_EFORMAT  the file
 * is damaged, is not a TFRecord file, or changed meanwhile. TFR_EEXIST  the existing index is not
 * replaced. TFR_EUSAGE  `path` is not a regular file. */
TFR_API enum tfr_status tfr_index_write(const char *path, const struct tfr_index_opts *opts,
	struct tfr_index_report *report, struct tfr_error *err);

/* --- writing --- */

/* Size and checksums of a payload.  Any thread may compute it before another one writes the
 * payload. */
struct tfr_digest {
	uint64_t size; /* bytes */
	uint64_t sum;  /* XXH3-64 of the payload: content sums add these up, modulo 2^64 */
	uint32_t crc;  /* CRC-32C of the payload, not masked */
};

struct tfr_writer;

struct tfr_writer_opts {
	enum tfr_compression compression;    /* AUTO: GZIP for a name ending in .gz, else none */
	int level;			     /* 1 to 9; 0: TFR_LEVEL_DEFAULT */
	bool force;			     /* replace an existing file */
	bool dry_run;			     /* refuse what cannot be written, write nothing */
	size_t buffer_size;		     /* bytes gathered before a write; 0: 256 KiB */
	struct tfr_temporaries *temporaries; /* NULL */
	/* Threads that compress, including the caller's; 0: one per processor.  The bytes of the
	 * file do not depend on it. */
	unsigned threads;
	struct tfr_gzi *gzi; /* NULL */
	/* Of a set: this process owns the shards part, part + parts, part + 2 * parts, ... and
	 * writes no others.  They are published together with a note beside the set, which
	 * tfr-cluster(7) describes; `tfr finish` then completes the set.  It replaces shards that
	 * the same part has written before.  0 parts: all shards. */
	uint32_t part, parts;
	/* Bytes that the output may have, all of its files together; 0: unknown.  The size of the
	 * parts in which an object is uploaded follows from it: there are at most 10,000. */
	uint64_t expected;
};

/* Totals of what was written. */
struct tfr_totals {
	uint64_t records;
	uint64_t payload_bytes;
	uint64_t sum; /* content sum: the sum, modulo 2^64, of XXH3-64 over the payloads.  Order
			 does not matter */
	uint64_t file_bytes; /* size of the file, compressed or not; complete after
				tfr_writer_publish() */
	uint32_t file_crc;   /* CRC-32C of the file's bytes; likewise */
};

/* Opens a file for writing.  A compressed file is one GZIP member (or one ZLIB stream) of segments
 * of about 1 MiB.  A segment ends at the end of a record, or within a record that is larger.  It
 * refers to nothing before it, and ends with a full flush and one more empty stored block, so
 * several threads can compress the file, and inflate it.
 *
 * "-" is standard output.  An output gets its name when it is complete and on disk.  Until then it
 * has no name if the file system allows that; otherwise it is `.NAME.tmp` beside its target.  If
 * the process dies, the next run that writes the target removes it.
 *
 * After a call has failed, every later call except tfr_writer_close() and tfr_writer_totals() fails
 * with the same error: bytes may be missing, so nothing is published.  After tfr_writer_publish()
 * has succeeded, putting and publishing return TFR_EUSAGE. */
TFR_API enum tfr_status tfr_writer_open(struct tfr_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err);
TFR_API enum tfr_status tfr_writer_put(
	struct tfr_writer *w, const void *payload, size_t size, struct tfr_error *err);
/* Completes the file, forces it to disk and gives it its name. */
TFR_API enum tfr_status tfr_writer_publish(struct tfr_writer *w, struct tfr_error *err);
/* Frees the writer; a file that was not published is removed.  Accepts NULL. */
TFR_API void tfr_writer_close(struct tfr_writer *w);
/* What was written so far; belongs to the writer. */
TFR_API const struct tfr_totals *tfr_writer_totals(const struct tfr_writer *w);

#ifdef __cplusplus
}
#endif

#endif
