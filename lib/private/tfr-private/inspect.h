/* tfr-private/inspect.h - proving that files are whole, record by record.
 *
 * "TensorFlow read it" is no proof: its skip() passes over damaged payloads, 1 to 11 stray bytes at
 * the end are a clean end to it, and the readers of DALI and of the PyPI package look at no
 * checksum at all.  Here every byte is accounted for. */
#ifndef TFR_PRIVATE_INSPECT_H
#define TFR_PRIVATE_INSPECT_H

#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was found in one file. */
struct tfr_check_file {
	const char *path;
	uint64_t records;	/* good ones */
	uint64_t payload_bytes; /* of the good ones; 0 with `quick` */
	uint64_t faults;
	uint64_t lost_bytes; /* passed over to find the next record, or left unread at the end */
	uint64_t images;     /* decoded */
	uint64_t sum;	     /* content sum of the good ones, with `sum` or `manifest` */
};

/* Faults of one kind in the contents of records: one feature, one wording but for its numbers. */
struct tfr_check_kind {
	uint64_t hash;	  /* the same in all files and runs */
	uint64_t records; /* with such a fault, of this report */
};

struct tfr_check_opts {
	unsigned threads; /* 0: one a processor */
	enum tfr_compression compression;
	bool quick;   /* only length CRCs and the exact end: no payload is read */
	bool example; /* each record must be an Example or a SequenceExample */
	bool decode; /* each JPEG or PNG in an Example must decode, and image/encoded must be one */
	uint64_t max_pixels; /* of an image that is decoded; one with more is a fault [500000000] */
	/* What other readers (TensorFlow, DALI, protobuf, PyPI's tfrecord) take differently or lose
	 * is a fault as well: in how a compressed file is put together, in Examples, an empty file.
	 * Records that are no Examples are none, but with `example`. */
	bool strict;
	/* A file with the features that each record must have, laid out as tfr-check(1) says; NULL:
	 * none.  Implies `example`.  TFR_EUSAGE: a line of it is wrong. */
	const char *schema;
	/* Each file must be what the manifest beside it says: its records, bytes, content sum and
	 * CRC-32C.  A file without a manifest is a fault. */
	bool manifest;
	bool sum;		       /* takes the content sum of each file; not with `quick` */
	struct tfr_progress *progress; /* may be NULL */

	/* Both are called in file order, a fault in record order before its file's end, one call at
	 * a time.  `path` is the file; err->has_record says whether a record is to blame.
	 * `kind` is NULL for a fault that is reported alone: damage, an image that does not decode.
	 * Faults of one kind are reported by the first of them, once or a few times per file; after
	 * a thousand kinds in one report, further kinds share one. */
	void (*fault)(void *ctx, const char *path, const struct tfr_error *err,
		const struct tfr_check_kind *kind);
	void (*file)(void *ctx, const struct tfr_check_file *file); /* may be NULL */
	void *ctx;
};

/* Checks every file, several at a time.  After a damaged payload it goes on with the next record;
 * after a damaged length it looks for the next record that verifies.  Faults in the files are told
 * through `fault` and are no failure of this call. */
enum tfr_status tfr_check_set(
	const struct tfr_set *set, const struct tfr_check_opts *opts, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
