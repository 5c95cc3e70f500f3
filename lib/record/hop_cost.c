/* record/hop_cost.c - batches of hops and stretches of reading, timed against each other. */
#include "record/hop_cost.h"

#include <assert.h>

enum {
	BATCH = 16,		 /* hops that are timed together: asking the clock costs, too */
	CHEAP_NS = 3000,	 /* a hop in the page cache takes a tenth of it */
	TRIAL = 2 << 20,	 /* bytes read to learn what reading costs */
	STRETCH_MOST = 64 << 20, /* bytes after which hops are tried again */
	BATCHES = 128,		 /* of costly hops, after which reading is tried again */
	SMALL_RECORD = 4096,
};

static void begin_batch(struct tfr_hop_timer *t, uint64_t offset)
{
	t->timing = true;
	t->since = t->shared->clock();
	t->from = offset;
	t->hops = 0;
	t->until = 0;
}

static void begin_reading(struct tfr_hop_timer *t, uint64_t now, uint64_t offset, uint64_t stretch)
{
	t->timing = false;
	t->since = now;
	t->from = offset;
	t->stretch = stretch;
	t->until = offset + stretch;
	t->batches = 0;
	__atomic_add_fetch(&t->shared->readers, 1, __ATOMIC_RELAXED);
}

/* Several threads may store at once.  Each of their values will do. */
static void end_reading(struct tfr_hop_timer *t, uint64_t offset)
{
	struct tfr_hop_costs *c = t->shared;
	uint64_t took = c->clock() - t->since;
	unsigned readers = __atomic_fetch_sub(&c->readers, 1, __ATOMIC_RELAXED);

	assert(offset > t->from && readers);
	if (readers > c->streams)
		took = took * c->streams / readers;
	__atomic_store_n(&c->read_ps, took * 1000 / (offset - t->from) + 1, __ATOMIC_RELAXED);
	t->until = 0;
}

static bool end_batch(struct tfr_hop_timer *t, uint64_t offset)
{
	struct tfr_hop_costs *c = t->shared;
	uint64_t now = c->clock(), took = now - t->since, bytes = offset - t->from, stretch;
	uint64_t read_ps = __atomic_load_n(&c->read_ps, __ATOMIC_RELAXED);
	bool trial = !read_ps || ++t->batches > BATCHES;

	assert(t->hops == BATCH && c->threads >= c->streams && c->streams);
	t->costly = took > BATCH * CHEAP_NS ? t->costly + 1 : 0;
	/* One slow batch may be a thread that lost its processor. */
	if (t->costly < 2 || (!trial && took * c->streams / c->threads < bytes * read_ps / 1000)) {
		t->stretch = 0;
		return false;
	}
	stretch = trial || !t->stretch ? TRIAL : 2 * t->stretch;
	begin_reading(t, now, offset, stretch < STRETCH_MOST ? stretch : STRETCH_MOST);
	return true;
}

void tfr_hop_stop(struct tfr_hop_timer *t)
{
	if (t->until)
		__atomic_sub_fetch(&t->shared->readers, 1, __ATOMIC_RELAXED);
	t->until = 0;
}

bool tfr_hop_reads_on(struct tfr_hop_timer *t, uint64_t header, uint64_t read, uint64_t record)
{
	if (t->until) {
		if (header < t->until)
			return true;
		end_reading(t, header < read ? header : read);
	}
	/* Reading 256 KiB costs about as much as a hundred reads of 12 bytes. */
	if (record < SMALL_RECORD)
		return true;
	if (!t->timing)
		begin_batch(t, header);
	else if (++t->hops == BATCH) {
		if (end_batch(t, header))
			return true;
		begin_batch(t, header);
	}
	return false;
}
