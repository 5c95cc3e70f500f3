/* tfr-private/doctor.h - one look at data sets as they lie, and what is wrong with that.
 *
 * What is looked at are the names in a folder, the files beside the records, and of the records a
 * sample: the start and the end of each file and stretches between, or all where they are small
 * enough.  Each check is one row of a table, and tells findings: a name that stays, a sentence with
 * figures, and the command that fixes it.  tfr-doctor(1) says of each what it means, why it
 * matters, and where that is known from. */
#ifndef TFR_PRIVATE_DOCTOR_H
#define TFR_PRIVATE_DOCTOR_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>
#include <tfr-private/text.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_gravity {
	TFR_GRAVITY_NOTE,    /* may well be meant */
	TFR_GRAVITY_WARNING, /* costs something: time, or how well a training goes */
	TFR_GRAVITY_ERROR,   /* records are lost, damaged, or not what a reader takes them for */
};

/* "note", "warning", "error". */
const char *tfr_gravity_name(enum tfr_gravity level);

/* Zero is a default everywhere but in `paths`. */
struct tfr_doctor_opts {
	/* Folders, manifests, and whatever tfr_set_open() takes but standard input.  Of a folder
	 * the files in it are looked at, those in its folders are not. */
	const char *const *paths;
	size_t count;
	unsigned threads; /* 0: one a processor */
	/* Bytes to read of the records, uncompressed; 0: all where the files have no more than 4
	 * GiB, else 256 MiB.  Of each file that is looked into a record or two are read in any
	 * case. */
	uint64_t sample;
	bool full;	   /* read every byte instead */
	const char *label; /* the feature that is a record's class; NULL: found by its name */
	uint64_t readers;  /* that are to share the files of a set; 0: not known */
	uint64_t batch;	   /* of records; 0: 64 */
	uint64_t buffer;   /* of tf.data's shuffle(); 0: 2048 */
	struct tfr_progress *progress; /* may be NULL */
};

struct tfr_doctor_finding {
	const char *name; /* "stale-index": stays what it is */
	enum tfr_gravity level;
	bool system;	     /* the system failed: that is another exit status */
	const char *subject; /* the set, file or folder */
	const char *text;    /* one sentence, lower case, without a period */
	/* What a shell takes; NULL: only a person can fix it.  `fixes`: afterwards, the
	 * finding is gone, there or in the set that it writes; otherwise it tells more. */
	const char *command;
	bool fixes;
};

/* A set of files, as their names make them one. */
struct tfr_doctor_set {
	const char *name; /* as tfr_set_open() takes it: "train@16.tfrecord" */
	uint64_t files;
	uint64_t bytes;	   /* as they lie */
	uint64_t records;  /* that were read */
	uint64_t read;	   /* bytes of records that were read, with their framing, uncompressed */
	bool complete;	   /* every record was read, or found damaged */
	const char *label; /* NULL: no feature is taken for one */
	uint64_t classes;  /* different values of it that were met */
};

struct tfr_doctor;

/* Damage, and what cannot be read in a folder, are findings and no failures.  Memory: a few MiB a
 * thread, 16 bytes a record of a sample, and the largest record.  The findings do not depend on
 * `threads`.
 *   TFR_ESYS    a path does not exist, or cannot be listed
 *   TFR_EDATA   a folder holds no TFRecord file; a manifest that is none
 *   TFR_EUSAGE  standard input
 *   TFR_ENOMEM */
enum tfr_status tfr_doctor_run(
	struct tfr_doctor **d, const struct tfr_doctor_opts *opts, struct tfr_error *err);
void tfr_doctor_free(struct tfr_doctor *d); /* accepts NULL */
/* The worst first; those of a level in the order of the checks, then of the sets. */
size_t tfr_doctor_count(const struct tfr_doctor *d);
const struct tfr_doctor_finding *tfr_doctor_finding(const struct tfr_doctor *d, size_t i);
size_t tfr_doctor_sets(const struct tfr_doctor *d);
struct tfr_doctor_set tfr_doctor_set(const struct tfr_doctor *d, size_t i);
/* Members of an open object: what was looked at, and the findings. */
void tfr_doctor_json(const struct tfr_doctor *d, struct tfr_json *j);
/* The names of all findings there can be, in the order of the checks; NULL behind the last. */
const char *tfr_doctor_check(size_t i);

#ifdef __cplusplus
}
#endif

#endif
