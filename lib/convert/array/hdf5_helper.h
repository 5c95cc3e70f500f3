/* convert/array/hdf5_helper.h - the helper program tfr-read-hdf5 as tfr uses it.
 *
 * Everything that it sends is checked here.  If it ends, crashes or takes too long, that becomes
 * an error about the file. */
#ifndef TFR_CONVERT_ARRAY_HDF5_HELPER_H
#define TFR_CONVERT_ARRAY_HDF5_HELPER_H

#include <stdbool.h>
#include <sys/types.h>
#include <tfr-private/error.h>

#include "base/buf.h"
#include "convert/hdf5_protocol.h"

struct tfr_hdf5_helper {
	const char *path; /* of the file; the caller's */
	int socket;	  /* -1: not started */
	pid_t pid;	  /* 0: no process, or it has ended */
	bool ready;	  /* it has started */
	uint64_t seconds; /* of processor time for one request */
	uint64_t until;	  /* the processor time at which it is killed */
};

struct tfr_hdf5_start {
	const char *path; /* of the file */
	int file;	  /* open */
	uint64_t memory;
	bool any_order, no_sandbox;
	const char *program; /* NULL: where it was installed or built */
	uint64_t seconds;    /* 0: the usual */
};

/* Starts the helper, which opens the file.  TFR_EUNAVAILABLE: it is missing, or the system has
 * no sandbox. */
enum tfr_status tfr_hdf5_start(
	struct tfr_hdf5_helper *h, const struct tfr_hdf5_start *start, struct tfr_error *err);
/* The path of the next data set.  TFR_END: there are no more. */
enum tfr_status tfr_hdf5_next(
	struct tfr_hdf5_helper *h, char name[TFR_HDF5_NAME], struct tfr_error *err);
/* Opens the last named data set; its number is one more than that of the previous one.  `set` is
 * plausible: a row has at least one byte and at most TFR_ITEM_MOST. */
enum tfr_status tfr_hdf5_open(struct tfr_hdf5_helper *h, const char *name, struct tfr_hdf5_set *set,
	struct tfr_error *err);
/* Requests `count` rows from `first` on or, if `numbers` is not NULL, those with these numbers.
 * Before any other request, tfr_hdf5_rows() or tfr_hdf5_texts() must receive them.  `bytes`, the
 * bytes to read for them, sets the time limit. */
void tfr_hdf5_ask(struct tfr_hdf5_helper *h, uint32_t set, uint64_t first, uint64_t count,
	const uint32_t *numbers, uint64_t bytes);
/* Receives rows of exactly `size` bytes; `into` NULL: drops them.  `name` is for messages. */
enum tfr_status tfr_hdf5_rows(struct tfr_hdf5_helper *h, const char *name, uint8_t *into,
	size_t size, struct tfr_error *err);
/* Receives `n` texts: their bytes replace those in `text`, and struct tfr_bytes for them go to
 * `into`; `into` NULL: drops them. */
enum tfr_status tfr_hdf5_texts(struct tfr_hdf5_helper *h, const char *name, uint8_t *into, size_t n,
	struct tfr_buf *text, struct tfr_error *err);
void tfr_hdf5_stop(struct tfr_hdf5_helper *h);
/* Allows `bytes` more of memory. */
void tfr_hdf5_allow_memory(struct tfr_hdf5_helper *h, uint64_t bytes);

#endif
