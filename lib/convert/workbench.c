/* convert/workbench.c - creates tools when they are first needed, and frees them together. */
#include "convert/workbench.h"

struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench)
{
	if (!bench->decoder)
		bench->decoder = tfr_decoder_new(NULL);
	return bench->decoder;
}

struct tfr_scaler *tfr_workbench_scaler(struct tfr_workbench *bench)
{
	if (!bench->scaler)
		bench->scaler = tfr_scaler_new();
	return bench->scaler;
}

struct tfr_encoder *tfr_workbench_encoder(struct tfr_workbench *bench)
{
	if (!bench->encoder)
		bench->encoder = tfr_encoder_new();
	return bench->encoder;
}

void tfr_workbench_clear(struct tfr_workbench *bench)
{
	tfr_decoder_free(bench->decoder);
	tfr_scaler_free(bench->scaler);
	tfr_encoder_free(bench->encoder);
	tfr_buf_clear(&bench->turned);
	tfr_buf_clear(&bench->encoded);
	tfr_buf_clear(&bench->pixels);
	tfr_buf_clear(&bench->scratch);
	tfr_buf_clear(&bench->ends);
	tfr_boxes_clear(&bench->boxes);
	*bench = (struct tfr_workbench){ 0 };
}
