/* pipeline/report/remote_advice.h - what would make reading from a server faster. */
#ifndef TFR_PIPELINE_REPORT_REMOTE_ADVICE_H
#define TFR_PIPELINE_REPORT_REMOTE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

/* False: nothing was read from a server.  `seconds` is how long reading took. */
bool tfr_advise_remote(double seconds, char *text, size_t size);

#endif
