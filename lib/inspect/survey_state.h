/* inspect/survey_state.h - a survey as bytes, so that it can be merged later. */
#ifndef TFR_INSPECT_SURVEY_STATE_H
#define TFR_INSPECT_SURVEY_STATE_H

#include "inspect/survey.h"

/* The same survey gives the same bytes.  p->failed: out of memory. */
void tfr_survey_pack(const struct tfr_survey *s, struct tfr_pack *p);
/* TFR_EDATA: these are no such bytes. */
enum tfr_status tfr_survey_unpack(
	struct tfr_survey **s, const void *bytes, size_t size, struct tfr_error *err);
/* The member `state` of an open object: those bytes, and a hash of them.  False: out of memory. */
bool tfr_survey_put_state(const struct tfr_survey *s, struct tfr_json *j);
/* The survey in the text of a JSON object, which `path` names. */
enum tfr_status tfr_survey_parse(struct tfr_survey **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

#endif
