/* rewrite/shuffle/chunks.h - records on their way to their buckets, in bounded memory.
 *
 * Each worker has a chunk list for every bucket: an append-only sequence of bytes in chunks of
 * equal size.  A full chunk stays in memory while the arena has a free one, and is written to the
 * spill otherwise.  A bucket consists of its chunk lists of all workers; within a list, records
 * keep the order of insertion.  An entry of a list is
 *
 *   varint  ordinal of the record minus that of the previous entry, if that is above 0; otherwise,
 *           and at the start: 0, varint file, varint ordinal
 *   varint  length of the payload, the payload, and its masked CRC-32C (4 bytes, little-endian)
 *
 * which is less than the 16 bytes of a record's framing. */
#ifndef TFR_REWRITE_SHUFFLE_CHUNKS_H
#define TFR_REWRITE_SHUFFLE_CHUNKS_H

#include <tfr-private/rewrite.h>

#include "rewrite/sort/spill.h"

/* Memory for the chunks of all workers. */
struct tfr_arena {
	uint8_t *base;
	size_t chunk;	 /* bytes per chunk */
	uint64_t chunks; /* total number */
	uint64_t next;	 /* the first free one */
};

/* Reserves the first `reserved` chunks for the chunk lists, one each; TFR_ENOMEM. */
enum tfr_status tfr_arena_init(struct tfr_arena *a, size_t chunk, uint64_t chunks,
	uint64_t reserved, struct tfr_error *err);
void tfr_arena_clear(struct tfr_arena *a);

/* A piece of a chunk list: in memory, or in the spill. */
struct tfr_chunk {
	uint8_t *memory; /* in the arena; NULL: in the spill */
	struct tfr_spot spot;
	uint32_t next; /* of the same list, 0: none */
};

/* The bytes of one worker for one bucket.  64 bytes: appending a record touches one cache line
 * in addition to its destination. */
struct tfr_chunk_list {
	uint32_t first, last; /* chunks, 0: none */
	uint32_t file;	      /* of the last entry */
	uint32_t used;	      /* bytes in the open chunk */
	uint64_t record;      /* ordinal of the last entry */
	uint64_t bytes, records, payload_bytes, largest;
	uint8_t *open; /* the chunk being filled, until the list is complete */
};

/* A worker's chunk lists, one per bucket. */
struct tfr_chunk_lists {
	struct tfr_chunk_list *lists;
	uint32_t count;
	struct tfr_chunk *chunks; /* [0] is unused */
	uint32_t chunk_count;
	size_t chunk_cap;

	/* Used while the lists grow: */
	struct tfr_arena *arena;
	struct tfr_spill *spill;
	unsigned writer;
};

/* `first` is the number of the first of the `count` reserved chunks of this worker. */
enum tfr_status tfr_chunk_lists_init(struct tfr_chunk_lists *s, uint32_t count,
	struct tfr_arena *arena, uint64_t first, struct tfr_spill *spill, unsigned writer,
	struct tfr_error *err);
void tfr_chunk_lists_clear(struct tfr_chunk_lists *s);

/* Appends a record to a list.  `footer` is the masked CRC of the payload. */
enum tfr_status tfr_chunk_lists_put(struct tfr_chunk_lists *s, uint32_t list, uint32_t file,
	uint64_t record, const void *payload, size_t size, uint32_t footer, struct tfr_error *err);
/* Completes the lists: open chunks become the last of their lists, in memory. */
enum tfr_status tfr_chunk_lists_end(struct tfr_chunk_lists *s, struct tfr_error *err);
/* Writes all chunks in memory to the spill; the arena can then be freed. */
enum tfr_status tfr_chunk_lists_flush(struct tfr_chunk_lists *s, struct tfr_error *err);

/* Copies the chunk, from memory or from the spill, to `to`. */
enum tfr_status tfr_chunk_load(
	const struct tfr_chunk *c, struct tfr_spill *spill, uint8_t *to, struct tfr_error *err);

/* Releases the space of a list in the spill. */
void tfr_chunk_list_release(
	const struct tfr_chunk_lists *s, uint32_t list, struct tfr_spill *spill);

/* An entry as read; `payload` points into the bytes of the list. */
struct tfr_entry {
	uint32_t file;
	uint64_t record;
	const uint8_t *payload; /* followed by its CRC */
	uint64_t size;
};

/* A read position in the bytes of one list. */
struct tfr_entries {
	const uint8_t *p, *end;
	uint32_t file;
	uint64_t record;
};

/* False: the remaining bytes are not a complete entry. */
bool tfr_entries_next(struct tfr_entries *e, struct tfr_entry *entry);

/* Reads the length at `p`, where an entry was read before; returns the start of the payload. */
const uint8_t *tfr_entry_payload(const uint8_t *p, uint64_t *size);

#endif
