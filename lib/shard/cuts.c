/* shard/cuts.c - all arithmetic is in integers: a fraction is a number of parts of 10^12, and its
 * product with a number of items has 128 bits. */
#include "shard/cuts.h"

#include <assert.h>
#include <stdlib.h>

#include "shard/fractions.h"

#define UNIT ((uint64_t)1000000000000) /* fractions are counted in its parts */

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
	uint64_t whole = (uint64_t)(product / UNIT), part = (uint64_t)(product % UNIT);

	assert(i < s->n && s->list[i].end <= UNIT);
	return whole + (part > UNIT / 2 || (part == UNIT / 2 && whole % 2));
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
