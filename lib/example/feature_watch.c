/* example/feature_watch.c - the features that a user named, and which of them no record has.
 *
 * Most records have the same names, so each name is compared once: a table of hashes remembers
 * the names already compared.  A collision that overwrites a name costs time and changes
 * nothing, because the suggestion depends on the set of names (base/suggest.c), not on how often
 * each occurs. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "base/array.h"
#include "base/error.h"

enum { SEEN_BITS = 10 };

struct name {
	struct tfr_suggestion meant;
	bool found;
	bool allowed; /* may be missing: only a warning */
	char text[];
};

struct tfr_feature_watch {
	struct name **names;
	size_t n, missing;
	bool looked;		       /* a record was examined; before that no name is missing */
	uint64_t seen[1 << SEEN_BITS]; /* hashes of names, 0: none */
};

struct tfr_feature_watch *tfr_feature_watch_new(void)
{
	return calloc(1, sizeof(struct tfr_feature_watch));
}

void tfr_feature_watch_free(struct tfr_feature_watch *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
	free(l);
}

bool tfr_feature_watch_add(struct tfr_feature_watch *l, const char *text)
{
	size_t size = strlen(text);
	struct name *name = NULL;

	if (!TFR_ARRAY_ONE_MORE(l->names, l->n))
		name = malloc(sizeof(*name) + size + 1);
	if (!name)
		return false;
	memcpy(name->text, text, size + 1);
	name->found = name->allowed = false;
	tfr_suggestion_init(&name->meant, name->text, size);
	l->names[l->n++] = name;
	l->missing++;
	return true;
}

void tfr_feature_watch_allow(struct tfr_feature_watch *l, size_t i)
{
	assert(i < l->n);
	l->names[i]->allowed = true;
}

/* Eight bytes at a time, because this runs for every feature while a name is missing. */
static uint64_t hash_key(const char *key, size_t size)
{
	uint64_t h = size * 0x9e3779b97f4a7c15 + 1, word;

	for (; size; key += 8, size -= 8) {
		size_t n = size < 8 ? size : 8;

		word = 0;
		memcpy(&word, key, n);
		h = (h ^ word) * 0xff51afd7ed558ccd;
		h ^= h >> 32;
		if (size < 8)
			break;
	}
	return h ? h : 1;
}

static void offer_key(struct tfr_feature_watch *l, const char *key, size_t size)
{
	uint64_t h = hash_key(key, size), *seen = &l->seen[h >> (64 - SEEN_BITS)];

	if (*seen == h)
		return;
	*seen = h;
	for (size_t i = 0; i < l->n; i++)
		if (!l->names[i]->found)
			tfr_suggestion_offer(&l->names[i]->meant, key, size);
}

void tfr_feature_watch_look(struct tfr_feature_watch *l, const struct tfr_example *ex)
{
	l->looked = true;
	for (size_t i = 0; l->missing && i < l->n; i++) {
		struct name *name = l->names[i];

		if (!name->found && tfr_example_get(ex, name->text)) {
			name->found = true;
			l->missing--;
		}
	}
	if (!l->missing)
		return;
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		offer_key(l, f->key, f->key_size);
	}
}

void tfr_feature_watch_look_at(struct tfr_feature_watch *l, const char *key, size_t size)
{
	l->looked = true;
	for (size_t i = 0; l->missing && i < l->n; i++) {
		struct name *name = l->names[i];

		if (name->found || strlen(name->text) != size || memcmp(name->text, key, size))
			continue;
		name->found = true;
		l->missing--;
	}
	if (l->missing)
		offer_key(l, key, size);
}

void tfr_feature_watch_merge(struct tfr_feature_watch *into, const struct tfr_feature_watch *from)
{
	assert(into->n == from->n);
	into->looked = into->looked || from->looked;
	for (size_t i = 0; i < into->n; i++) {
		struct name *name = into->names[i];

		if (from->names[i]->found && !name->found) {
			name->found = true;
			into->missing--;
		}
		tfr_suggestion_merge(&name->meant, &from->names[i]->meant);
	}
}

/* The i-th name that no record has; NULL: there are no more. */
static const struct name *missing_name(const struct tfr_feature_watch *l, size_t i)
{
	for (size_t k = 0; l->looked && k < l->n; k++)
		if (!l->names[k]->found && !i--)
			return l->names[k];
	return NULL;
}

bool tfr_feature_watch_missing(
	const struct tfr_feature_watch *l, size_t i, const char **name, const char **meant)
{
	const struct name *found = missing_name(l, i);

	if (!found)
		return false;
	*name = found->text;
	*meant = tfr_suggestion_word(&found->meant);
	return true;
}

static void warn_of(const struct name *name, void (*warn)(void *ctx, const char *text), void *ctx)
{
	const char *meant = tfr_suggestion_word(&name->meant);
	char text[600];

	snprintf(text, sizeof(text),
		meant ? "no record has '%s'; did you mean '%s'?" : "no record has '%s'", name->text,
		meant);
	warn(ctx, text);
}

void tfr_feature_watch_report(const struct tfr_feature_watch *l,
	void (*missing)(void *ctx, const struct tfr_error *err),
	void (*warn)(void *ctx, const char *text), void *ctx)
{
	const struct name *name;
	struct tfr_error err;

	for (size_t i = 0; (name = missing_name(l, i)); i++) {
		if (!missing || name->allowed) {
			if (warn)
				warn_of(name, warn, ctx);
			continue;
		}
		err = (struct tfr_error){ 0 };
		tfr_fail(&err, TFR_EDATA, "no record has '%s'", name->text);
		tfr_suggestion_hint(&name->meant, &err);
		missing(ctx, &err);
	}
}

void tfr_feature_watch_warn(
	const struct tfr_feature_watch *l, void (*warn)(void *ctx, const char *text), void *ctx)
{
	tfr_feature_watch_report(l, NULL, warn, ctx);
}
