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
	tfr_interleave_start(il);
}

void tfr_interleave_start(struct tfr_interleave *il)
{
	assert(!il->busy);
	il->busy = il->next_file = il->files < il->places ? il->files : il->places;
	il->turn = 0;
	il->taken = 0;
}

void tfr_interleave_pass(struct tfr_interleave *il)
{
	il->taken = 0;
	il->turn = (il->turn + 1) % il->places;
}

size_t tfr_interleave_end(struct tfr_interleave *il)
{
	size_t file = il->next_file < il->files ? il->next_file++ : SIZE_MAX;

	assert(il->busy);
	il->busy -= file == SIZE_MAX;
	tfr_interleave_pass(il);
	return file;
}

void tfr_interleave_take(struct tfr_interleave *il, uint64_t n)
{
	assert(il->busy && n <= tfr_interleave_left(il));
	il->taken += n;
	if (il->taken == il->block)
		tfr_interleave_pass(il);
}
