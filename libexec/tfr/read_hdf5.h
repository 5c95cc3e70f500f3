/* tfr/read_hdf5.h - shared by the files of tfr-read-hdf5.
 *
 * The program reads one HDF5 file for tfr.  A hostile file can crash libhdf5, and may take it
 * over.  So all of libhdf5 runs in this process, which cannot reach anything else: see sandbox.c.
 * It has one thread and uses the protocol of convert/hdf5_protocol.h. */
#ifndef TFR_READ_HDF5_H
#define TFR_READ_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/hdf5_protocol.h"
#include "convert/item.h"

/* --- reply.c --- */

/* Sends a reply.  The program ends if tfr is gone. */
void reply(enum tfr_hdf5_answer answer, uint32_t code, const void *body, size_t size);
void reply_text(enum tfr_hdf5_answer answer, uint32_t code, const char *text);
/* Sends DAMAGED.  `path` is in the file; "": the entire file. */
void reply_damaged(const char *path, const char *reason);
/* Gets libhdf5's message about its last failure.  Its next call discards the message. */
void find_reason(char reason[TFR_HDF5_REASON]);
/* Sends DAMAGED, or FAILED if the file could not be read. */
void reply_reason(const char *path, const char *reason);
/* Likewise, with libhdf5's message. */
void reply_refused(const char *path);
/* Receives bytes of a request.  The program ends if tfr is gone. */
void receive(void *into, size_t size);

/* --- file.c --- */

/* Makes libhdf5 read TFR_HDF5_FILE; returns properties for H5Fopen().  Below 0: failed; see errno.
 */
hid_t file_driver(void);
/* The size of the file in bytes. */
uint64_t file_size(void);
/* errno of a read that failed; 0: none failed. */
int file_errno(void);

/* --- filters.c --- */

/* Adds LZF and the plugins in libhdf5's folders, and keeps libhdf5 from opening others. */
bool filters_load(void);

/* --- sandbox.c --- */

/* Limits the memory and other resources of the program. */
void sandbox_limit(uint64_t memory);
/* Allows only the system calls that reading needs.  0, or errno. */
int sandbox_enter(void);

/* --- sets.c --- */

/* The parameters of the run, from tfr. */
struct hdf5_run {
	uint64_t memory; /* --memory */
	bool any_order;
	hid_t file;
};

/* Answers OPEN: `set` becomes a data set of the run, or is closed. */
void sets_open(hid_t set, const char *name);
/* Answers READ and PICK; receives the row numbers that follow a PICK. */
void sets_read(const struct hdf5_run *run, const struct tfr_hdf5_request *request);

#endif
