/* sweep/progress_ticker.h - how far a phase is, told to the caller every now and then, and whether
 * the caller wants it to end.  Whoever comes by when it is time does the telling; nobody waits for
 * that. */
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
/* Tells once more how it stands. */
void tfr_ticker_clear(struct tfr_ticker *t);
void tfr_ticker_add(struct tfr_ticker *t, uint64_t items, uint64_t bytes);
/* TFR_ECANCELLED once the caller said so. */
enum tfr_status tfr_ticker_check(struct tfr_ticker *t, struct tfr_error *err);

#endif
