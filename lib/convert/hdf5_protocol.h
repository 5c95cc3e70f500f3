/* convert/hdf5_protocol.h - the messages between tfr and tfr-read-hdf5, its helper program.
 *
 * tfr sends requests, and the helper answers each with one reply, in order.  Before the first
 * request the helper sends READY or a failure.  Both run on one machine and have the same
 * version, so that numbers are sent as they are in memory.  The helper reads files that can be
 * hostile: tfr trusts nothing that it sends. */
#ifndef TFR_CONVERT_HDF5_PROTOCOL_H
#define TFR_CONVERT_HDF5_PROTOCOL_H

#include <stdint.h>

enum {
	TFR_HDF5_PROTOCOL = 1,
	TFR_HDF5_SOCKET = 0, /* the helper's descriptors */
	TFR_HDF5_FILE = 3,
	TFR_HDF5_DIMS = 32,    /* of a data set at most: HDF5's own limit */
	TFR_HDF5_TEXT = 16,    /* bytes that a text counts for in a row */
	TFR_HDF5_NAME = 4096,  /* bytes of a path in the file, its NUL included */
	TFR_HDF5_REASON = 256, /* bytes of an error text, likewise */
};

/* A value as it is in memory; of HDF5 files all but BOOL and UCS4. */
enum tfr_cell_type {
	TFR_CELL_BOOL, /* a byte, not 0: true */
	TFR_CELL_INT,  /* of 1, 2, 4 or 8 bytes */
	TFR_CELL_UINT,
	TFR_CELL_FLOAT, /* of 2, 4 or 8 bytes */
	TFR_CELL_BYTES, /* without NULs at the end, as in NumPy */
	TFR_CELL_UCS4,	/* likewise, with 4 bytes per character */
	TFR_CELL_BLANK, /* bytes without spaces at the end */
	TFR_CELL_FIRST, /* bytes up to the first NUL */
	TFR_CELL_TEXT,	/* struct tfr_bytes, which point to other memory */
};

/* The helper's arguments: the protocol, the bytes of --memory, and these, in this order. */
#define TFR_HDF5_SANDBOX "sandbox"
#define TFR_HDF5_NO_SANDBOX "no-sandbox"
#define TFR_HDF5_IN_ORDER "in-order"
#define TFR_HDF5_ANY_ORDER "any-order"

enum tfr_hdf5_op {
	TFR_HDF5_NEXT = 1, /* NAME of the next data set, or END */
	TFR_HDF5_OPEN,	   /* SET, or UNUSABLE, of the data set named last; sets count from 0 */
	TFR_HDF5_READ,	   /* ROWS: `count` of `set` from `first` on */
	TFR_HDF5_PICK,	   /* ROWS: those whose `count` numbers, uint32_t, follow the request */
};

struct tfr_hdf5_request {
	uint32_t op, set;
	uint64_t first, count;
};

enum tfr_hdf5_answer {
	TFR_HDF5_READY = 1, /* code: TFR_HDF5_PROTOCOL */
	TFR_HDF5_NAMED,	    /* body: a path without a NUL */
	TFR_HDF5_END,
	TFR_HDF5_SET,  /* body: struct tfr_hdf5_set */
	/* body: the values; of texts a uint64_t with the size of each, then the texts */
	TFR_HDF5_ROWS,
	TFR_HDF5_UNUSABLE, /* body: the property of the data set that features cannot represent */
	TFR_HDF5_DAMAGED,  /* body: a path in the file or "", a NUL, and libhdf5's error text */
	TFR_HDF5_FILTER,   /* code: the filter that libhdf5 lacks; body: its name */
	TFR_HDF5_FAILED,   /* code: errno of a call; body: which */
	TFR_HDF5_REFUSED,  /* code: errno of the call that starts the sandbox */
};

/* The head of a reply; `size` bytes of body follow. */
struct tfr_hdf5_reply {
	uint32_t answer, code;
	uint64_t size;
};

/* A data set: rows of `n_dims` - 1 dimensions, of cells as they are in the helper's memory. */
struct tfr_hdf5_set {
	uint32_t cell;	    /* enum tfr_cell_type */
	uint32_t cell_size; /* bytes */
	uint32_t n_dims, reserved;
	uint64_t dims[TFR_HDF5_DIMS]; /* the first is the number of rows */
	uint64_t chunk_rows;	      /* 1: not in chunks, or in chunks of a row */
	uint64_t chunk_bytes;	      /* of a chunk in memory */
};

#endif
