/* diff/pairing.c - pairs rows with a queue of places, or with ranks that are sorted. */
#include "diff/pairing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 4096, RANKED = 8 + TFR_NOTE_SIDED };

static enum tfr_status tell_only(
	struct tfr_pairing *p, const uint8_t sided[TFR_NOTE_SIDED], struct tfr_error *err)
{
	memcpy(p->group + p->prefix, sided, TFR_NOTE_SIDED);
	return p->only(p->ctx, p->group, err);
}

static enum tfr_status rank(
	struct tfr_pairing *p, const uint8_t sided[TFR_NOTE_SIDED], struct tfr_error *err)
{
	uint8_t ranked[RANKED];

	assert(p->large && sided[0] < 2);
	tfr_put_be(ranked, p->ranks[sided[0]]++, 8);
	memcpy(ranked + 8, sided, TFR_NOTE_SIDED);
	return tfr_sorter_add(p->large, ranked, 1, err);
}

/* Moves the held places to a sorter. */
static enum tfr_status outgrow(struct tfr_pairing *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint8_t sided[TFR_NOTE_SIDED] = { 0 };

	assert(!p->large && !p->at); /* B comes after A in a group */
	p->large = tfr_record_table_sorter(p->table, RANKED, 8);
	p->ranks[0] = p->ranks[1] = 0;
	if (!p->large)
		return tfr_fail_nomem(err, "comparing records");
	for (size_t i = 0; !status && i < p->n_held; i++) {
		memcpy(sided + 1, p->held + i * TFR_NOTE_PLACE, TFR_NOTE_PLACE);
		status = rank(p, sided, err);
	}
	p->n_held = 0;
	return status;
}

static enum tfr_status hold(
	struct tfr_pairing *p, const uint8_t place[TFR_NOTE_PLACE], struct tfr_error *err)
{
	assert(p->n_held < HELD);
	if (!p->held)
		p->held = malloc(HELD * TFR_NOTE_PLACE);
	if (!p->held)
		return tfr_fail_nomem(err, "comparing records");
	memcpy(p->held + p->n_held++ * TFR_NOTE_PLACE, place, TFR_NOTE_PLACE);
	return TFR_OK;
}

/* Two rows of one rank are adjacent, that of A first. */
static enum tfr_status end_large(struct tfr_pairing *p, struct tfr_error *err)
{
	uint8_t a[RANKED];
	bool waits = false;
	enum tfr_status status;
	const void *next;

	while (!(status = tfr_sorter_next(p->large, &next, err))) {
		const uint8_t *row = next;

		if (waits && row[8]) { /* of the same rank, since lower ones of A are done */
			waits = false;
			status = p->match(p->ctx, a + 9, row + 9, err);
		} else if (row[8]) {
			status = tell_only(p, row + 8, err);
		} else {
			if (waits)
				status = tell_only(p, a + 8, err);
			memcpy(a, row, RANKED);
			waits = true;
		}
		if (status)
			return status;
	}
	if (status == TFR_END)
		status = waits ? tell_only(p, a + 8, err) : TFR_OK;
	tfr_sorter_free(p->large);
	p->large = NULL;
	return status;
}

enum tfr_status tfr_pairing_end(struct tfr_pairing *p, struct tfr_error *err)
{
	enum tfr_status status = p->large ? end_large(p, err) : TFR_OK;
	uint8_t sided[TFR_NOTE_SIDED] = { 0 };

	for (; !status && p->at < p->n_held; p->at++) {
		memcpy(sided + 1, p->held + p->at * TFR_NOTE_PLACE, TFR_NOTE_PLACE);
		status = tell_only(p, sided, err);
	}
	p->n_held = p->at = 0;
	return status;
}

enum tfr_status tfr_pairing_add(struct tfr_pairing *p, const uint8_t *row, struct tfr_error *err)
{
	const uint8_t *sided = row + p->prefix;
	enum tfr_status status = TFR_OK;

	assert(p->prefix + TFR_NOTE_SIDED <= TFR_NOTE_MAX && sided[0] < 2);
	if (!p->any || memcmp(p->group, row, p->prefix)) {
		status = p->any ? tfr_pairing_end(p, err) : TFR_OK;
		memcpy(p->group, row, p->prefix);
		p->any = true;
	}
	if (!status && !p->large && !sided[0] && p->n_held == HELD)
		status = outgrow(p, err);
	if (status)
		return status;
	if (p->large)
		return rank(p, sided, err);
	if (!sided[0])
		return hold(p, sided + 1, err);
	if (p->at < p->n_held)
		return p->match(p->ctx, p->held + p->at++ * TFR_NOTE_PLACE, sided + 1, err);
	return p->only(p->ctx, row, err);
}

void tfr_pairing_clear(struct tfr_pairing *p)
{
	tfr_sorter_free(p->large);
	free(p->held);
}
