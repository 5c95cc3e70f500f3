/* rewrite/shuffle/chunks.c - lists of chunks of bytes.
 *
 * A record that fits into the open chunk is copied at once.  A longer one is spread over as many
 * chunks as it needs, so that all chunks are full and are written in one piece. */
#include "rewrite/shuffle/chunks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/error.h"
#include "example/wire.h"
#include "record/framing.h"

/* Four varints of at most 10 bytes: 0, file, ordinal, length. */
enum { HEAD_MAX = 40, FOOTER = 4 };

enum tfr_status tfr_arena_init(struct tfr_arena *a, size_t chunk, uint64_t chunks,
	uint64_t reserved, struct tfr_error *err)
{
	void *base = mmap(NULL, chunk * chunks, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return tfr_fail_nomem(err, "sorting records into buckets");
	/* Hundreds of chunks are written to in turn: with small pages each write would miss the
	 * TLB. */
	(void)!madvise(base, chunk * chunks, MADV_HUGEPAGE);
	*a = (struct tfr_arena){ base, chunk, chunks, reserved };
	return TFR_OK;
}

void tfr_arena_clear(struct tfr_arena *a)
{
	if (a->base)
		munmap(a->base, a->chunk * a->chunks);
	*a = (struct tfr_arena){ 0 };
}

static uint8_t *take_chunk(struct tfr_arena *a)
{
	uint64_t number;

	if (__atomic_load_n(&a->next, __ATOMIC_RELAXED) >= a->chunks)
		return NULL;
	number = __atomic_fetch_add(&a->next, 1, __ATOMIC_RELAXED);
	return number < a->chunks ? a->base + number * a->chunk : NULL;
}

enum tfr_status tfr_chunk_lists_init(struct tfr_chunk_lists *s, uint32_t count,
	struct tfr_arena *arena, uint64_t first, struct tfr_spill *spill, unsigned writer,
	struct tfr_error *err)
{
	*s = (struct tfr_chunk_lists){ .arena = arena, .spill = spill, .writer = writer };
	s->lists = tfr_calloc_apart(count, sizeof(*s->lists));
	TFR_NEED_MEMORY(s->lists, err, "sorting records into buckets");
	s->count = count;
	s->chunk_count = 1;
	for (uint32_t k = 0; k < count; k++)
		s->lists[k].open = arena->base + (first + k) * arena->chunk;
	return TFR_OK;
}

void tfr_chunk_lists_clear(struct tfr_chunk_lists *s)
{
	free(s->lists);
	free(s->chunks);
	*s = (struct tfr_chunk_lists){ 0 };
}

/* --- growing --- */

/* Makes the open chunk the last chunk of its list; the caller sets its position. */
static struct tfr_chunk *add_chunk(
	struct tfr_chunk_lists *s, struct tfr_chunk_list *list, struct tfr_error *err)
{
	struct tfr_chunk *c;

	if (TFR_ARRAY_RESERVE(s->chunks, s->chunk_cap, s->chunk_count + 1u)) {
		tfr_fail_nomem(err, "sorting records into buckets");
		return NULL;
	}
	c = &s->chunks[s->chunk_count];
	*c = (struct tfr_chunk){ .spot.size = list->used };
	if (list->last)
		s->chunks[list->last].next = s->chunk_count;
	else
		list->first = s->chunk_count;
	list->last = s->chunk_count++;
	return c;
}

/* The open chunk is full: it stays in memory if the arena has another, otherwise it is written. */
static enum tfr_status close_chunk(
	struct tfr_chunk_lists *s, struct tfr_chunk_list *list, struct tfr_error *err)
{
	struct tfr_chunk *c = add_chunk(s, list, err);
	uint8_t *another;

	if (!c)
		return TFR_ENOMEM;
	another = take_chunk(s->arena);
	if (another) {
		c->memory = list->open;
		list->open = another;
	} else {
		TFR_TRY(tfr_spill_write(
			s->spill, s->writer, list->open, list->used, &c->spot, err));
	}
	list->used = 0;
	return TFR_OK;
}

static enum tfr_status put_bytes(struct tfr_chunk_lists *s, struct tfr_chunk_list *list,
	const void *data, size_t size, struct tfr_error *err)
{
	const uint8_t *p = data;

	while (size) {
		size_t room = s->arena->chunk - list->used, n = size < room ? size : room;

		memcpy(list->open + list->used, p, n);
		list->used += (uint32_t)n;
		p += n;
		size -= n;
		if (n == room)
			TFR_TRY(close_chunk(s, list, err));
	}
	return TFR_OK;
}

static inline uint8_t *put_head(uint8_t *p, const struct tfr_chunk_list *list, uint32_t file,
	uint64_t record, uint64_t size)
{
	if (list->records && file == list->file && record > list->record) {
		p = tfr_wire_put_varint(p, record - list->record);
	} else {
		p = tfr_wire_put_varint(p, 0);
		p = tfr_wire_put_varint(p, file);
		p = tfr_wire_put_varint(p, record);
	}
	return tfr_wire_put_varint(p, size);
}

enum tfr_status tfr_chunk_lists_put(struct tfr_chunk_lists *s, uint32_t number, uint32_t file,
	uint64_t record, const void *payload, size_t size, uint32_t footer, struct tfr_error *err)
{
	struct tfr_chunk_list *list = &s->lists[number];
	size_t room = s->arena->chunk - list->used, head_size;
	uint8_t head[HEAD_MAX], foot[FOOTER];

	if (room > HEAD_MAX + FOOTER && size < room - HEAD_MAX - FOOTER) {
		uint8_t *start = list->open + list->used,
			*p = put_head(start, list, file, record, size);

		head_size = (size_t)(p - start);
		if (size) /* an empty payload may be NULL */
			memcpy(p, payload, size);
		tfr_store32(p + size, footer);
		list->used += (uint32_t)(head_size + size + FOOTER);
	} else {
		head_size = (size_t)(put_head(head, list, file, record, size) - head);
		tfr_store32(foot, footer);
		TFR_TRY(put_bytes(s, list, head, head_size, err));
		TFR_TRY(put_bytes(s, list, payload, size, err));
		TFR_TRY(put_bytes(s, list, foot, FOOTER, err));
	}
	list->file = file;
	list->record = record;
	list->records++;
	list->payload_bytes += size;
	list->bytes += head_size + size + FOOTER;
	if (list->largest < size)
		list->largest = size;
	return TFR_OK;
}

enum tfr_status tfr_chunk_lists_end(struct tfr_chunk_lists *s, struct tfr_error *err)
{
	for (uint32_t k = 0; k < s->count; k++) {
		struct tfr_chunk_list *list = &s->lists[k];
		struct tfr_chunk *c;

		if (!list->used)
			continue;
		c = add_chunk(s, list, err);
		if (!c)
			return TFR_ENOMEM;
		c->memory = list->open;
		list->used = 0;
	}
	return TFR_OK;
}

enum tfr_status tfr_chunk_lists_flush(struct tfr_chunk_lists *s, struct tfr_error *err)
{
	for (uint32_t k = 1; k < s->chunk_count; k++) {
		struct tfr_chunk *c = &s->chunks[k];

		if (!c->memory)
			continue;
		TFR_TRY(tfr_spill_write(
			s->spill, s->writer, c->memory, c->spot.size, &c->spot, err));
		c->memory = NULL;
	}
	return TFR_OK;
}

/* --- reading back --- */

enum tfr_status tfr_chunk_load(
	const struct tfr_chunk *c, struct tfr_spill *spill, uint8_t *to, struct tfr_error *err)
{
	if (!c->memory)
		return tfr_spill_read(spill, &c->spot, to, err);
	memcpy(to, c->memory, c->spot.size);
	return TFR_OK;
}

void tfr_chunk_list_release(const struct tfr_chunk_lists *s, uint32_t list, struct tfr_spill *spill)
{
	for (uint32_t i = s->lists[list].first; i; i = s->chunks[i].next)
		if (!s->chunks[i].memory)
			tfr_spill_release(spill, &s->chunks[i].spot);
}

/* Every record has two, of up to three bytes: tfr_wire_varint() calls a function for those.  NULL:
 * the bytes end too early, or the varint is too long. */
static inline const uint8_t *get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	unsigned shift = 0;

	for (*v = 0; p < end && shift < 64; shift += 7) {
		uint8_t byte = *p++;

		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return p;
	}
	return NULL;
}

bool tfr_entries_next(struct tfr_entries *e, struct tfr_entry *entry)
{
	uint64_t delta, file = e->file, record;
	const uint8_t *p = get_varint(e->p, e->end, &delta);

	record = e->record + delta;
	if (p && !delta) {
		p = get_varint(p, e->end, &file);
		if (p)
			p = get_varint(p, e->end, &record);
	}
	if (p)
		p = get_varint(p, e->end, &entry->size);
	if (!p || (uint64_t)(e->end - p) < FOOTER || entry->size > (uint64_t)(e->end - p) - FOOTER)
		return false;
	entry->file = e->file = (uint32_t)file;
	entry->record = e->record = record;
	entry->payload = p;
	e->p = p + entry->size + FOOTER;
	return true;
}

const uint8_t *tfr_entry_payload(const uint8_t *p, uint64_t *size)
{
	return get_varint(p, p + TFR_VARINT_MAX, size);
}
