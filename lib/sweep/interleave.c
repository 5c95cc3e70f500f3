/* sweep/interleave.c - a turn that goes around the places. */
#include "sweep/interleave.h"

#include <assert.h>

void tfr_interleave_init(struct tfr_interleave *il, size_t files, uint64_t cycle, uint64_t block)
{
	*il = (struct tfr_interleave){
		.files = files,
		.places = cycle && files ? files : 1,
		.block = cycle ? block : UINT64_MAX,
	};
	if (cycle && cycle < il->places)
		il->places = (size_t)cycle;
	assert(il->block);
}

void tfr_interleave_restart(struct tfr_interleave *il)
{
	assert(!il->open && il->next_file == il->files);
	il->next_file = il->turn = 0;
	il->taken = 0;
}

bool tfr_interleave_more(const struct tfr_interleave *il)
{
	return il->open || il->next_file < il->files;
}

static void pass_turn(struct tfr_interleave *il)
{
	il->taken = 0;
	il->turn = (il->turn + 1) % il->places;
}

size_t tfr_interleave_next_file(struct tfr_interleave *il)
{
	assert(il->open < il->places && !il->taken);
	if (il->next_file == il->files) {
		pass_turn(il);
		return SIZE_MAX;
	}
	il->open++;
	return il->next_file++;
}

void tfr_interleave_end(struct tfr_interleave *il)
{
	assert(il->open);
	il->open--;
	pass_turn(il);
}

void tfr_interleave_take(struct tfr_interleave *il, uint64_t n)
{
	assert(il->open && n <= tfr_interleave_left(il));
	il->taken += n;
	if (il->taken == il->block)
		pass_turn(il);
}
