/* tfr-private/rewrite.h - a data set of any size rewritten in bounded memory: shuffled, resampled,
 * divided, repaired.
 *
 * Each call reads sets of TFRecord files (tfr/shard.h), verifies every checksum on the way, and
 * writes one or more sets that become visible only when all of them are whole and on disk.  The
 * records themselves are never changed.  The same inputs, options and seed give the same bytes, for
 * any number of threads and any memory. */
#ifndef TFR_PRIVATE_REWRITE_H
#define TFR_PRIVATE_REWRITE_H

#include <tfr-private/example.h>
#include <tfr-private/progress.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What all calls are told.  Zero is a default everywhere but in `input`. */
struct tfr_rewrite_opts {
	const struct tfr_set *input;
	enum tfr_compression compression; /* of the inputs */
	/* Only records for which this holds (tfr_where_compile()) are taken; NULL: all. */
	const char *where;
	/* A damaged record, or one that is not the Example it has to be, ends the call with
	 * TFR_EDATA, file, record and offset, and nothing is published; with `skip_damaged` it is
	 * warned of and counted, and reading goes on where it can. */
	bool skip_damaged;
	/* With `skip_damaged`, tfr_shuffle(), tfr_resample(), tfr_split() and tfr_dedup() put into
	 * it what they pass over, as it lies in the inputs (those of a compressed one uncompressed)
	 * and in their order, one fault directly behind the other; a record that is whole but of no
	 * use with its framing.  It is opened and closed by the caller, and gets its name when all
	 * sets are whole, before the first of them has its own.  NULL: there is none. */
	struct tfr_stream_writer *quarantine;
	unsigned threads; /* 0: one a processor */
	uint64_t seed;
	struct tfr_writer_opts writer; /* compression, level, force, temporaries, threads */
	/* Held to what `where` selects; otherwise nothing is published, TFR_EDATA. */
	struct tfr_expect expect;
	const char *command; /* for the manifest; may be NULL */

	/* Called every now and then, from any of the call's threads, one at a time: how far `phase`
	 * ("counting", "writing", …) is.  Returning false ends the call with TFR_ECANCELLED, and
	 * nothing is left behind.  NULL: nobody asks. */
	bool (*progress)(void *ctx, const char *phase, const struct tfr_progress *p);
	/* One line without its end, from any thread, one at a time; may be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* After the last record of the inputs: a feature that `where` names and that no record has,
	 * unless the expression asks for its absence (exists, len, != or negation).  The output is
	 * complete all the same.  NULL: `warn` receives it. */
	void (*missing)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

/* What every call reports.  Filled as far as it came when it fails. */
struct tfr_rewrite_report {
	uint64_t records; /* read, and whole */
	uint64_t bad;	  /* damaged, passed over */
	uint64_t taken;	  /* of `records`: those that `where` selects */
	uint64_t written;
	uint64_t bytes;	    /* of payload written */
	uint64_t taken_sum; /* content sum of what was taken */
	uint64_t sum;	    /* content sum of what was written */
};

/* --- shuffling --- */

/* A uniform permutation of all records of all inputs.
 *
 * Each record has a key, 64 bits of Philox4x32-10 of (seed; file, record), and the output is in key
 * order: every order is equally likely, and the bytes depend on nothing but inputs, seed and number
 * of shards.  Shard k of S holds positions floor(N·k/S) up to floor(N·(k+1)/S).  One pass over the
 * inputs deals the records into buckets, ranges of keys, in memory as far as they fit and in
 * temporary files beyond; a second reads one bucket after the other, sorts it and writes it.  A
 * bucket that is too large for the memory allowed is dealt into smaller ones first. */
struct tfr_shuffle_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* as tfr_set_writer_open() takes it */
	/* Bytes the call may use; 0: 1 GiB, at least TFR_SHUFFLE_MEMORY_MIN.  A record above a
	 * quarter of it is refused with TFR_ENOMEM.  What the process needs to run at all, and
	 * compressing, comes on top: less than 32 MiB without compression. */
	uint64_t memory;
	/* Folders for temporary files, which are spread over them.  None: the folder of the output,
	 * where it is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
	/* Keep what a finished pass has written when the call ends before its work is done, even by
	 * a kill, and go on from there if the same inputs, seed and selection come again. Temporary
	 * files then have names, in the first place `.NAME.shuffle…` in the temporary folders;
	 * without it they have none and nothing ever stays.  Not with a quarantine, which would
	 * lack what was passed over before: TFR_EUSAGE. */
	bool resume;
};
#define TFR_SHUFFLE_MEMORY_MIN ((uint64_t)8 << 20)

/* What a shuffle would do. */
struct tfr_shuffle_plan {
	uint64_t input_bytes; /* uncompressed, with framing; an estimate unless `exact` */
	uint64_t least_bytes; /* it cannot be less */
	bool exact;	      /* plain files; false for what is compressed or comes from a pipe */
	unsigned passes;      /* over the data: 1, all in memory; 2, or more; 0: not known */
	unsigned threads;
	uint32_t buckets;
	uint64_t memory;     /* as allowed */
	uint64_t temp_bytes; /* needed, at most; 0 where all fits, or nothing is known */
	uint64_t temp_free;  /* in the temporary folders */
};

/* Looks at the inputs' sizes and first bytes, and writes nothing. */
enum tfr_status tfr_shuffle_plan(
	const struct tfr_shuffle_opts *opts, struct tfr_shuffle_plan *plan, struct tfr_error *err);

struct tfr_shuffle_report {
	struct tfr_rewrite_report common;
	unsigned passes;
	uint32_t buckets;
	uint64_t temp_bytes; /* written to temporary files */
	bool resumed;	     /* the first pass was found done */
	/* With `resume`: an earlier run with these options and inputs has written the output, and
	 * nothing was done.  Of the numbers, `written` and `sum` are those of the output. */
	bool complete;
};

/* TFR_EDATA   a damaged input
 * TFR_EEXIST  the output is there
 * TFR_EUSAGE  too little memory allowed
 * TFR_ESYS    also: too little temporary space, told before anything is read where sizes are known
 * TFR_ENOMEM  also: a record too large for the memory allowed
 * TFR_ECANCELLED */
enum tfr_status tfr_shuffle(const struct tfr_shuffle_opts *opts, struct tfr_shuffle_report *report,
	struct tfr_error *err);
/* --- resampling --- */

/* How records are chosen.  n records of a class, of which the target wants the share t:
 *
 * EXACT      Counts in one pass, chooses in a second.  Class i gets its share of the size by
 * largest remainders, and exactly that many of its records are taken: by selection sampling, each
 *            with probability wanted-left / seen-left, so that every choice of so many records is
 *            equally likely.  No record is taken twice.
 * REJECT     Each record is taken with probability (t_i / p_i) / max_j(t_j / p_j), by itself: the
 *            size is random.  One pass where the shares p are given, else a counting pass before
 * it. OVERSAMPLE As EXACT, but a class of which more is wanted than there is gives every record as
 * often as it goes in, and chooses for the rest: two records of a class differ by at most one copy.
 * Copies lie one behind the other. */
enum tfr_resample_method { TFR_RESAMPLE_EXACT, TFR_RESAMPLE_REJECT, TFR_RESAMPLE_OVERSAMPLE };

/* A class of the records for which an expression (tfr_where_compile()) holds. */
struct tfr_resample_rule {
	const char *name, *expr;
};

/* Zero is a default in everything but `common.input`, `output`, one of `by`, `rules` and `weights`,
 * and, but with `weights`, one of `target` and `per_class`.  What does not go together is
 * TFR_EUSAGE. */
struct tfr_resample_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* a set, a file or "-"; record j goes to shard j modulo their number */

	/* The class of a record is value 0 of this feature: an int64, or bytes; */
	const char *by;
	/* or the range it lies in, of an int64 or float feature: "EDGE,EDGE,…", ascending; below
	 * the first is (-inf,EDGE), then come [EDGE,EDGE) and [EDGE,inf); */
	const char *bins;
	/* or the first of these that matches; "other" where none does. */
	const struct tfr_resample_rule *rules;
	size_t n_rules;

	/* "uniform", "proportional^E", a list "CLASS=WEIGHT,…", or a file of lines
	 * CLASS TAB WEIGHT.  Weights are 0 or more, in any unit; classes not named get 0. */
	const char *target;
	uint64_t per_class; /* in place of `target`: so many records of each class */
	/* The shares the classes have, as a list or a file, for REJECT in a single pass, which a
	 * pipe allows. */
	const char *initial;

	/* In place of classes: the feature whose value 0 is each record's weight, a finite int64 or
	 * float of 0 or more.  EXACT and OVERSAMPLE want `size`: systematic sampling, in which a
	 * record of weight w is chosen size * w / sum times in expectation and never more than one
	 * off; REJECT takes it with probability w / max. */
	const char *weights;

	enum tfr_resample_method method;
	/* In a random order, as tfr_shuffle() does it, in place of the order of the inputs;
	 * `memory` and `tmpdirs` are those of struct tfr_shuffle_opts, and 0 without this. */
	bool shuffle;
	uint64_t memory;
	const char *const *tmpdirs;
	size_t tmpdir_count;
	/* Records to write.  0: EXACT the most that the scarcest class allows, OVERSAMPLE the
	 * fewest with which no record of a wanted class is lost.  Not with REJECT or `per_class`.
	 */
	uint64_t size;
};

struct tfr_resample_class {
	const char *name; /* UTF-8, with the escapes that a list has */
	int64_t label;	  /* where has_label: the class is this value of an int64 feature */
	bool has_label;
	uint64_t records;  /* taken from the input */
	double p, t;	   /* share of it, or as `initial` says; share that is wanted */
	double acceptance; /* share of the class's records that is written; copies a record */
	double expected;   /* records written, in expectation or by the target's share */
	uint64_t final;	   /* records written */
};

/* Zero before the call; tfr_resample_report_clear() frees what it holds. */
struct tfr_resample_report {
	struct tfr_rewrite_report common;
	uint64_t size; /* that was aimed at; 0 with REJECT */
	/* In order: numbers by value, bytes bytewise, ranges ascending, rules as given.  None with
	 * `weights`. */
	struct tfr_resample_class *classes;
	size_t class_count;
	char *names; /* what the classes' names point into */
	/* With `weights`: their sum and the largest; how many records were to be expected. */
	double weight_sum, weight_max, expected;
};

/* Writes the inputs with another distribution of classes, in input order.  Without `initial` the
 * inputs are read twice.
 *   TFR_EDATA   the data is bad, or a record has no class, or the target wants a class that does
 *               not occur, or more than there is; the inputs changed between the passes
 *   TFR_EEXIST  the target exists
 *   TFR_EUSAGE  the options cannot be, or an input cannot be read twice, or there are more than a
 *               million classes
 *   TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED
 * Memory: a few blocks a thread and some 200 bytes a class. */
enum tfr_status tfr_resample(const struct tfr_resample_opts *opts,
	struct tfr_resample_report *report, struct tfr_error *err);
void tfr_resample_report_clear(struct tfr_resample_report *report);

/* --- dividing --- */

/* What tfr_split() is to do.  Zero is a default everywhere but in `common.input` and `shares`. */
struct tfr_split_opts {
	struct tfr_rewrite_opts common;
	const struct tfr_share *shares; /* the sets, see tfr/shard.h */
	size_t share_count;
	/* The feature by whose values records are divided; NULL: by their content. */
	const char *key;
	/* The feature whose value 0, an int64 or bytes, is a record's class; NULL: there are none.
	 */
	const char *stratify;
	/* With `stratify`: bytes of memory for what is noted of the records, 0: 1 GiB, at least 64
	 * KiB. */
	uint64_t memory;
	/* Folders for the temporary files with the rest, which is spread over them.  None: the
	 * folder of the first set that is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
};

struct tfr_split_set {
	const char *set; /* the caller's own text */
	double fraction; /* 0: the rest */
	uint64_t records;
	uint64_t bytes; /* of payload */
	uint64_t sum;	/* content sum */
};

/* A class; what it points to is the report's. */
struct tfr_split_class {
	enum tfr_kind kind; /* int64 or bytes */
	int64_t label;	    /* of int64 */
	struct tfr_bytes text;
	uint64_t records;
	/* Of each set, and behind the last of them the records in none: how many it received, and
	 * how many its fraction of the class is. */
	const uint64_t *received, *wanted;
};

struct tfr_split_report {
	struct tfr_rewrite_report common;
	struct tfr_split_set *sets;
	size_t set_count;
	uint64_t left; /* records in no set: the fractions leave a part over */

	struct tfr_split_classes *classes; /* for tfr_split_report_class() */
	size_t class_count;
	/* Records that are in another set than the exact count wants, because they have the hash of
	 * others, from which nothing separates them. */
	uint64_t off;
	uint64_t temp_bytes; /* written to temporary files */
};

/* Divides the inputs among sets.  A record's hash is XXH3-64, with the seed, of its payload, or of
 * its key: one bytes value is hashed as it is, of several each after its length as a varint, int64
 * as 8 and float as 4 bytes each, little-endian.  With seed 0 and the key image/filename the
 * division is that of tfr_convert().  Records keep their order; record j of those of a set
 * goes to its shard j mod N.
 *
 * The hash alone decides: records of one key are never separated, a record stays where it is when
 * others come or go, and a set receives its fraction in expectation.  With `stratify` the counts
 * are exact instead, in each class: of its n records the set receives its cumulated fraction,
 * rounded, and the smallest hashes go to the first set, and so on.  Records of one class and key
 * stay together, as near to the count as that allows.  Others that come may then move a record. The
 * inputs are read twice, and no pipe can be.
 *
 * Nothing is visible until every set is whole and on disk.
 *   TFR_EDATA   a record is damaged or lacks the key or the class, and may not be skipped; the
 * inputs changed between the two readings
 *   TFR_EEXIST  a set is there
 *   TFR_EUSAGE  fractions that cannot be met, sets that have a file in common, a pipe with
 * `stratify`, more than a million classes
 *   TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED. */
enum tfr_status tfr_split(
	const struct tfr_split_opts *opts, struct tfr_split_report *report, struct tfr_error *err);
/* Class `i`, below class_count: numbers come first, by size, then texts, bytewise. */
struct tfr_split_class tfr_split_report_class(const struct tfr_split_report *report, size_t i);
/* Frees what a report holds. */
void tfr_split_report_clear(struct tfr_split_report *report);

/* --- one of each --- */

/* What tfr_dedup() is to do.  Zero is a default everywhere but in `common.input` and `output`. */
struct tfr_dedup_opts {
	struct tfr_rewrite_opts common;
	const char *output; /* a set, a file or "-"; record j goes to shard j modulo their number */
	/* Records are equal that have equal values of this feature, of one kind; NULL: equal
	 * payloads.  A record without a value of it is bad. */
	const char *key;
	uint64_t memory; /* bytes for what is noted of the records, 0: 1 GiB, at least 128 KiB */
	/* Folders for the temporary files with the rest, 28 bytes a record, which are spread over
	 * them. None: the folder of the output, where it is a file. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
	/* Of each record that is left out, in their order: where it is, and where the first that is
	 * equal to it.  Another result than TFR_OK ends the run.  May be NULL. */
	enum tfr_status (*duplicate)(void *ctx, const char *path, uint64_t record,
		const char *first_path, uint64_t first_record, struct tfr_error *err);
	struct tfr_stream_writer *listing; /* published with the output; NULL: none */
};

struct tfr_dedup_report {
	struct tfr_rewrite_report common;
	uint64_t duplicates; /* left out */
	uint64_t groups;     /* records that stay and are equal to one or more of these */
	uint64_t temp_bytes; /* written to temporary files */
};

/* Writes the first of all records that are equal, in input order.  Equal is what has the same hash
 * of 128 bits.  The inputs are read twice.
 *   TFR_EDATA   a record is damaged or lacks the key, and may not be skipped; the inputs changed
 *               between the two readings
 *   TFR_EEXIST  the output is there
 *   TFR_EUSAGE  a pipe
 *   TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED. */
enum tfr_status tfr_dedup(
	const struct tfr_dedup_opts *opts, struct tfr_dedup_report *report, struct tfr_error *err);

/* --- repairing --- */

/* Keeps every whole record of the inputs, in their order, and passes over the rest.
 *
 * Each byte of an input's uncompressed stream is in one whole record, which is kept, or in one
 * damage.  A record is whole when both its checksums fit.  A length whose checksum fits while the
 * data's does not is believed where a header, or the end of the file, follows right behind: then
 * that record alone is damaged.  Everywhere else the next record is looked for byte by byte: the
 * next place where a length's checksum fits and the data checksum, the header behind it or the end
 * of the file confirms it.  So the records within a payload are never taken for records of the file
 * while the record around them is whole, or its end confirmed; where its header is destroyed they
 * are found in its place.
 *
 * A damaged compressed stream gives what comes out before its damage; what would have come behind
 * it is lost, and nobody knows how much that was. */
struct tfr_damage {
	const char *path;
	uint64_t record; /* the number of its first record, counted from 0; a span in which no
			    record was found counts as one */
	uint64_t offset; /* of its first byte, in the uncompressed stream */
	uint64_t size;	 /* bytes; 0: nothing came out of the compressed stream any more */
	const char *reason;
	bool fixed; /* kept nevertheless, with a new data checksum */
};

struct tfr_repair_totals {
	uint64_t records; /* kept, fixed ones among them */
	uint64_t fixed;
	uint64_t damages;    /* fixed records among them */
	uint64_t bytes;	     /* of the uncompressed streams, as far as they came out */
	uint64_t kept_bytes; /* in records, with their framing */
	uint64_t lost_bytes; /* kept_bytes + lost_bytes = bytes */
	uint64_t broken; /* compressed streams that end in damage: more than lost_bytes is lost */
};

struct tfr_repair_opts {
	const struct tfr_set *input;
	enum tfr_compression compression; /* of the inputs */
	const char *output; /* as tfr_set_writer_open() takes it, records dealt to the shards in
			       turn; NULL: nothing is written */
	struct tfr_writer_opts writer;
	/* A file for the lost bytes, as they lie, one span behind the other; NULL: nobody wants
	 * them.  `writer` says whether an existing one is replaced; it is never compressed. */
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
	uint64_t sum; /* content sum of what is kept */
};

/* TFR_OK: the outputs are published, whatever was lost; the report says it.  Damage is no failure
 * of this call.  Memory grows to the largest record; where the input cannot be read
 * at any place, to what a forged length claims, as far as its bytes have arrived.
 * TFR_EEXIST  an output is there
 * TFR_ESYS, TFR_ENOMEM */
enum tfr_status tfr_repair(const struct tfr_repair_opts *opts, struct tfr_repair_report *report,
	struct tfr_error *err);

/* --- counting --- */

/* Counts the records of `common.input` that `common.where` selects, and the values of a feature in
 * them; nothing is written.  Every payload is read and verified, on all processors also within one
 * file. */
struct tfr_count_by_opts {
	struct tfr_rewrite_opts common; /* its `writer`, `seed` and `command` mean nothing here */
	const char *by; /* the feature; NULL: only records.  With it they must be Examples */
	bool sum;	/* content sums as well */
	/* Both are called at the end, when every record was seen; either may be NULL.  A value is
	 * its text: an int64 in decimal, a float the shortest decimal that reads back the same, or
	 * NaN, Infinity, -Infinity, bytes as they are where they are UTF-8, but control characters
	 * and other bytes as \xNN, a backslash doubled.  Each value of a list counts.  In bytewise
	 * order of the text. */
	void (*value)(void *ctx, const struct tfr_bytes *value, uint64_t count);
	/* The selected records of a file, in the order of the set. */
	void (*file)(void *ctx, const char *path, uint64_t records, uint64_t sum);
};

/* *absent: selected records without a value of `by`; warn() says how many, and what was meant where
 * none has it.  TFR_EUSAGE: more than a million values, or
 * more than 64 MiB of them.  Other failures are those of a sweep over the input: the first fault in
 * input order, unless `skip_damaged` allows it. */
enum tfr_status tfr_count_by(const struct tfr_count_by_opts *opts,
	struct tfr_rewrite_report *report, uint64_t *absent, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
