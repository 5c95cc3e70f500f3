/* tfr-private/check.h - verifies that files are intact, record by record.
 *
 * That TensorFlow can read a file proves little: its skip() passes over damaged payloads, and it
 * takes 1 to 11 stray bytes at the end for a clean end.  The readers of DALI and of the PyPI
 * package verify no checksum at all.  This check accounts for every byte. */
#ifndef TFR_PRIVATE_CHECK_H
#define TFR_PRIVATE_CHECK_H

#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result for one file. */
struct tfr_check_file {
	const char *path;
	uint64_t records;	/* intact ones */
	uint64_t payload_bytes; /* of intact records; 0 with `quick` */
	uint64_t faults;
	uint64_t lost_bytes; /* skipped to find the next record, or left unread at the end */
	uint64_t images;     /* number of images decoded */
	uint64_t sum;	     /* content sum of the intact records, with `sum` or `manifest` */
};

/* Adds all numbers of `more`. */
static inline void tfr_check_file_add(struct tfr_check_file *sum, const struct tfr_check_file *more)
{
	sum->records += more->records;
	sum->payload_bytes += more->payload_bytes;
	sum->faults += more->faults;
	sum->lost_bytes += more->lost_bytes;
	sum->images += more->images;
	sum->sum += more->sum;
}

/* Faults of one kind in the contents of records: in one feature, with the same wording except for
 * numbers. */
struct tfr_check_kind {
	uint64_t hash;	  /* the same in all files and runs */
	uint64_t records; /* number of records with such a fault in this report */
};

struct tfr_check_opts {
	unsigned threads; /* 0: one per processor */
	bool quick;	  /* verify only length CRCs and the exact end; no payload is read */
	bool example;	  /* each record must be an Example or a SequenceExample */
	bool decode; /* each JPEG or PNG in an Example must decode, and image/encoded must be one */
	/* Differences between readers (TensorFlow, DALI, protobuf, PyPI's tfrecord) are faults,
	 * too: in the layout of a compressed file, in Examples, or in an empty file.  Records that
	 * are not Examples are exempt, unless `example` is set. */
	bool strict;
	/* A file with the features that each record must have, in the format of tfr-check(1); NULL:
	 * none.  Implies `example`.  TFR_EUSAGE: a line of it is wrong.  `warn` gets the fields of
	 * a Schema of TensorFlow Metadata that are not checked; it may be NULL. */
	const char *schema;
	void (*warn)(void *ctx, const char *text);
	/* Each file must match the manifest beside it: records, bytes, content sum and CRC-32C.  A
	 * file without a manifest is a fault. */
	bool manifest;
	bool sum;		       /* compute the content sum of each file; not with `quick` */
	struct tfr_progress *progress; /* may be NULL */

	/* Both are called in the order of the files, one call at a time.  The faults of a file are
	 * reported in record order, before its end.  `path` is the file; err->has_record says
	 * whether the fault is in a record.  `kind` is NULL for a fault that is reported alone:
	 * damage, or an image that does not decode.  Of faults of one kind, the first is reported,
	 * once or a few times per file.  After a thousand kinds in one report, further kinds share
	 * one. */
	void (*fault)(void *ctx, const char *path, const struct tfr_error *err,
		const struct tfr_check_kind *kind);
	void (*file)(void *ctx, const struct tfr_check_file *file); /* may be NULL */
	void *ctx;
};

/* Checks every file, several at a time.  After a damaged payload, continues with the next record;
 * after a damaged length, searches for the next record that verifies.  Faults in the files are
 * reported through `fault` and are not failures of this call. */
enum tfr_status tfr_check_set(
	const struct tfr_set *set, const struct tfr_check_opts *opts, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
