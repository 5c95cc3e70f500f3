/* sweep/progress_ticker.h - reports the progress of a phase to the caller, who can end it.
 *
 * The thread that adds progress when a report is due makes the call.  No other thread waits for
 * it. */
#ifndef TFR_SWEEP_PROGRESS_TICKER_H
#define TFR_SWEEP_PROGRESS_TICKER_H

#include <pthread.h>

#include <tfr-private/sweep.h>

struct tfr_ticker {
	struct tfr_sweep_opts opts;
	const char *phase;
	struct tfr_progress progress;
	pthread_mutex_t lock; /* of the call */
	uint64_t last;	      /* nanoseconds */
	bool cancelled;
};

void tfr_ticker_init(struct tfr_ticker *t, struct tfr_sweep_opts opts, const char *phase,
	uint64_t total_items, uint64_t total_bytes);
/* Reports the final progress. */
void tfr_ticker_clear(struct tfr_ticker *t);
void tfr_ticker_add(struct tfr_ticker *t, uint64_t items, uint64_t bytes);
/* TFR_ECANCELLED after the caller has ended the phase. */
enum tfr_status tfr_ticker_check(struct tfr_ticker *t, struct tfr_error *err);

#endif
