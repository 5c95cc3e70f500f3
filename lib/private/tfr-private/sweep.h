/* tfr-private/sweep.h - one pass over all records of a set: what every call that makes one is told,
 * and what it reports.
 *
 * Every checksum is verified on the way.  Several files are read at once, or one on all processors.
 */
#ifndef TFR_PRIVATE_SWEEP_H
#define TFR_PRIVATE_SWEEP_H

#include <tfr-private/progress.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is a default everywhere but in `input`. */
struct tfr_sweep_opts {
	const struct tfr_set *input;
	enum tfr_compression compression; /* of the inputs */
	/* Only records for which this holds (tfr_where_compile()) are taken; NULL: all. */
	const char *where;
	/* A damaged record, or one that is not the Example it has to be, ends the call with
	 * TFR_EDATA, file, record and offset; with `skip_damaged` it is warned of and counted, and
	 * reading goes on where it can. */
	bool skip_damaged;
	/* With `skip_damaged`: receives what is passed over, as tfr/rewrite.h says.  NULL: there is
	 * none. */
	struct tfr_stream_writer *quarantine;
	unsigned threads; /* 0: one a processor */

	/* Called every now and then, from any of the call's threads, one at a time: how far `phase`
	 * is.  Returning false ends the call with TFR_ECANCELLED.  NULL: nobody asks. */
	bool (*progress)(void *ctx, const char *phase, const struct tfr_progress *p);
	/* One line without its end, from any thread, one at a time; may be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* After the last record of the inputs: a feature that `where` names and that no record has,
	 * unless the expression asks for its absence (exists, len, != or negation).  The output is
	 * complete all the same.  NULL: `warn` receives it. */
	void (*missing)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

/* Filled as far as it came where the call fails. */
struct tfr_sweep_report {
	uint64_t records; /* read, and whole */
	uint64_t bad;	  /* damaged, passed over */
	uint64_t taken;	  /* of `records`: those that `where` selects */
	uint64_t others;  /* of `records`, where they are parsed: those that are not Examples */
};

#ifdef __cplusplus
}
#endif

#endif
