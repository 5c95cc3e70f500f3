/* pipeline/sample.c - buffers by size class.
 *
 * Class c stands for (8 + c % 8) << (c / 8) bytes, header included.  Large buffers are mapped, not
 * taken from malloc: what is given back is then gone, where a heap that four reading threads grow
 * and others shrink was seen to take a tenth more than it held. */
#include "pipeline/sample.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { MAPPED_FROM = 32 << 10, CLASSES_UP = 2 };

static size_t class_bytes(unsigned c)
{
	return (size_t)(8 + c % 8) << (c / 8);
}

static unsigned class_of(size_t bytes)
{
	unsigned shift = 0, c;

	while ((bytes >> shift) > 15)
		shift++;
	c = 8 * shift + (unsigned)(bytes >> shift) - 8;
	return class_bytes(c) < bytes ? c + 1 : c;
}

uint64_t sample_footprint(size_t size)
{
	return class_bytes(class_of(sizeof(struct sample) + size));
}

static void *allocate(size_t bytes)
{
	void *memory;

	if (bytes < MAPPED_FROM)
		return malloc(bytes);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void release(struct sample *s)
{
	size_t bytes = s ? class_bytes(s->size_class) : 0;

	if (bytes < MAPPED_FROM)
		free(s);
	else
		munmap(s, bytes);
}

void sample_store_init(struct sample_store *store, uint64_t idle_limit)
{
	*store = (struct sample_store){ .idle_limit = idle_limit };
	pthread_mutex_init(&store->lock, NULL);
}

void sample_store_clear(struct sample_store *store)
{
	for (unsigned c = 0; c < SAMPLE_CLASSES; c++)
		while (store->idle[c]) {
			struct sample *s = store->idle[c];

			store->idle[c] = s->next;
			release(s);
		}
	pthread_mutex_destroy(&store->lock);
}

/* An idle buffer, a quarter too large at most: with sizes from 13 to 130 KB that halves the misses
 * and costs 2% of memory. */
static struct sample *take_idle(struct sample_store *store, unsigned smallest)
{
	for (unsigned c = smallest; c <= smallest + CLASSES_UP && c < SAMPLE_CLASSES; c++) {
		struct sample *s = store->idle[c];

		if (s) {
			store->idle[c] = s->next;
			store->idle_bytes -= class_bytes(c);
			return s;
		}
	}
	return NULL;
}

struct sample *sample_get(struct sample_store *store, size_t size)
{
	unsigned c = class_of(sizeof(struct sample) + size);
	struct sample *s;

	pthread_mutex_lock(&store->lock);
	s = take_idle(store, c);
	pthread_mutex_unlock(&store->lock);
	if (s)
		c = s->size_class;
	else
		s = allocate(class_bytes(c));
	if (s)
		*s = (struct sample){ .size = size, .size_class = c };
	return s;
}

void sample_put(struct sample_store *store, struct sample *s)
{
	size_t bytes;

	if (!s)
		return;
	bytes = class_bytes(s->size_class);
	pthread_mutex_lock(&store->lock);
	if (store->idle_bytes + bytes <= store->idle_limit) {
		s->next = store->idle[s->size_class];
		store->idle[s->size_class] = s;
		store->idle_bytes += bytes;
		s = NULL;
	}
	pthread_mutex_unlock(&store->lock);
	release(s);
}
