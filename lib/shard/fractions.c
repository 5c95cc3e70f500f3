/* shard/fractions.c - reads, checks and applies the fractions of several sets.
 *
 * The hashes form a line from 0 to 1.  Each fraction owns a stretch of it, in the order given; a
 * set without a fraction owns the rest. */
#include "shard/fractions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "shard/set_name.h"

/* --- reading --- */

/* strtod() would also accept "nan", "0x1" and " 1". */
static bool read_number(const char *text, double *number)
{
	char *end = NULL;

	if (!*text || text[strspn(text, "0123456789.eE+-")])
		return false;
	*number = tfr_text_f64(text, &end);
	return !*end;
}

/* Whether the first `n` bytes of `text` are the name of a set. */
static bool names_a_set(const char *text, size_t n)
{
	TFR_AUTO_FREE char *name = strndup(text, n);
	TFR_AUTO_SET_NAME parsed = { 0 };

	return name && tfr_set_name_parse(&parsed, name, NULL) == TFR_OK;
}

enum tfr_status tfr_share_parse(
	const char *text, char **set, double *fraction, struct tfr_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	bool number = equals && read_number(equals + 1, fraction);

	/* The name of a file may contain '='; after the name of a set it begins the fraction. */
	if (equals && !number && !names_a_set(text, n)) {
		equals = NULL;
		n = strlen(text);
	}
	if (equals && !(number && *fraction > 0 && *fraction <= 1))
		return tfr_fail(err, TFR_EUSAGE,
			"a set's fraction is above 0 and at most 1, not '%s'", equals + 1);
	if (!equals)
		*fraction = 0;
	*set = strndup(text, n);
	return *set ? TFR_OK : tfr_fail_nomem(err, "reading the options");
}

/* --- checking --- */

/* The files that a name stands for, with the real path of the folder, so that two spellings compare
 * equal. */
struct place {
	struct tfr_set_name name; /* base NULL: a single file */
	char *path;		  /* the file, or the set's base */
};

static void place_clear(struct place *p)
{
	tfr_set_name_clear(&p->name);
	free(p->path);
}

#define AUTO_PLACE __attribute__((cleanup(place_clear))) struct place

static bool place_init(struct place *p, const char *set)
{
	bool is_set = tfr_set_name_parse(&p->name, set, NULL) == TFR_OK;
	const char *path = is_set ? p->name.base : set, *slash = strrchr(path, '/');
	TFR_AUTO_FREE char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	TFR_AUTO_FREE char *real = folder ? realpath(folder, NULL) : NULL;

	if (!folder ||
		asprintf(&p->path, "%s/%s", real ? real : folder, slash ? slash + 1 : path) < 0)
		p->path = NULL;
	return p->path;
}

/* Whether a file is a shard of the set, or belongs beside it. */
static bool belongs_to(const char *file, const struct place *set)
{
	struct tfr_set_name name = { set->path, set->name.extension, set->name.count, false };
	TFR_AUTO_FREE char *manifest = tfr_set_name_beside(&name, "manifest.json");
	TFR_AUTO_FREE char *labels = tfr_set_name_beside(&name, "labels.txt");
	struct tfr_shard_file f;

	if (!set->name.automatic &&
		((manifest && !strcmp(file, manifest)) || (labels && !strcmp(file, labels))))
		return true;
	return tfr_shard_file_of(&name, file, &f) &&
	       (set->name.automatic || f.count == set->name.count);
}

/* Whether two sets collide: both would write one file, or they share base and extension and differ
 * in the number of shards, so that a pattern would read both. */
static bool places_coincide(const struct place *a, const struct place *b)
{
	if (!a->name.base == !b->name.base)
		return !strcmp(a->path, b->path) &&
		       (!a->name.base || !strcmp(a->name.extension, b->name.extension));
	return a->name.base ? belongs_to(b->path, a) : belongs_to(a->path, b);
}

static enum tfr_status check_pair(const char *set, const char *other, struct tfr_error *err)
{
	AUTO_PLACE a = { 0 };
	AUTO_PLACE b = { 0 };

	if (!strcmp(set, other))
		return tfr_fail(err, TFR_EUSAGE, "the set '%s' is named twice", set);
	TFR_NEED_MEMORY(
		place_init(&a, set) && place_init(&b, other), err, "reading the names of sets");
	if (!strcmp(set, "-") || !strcmp(other, "-") || !places_coincide(&a, &b))
		return TFR_OK;
	if (a.name.count && b.name.count && a.name.count != b.name.count)
		return tfr_fail(err, TFR_EUSAGE,
			"the sets '%s' and '%s' differ only in their number of shards: a pattern "
			"would "
			"read both",
			other, set);
	return tfr_fail(
		err, TFR_EUSAGE, "the sets '%s' and '%s' have a file in common", other, set);
}

enum tfr_status tfr_shares_check(
	const struct tfr_share *shares, size_t count, struct tfr_error *err)
{
	double sum = 0;
	size_t rest = 0, folders = 0;

	for (size_t t = 0; t < count; t++) {
		folders += shares[t].folder != NULL;
		if (!(shares[t].fraction >= 0 && shares[t].fraction <= 1))
			return tfr_fail(err, TFR_EUSAGE, "a fraction of %g for the set '%s'",
				shares[t].fraction, shares[t].set);
		sum += shares[t].fraction;
		rest += shares[t].fraction == 0;
		for (size_t u = 0; u < t; u++)
			TFR_TRY(check_pair(shares[t].set, shares[u].set, err));
	}
	if (!count)
		return tfr_fail(err, TFR_EUSAGE, "no set to write");
	if (folders == count)
		return TFR_OK;
	if (folders)
		return tfr_fail(
			err, TFR_EUSAGE, "some sets name a folder of the input and others do not");
	if (rest > 1)
		return tfr_fail(err, TFR_EUSAGE,
			"several sets without a fraction: only one can take the rest");
	if (sum > 1 + TFR_SHARES_SLACK || (rest && sum > 1 - TFR_SHARES_SLACK && count > 1))
		return tfr_fail(err, TFR_EUSAGE, "the fractions add up to %.9g%s", sum,
			rest ? ", which leaves nothing for the set without one" : ", more than 1");
	return TFR_OK;
}

/* --- applying --- */

size_t tfr_shares_choose(const struct tfr_share *shares, size_t count, uint64_t hash)
{
	double at = (double)(hash >> 11) * 0x1p-53, sum = 0;
	size_t rest = count;

	for (size_t t = 0; t < count; t++) {
		sum += shares[t].fraction;
		if (shares[t].fraction == 0)
			rest = t;
		else if (at < sum)
			return t;
	}
	/* Fractions that should add up to 1 leave no remainder. */
	if (rest == count && sum > 1 - TFR_SHARES_SLACK)
		return count - 1;
	return rest;
}

/* --- exact cuts --- */

/* All arithmetic is in integers: a fraction is a multiple of 10^-12, and its product with a number
 * of items has 128 bits. */

#define UNIT ((uint64_t)1000000000000) /* the fraction 1 */

bool tfr_stretches_lay(struct tfr_stretches *s, const struct tfr_share *shares, size_t count)
{
	uint64_t end = 0;
	double sum = 0;

	*s = (struct tfr_stretches){ .list = calloc(count + 1, sizeof(*s->list)), .rest = count };
	if (!s->list)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (shares[i].fraction == 0) {
			s->rest = i;
			continue;
		}
		sum += shares[i].fraction;
		end += (uint64_t)(shares[i].fraction * (double)UNIT + 0.5);
		s->list[s->n++] = (struct tfr_stretch){ i, end < UNIT ? end : UNIT };
	}
	/* Fractions that should add up to 1 leave no remainder. */
	if (s->rest == count && sum > 1 - TFR_SHARES_SLACK)
		s->list[s->n - 1].end = UNIT;
	return true;
}

void tfr_stretches_clear(struct tfr_stretches *s)
{
	free(s->list);
	*s = (struct tfr_stretches){ 0 };
}

uint64_t tfr_stretches_up_to(const struct tfr_stretches *s, uint64_t records, size_t i)
{
	unsigned __int128 product = (unsigned __int128)records * s->list[i].end;
	uint64_t whole = (uint64_t)(product / UNIT), rest = (uint64_t)(product % UNIT);

	assert(i < s->n && s->list[i].end <= UNIT);
	return whole + (rest > UNIT / 2 || (rest == UNIT / 2 && whole % 2));
}

void tfr_cut_at(struct tfr_cut *c, uint64_t hash, uint64_t times)
{
	uint64_t after = c->rank + times;

	assert(times && after <= c->records); /* each item of the class comes once */
	for (; c->next < c->stretches->n; c->next++) {
		uint64_t wanted = tfr_stretches_up_to(c->stretches, c->records, c->next);

		if (wanted > after)
			break;
		/* All of them go to the nearer side; if both are equally near, to this one. */
		if (wanted > c->rank && after - wanted <= wanted - c->rank)
			c->bounds[c->next] = (struct tfr_bound){ .last = hash };
		else
			c->bounds[c->next] =
				(struct tfr_bound){ .last = hash - 1, .none = !c->rank };
	}
	c->rank = after;
}

size_t tfr_stretches_choose(
	const struct tfr_stretches *s, const struct tfr_bound *bounds, uint64_t hash)
{
	for (size_t i = 0; i < s->n; i++)
		if (!bounds[i].none && hash <= bounds[i].last)
			return s->list[i].share;
	return s->rest;
}
