/* doctor/doctor.h - the internals of the doctor: the facts collected about files and sets, and the
 * functions by which checks report findings.
 *
 * The facts are collected first: the names (folder_listing.c), then the contents of the files
 * (read_files.c).  The checks run afterwards and open only small files beside the records.  Their
 * order decides only the order of the findings. */
#ifndef TFR_DOCTOR_DOCTOR_H
#define TFR_DOCTOR_DOCTOR_H

#include <string.h>

#include <tfr-private/doctor.h>
#include <tfr-private/example.h>
#include <tfr-private/shard.h>
#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "inspect/stats/order.h"
#include "shard/dataset_info.h"

/* --- small containers (value_sample.c) --- */

/* A value of the label. */
struct tfr_dclass {
	uint64_t hash, records;
	/* In a sample: the number of random positions whose first record is of this class, and the
	 * sum of the inverse sizes of these records, since a random position meets large records
	 * more often. */
	uint64_t places;
	double weight;
	char text[64]; /* for display, cut if long */
};

enum { TFR_DCLASSES_MAX = 1 << 16 };

/* The values found, by their hash.  Zero-initialised is empty. */
struct tfr_dclasses {
	struct tfr_dclass *list;
	struct tfr_hash_index index; /* by `hash` */
	size_t n, cap;
	bool over; /* there are more than TFR_DCLASSES_MAX */
};
bool tfr_dclasses_add(struct tfr_dclasses *c, const struct tfr_dclass *add); /* false: no memory */
void tfr_dclasses_clear(struct tfr_dclasses *c);

/* A sample of records by content: all content hashes below a threshold.  The threshold is halved
 * when the list is full, so every file keeps the same contents. */
enum { TFR_DHASHES_MAX = 1 << 20 };
struct tfr_dhashes {
	uint64_t *list;
	size_t n, cap;
	unsigned bits; /* this many leading bits are 0 in all hashes that are kept */
	bool sorted;
};
bool tfr_dhashes_add(struct tfr_dhashes *h, uint64_t hash); /* false: no memory */
bool tfr_dhashes_merge(struct tfr_dhashes *into, const struct tfr_dhashes *from);
/* Keeps only hashes with `bits` leading zero bits, and sorts them. */
void tfr_dhashes_settle(struct tfr_dhashes *h, unsigned bits);
void tfr_dhashes_clear(struct tfr_dhashes *h);

/* --- the result of reading a file --- */

/* A feature of one kind in a file. */
struct tfr_dfeature {
	char *name;
	size_t size;
	enum tfr_kind kind;
	uint32_t records, min, max; /* that have it; number of values */
	uint64_t first;		    /* the first record that has it */
};

/* A record's class. */
struct tfr_dlabel {
	uint64_t hash;
	uint64_t place; /* number of the record in its file; an estimate if not all were read */
	bool begins;	/* the record before it was not read */
};

struct tfr_dlook {
	enum tfr_compression compression;
	bool opened;   /* a file of records, or empty */
	bool complete; /* every record was read, or found damaged */
	uint64_t records, bytes, largest, sum;
	uint64_t oversized; /* images that TensorFlow refuses for their size */
	uint64_t faults;
	char *damage; /* description of the first damage; NULL: none */
	bool system;  /* the failure was the system's */
	struct tfr_members members;
	uint64_t examples, unlabelled;
	struct tfr_dfeature *features; /* by name, then kind */
	size_t feature_count, feature_cap;
	struct tfr_dlabel *labels;
	size_t label_count, label_cap;
	struct tfr_dclasses classes;
	struct tfr_dhashes hashes; /* of the non-empty records */
	struct tfr_dhashes items;  /* of images and other large values, or of large records */
};
void tfr_dlook_clear(struct tfr_dlook *l);

/* The name of the feature that looks like a class in the first records of the file.  The caller
 * frees it.  NULL: there is none, or *err is set.  (label_feature.c) */
char *tfr_dlook_for_label(const char *path, struct tfr_error *err);
/* Whether the feature describes objects in an image, of which there may be none. */
bool tfr_doctor_of_objects(const char *name, size_t size);
/* Stores the class of a record in `class`; false: it has none. */
bool tfr_dlook_class(const struct tfr_example *ex, const char *label, struct tfr_dclass *class);

/* --- files and sets --- */

struct tfr_dfile {
	char *path;
	uint64_t size;
	uint32_t shard; /* its number in a set of N */
	struct tfr_dlook look;
};

/* The members are consecutive in d->files. */
struct tfr_dset {
	char *name;	  /* as commands take it; NULL only for files without a common name */
	char *base, *ext; /* of a set of N: "dir/train", ".tfrecord" */
	uint32_t count;	  /* N; 0: files by other names */
	bool gaps;	  /* a missing member is worth a finding */
	size_t first, files;
	uint64_t bytes;
	/* Totals of all its files: */
	uint64_t records, read, examples, unlabelled;
	bool complete;
	char *label; /* the feature that holds the class; NULL: none */
	struct tfr_dclasses classes;
	struct tfr_dhashes hashes, items;
	struct tfr_order_report order;
	bool ordered;		  /* `order` is valid */
	uint64_t stride;	  /* distance of the records in `order`; 0: it describes all */
	uint64_t stretches, pure; /* stretches of records that were read, and those of one class */
	double pure_by_chance;	  /* expected number of pure stretches in a random order */
};

/* A file in a folder that is not a record file, or is not what its name says. */
struct tfr_dother {
	enum tfr_dwhat {
		TFR_D_FOREIGN,	  /* named like a TFRecord file, but not one */
		TFR_D_STRANGER,	  /* of another kind */
		TFR_D_TEMPORARY,  /* left by a run that did not finish */
		TFR_D_UPLOAD,	  /* an upload that was not completed; its text is its id */
		TFR_D_NO_UPLOADS, /* uploads could not be listed */
		TFR_D_SPECIAL,	  /* not a regular file */
		TFR_D_UNREADABLE,
	} what;
	char *path, *text;
};

/* The number of members that should be there and are not. */
static inline uint64_t tfr_doctor_absent(const struct tfr_dset *s)
{
	return s->gaps && s->count > s->files ? s->count - s->files : 0;
}

/* Whether these are sets of one name, which differ in the number of shards or in the extension. */
static inline bool tfr_doctor_one_name(const struct tfr_dset *a, const struct tfr_dset *b)
{
	return a->count && b->count && !strcmp(a->base, b->base);
}

struct tfr_check_row;

struct tfr_doctor {
	const struct tfr_doctor_opts *opts;
	struct tfr_dfile *files;
	size_t file_count;
	struct tfr_dset *sets;
	size_t set_count;
	struct tfr_dother *others;
	size_t other_count, other_cap;
	uint64_t files_left; /* not inspected, since the sample is too small for all */
	struct tfr_doctor_finding *findings;
	size_t finding_count, finding_cap;
	const struct tfr_check_row *row; /* the row of the running check */
	struct tfr_dataset_info info;
	struct tfr_error failure; /* of a check: the first ends the command */
	bool no_memory;
};

/* Whether a failure says nothing about the file, so that it ends the command: the process ran out
 * of memory or of file descriptors, or a store failed, other than by refusing the object. */
bool tfr_doctor_ends(enum tfr_status status, const struct tfr_error *why);
/* Keeps such a failure of a check; any other status is ignored. */
void tfr_doctor_fail(struct tfr_doctor *d, enum tfr_status status, const struct tfr_error *why);
/* Finds the files and sets of opts->paths.  (folder_listing.c) */
enum tfr_status tfr_doctor_list(struct tfr_doctor *d, struct tfr_error *err);
/* Inspects the files.  (read_files.c) */
enum tfr_status tfr_doctor_read(struct tfr_doctor *d, struct tfr_error *err);

/* --- checks --- */

/* A check: one row of the array in doctor.c.  One of the two functions is NULL. */
struct tfr_check_row {
	const char *name;
	enum tfr_gravity level;
	void (*all)(struct tfr_doctor *d);
	void (*set)(struct tfr_doctor *d, const struct tfr_dset *s);
};

/* A command under construction; each word is quoted if a shell requires it. */
struct tfr_command {
	struct tfr_buf text;
	bool tells; /* shows more instead of fixing */
	bool no_memory;
};
/* Adds words up to a NULL; "&&" separates two commands. */
void tfr_command_add(struct tfr_command *c, ...) __attribute__((sentinel));
/* Reports a finding of the row that is being checked.  Takes ownership of the contents of
 * `command`, which may be NULL.  Records in `d` that memory ran out. */
void tfr_doctor_tell(struct tfr_doctor *d, const char *subject, struct tfr_command *command,
	const char *format, ...) TFR_PRINTF(4, 5);
/* The name of a new set beside `s`: "train-SUFFIX@SHARDS.tfrecord".  With 0 shards, it has as many
 * as `s`; for one file that is not a shard, it is "train-SUFFIX.tfrecord".  The caller frees it;
 * NULL: out of memory. */
char *tfr_doctor_beside(const struct tfr_dset *s, const char *suffix, uint64_t shards);
/* The name at the end of a path. */
const char *tfr_doctor_base_name(const char *path);
/* Adds "tfr COMMAND -o NEW SET", where NEW is that name; with --allow-missing if it is needed. */
void tfr_doctor_write_beside(struct tfr_command *c, const struct tfr_dset *s, const char *command,
	const char *suffix, uint64_t shards);
/* Adds a command that compares two sets.  A program cannot decide which of them is right. */
void tfr_doctor_compare(struct tfr_command *c, const struct tfr_dset *a, const struct tfr_dset *b);
/* Adds "tfr cat -f -o SET SET" or a similar command: `words` come after the command's name, then
 * "-f" and both sets.  All records are kept, so the command replaces the set.  If the files are not
 * shards, it writes a new set beside them. */
void tfr_doctor_rewrite(struct tfr_command *c, const struct tfr_dset *s, const char *command,
	const char *option, const char *value);
/* The number of files of the set that are known to be damaged. */
size_t tfr_doctor_damaged(const struct tfr_doctor *d, const struct tfr_dset *s);
/* The number of shards for so many bytes: of about 128 MiB each, at least one. */
uint64_t tfr_doctor_shards(uint64_t bytes);

void tfr_doctor_foreign(struct tfr_doctor *d);
void tfr_doctor_stranger(struct tfr_doctor *d);
void tfr_doctor_temporary(struct tfr_doctor *d);
void tfr_doctor_uploads(struct tfr_doctor *d);
void tfr_doctor_special(struct tfr_doctor *d);
void tfr_doctor_unreadable(struct tfr_doctor *d);

void tfr_doctor_missing(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_mixture(struct tfr_doctor *d);
void tfr_doctor_twice(struct tfr_doctor *d);
void tfr_doctor_empty(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_manifest(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_oversized(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_dataset_info(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_no_manifest(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_class_numbers(struct tfr_doctor *d);

void tfr_doctor_damage(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_called_gz(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_not_called_gz(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_one_stream(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_stale_index(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_two_kinds(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_drift(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_leak(struct tfr_doctor *d);
void tfr_doctor_overlap(struct tfr_doctor *d);
void tfr_doctor_sampled(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_copies(struct tfr_doctor *d);
void tfr_doctor_duplicates(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_no_label(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_unlabelled(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_one_class(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_skew(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_order(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_uneven(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_tiny(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_large(struct tfr_doctor *d, const struct tfr_dset *s);

#endif
