/* pipeline/source/file_reader.h - the inside of the source: its readers and their queues. */
#ifndef TFR_PIPELINE_FILE_READER_H
#define TFR_PIPELINE_FILE_READER_H

#include "pipeline/control.h"
#include "pipeline/report/statistics.h"
#include "pipeline/source/record_source.h"
#include "sweep/interleave.h"

/* A place in the cycle: one thread, which reads one file at a time.
 *
 * `path` and `file` are set by who takes records and cleared by the thread, both with the lock; the
 * thread alone touches `status` and `err` until `ended` is set. */
struct tfr_file_reader {
	struct tfr_record_source *source;
	unsigned number; /* of the thread, in traces */
	pthread_t thread;
	bool started;
	struct tfr_feed_waiter change; /* a file was assigned, or room was made */
	const char *path;	       /* NULL: no file */
	uint32_t file;
	bool compressed; /* the present file is */
	bool ended;	 /* of the file, in `status` how; what is queued still counts */
	enum tfr_status status;
	struct tfr_error err;
	struct tfr_record_chunk *head, *tail;
	uint64_t bytes;	    /* queued, and what their samples take */
	uint64_t low;	    /* a full queue is filled again from here on */
	atomic_bool hungry; /* the next record of this one is waited for */
	struct tfr_span span;
};

struct tfr_record_source {
	const struct tfr_feed_settings *set;
	struct tfr_feed_control *control;
	struct tfr_statistics *statistics;
	struct tfr_block_pool blocks;
	struct tfr_file_reader *readers;
	uint32_t count;
	struct tfr_interleave turns; /* of the readers */
	uint32_t *order;	     /* files of this epoch; NULL: as they come */
	uint64_t epoch, ordinal;
	uint64_t epochs; /* that are read; 0: no limit */
	uint64_t budget; /* bytes that a reader may queue */
	size_t block_size;
	int cancel; /* readable once the feed ends: no reader waits for a pipe any longer */
	bool over;
	enum tfr_status fault; /* of a file: nothing is read after it */
	struct tfr_error err;
};

/* A thread's main function; its argument is a struct tfr_file_reader. */
void *tfr_file_reader_main(void *arg);

#endif
