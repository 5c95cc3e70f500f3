/* convert/workbench.c - tools are made when they are first needed, and freed together. */
#include "convert/workbench.h"

struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench)
{
	if (!bench->decoder)
		bench->decoder = tfr_decoder_new(NULL);
	return bench->decoder;
}

void tfr_workbench_clear(struct tfr_workbench *bench)
{
	tfr_decoder_free(bench->decoder);
	*bench = (struct tfr_workbench){ 0 };
}
