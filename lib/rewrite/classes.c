/* rewrite/classes.c - a table of classes, open addressing over pointers.
 *
 * Each class is an allocation of its own with its text behind it, so that it never moves and
 * threads may keep pointers to it.  Looking takes the lock to read, putting in takes it to write;
 * who looks often keeps what it found. */
#include "rewrite/classes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"

struct tfr_classes {
	pthread_rwlock_t lock;
	struct tfr_class **slots; /* NULL: free; at least half of them are */
	size_t mask;
	struct tfr_class **all; /* by id */
	size_t count, cap;
	uint64_t text_bytes;
};

struct tfr_classes *tfr_classes_new(void)
{
	struct tfr_classes *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mask = 63;
	t->cap = 32;
	t->slots = calloc(t->mask + 1, sizeof(struct tfr_class *));
	t->all = calloc(t->cap, sizeof(struct tfr_class *));
	pthread_rwlock_init(&t->lock, NULL);
	if (t->slots && t->all)
		return t;
	tfr_classes_free(t);
	return NULL;
}

void tfr_classes_free(struct tfr_classes *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->all[i]);
	pthread_rwlock_destroy(&t->lock);
	free((void *)t->slots);
	free((void *)t->all);
	free(t);
}

enum tfr_status tfr_class_of(const struct tfr_example *ex, const char *name,
	struct tfr_class *class, struct tfr_error *err)
{
	const struct tfr_feature *f = tfr_example_get(ex, name);

	*class = (struct tfr_class){ .kind = f ? f->kind : TFR_KIND_UNSET };
	if (class->kind == TFR_KIND_UNSET)
		return tfr_fail(err, TFR_EDATA, "no feature '%s'", name);
	if (!f->count)
		return tfr_fail(err, TFR_EDATA, "no value in feature '%s'", name);
	if (class->kind == TFR_KIND_FLOAT) {
		tfr_fail(err, TFR_EDATA, "feature '%s' holds floats, which are no classes", name);
		tfr_error_hint(err, "Stratify by a feature of int64 or bytes.");
		return TFR_EDATA;
	}
	if (tfr_feature_int64(f, 0, &class->label))
		class->hash = XXH3_64bits_withSeed(&class->label, sizeof(class->label), 1);
	else if (tfr_feature_bytes(f, 0, &class->text))
		class->hash = XXH3_64bits(class->text.data, class->text.size);
	return TFR_OK;
}

bool tfr_class_equal(const struct tfr_class *a, const struct tfr_class *b)
{
	return a->hash == b->hash && a->kind == b->kind && a->label == b->label &&
	       a->text.size == b->text.size &&
	       (!a->text.size || !memcmp(a->text.data, b->text.data, a->text.size));
}

int tfr_class_compare(const struct tfr_class *a, const struct tfr_class *b)
{
	size_t n = a->text.size < b->text.size ? a->text.size : b->text.size;
	int order;

	if (a->kind != b->kind)
		return a->kind == TFR_KIND_INT64 ? -1 : 1;
	if (a->kind == TFR_KIND_INT64)
		return (a->label > b->label) - (a->label < b->label);
	order = n ? memcmp(a->text.data, b->text.data, n) : 0;
	return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

/* Where the class is, or the free slot where it would be. */
static struct tfr_class **slot_of(const struct tfr_classes *t, const struct tfr_class *class)
{
	size_t i = class->hash & t->mask;

	while (t->slots[i] && !tfr_class_equal(t->slots[i], class))
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

const struct tfr_class *tfr_classes_find(struct tfr_classes *t, const struct tfr_class *class)
{
	const struct tfr_class *own;

	pthread_rwlock_rdlock(&t->lock);
	own = *slot_of(t, class);
	pthread_rwlock_unlock(&t->lock);
	return own;
}

static bool grow(struct tfr_classes *t)
{
	size_t size = 2 * (t->mask + 1);
	struct tfr_class **slots, **all;

	if (t->count < t->cap)
		return true;
	all = reallocarray((void *)t->all, 2 * t->cap, sizeof(struct tfr_class *));
	if (!all)
		return false;
	t->all = all;
	slots = calloc(size, sizeof(struct tfr_class *));
	if (!slots)
		return false;
	free((void *)t->slots);
	t->slots = slots;
	t->mask = size - 1;
	t->cap *= 2;
	for (size_t i = 0; i < t->count; i++)
		*slot_of(t, t->all[i]) = t->all[i];
	return true;
}

static enum tfr_status put(struct tfr_classes *t, const struct tfr_class *class,
	const struct tfr_class **own, struct tfr_error *err)
{
	struct tfr_class *copy;

	if (t->count == TFR_CLASSES_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %d classes", TFR_CLASSES_MAX);
	if (class->text.size > TFR_CLASS_TEXTS_MAX - t->text_bytes)
		return tfr_fail(err, TFR_EUSAGE, "the names of the classes are more than %d MiB",
			TFR_CLASS_TEXTS_MAX >> 20);
	copy = malloc(sizeof(*copy) + class->text.size);
	if (!copy || !grow(t)) {
		free(copy);
		return tfr_fail_nomem(err, "counting the classes");
	}
	*copy = *class;
	copy->id = (uint32_t)t->count;
	copy->text.data = (const uint8_t *)(copy + 1);
	if (class->text.size)
		memcpy(copy + 1, class->text.data, class->text.size);
	t->text_bytes += class->text.size;
	t->all[t->count++] = copy;
	*slot_of(t, copy) = copy;
	*own = copy;
	return TFR_OK;
}

enum tfr_status tfr_classes_intern(struct tfr_classes *t, const struct tfr_class *class,
	const struct tfr_class **own, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	*own = tfr_classes_find(t, class);
	if (*own)
		return TFR_OK;
	pthread_rwlock_wrlock(&t->lock);
	*own = *slot_of(t, class); /* another thread may have been faster */
	if (!*own)
		status = put(t, class, own, err);
	pthread_rwlock_unlock(&t->lock);
	return status;
}

size_t tfr_classes_count(const struct tfr_classes *t)
{
	return t->count;
}

const struct tfr_class *tfr_classes_at(const struct tfr_classes *t, uint32_t id)
{
	return t->all[id];
}
