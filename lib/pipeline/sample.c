/* pipeline/sample.c - samples of their own memory by size class, and grains of runs.
 *
 * Class c stands for (8 + c % 8) << (c / 8) bytes, header included.  Large buffers are mapped, not
 * taken from malloc: what is given back is then gone, where a heap that several threads grow and
 * others shrink was seen to take a tenth more than it held.  The store is asked for many samples at
 * a time: one lock for hundreds of small records. */
#include "pipeline/sample.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED_FROM = 32 << 10, CLASSES_UP = 2, PIXELS_AT = 128, LINE = 64 };

_Static_assert(2 * sizeof(struct tfr_pixels) <= PIXELS_AT, "two forms before the pixels");

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
		return aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void release(struct sample *s)
{
	size_t bytes = class_bytes(s->size_class);

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

bool samples_get(struct sample_store *store, const size_t *sizes, unsigned n, struct sample **out)
{
	bool whole = true;

	pthread_mutex_lock(&store->lock);
	for (unsigned i = 0; i < n; i++)
		out[i] = take_idle(store, class_of(sizeof(struct sample) + sizes[i]));
	pthread_mutex_unlock(&store->lock);
	for (unsigned i = 0; i < n; i++) {
		unsigned c = class_of(sizeof(struct sample) + sizes[i]);

		if (out[i])
			c = out[i]->size_class;
		else
			out[i] = allocate(class_bytes(c));
		if (out[i])
			*out[i] = (struct sample){ .size_class = c };
		else
			whole = false;
	}
	if (!whole)
		samples_put(store, out, n);
	return whole;
}

struct sample *sample_get(struct sample_store *store, size_t size)
{
	struct sample *s;

	return samples_get(store, &size, 1, &s) ? s : NULL;
}

static void put_view(struct grain *g)
{
	if (atomic_fetch_sub_explicit(&g->left, 1, memory_order_acq_rel) == 1) {
		block_put(g->block);
		free(g);
	}
}

/* With the store's lock.  False: it is to be freed. */
static bool put_idle(struct sample_store *store, struct sample *s)
{
	size_t bytes = class_bytes(s->size_class);

	if (store->idle_bytes + bytes > store->idle_limit)
		return false;
	s->next = store->idle[s->size_class];
	store->idle[s->size_class] = s;
	store->idle_bytes += bytes;
	return true;
}

void samples_put(struct sample_store *store, struct sample **samples, unsigned n)
{
	struct sample *surplus = NULL;
	bool locked = false;

	for (unsigned i = 0; i < n; i++) {
		struct sample *s = samples[i], *beside;

		if (s && s->grain) {
			put_view(s->grain);
			continue;
		}
		for (; s; s = beside) {
			beside = s->beside;
			if (!locked)
				pthread_mutex_lock(&store->lock);
			locked = true;
			if (!put_idle(store, s)) {
				s->next = surplus;
				surplus = s;
			}
		}
	}
	if (locked)
		pthread_mutex_unlock(&store->lock);
	while (surplus) {
		struct sample *s = surplus;

		surplus = s->next;
		release(s);
	}
}

void sample_put(struct sample_store *store, struct sample *s)
{
	samples_put(store, &s, 1);
}

/* Everything but where it lies. */
static void copy_view(struct sample *to, const struct sample *from)
{
	uint32_t size_class = to->size_class;

	*to = *from;
	to->size_class = size_class;
	to->grain = NULL;
	to->next = NULL;
	memcpy(to->memory, from->data, from->size);
	to->data = to->memory;
	if (from->image)
		to->image = to->data + (from->image - from->data);
	if (from->mask)
		to->mask = to->data + (from->mask - from->data);
}

enum { KEEP_AT_ONCE = 256 };

static bool keep_some(struct sample_store *store, struct sample **samples, unsigned n)
{
	struct sample *views[KEEP_AT_ONCE], *own[KEEP_AT_ONCE];
	unsigned where[KEEP_AT_ONCE], count = 0;
	size_t sizes[KEEP_AT_ONCE];

	for (unsigned i = 0; i < n; i++)
		if (samples[i] && samples[i]->grain) {
			where[count] = i;
			sizes[count] = samples[i]->size;
			views[count++] = samples[i];
		}
	if (!count)
		return true;
	if (!samples_get(store, sizes, count, own))
		return false;
	for (unsigned i = 0; i < count; i++) {
		copy_view(own[i], views[i]);
		samples[where[i]] = own[i];
	}
	samples_put(store, views, count);
	return true;
}

bool samples_keep(struct sample_store *store, struct sample **samples, unsigned n)
{
	for (unsigned at = 0; at < n; at += KEEP_AT_ONCE)
		if (!keep_some(store, samples + at, n - at < KEEP_AT_ONCE ? n - at : KEEP_AT_ONCE))
			return false;
	return true;
}

uint64_t sample_pixels_bytes(const struct image_form *form)
{
	return sample_footprint(PIXELS_AT + image_form_bytes(form));
}

static void describe(struct tfr_pixels *pixels, uint8_t *data, const struct image_form *form)
{
	*pixels = (struct tfr_pixels){
		.data = data,
		.stride = form->width * form->channels * tfr_dtype_size(form->dtype),
		.width = form->width,
		.height = form->height,
		.channels = form->channels,
		.dtype = form->dtype,
	};
}

struct sample *sample_pixels(struct sample_store *store, const struct image_form *form)
{
	struct sample *s = sample_get(store, PIXELS_AT + image_form_bytes(form));

	if (!s)
		return NULL;
	s->pixels = (struct tfr_pixels *)s->memory;
	describe(&s->pixels[0], s->memory + PIXELS_AT, form);
	s->pixels[1] = (struct tfr_pixels){ 0 };
	return s;
}

struct tfr_pixels *sample_mask_pixels(
	struct sample_store *store, struct sample *s, const struct image_form *form)
{
	s->beside = sample_get(store, image_form_bytes(form));
	if (!s->beside)
		return NULL;
	describe(&s->pixels[1], s->beside->memory, form);
	return &s->pixels[1];
}
