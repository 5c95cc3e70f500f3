/* tfr-private/rewrite.h - rewrites data sets of any size in bounded memory: shuffles, resamples,
 * splits, removes duplicates, repairs.
 *
 * Each call reads sets of TFRecord files (tfr/shard.h), verifies every checksum, and writes one or
 * more sets that become visible only when all of them are complete and on disk.  The records are
 * never changed.  The same inputs, options and seed give the same bytes for any number of threads
 * and any memory. */
#ifndef TFR_PRIVATE_REWRITE_H
#define TFR_PRIVATE_REWRITE_H

#include <tfr-private/example.h>
#include <tfr-private/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of all calls.  Zero is the default of every member except `sweep.input`. */
struct tfr_rewrite_opts {
	/* The inputs, and how they are read.  Nothing is published after a failure.  With
	 * `quarantine`, tfr_shuffle(), tfr_resample(), tfr_split() and tfr_dedup() write the raw
	 * bytes of everything that they skip to this file, uncompressed, in the order of the
	 * inputs; an intact but unusable record with its framing.  The caller opens and closes it.
	 * It is published together with the sets. */
	struct tfr_sweep_opts sweep;
	uint64_t seed;
	struct tfr_writer_opts writer; /* compression, level, force, temporaries, threads */
	/* Compared with what `where` selects; if it differs, TFR_EDATA, and nothing is published.
	 */
	struct tfr_expect expect;
	const char *command; /* for the manifest; may be NULL */
};

/* The report of every call.  If the call fails, it covers the work done so far. */
struct tfr_rewrite_report {
	uint64_t records; /* read, and intact */
	uint64_t bad;	  /* damaged and skipped */
	uint64_t taken;	  /* of `records`, those that `where` selects */
	uint64_t written;
	uint64_t bytes;	    /* of payload written */
	uint64_t taken_sum; /* content sum of the selected records */
	uint64_t sum;	    /* content sum of the written records */
};

/* --- shuffling --- */

/* A uniform permutation of all records of all inputs.
 *
 * Each record has a key, 64 bits of Philox4x32-10 of (seed; file, record), and the output is in key
 * order.  So every order is equally likely, and the bytes depend only on the inputs, the seed and
 * the number of shards.  Shard k of S holds positions floor(N·k/S) up to floor(N·(k+1)/S).  The
 * first pass distributes the records to buckets, which are ranges of keys, in memory and, beyond
 * that, in temporary files.  The second pass reads one bucket after another, sorts it and writes
 * it.  A bucket that exceeds the memory is divided into smaller ones first. */
struct tfr_shuffle_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* as for tfr_set_writer_open() */
	/* Bytes that the call may use; 0: 1 GiB; at least TFR_SHUFFLE_MEMORY_MIN.  A record above a
	 * quarter of it is refused with TFR_ENOMEM.  The process itself and compression need more:
	 * less than 32 MiB without compression. */
	uint64_t memory;
	/* Folders over which temporary files are spread, which have no names and never remain.
	 * None: the folder of the output, if that is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
};
#define TFR_SHUFFLE_MEMORY_MIN ((uint64_t)8 << 20)

/* The plan of a shuffle. */
struct tfr_shuffle_plan {
	uint64_t input_bytes; /* uncompressed, with framing; an estimate unless `exact` */
	uint64_t least_bytes; /* a lower bound */
	bool exact;	      /* plain files; false for compressed inputs and pipes */
	unsigned passes; /* over the data: 1 if all fits in memory, otherwise 2 or more; 0: unknown
			  */
	unsigned threads;
	uint32_t buckets;
	uint64_t memory;     /* the limit */
	uint64_t temp_bytes; /* the most that is needed; 0 if all fits, or unknown */
	uint64_t temp_free;  /* in the temporary folders */
};

/* Plans a shuffle from the sizes and first bytes of the inputs; writes nothing. */
enum tfr_status tfr_shuffle_plan(
	const struct tfr_shuffle_opts *opts, struct tfr_shuffle_plan *plan, struct tfr_error *err);

struct tfr_shuffle_report {
	struct tfr_rewrite_report common;
	unsigned passes;
	uint32_t buckets;
	uint64_t temp_bytes; /* written to temporary files */
};

/* TFR_EDATA   a damaged input
 * TFR_EEXIST  the output exists
 * TFR_EUSAGE  too little memory allowed
 * TFR_ESYS    also: too little temporary space; reported before anything is read if sizes are known
 * TFR_ENOMEM  also: a record too large for the memory allowed
 * TFR_ECANCELLED */
enum tfr_status tfr_shuffle(const struct tfr_shuffle_opts *opts, struct tfr_shuffle_report *report,
	struct tfr_error *err);
/* --- resampling --- */

/* How records are chosen.  p is the share of a class in the input, t its share in the target:
 *
 * EXACT       Counts in one pass and chooses in a second.  Class i gets its share of the size by
 *             largest remainders.  Exactly that many of its records are written: selection sampling
 *             chooses each with probability (still wanted) / (still to come), so that every choice
 *             is equally likely.  No record is written twice.
 * OVERSAMPLE  As EXACT, but a class with too few records repeats each of them as often as possible
 *             and chooses the rest: the copies of two records of a class differ by at most one.
 *             Copies follow each other. */
enum tfr_resample_method { TFR_RESAMPLE_EXACT, TFR_RESAMPLE_OVERSAMPLE };

/* A class of the records for which an expression (tfr_where_compile()) holds. */
struct tfr_resample_rule {
	const char *name, *expr;
};

/* Required are `common.input`, `output`, one of `by` and `rules`, and one of `target` and
 * `per_class`.  Zero is the default of the others.  TFR_EUSAGE: members that exclude each other.
 */
struct tfr_resample_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* a set, a file or "-"; record j goes to shard j modulo their number */

	/* The class of a record is value 0 of this feature: an int64, or bytes; */
	const char *by;
	/* or the first of these rules that matches; "other" if none does. */
	const struct tfr_resample_rule *rules;
	size_t n_rules;

	/* "uniform", "proportional^E", a list "CLASS=WEIGHT,…", or a file of lines
	 * CLASS TAB WEIGHT.  Weights are 0 or more, in any unit; classes not named get 0. */
	const char *target;
	uint64_t per_class; /* instead of `target`: this many records of each class */

	enum tfr_resample_method method;
	/* Records to write.  0: for EXACT the most that the scarcest class allows, for OVERSAMPLE
	 * the fewest that keep every record of a wanted class.  Not with `per_class`. */
	uint64_t size;
};

struct tfr_resample_class {
	const char *name; /* UTF-8, with the escapes of a list */
	int64_t label;	  /* with has_label: the class is this value of an int64 feature */
	bool has_label;
	uint64_t records;  /* taken from the input */
	double p, t;	   /* share of the input; share in the target */
	double acceptance; /* written share of the records of the class; copies per record */
	uint64_t final;	   /* records written */
};

/* Zero before the call; tfr_resample_report_clear() frees what it holds. */
struct tfr_resample_report {
	struct tfr_rewrite_report common;
	uint64_t size; /* the wanted size */
	/* In order: numbers by value, bytes bytewise, rules as given. */
	struct tfr_resample_class *classes;
	size_t class_count;
	char *names; /* the names of the classes point into it */
};

/* Writes the inputs with another distribution of classes, in input order.  The inputs are read
 * twice.
 *   TFR_EDATA   the data is bad, a record has no class, the target has a class that does not occur
 *               or wants too many records, or the inputs changed between the passes
 *   TFR_EEXIST  the target exists
 *   TFR_EUSAGE  invalid options, an input that cannot be read twice, or more than a million classes
 *   TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED
 * Memory: a few blocks per thread and about 200 bytes per class. */
enum tfr_status tfr_resample(const struct tfr_resample_opts *opts,
	struct tfr_resample_report *report, struct tfr_error *err);
void tfr_resample_report_clear(struct tfr_resample_report *report);

/* --- splitting --- */

/* Options of tfr_split().  Zero is the default of every member except `common.input` and `shares`.
 */
struct tfr_split_opts {
	struct tfr_rewrite_opts common;
	const struct tfr_share *shares; /* the sets, see tfr/shard.h */
	size_t share_count;
	/* The feature whose values decide; NULL: the content. */
	const char *key;
	/* The feature whose value 0, an int64 or bytes, is the class of a record; NULL: no classes.
	 */
	const char *stratify;
	/* With `stratify`: bytes of memory for the entries of the records; 0: 1 GiB; at least 64
	 * KiB. */
	uint64_t memory;
	/* Folders over which temporary files for further entries are spread.  None: the folder of
	 * the first set that is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
};

struct tfr_split_set {
	const char *set; /* the text of the caller */
	double fraction; /* 0: the rest */
	uint64_t records;
	uint64_t bytes; /* of payload */
	uint64_t sum;	/* content sum */
};

/* A class; its pointers belong to the report. */
struct tfr_split_class {
	enum tfr_kind kind; /* int64 or bytes */
	int64_t label;	    /* of int64 */
	struct tfr_bytes text;
	uint64_t records;
	/* For each set, and then for the records in no set: the number that it received, and the
	 * number that its fraction of the class is. */
	const uint64_t *received, *wanted;
};

struct tfr_split_report {
	struct tfr_rewrite_report common;
	struct tfr_split_set *sets;
	size_t set_count;
	uint64_t left; /* records in no set: the fractions add up to less than 1 */

	struct tfr_split_classes *classes; /* for tfr_split_report_class() */
	size_t class_count;
	/* Records that are in another set than the exact count requires, because they share a hash
	 * with others and must stay together. */
	uint64_t off;
	uint64_t temp_bytes; /* written to temporary files */
};

/* Divides the inputs among sets.  The hash of a record is XXH3-64, with the seed, of its payload or
 * of its key.  A single bytes value is hashed as it is, several values each after its length as a
 * varint, int64 as 8 and float as 4 bytes each, little-endian.  With seed 0 and the key
 * image/filename, the result is that of tfr_convert().  Records keep their order; record j of a set
 * goes to its shard j mod N.
 *
 * The hash alone decides.  Records of one key stay together, a record stays in its set when others
 * are added or removed, and a set receives its fraction in expectation.  With `stratify` the counts
 * are exact in each class instead: of its n records a set receives its cumulated fraction, rounded,
 * and the smallest hashes go to the first set, and so on.  Records of one class and key stay
 * together, with counts as near as that allows.  Added records may then move others.  The inputs
 * are read twice, so they cannot be pipes.
 *
 * Nothing is visible until every set is complete and on disk.
 *   TFR_EDATA   a record is damaged or lacks the key or the class, and may not be skipped, or the
 *               inputs changed between the two passes
 *   TFR_EEXIST  a set exists
 *   TFR_EUSAGE  fractions that cannot be met, sets with a common file, a pipe with `stratify`, or
 * more than a million classes TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED. */
enum tfr_status tfr_split(
	const struct tfr_split_opts *opts, struct tfr_split_report *report, struct tfr_error *err);
/* Class `i`, below class_count: numbers first, ascending, then texts, bytewise. */
struct tfr_split_class tfr_split_report_class(const struct tfr_split_report *report, size_t i);
/* Frees the contents of a report. */
void tfr_split_report_clear(struct tfr_split_report *report);

/* --- removing duplicates --- */

/* Options of tfr_dedup().  Zero is the default of every member except `common.input` and `output`.
 */
struct tfr_dedup_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* a set, a file or "-"; record j goes to shard j modulo their number */
	/* Records with equal values of this feature, of one kind, are duplicates; NULL: records
	 * with equal payloads.  A record without a value of the feature is bad. */
	const char *key;
	uint64_t memory; /* bytes for the entries of the records; 0: 1 GiB; at least 128 KiB */
	/* Folders over which temporary files for further entries, 28 bytes per record, are spread.
	 * None: the folder of the output, if that is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
	/* Reports each record that is left out, in order, and the first record that is equal to it.
	 * Any result other than TFR_OK ends the run.  May be NULL. */
	enum tfr_status (*duplicate)(void *ctx, const char *path, uint64_t record,
		const char *first_path, uint64_t first_record, struct tfr_error *err);
	struct tfr_stream_writer *listing; /* published with the output; NULL: none */
};

struct tfr_dedup_report {
	struct tfr_rewrite_report common;
	uint64_t duplicates; /* left out */
	uint64_t groups;     /* records that stay and have duplicates */
	uint64_t temp_bytes; /* written to temporary files */
	bool images;	     /* records were compared by content, and some have image/encoded */
};

/* Writes the first of equal records, in input order.  Records with the same 128-bit hash are equal.
 * The inputs are read twice.
 *   TFR_EDATA   a record is damaged or lacks the key, and may not be skipped; the inputs changed
 *               between the two passes
 *   TFR_EEXIST  the output exists
 *   TFR_EUSAGE  a pipe
 *   TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED. */
enum tfr_status tfr_dedup(
	const struct tfr_dedup_opts *opts, struct tfr_dedup_report *report, struct tfr_error *err);

/* --- repairing --- */

/* Keeps every intact record of the inputs, in order, and skips the rest.
 *
 * Each byte of the uncompressed stream of an input belongs to one intact record, which is kept, or
 * to one damaged region.  A record is intact if both checksums are correct.  If the length checksum
 * is correct but the data checksum is not, the length is trusted if a header or the end of the file
 * follows the record: then only that record is damaged.  Otherwise the next record is searched for
 * byte by byte: the next place with a correct length checksum that the data checksum, the next
 * header or the end of the file confirms.  So records inside a payload are not mistaken for records
 * of the file as long as the outer record is intact or its end is confirmed; if its header is
 * destroyed, they are found instead of it.
 *
 * A damaged compressed stream gives the data before the damage; an unknown amount after it is lost.
 */
struct tfr_damage {
	const char *path;
	uint64_t record; /* the number of its first record, counted from 0; a region without a
			    detectable record counts as one */
	uint64_t offset; /* of its first byte, in the uncompressed stream */
	uint64_t size;	 /* bytes; 0: the compressed stream gave no more data */
	const char *reason;
	bool fixed; /* kept nevertheless, with a new data checksum */
};

struct tfr_repair_totals {
	uint64_t records; /* kept, fixed ones among them */
	uint64_t fixed;
	uint64_t damages;    /* fixed records among them */
	uint64_t bytes;	     /* of the uncompressed streams, as far as they could be read */
	uint64_t kept_bytes; /* in records, with their framing */
	uint64_t lost_bytes; /* kept_bytes + lost_bytes = bytes */
	uint64_t broken;     /* compressed streams with damage: more than lost_bytes is lost */
};

struct tfr_repair_opts {
	const struct tfr_set *input;
	const char *output; /* as for tfr_set_writer_open(), records round-robin to the shards;
			       NULL: nothing is written */
	struct tfr_writer_opts writer;
	/* A file for the raw lost bytes, one region after another; NULL: none.  writer.force also
	 * applies to it; it is never compressed. */
	const char *quarantine;
	/* Keep records whose payload alone is damaged, with a data checksum that fits what they
	 * hold now. */
	bool fix_checksums;
	struct tfr_expect expect;      /* of the records that are kept */
	const char *command;	       /* for the manifest; may be NULL */
	struct tfr_progress *progress; /* may be NULL */
	void (*damage)(void *ctx, const struct tfr_damage *damage); /* in order; may be NULL */
	/* After the last damage of a file; may be NULL. */
	void (*file)(void *ctx, const char *path, const struct tfr_repair_totals *totals);
	void (*warn)(void *ctx, const char *text); /* may be NULL */
	void *ctx;
};

struct tfr_repair_report {
	struct tfr_repair_totals totals; /* of all inputs */
	uint64_t files, damaged_files;
	uint64_t written; /* records; 0 without an output */
	uint64_t payload_bytes;
	uint64_t sum; /* content sum of the kept records */
};

/* TFR_OK: the outputs are published; the report has what was lost.  Damage is not a failure of this
 * call.  Memory grows to the largest record; for an input without random access, to what a forged
 * length claims, as far as its bytes have arrived.
 * TFR_EEXIST  an output exists
 * TFR_ESYS, TFR_ENOMEM */
enum tfr_status tfr_repair(const struct tfr_repair_opts *opts, struct tfr_repair_report *report,
	struct tfr_error *err);

/* --- counting --- */

/* Counts the records of `common.input` that `common.where` selects, and the values of a feature in
 * them; writes nothing.  All processors read and verify every payload, also within one file. */
struct tfr_count_by_opts {
	struct tfr_sweep_opts common;
	const char *by; /* the feature, which requires Examples; NULL: counts records only */
	bool sum;	/* compute content sums too */
	/* Both are called at the end, after all records; either may be NULL.  A value is given as
	 * text: an int64 in decimal; a float as the shortest decimal that reads back the same, or
	 * NaN, Infinity, -Infinity; bytes as UTF-8, with control characters and invalid bytes as
	 * \xNN and a backslash doubled.  Each value of a list counts.  Values come in bytewise
	 * order of their texts. */
	void (*value)(void *ctx, const struct tfr_bytes *value, uint64_t count);
	/* The selected records of a file, in the order of the set. */
	void (*file)(void *ctx, const char *path, uint64_t records, uint64_t sum);
};

/* *absent: selected records without a value of `by`; warn() reports their number, and a suggestion
 * if no record has the feature.  TFR_EUSAGE: more than a million values, or more than 64 MiB of
 * them.  Other failures are those of a sweep over the input: the first fault in input order, unless
 * faults are skipped. */
enum tfr_status tfr_count_by(const struct tfr_count_by_opts *opts, struct tfr_sweep_report *report,
	uint64_t *absent, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
