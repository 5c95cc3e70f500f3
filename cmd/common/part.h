/* cmd/common/part.h - which part of a job this process is. */
#ifndef TFR_CMD_COMMON_PART_H
#define TFR_CMD_COMMON_PART_H

#include <tfr-private/tfr.h>

/* Reads "I/N", "auto/N" or "auto"; the latter two look into the environment.  *parts: N. */
enum tfr_status part_find(
	const char *text, struct tfr_job_place *place, uint32_t *parts, struct tfr_error *err);

#endif
