/* tfr/record.h - TFRecord files, record by record.
 *
 * A record is, all little-endian: u64 length of the payload; u32 masked CRC-32C of those 8 bytes;
 * the payload; u32 masked CRC-32C of the payload (tensorflow: tsl/lib/io/record_writer.h).
 * masked(c) = rotr(c, 15) + 0xa282ead8 (tsl/lib/hash/ crc32c.h).  There is no magic, no index and
 * no footer, so whole files can be concatenated.  Both checksums are always verified: reading the
 * page cache is slower than checking it. */
#ifndef TFR_RECORD_H
#define TFR_RECORD_H

#include <sys/uio.h>

#include <tfr/codec.h>
#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of tfr itself, for which the library exports nothing: options of these are NULL. */
struct tfr_growing;
struct tfr_gzi;
struct tfr_temporaries;

#define TFR_RECORD_HEADER 12   /* bytes: length and its CRC */
#define TFR_RECORD_FOOTER 4    /* bytes: the payload's CRC */
#define TFR_RECORD_OVERHEAD 16 /* bytes of framing a record */

/* One record, as the reader hands it out. */
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

/* How payloads lie in a file. */
enum tfr_framing {
	TFR_FRAMING_RECORDS,   /* TFRecord */
	TFR_FRAMING_LINES,     /* text: each line is a payload, without its newline; the last may
				  lack one */
	TFR_FRAMING_DELIMITED, /* each payload after its length as a varint, as protobuf's
				  writeDelimitedTo() has it */
};

struct tfr_reader_opts {
	/* AUTO: found from the content.  Lines and delimited payloads have nothing that verifies:
	 * there a name that ends in .gz says GZIP, and all else is NONE. */
	enum tfr_compression compression;
	size_t block_size; /* bytes read at a time; 0: 512 KiB.  A larger record grows the block */
	/* Of what is not RECORDS only tfr_reader_next() can be asked; `offset` is that of the
	 * payload's first byte or its length's, and a fault is a TFR_FAULT_STREAM. */
	enum tfr_framing framing;
	/* Is given the bytes of every fault that reading goes on behind, as they lie (in a
	 * compressed file: uncompressed), in order, a fault in one piece or several: those of a
	 * record with TFR_FAULT_PAYLOAD when it is found, all others by tfr_reader_resync().  A
	 * failure ends that call.  May be NULL. */
	enum tfr_status (*lost)(void *ctx, const void *data, size_t size, struct tfr_error *err);
	void *ctx;
	/* NULL: the file is what it is.  For tfr_reader_open(), and read with tfr_reader_next()
	 * only; TFR_ESYS when the file shrinks, or is replaced or removed. */
	const struct tfr_growing *growing;
	/* That inflate, the caller's among them; 0: one a processor.  More than one helps with GZIP
	 * files, not pipes, that have points to begin at (FILE.gzi); others are inflated by the
	 * caller.  What is read does not depend on it. */
	unsigned threads;
};

/* Opens `path` ("-": standard input).  NULL opts: the defaults.  An empty file is a valid file with
 * no records. */
TFR_API enum tfr_status tfr_reader_open(struct tfr_reader **r, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
/* Reads memory, which stays the caller's and must outlive the reader. */
TFR_API enum tfr_status tfr_reader_open_memory(struct tfr_reader **r, const void *data, size_t size,
	const struct tfr_reader_opts *opts, struct tfr_error *err);
TFR_API void tfr_reader_close(struct tfr_reader *r); /* accepts NULL */

/* The next record.
 *   TFR_OK       `rec` is filled.
 *   TFR_END      the file ended where a record ended.
 *   TFR_EFORMAT  the first header does not verify: not a TFRecord file; the message names what it
 * is, where known. TFR_EDATA    damaged; tfr_reader_fault() says how, and what can follow.
 *   TFR_ESYS, TFR_ENOMEM.
 * Memory grows with bytes that have arrived, never by what a length claims; a length past the end
 * of a regular file is refused at once. */
TFR_API enum tfr_status tfr_reader_next(
	struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err);

/* How the last TFR_EDATA or TFR_EFORMAT of tfr_reader_next() left the reader. */
enum tfr_fault {
	TFR_FAULT_NONE,
	TFR_FAULT_PAYLOAD, /* the data CRC is wrong: the next call gives the record behind it */
	TFR_FAULT_LENGTH,  /* the length CRC is wrong, or no file is that long: tfr_reader_resync()
			      may find the next record */
	TFR_FAULT_CUT, /* the file ends inside a record (1 to 11 bytes of a header count: TensorFlow
			  passes those silently) */
	TFR_FAULT_STREAM, /* the compressed stream is damaged: nothing can follow */
};
TFR_API enum tfr_fault tfr_reader_fault(const struct tfr_reader *r);

/* Goes to the next record after any fault.  After TFR_FAULT_PAYLOAD the reader is there already.
 * After TFR_FAULT_LENGTH and TFR_FAULT_CUT it looks for the next length whose CRC verifies and that
 * the data CRC or the next header confirms.  After TFR_FAULT_STREAM no record can follow.  TFR_OK:
 * *lost bytes were skipped.  TFR_END: no record follows in the *lost bytes up to the end of the
 * file.  TFR_ESYS: the file is a character device, which may have no end. */
TFR_API enum tfr_status tfr_reader_resync(
	struct tfr_reader *r, uint64_t *lost, struct tfr_error *err);

/* The number of records in a file, from the headers alone: length CRCs are verified and the end
 * must be exact, payloads are not read where the file can be hopped over.  Statuses as
 * tfr_reader_next(). */
TFR_API enum tfr_status tfr_count_records(const char *path, const struct tfr_reader_opts *opts,
	uint64_t *records, struct tfr_error *err);

/* --- indexes --- */

/* What stands beside a file: FILE.idx, and beside a GZIP file FILE.gzi as well. */
enum tfr_index_state {
	TFR_INDEX_GOOD, /* its lines follow each other from 0 to the end of the file, and it is
			   not older than the file; FILE.gzi likewise */
	TFR_INDEX_MISSING,
	TFR_INDEX_OLDER,     /* the file was modified after it */
	TFR_INDEX_OTHER_END, /* its last line does not end where the file ends */
	TFR_INDEX_DIFFERS,   /* its lines name other records than the file has: tfr_index_write()
				alone finds that out */
	TFR_INDEX_UNCHAINED, /* a line does not begin where the last one ended: a selection that
				somebody made, or damaged */
	TFR_INDEX_FOREIGN,   /* not an index */
	/* FILE.idx is good, and FILE.gzi is */
	TFR_INDEX_NO_POINTS,	  /* missing; */
	TFR_INDEX_POINTS_OLDER,	  /* older than the file; */
	TFR_INDEX_POINTS_DIFFER,  /* made of another file: points lie behind the end, cannot be
				     begun at, or are others than tfr_index_write() finds; */
	TFR_INDEX_POINTS_FOREIGN, /* no such thing. */
};
/* In words: "older than the file". */
TFR_API const char *tfr_index_state_text(enum tfr_index_state state);

struct tfr_index_opts {
	enum tfr_compression compression;    /* of the file */
	bool force;			     /* write in any case, whatever is there */
	struct tfr_temporaries *temporaries; /* NULL */
	unsigned threads;		     /* as struct tfr_reader_opts */
	bool no_points;			     /* of a GZIP file too there is FILE.idx alone */
};

/* Judges the index without looking at the records: of a plain file nothing is read but its first
 * bytes and its size; a GZIP file is inflated from its last point to its end, other compressed ones
 * from their beginning.  Of `opts`, compression, threads and no_points count; NULL: the defaults.
 * TFR_EUSAGE: `path` is not a regular file.  TFR_EDATA: the compressed stream is damaged. */
TFR_API enum tfr_status tfr_index_inspect(const char *path, const struct tfr_index_opts *opts,
	enum tfr_index_state *state, struct tfr_error *err);

struct tfr_index_report {
	uint64_t records;		  /* before a fault, where there is one */
	enum tfr_index_state before;	  /* what was there */
	enum tfr_compression compression; /* of the file, where it could be opened */
	uint64_t points;		  /* in FILE.gzi */
	/* The file inflates to more than 4 MiB and has no point: each of its records is reached
	 * from the beginning of the file. */
	bool one_stream;
	bool written; /* false: it was good, and is as it was */
};

/* Writes FILE.idx, and of a GZIP file FILE.gzi: both, whole, or neither.  Length CRCs are verified
 * and the end must be exact; payloads are not read where the file can be hopped over.  An index
 * that is good and names the file's records is left alone, and one that is stale is replaced.  What
 * is unchained or foreign may be somebody's work, and is replaced only with `force`.
 *   TFR_EDATA, TFR_EFORMAT  the file is damaged, is no TFRecord file, or changed meanwhile.
 *   TFR_EEXIST  what is there is not replaced.
 *   TFR_EUSAGE  `path` is not a regular file. */
TFR_API enum tfr_status tfr_index_write(const char *path, const struct tfr_index_opts *opts,
	struct tfr_index_report *report, struct tfr_error *err);

/* --- writing --- */

/* What is known of a payload once it was looked at; computing it can be done on another thread than
 * writing. */
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
	/* That compress, the caller's among them; 0: one a processor.  The bytes of the file do not
	 * depend on it. */
	unsigned threads;
	struct tfr_gzi *gzi; /* NULL */
};

/* What has been written. */
struct tfr_totals {
	uint64_t records;
	uint64_t payload_bytes;
	uint64_t sum; /* content sum: the sum, modulo 2^64, of XXH3-64 over the payloads.  Order
			 does not matter */
	uint64_t file_bytes; /* as they lie in the file, compressed or not; complete after
				tfr_writer_seal() */
	uint32_t file_crc;   /* CRC-32C of the file's bytes; likewise */
};

/* What is compressed is one GZIP member (or one ZLIB stream) of segments of about 1 MiB, cut where
 * a record ends, or within a record that is larger.  A segment does not refer to what lies before
 * it: it ends in a full flush and one more empty stored block.  So several threads can compress it,
 * and inflate it.
 *
 * "-" is standard output.  An output gets its name when it is complete and on disk.  Until then it
 * has no name where the file system allows that; else it is `.NAME.tmp` beside its target, which
 * the next run removes if this process dies. */
TFR_API enum tfr_status tfr_writer_open(struct tfr_writer **w, const char *path,
	const struct tfr_writer_opts *opts, struct tfr_error *err);
TFR_API enum tfr_status tfr_writer_put(
	struct tfr_writer *w, const void *payload, size_t size, struct tfr_error *err);
/* Seals if that was not done, and gives the file its name. */
TFR_API enum tfr_status tfr_writer_publish(struct tfr_writer *w, struct tfr_error *err);
/* Frees it; what was not published is removed.  Accepts NULL. */
TFR_API void tfr_writer_close(struct tfr_writer *w);
/* What was written so far; belongs to the writer. */
TFR_API const struct tfr_totals *tfr_writer_totals(const struct tfr_writer *w);

#ifdef __cplusplus
}
#endif

#endif
