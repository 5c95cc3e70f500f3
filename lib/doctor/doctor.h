/* doctor/doctor.h - the inside of the doctor: what was found of files and sets before anything is
 * said of them, and how a check says it.
 *
 * First all is gathered: names (list.c), then what is in the files (look.c).  The
 * checks come after that and open nothing but small files beside the records, so that their order
 * means nothing but the order of what is told. */
#ifndef TFR_DOCTOR_DOCTOR_H
#define TFR_DOCTOR_DOCTOR_H

#include <tfr-private/doctor.h>
#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/shard.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "example/content.h"
#include "inspect/stats/order.h"

/* --- small containers (notes.c) --- */

/* A value of the label. */
struct tfr_dclass {
	uint64_t hash, records;
	/* Of a sample: in how many random places a record of this class was the first, and the sum
	 * of their inverse sizes, since a place meets large records more often. */
	uint64_t places;
	double weight;
	char text[64]; /* as it is shown, cut where it is long */
};

enum { TFR_DCLASSES_MAX = 1 << 16 };

/* The values met, by their hash; zero-initialised is empty. */
struct tfr_dclasses {
	struct tfr_dclass *list;
	struct tfr_hash_index index; /* by `hash` */
	size_t n, cap;
	bool over;	 /* there are more than that */
};
bool tfr_dclasses_add(struct tfr_dclasses *c, const struct tfr_dclass *add); /* false: no memory */
void tfr_dclasses_clear(struct tfr_dclasses *c);

/* Records by what is in them: of all content hashes those below a threshold, which is halved when
 * there is no room, so that the same contents are kept of every file. */
enum { TFR_DHASHES_MAX = 1 << 20 };
struct tfr_dhashes {
	uint64_t *list;
	size_t n, cap;
	unsigned bits; /* the uppermost so many are 0 in all that are kept */
	bool sorted;
};
bool tfr_dhashes_add(struct tfr_dhashes *h, uint64_t hash); /* false: no memory */
bool tfr_dhashes_merge(struct tfr_dhashes *into, const struct tfr_dhashes *from);
/* Keeps only what has `bits` zero bits above, and sorts. */
void tfr_dhashes_settle(struct tfr_dhashes *h, unsigned bits);
void tfr_dhashes_clear(struct tfr_dhashes *h);

/* --- what reading a file gives --- */

/* A feature of one kind in a file. */
struct tfr_dfeature {
	char *name;
	size_t size;
	enum tfr_kind kind;
	uint32_t records, min, max; /* that have it; values */
	uint64_t first;		    /* record */
};

/* A record's class. */
struct tfr_dlabel {
	uint64_t hash;
	uint64_t place; /* of the record in its file; about, where not all were read */
	bool begins;	/* the record before it was not read */
};

struct tfr_dimage {
	uint32_t width, height;
	uint64_t bytes;
	enum tfr_image_format format;
};

struct tfr_dlook {
	enum tfr_compression compression;
	bool opened; /* it is a file of records, or empty */
	bool complete;  /* every record was read, or found damaged */
	uint64_t records, bytes, largest, sum;
	uint64_t faults;
	char *damage; /* the first, in words; NULL: none */
	bool system;  /* it was the system that failed */
	struct tfr_members members;
	uint64_t strict; /* records or files that others read differently */
	char *strange;	 /* the first of these, in words */
	uint64_t examples, others, unlabelled;
	uint64_t first_other;
	struct tfr_content_counts types; /* of the records that are not empty */
	struct tfr_dfeature *features;	 /* by name, then kind */
	size_t feature_count, feature_cap;
	struct tfr_dlabel *labels;
	size_t label_count, label_cap;
	struct tfr_dimage *images;
	size_t image_count, image_cap;
	struct tfr_dclasses classes;
	struct tfr_dhashes hashes; /* of records that are not empty */
	struct tfr_dhashes items;  /* of images and other large values, or of large records */
};
void tfr_dlook_clear(struct tfr_dlook *l);

struct tfr_dlook_opts {
	const char *label; /* NULL: none */
	uint64_t share;	   /* bytes of this file; UINT64_MAX: all */
	uint64_t places;   /* in which they are read, at most; at least 2 */
};

struct tfr_dlooker;			   /* what a worker keeps from file to file */
struct tfr_dlooker *tfr_dlooker_new(void); /* NULL: out of memory */
void tfr_dlooker_free(struct tfr_dlooker *w);
enum tfr_status tfr_dlook_at(struct tfr_dlooker *w, const char *path,
	const struct tfr_dlook_opts *opts, struct tfr_dlook *look, struct tfr_error *err);
/* The name of the feature that looks like a class in the first records of the file, which the
 * caller frees; NULL: there is none.  (label.c) */
char *tfr_dlook_for_label(const char *path);
/* Whether the feature is about objects in an image, of which there may be none. */
bool tfr_doctor_of_objects(const char *name, size_t size);
/* Of a record, into `class`; false: it has none. */
bool tfr_dlook_class(const struct tfr_example *ex, const char *label, struct tfr_dclass *class);

/* --- files and sets --- */

struct tfr_dfile {
	char *path;
	uint64_t size;
	uint32_t shard; /* of a set of N */
	struct tfr_dlook look;
};

/* Members lie one behind the other in d->files. */
struct tfr_dset {
	char *name;	  /* as a command takes it; of files without a common name NULL is not */
	char *base, *ext; /* of a set of N: "dir/train", ".tfrecord" */
	uint32_t count;	  /* N; 0: files by other names */
	bool gaps;	  /* that a member is not there is worth a word */
	size_t first, files;
	uint64_t bytes;
	/* Of all its files: */
	uint64_t records, read, examples, unlabelled;
	bool complete;
	char *label; /* the feature; NULL: none */
	struct tfr_dclasses classes;
	struct tfr_dhashes hashes, items;
	struct tfr_dimage *images;
	size_t image_count, image_cap;
	struct tfr_order_report order;
	bool ordered;		  /* the report says something */
	uint64_t stride;	  /* records between those that it is about; 0: all of them */
	uint64_t stretches, pure; /* stretches of records that were read, and those of one class */
	double pure_by_chance;	  /* how many of them a random order would have */
};

/* What lies in a folder beside the records, and what is not what it is called. */
struct tfr_dother {
	enum tfr_dwhat {
		TFR_D_FOREIGN,	 /* called a TFRecord file, and none */
		TFR_D_STRANGER,	 /* of another kind */
		TFR_D_TEMPORARY, /* of a run that did not end */
		TFR_D_SPECIAL,	 /* no regular file */
		TFR_D_UNREADABLE,
	} what;
	char *path, *text;
};

struct tfr_check_row;

struct tfr_doctor {
	const struct tfr_doctor_opts *opts;
	struct tfr_dfile *files;
	size_t file_count, file_cap;
	struct tfr_dset *sets;
	size_t set_count, set_cap;
	struct tfr_dother *others;
	size_t other_count, other_cap;
	uint64_t files_left; /* not looked into, since a sample has room for so many only */
	struct tfr_doctor_finding *findings;
	size_t finding_count, finding_cap;
	const struct tfr_check_row *row; /* that is being checked */
	bool no_memory;
};

/* Finds the files and sets of opts->paths.  (list.c) */
enum tfr_status tfr_doctor_list(struct tfr_doctor *d, struct tfr_error *err);
/* Looks into them.  (read.c) */
enum tfr_status tfr_doctor_read(struct tfr_doctor *d, struct tfr_error *err);

/* --- checks --- */

/* A check: one row of the array in doctor.c.  Of the two functions one is NULL. */
struct tfr_check_row {
	const char *name;
	enum tfr_gravity level;
	void (*all)(struct tfr_doctor *d);
	void (*set)(struct tfr_doctor *d, const struct tfr_dset *s);
};

/* A command under construction; each word is quoted where a shell wants it. */
struct tfr_command {
	struct tfr_buf text;
	bool tells; /* it does not fix */
	bool no_memory;
};
/* Adds words up to a NULL; "&&" stands between two commands. */
void tfr_command_add(struct tfr_command *c, ...) __attribute__((sentinel));
/* Tells a finding of the row that is being checked; takes over what `command` holds, which may be
 * NULL.  Memory that runs out is noted in `d`. */
void tfr_doctor_tell(struct tfr_doctor *d, const char *subject, struct tfr_command *command,
	const char *format, ...) TFR_PRINTF(4, 5);
/* The name of a set to be written beside `s`: "train-SUFFIX@SHARDS.tfrecord"; with 0 of them as
 * many as `s` has, and of one file that is no shard "train-SUFFIX.tfrecord".  The caller frees it;
 * NULL: out of memory. */
char *tfr_doctor_beside(const struct tfr_dset *s, const char *suffix, uint64_t shards);
/* Where the name of a file that is no shard ends and its extension begins. */
size_t tfr_doctor_stem(const char *path);
/* "tfr cat -f -o SET SET" and the like: `words` between the command and "-f", both sets behind.
 * All records stay, so it replaces what is there, or, where the files are no shards, is written
 * beside it. */
void tfr_doctor_rewrite(struct tfr_command *c, const struct tfr_dset *s, const char *command,
	const char *option, const char *value);
/* Of how many files of the set it is known that they are damaged. */
size_t tfr_doctor_damaged(const struct tfr_doctor *d, const struct tfr_dset *s);
/* Shards for so many bytes: of about 128 MiB, at least one. */
uint64_t tfr_doctor_shards(uint64_t bytes);
/* "1 file", "2 files"; in `text`. */
const char *tfr_doctor_number(char text[64], uint64_t n, const char *noun);

void tfr_doctor_foreign(struct tfr_doctor *d);
void tfr_doctor_stranger(struct tfr_doctor *d);
void tfr_doctor_temporary(struct tfr_doctor *d);
void tfr_doctor_special(struct tfr_doctor *d);
void tfr_doctor_unreadable(struct tfr_doctor *d);

void tfr_doctor_missing(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_mixture(struct tfr_doctor *d);
void tfr_doctor_twice(struct tfr_doctor *d);
void tfr_doctor_empty(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_manifest(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_no_manifest(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_class_numbers(struct tfr_doctor *d);

void tfr_doctor_damage(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_mixed_compression(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_called_gz(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_not_called_gz(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_members(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_one_stream(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_no_points(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_stale_index(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_two_kinds(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_drift(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_strict(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_not_examples(struct tfr_doctor *d, const struct tfr_dset *s);

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

void tfr_doctor_few_shards(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_uneven(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_shares(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_tiny(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_large(struct tfr_doctor *d, const struct tfr_dset *s);

void tfr_doctor_large_images(struct tfr_doctor *d, const struct tfr_dset *s);
void tfr_doctor_png(struct tfr_doctor *d, const struct tfr_dset *s);

#endif
