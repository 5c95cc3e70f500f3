/* inspect/schema/drift.c - reports features that vary: with two kinds, or different in some files
 * than in most.
 *
 * In each file a feature has one of few states.  The most common state, the first one among equals,
 * is the reference for the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/survey.h"

enum { TEXT = 9000, NAME = 300, STATES = 64 };

static const char *noun_of(const struct tfr_survey *s)
{
	return s->of_lists ? "feature list" : "feature";
}

/* The start of a name, for a message, which does not go missing for lack of memory. */
static void name_of(const struct tfr_surveyed *f, char text[NAME])
{
	TFR_AUTO_BUF name = { 0 };

	if (tfr_survey_name(&name, f))
		snprintf(text, NAME, "%.*s", (int)name.size, (char *)name.data);
	else
		strcpy(text, "?");
}

/* The end of the entries from `i` on that have the same name. */
static size_t end_of_name(const struct tfr_survey *s, size_t i)
{
	size_t end = i + 1;

	while (end < s->n && !tfr_survey_compare(s->list[end], s->list[i]->name, s->list[i]->size,
				     s->list[end]->kind))
		end++;
	return end;
}

void tfr_survey_contradictions(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx)
{
	char text[TEXT], name[NAME];

	for (size_t i = 0, end; s->paths && i < s->n; i = end) {
		size_t n = 0, kinds = 0;

		end = end_of_name(s, i);
		for (size_t k = i; k < end; k++)
			kinds += s->list[k]->kind != TFR_KIND_UNSET;
		if (kinds < 2)
			continue;
		name_of(s->list[i], name);
		n = (size_t)snprintf(text, sizeof(text), "%s '%s' is", noun_of(s), name);
		for (size_t k = i, told = 0; k < end && n < sizeof(text); k++) {
			const struct tfr_occurrence *at = &s->list[k]->facts.first;

			if (s->list[k]->kind == TFR_KIND_UNSET)
				continue;
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				"%s %s in '%.2000s', record %llu",
				!told		  ? ""
				: ++told == kinds ? " and"
						  : ",",
				tfr_kind_name(s->list[k]->kind), s->paths[at->file],
				(unsigned long long)at->record);
			told += !told;
		}
		tell(ctx, text);
	}
	if (s->lists)
		tfr_survey_contradictions(s->lists, tell, ctx);
}

/* --- files --- */

/* The state of a feature in one file. */
struct state {
	enum { ABSENT, SOMETIMES, ALWAYS } presence;
	enum tfr_kind kind; /* UNSET: several kinds */
	uint64_t min, max;  /* number of values; 0 if it varies */
	uint64_t files;	    /* files with this state */
	uint64_t first;	    /* of these */
};

static bool same_state(const struct state *a, const struct state *b)
{
	return a->presence == b->presence && a->kind == b->kind && a->min == b->min &&
	       a->max == b->max;
}

/* `list` holds the kinds of one feature. */
static struct state state_in(
	const struct tfr_survey *s, struct tfr_surveyed *const *list, size_t n, uint64_t file)
{
	struct state st = { .files = 1, .first = file };
	uint64_t records = 0;
	unsigned kinds = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tfr_in_file *f = &list[i]->files[file];

		if (list[i]->kind == TFR_KIND_UNSET || !f->records)
			continue;
		records += f->records;
		st.kind = kinds++ ? TFR_KIND_UNSET : list[i]->kind;
		if (f->min == f->max && kinds == 1)
			st.min = st.max = f->min;
		else
			st.min = st.max = 0;
	}
	if (records)
		st.presence = records >= s->file_records[file] || records >= UINT32_MAX ? ALWAYS
											: SOMETIMES;
	return st;
}

static void describe_state(const struct state *st, char text[64])
{
	if (st->presence == ABSENT)
		snprintf(text, 64, "absent");
	else
		snprintf(text, 64, "%s%s%s",
			st->presence == ALWAYS ? "always present" : "sometimes present",
			st->kind ? ", " : ", of several kinds",
			st->kind ? tfr_kind_name(st->kind) : "");
	if (st->presence != ABSENT && st->max)
		snprintf(text + strlen(text), 64 - strlen(text), "[%llu]",
			(unsigned long long)st->max);
}

/* The distinct states; those beyond the limit count as the last one. */
struct states {
	struct state list[STATES];
	size_t n;
};

static void add_state(struct states *all, const struct state *st)
{
	size_t i = 0;

	while (i < all->n && !same_state(&all->list[i], st))
		i++;
	if (i == all->n && i < STATES)
		all->list[all->n++] = *st;
	else
		all->list[i < STATES ? i : STATES - 1].files += st->files;
}

static void tell_states(const struct tfr_survey *s, const struct tfr_surveyed *f,
	const struct states *all, void (*tell)(void *ctx, const char *text), void *ctx)
{
	char text[TEXT], name[NAME], is[64], else_is[64];
	size_t most = 0;

	for (size_t i = 1; i < all->n; i++)
		if (all->list[i].files > all->list[most].files)
			most = i;
	name_of(f, name);
	describe_state(&all->list[most], else_is);
	for (size_t i = 0; i < all->n; i++) {
		if (i == most)
			continue;
		describe_state(&all->list[i], is);
		snprintf(text, sizeof(text),
			"%s '%s' is %s in %llu of %llu files, first in '%.2000s', and %s in "
			"%llu",
			noun_of(s), name, is, (unsigned long long)all->list[i].files,
			(unsigned long long)s->files, s->paths[all->list[i].first], else_is,
			(unsigned long long)all->list[most].files);
		tell(ctx, text);
	}
}

/* Merges states that differ by chance.  If a feature is optional, files in which every record has
 * it are accidental; if its length varies in one file, it may vary in all. */
static void merge_by_chance(struct states *all)
{
	bool range = false, sometimes = false;
	struct states merged = { .n = 0 };

	for (size_t i = 0; i < all->n; i++) {
		range |= all->list[i].presence != ABSENT && all->list[i].kind && !all->list[i].max;
		sometimes |= all->list[i].presence == SOMETIMES;
	}
	for (size_t i = 0; i < all->n; i++) {
		struct state st = all->list[i];

		if (range)
			st.min = st.max = 0;
		if (sometimes && st.presence == ALWAYS)
			st.presence = SOMETIMES;
		add_state(&merged, &st);
	}
	*all = merged;
}

void tfr_survey_drift(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx)
{
	for (size_t i = 0, end; s->paths && i < s->n; i = end) {
		struct states all = { .n = 0 };

		end = end_of_name(s, i);
		for (uint64_t file = 0; file < s->files; file++) {
			struct state st = state_in(s, s->list + i, end - i, file);

			if (s->file_records[file])
				add_state(&all, &st);
		}
		merge_by_chance(&all);
		if (all.n > 1)
			tell_states(s, s->list[i], &all, tell, ctx);
	}
	if (s->lists)
		tfr_survey_drift(s->lists, tell, ctx);
}
