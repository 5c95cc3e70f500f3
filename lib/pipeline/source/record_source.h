/* pipeline/source/record_source.h - the records of all files, in the order of the feed.
 *
 * One thread for each file that is read at once fills a queue; the thread that takes records
 * moves the turn from file to file.  The feed's lock guards the source: the caller holds it in
 * every function below but open and close. */
#ifndef TFR_PIPELINE_RECORD_SOURCE_H
#define TFR_PIPELINE_RECORD_SOURCE_H

#include "pipeline/settings.h"
#include "pipeline/source/sample.h"

struct tfr_record_source;

/* Starts the readers.  Without the lock. */
enum tfr_status tfr_record_source_open(struct tfr_record_source **source,
	const struct tfr_pipeline_context *feed, struct tfr_error *err);
/* Ends the readers, wherever they are, once the feed is stopping; what they hold is freed.  Without
 * the lock.  Accepts NULL. */
void tfr_record_source_close(struct tfr_record_source *source);

/* Up to `max` records in order, NULL where an epoch ends. */
unsigned tfr_record_source_take(
	struct tfr_record_source *source, struct tfr_pipeline_sample **to, unsigned max);
/* Whether nothing more comes. */
bool tfr_record_source_over(const struct tfr_record_source *source);
/* How it ended: TFR_OK, or the fault of a file, after which nothing is read. */
enum tfr_status tfr_record_source_fault(
	const struct tfr_record_source *source, struct tfr_error *err);
uint64_t tfr_record_source_epoch(const struct tfr_record_source *source);
/* The epoch that is being read is the last one. */
void tfr_record_source_end_with_epoch(struct tfr_record_source *source);

/* Records that wait in the queues. */
uint64_t tfr_record_source_waiting(const struct tfr_record_source *source);
/* Whether the next record is among them. */
bool tfr_record_source_has_next(const struct tfr_record_source *source);
/* The file whose next record is waited for; NULL: none. */
const char *tfr_record_source_waits_for(const struct tfr_record_source *source);
unsigned tfr_record_source_readers(const struct tfr_record_source *source);

/* ---- the first records, before anything is taken ---- */

/* Whether the readers have read as far as they will while no records are taken, or far enough:
 * each open file has given its first records, and there are `enough` together.  So the findings
 * do not depend on which file was fastest. */
bool tfr_record_source_has_first(
	const struct tfr_record_source *source, uint64_t enough, uint64_t *records);
/* No reader waits until it has many records to hand over. */
void tfr_record_source_hurry(struct tfr_record_source *source);
/* Calls `look` with each record that was read until it returns false. */
void tfr_record_source_each(const struct tfr_record_source *source,
	bool (*look)(void *ctx, const struct tfr_pipeline_sample *s), void *ctx);
/* The fault of the first file that has one; TFR_OK: none has. */
enum tfr_status tfr_record_source_first_fault(
	const struct tfr_record_source *source, struct tfr_error *err);
bool tfr_record_source_compressed(const struct tfr_record_source *source);

/* The most memory that reading ahead takes, where the largest record takes `largest`. */
uint64_t tfr_record_source_bytes(const struct tfr_record_source *source, uint64_t largest);

#endif
