/* tests/unit/pipeline/made.h - sets made on the spot, and feeds run over them. */
#ifndef TFR_TEST_MADE_H
#define TFR_TEST_MADE_H

#include <tfr-private/tfr.h>

enum { RUN_BATCHES_MAX = 512 };

/* What came out of a feed: a hash of the device memory of each of the first batches, and how it
 * ended. */
struct run {
	uint64_t hashes[RUN_BATCHES_MAX];
	uint32_t records[RUN_BATCHES_MAX];
	uint64_t epochs[RUN_BATCHES_MAX];
	unsigned batches;
	enum tfr_status end;
	struct tfr_error err;
	struct tfr_pipeline_stats stats;
	struct tfr_pipeline_plan plan;
	uint64_t skipped; /* calls of the callback */
	char first_skipped[600];
};

/* Writes `files` files PREFIX-i of `each` Examples, each with a different small JPEG.  Record
 * `broken` of file 0 has half of its image, record `without` none (-1: no such record). */
void make_images(const char *prefix, unsigned files, unsigned each, int broken, int without);
/* One file of Examples with an image and its mask, of which every pixel is the record's number. */
void make_pairs(const char *path, unsigned count);
/* One file of Examples: feature fNN of record r, of 17, has (r + NN) % 4 values of 1000 r + NN. */
void make_sparse(const char *path, unsigned count);
/* One file of payloads of zeros. */
void make_large(const char *path, unsigned count, size_t size);
/* One file of payloads "PREFIX:0", "PREFIX:1", … */
void make_payloads(const char *path, unsigned count);

struct tfr_set *open_set(const char *const *paths, unsigned count);
/* Opens the paths (NULL-terminated) and the devices, and runs the feed to its end.  `opts` lacks
 * set, devices and callbacks.  `consume_ms`: the time that the consumer takes for a batch. */
void run_feed_over(struct run *run, const char *const *paths, const char *device,
	struct tfr_pipeline_opts opts, unsigned consume_ms);
/* The same without a look at what arrived: copying it back would wait for the uploads under way,
 * and make a busy consumer of one that waits for its link. */
void run_feed_blind(struct run *run, const char *const *paths, const char *device,
	struct tfr_pipeline_opts opts, unsigned consume_ms);
/* run_feed_over() over one glob, on the host. */
void run_feed_on(struct run *run, const char *glob, struct tfr_pipeline_opts opts);

#endif
