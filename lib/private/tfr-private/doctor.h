/* tfr-private/doctor.h - finds problems of data sets in a folder, and the commands that fix them.
 *
 * The checks use the names in a folder, the files beside the records, and a sample of the records.
 * The sample is the start and the end of each file and stretches between them, or all records where
 * the files are small.  Each check is one row of a table and reports findings: a stable name, a
 * sentence with figures, and the command that fixes it. tfr-doctor(1) says what each finding means,
 * why it matters, and cites the source. */
#ifndef TFR_PRIVATE_DOCTOR_H
#define TFR_PRIVATE_DOCTOR_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>
#include <tfr-private/text.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_gravity {
	TFR_GRAVITY_NOTE,    /* may well be intended */
	TFR_GRAVITY_WARNING, /* costs something: time, or how well a training goes */
	TFR_GRAVITY_ERROR,   /* records are lost, damaged, or not what a reader expects */
};

/* "note", "warning", "error". */
const char *tfr_gravity_name(enum tfr_gravity level);

/* Zero is a default for every member but `paths`. */
struct tfr_doctor_opts {
	/* Folders, manifests, and all that tfr_set_open() accepts except standard input.  The files
	 * in a folder are examined, those in its subfolders are not. */
	const char *const *paths;
	size_t count;
	unsigned threads; /* 0: one per processor */
	/* Number of bytes of records to read, uncompressed; 0: all where the files have no more
	 * than 4 GiB, otherwise 256 MiB.  At least one or two records of each examined file are
	 * read. */
	uint64_t sample;
	bool full;	   /* read every byte instead */
	const char *label; /* the feature that holds a record's class; NULL: detected by name */
	struct tfr_progress *progress; /* may be NULL */
};

struct tfr_doctor_finding {
	const char *name; /* "stale-index"; never changes */
	enum tfr_gravity level;
	bool system;	     /* the system failed, which has an exit status of its own */
	const char *subject; /* the set, file or folder */
	const char *text;    /* one sentence, lower case, without a period */
	/* A command for a shell; NULL: no command can fix it.  `fixes`: afterwards the finding is
	 * gone, in place or in the set that the command writes.  Otherwise the command shows more
	 * about it. */
	const char *command;
	bool fixes;
};

/* A set of files, grouped by their names. */
struct tfr_doctor_set {
	const char *name; /* as tfr_set_open() takes it: "train@16.tfrecord" */
	uint64_t files;
	uint64_t bytes;	  /* size of the files on disk */
	uint64_t records; /* that were read */
	uint64_t read; /* bytes of the records that were read, with their framing, uncompressed */
	bool complete; /* every record was read, or found damaged */
	const char *label; /* the feature that holds the class; NULL: none was found */
	uint64_t classes;  /* number of distinct values of it that were met */
};

struct tfr_doctor;

/* Damage, and files in a folder that cannot be read, are findings, not failures.  Memory: a few MiB
 * per thread, 16 bytes per record of a sample, and the largest record.  The findings do not depend
 * on `threads`.
 *   TFR_ESYS    a path does not exist, or cannot be listed
 *   TFR_EDATA   a folder has no TFRecord file, or a manifest is invalid
 *   TFR_EUSAGE  standard input
 *   TFR_ENOMEM */
enum tfr_status tfr_doctor_run(
	struct tfr_doctor **d, const struct tfr_doctor_opts *opts, struct tfr_error *err);
void tfr_doctor_free(struct tfr_doctor *d); /* accepts NULL */
/* The worst come first; findings of one level are in the order of the checks, then of the sets. */
size_t tfr_doctor_count(const struct tfr_doctor *d);
const struct tfr_doctor_finding *tfr_doctor_finding(const struct tfr_doctor *d, size_t i);
size_t tfr_doctor_sets(const struct tfr_doctor *d);
struct tfr_doctor_set tfr_doctor_set(const struct tfr_doctor *d, size_t i);
/* Writes members into an open object: the inputs examined, and the findings. */
void tfr_doctor_json(const struct tfr_doctor *d, struct tfr_json *j);

#ifdef __cplusplus
}
#endif

#endif
