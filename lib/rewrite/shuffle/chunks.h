/* rewrite/shuffle/chunks.h - records on their way to their buckets, in bounded memory.
 *
 * Each worker has a strand for every bucket: a string of bytes that only grows, cut into chunks of
 * one size.  A full chunk stays in memory while the arena has another to give, and goes to the
 * spill otherwise.  A bucket is its strands, of all workers; within a strand records are in the
 * order they were put.  An entry of a strand is
 *
 *   varint  ordinal of the record minus that of the entry before, which is above 0; or 0, and then
 *           varint file, varint ordinal: at the start, and where that is not so
 *   varint  length of the payload, the payload, and its masked CRC-32C (4 bytes, little-endian)
 *
 * which is less than the 16 bytes of framing the record had. */
#ifndef TFR_REWRITE_SHUFFLE_CHUNKS_H
#define TFR_REWRITE_SHUFFLE_CHUNKS_H

#include <tfr-private/rewrite.h>

#include "rewrite/sort/spill.h"

/* Memory for the chunks of all workers. */
struct tfr_arena {
	uint8_t *base;
	size_t chunk;	 /* bytes of each */
	uint64_t chunks; /* in all */
	uint64_t next;	 /* the first that nobody has */
};

/* The first `reserved` chunks belong to the strands, one each; TFR_ENOMEM. */
enum tfr_status tfr_arena_init(struct tfr_arena *a, size_t chunk, uint64_t chunks,
	uint64_t reserved, struct tfr_error *err);
void tfr_arena_clear(struct tfr_arena *a);

/* A piece of a strand: in memory, or in the spill. */
struct tfr_chunk {
	uint8_t *memory; /* NULL: in the spill; in the arena */
	struct tfr_spot spot;
	uint32_t next; /* of the same strand, 0: none */
};

/* 64 bytes: putting a record touches one line of the cache beside where it goes. */
struct tfr_strand {
	uint32_t first, last; /* chunks, 0: none */
	uint32_t file;	      /* of the last entry */
	uint32_t used;	      /* bytes in the open chunk */
	uint64_t record;      /* ordinal of the last entry */
	uint64_t bytes, records, payload_bytes, largest;
	uint8_t *open; /* the chunk it is filling, while it grows */
};

/* A worker's strands. */
struct tfr_strands {
	struct tfr_strand *strands;
	uint32_t count;
	struct tfr_chunk *chunks; /* [0] is nobody's */
	uint32_t chunk_count;
	size_t chunk_cap;

	/* While they grow: */
	struct tfr_arena *arena;
	struct tfr_spill *spill;
	unsigned writer;
};

/* `first` is the number of the first of the `count` reserved chunks that are this worker's. */
enum tfr_status tfr_strands_init(struct tfr_strands *s, uint32_t count, struct tfr_arena *arena,
	uint64_t first, struct tfr_spill *spill, unsigned writer, struct tfr_error *err);
void tfr_strands_clear(struct tfr_strands *s);

/* Adds a record to a strand. `footer` is the masked CRC of the payload. */
enum tfr_status tfr_strands_put(struct tfr_strands *s, uint32_t strand, uint32_t file,
	uint64_t record, const void *payload, size_t size, uint32_t footer, struct tfr_error *err);
/* Nothing more comes: what chunks are open become the last of their strands, in memory. */
enum tfr_status tfr_strands_end(struct tfr_strands *s, struct tfr_error *err);
/* All that is in memory goes to the spill; the arena can go. */
enum tfr_status tfr_strands_flush(struct tfr_strands *s, struct tfr_error *err);

/* Copies the chunk, from wherever it is, to `to`. */
enum tfr_status tfr_chunk_load(
	const struct tfr_chunk *c, struct tfr_spill *spill, uint8_t *to, struct tfr_error *err);

/* Gives back the space that the strand takes of the spill. */
void tfr_strand_release(const struct tfr_strands *s, uint32_t strand, struct tfr_spill *spill);

/* An entry read back; `payload` points into the bytes given. */
struct tfr_entry {
	uint32_t file;
	uint64_t record;
	const uint8_t *payload; /* its CRC lies behind it */
	uint64_t size;
};

/* A place in the bytes of one strand, from its start. */
struct tfr_entries {
	const uint8_t *p, *end;
	uint32_t file;
	uint64_t record;
};

/* False: what is left is no whole entry. */
bool tfr_entries_next(struct tfr_entries *e, struct tfr_entry *entry);

/* Reads the length at `p`, which an entry was read from before; returns where the payload starts.
 */
const uint8_t *tfr_entry_payload(const uint8_t *p, uint64_t *size);

#endif
