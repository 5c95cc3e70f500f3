/* sweep/fault_policy.h - what becomes of a fault of the inputs: reading fails, or skips the fault
 * with a warning, and writes its bytes to the quarantine if there is one.
 *
 * A fault is a bad record, or bytes between records.  One policy serves all threads that read. */
#ifndef TFR_SWEEP_FAULT_POLICY_H
#define TFR_SWEEP_FAULT_POLICY_H

#include <pthread.h>

#include <tfr-private/shard.h>

#include "base/buf.h"

struct tfr_fault_policy {
	bool skip;
	struct tfr_stream_writer *quarantine; /* NULL: the bytes of faults are dropped */
	/* One call at a time; both may be NULL.  `skipped` receives each skipped fault in place of
	 * a warning. */
	void (*warn)(void *ctx, const char *text);
	void (*skipped)(void *ctx, const struct tfr_error *why, const void *record, size_t size);
	void *ctx;
	pthread_mutex_t lock; /* of the calls */
	uint64_t faults;      /* skipped so far; written by any thread */
};

/* Initialises the lock of a policy whose other members are set. */
void tfr_fault_policy_init(struct tfr_fault_policy *p);
void tfr_fault_policy_clear(struct tfr_fault_policy *p);

/* `later` collects the warning, ended by a NUL, for tfr_fault_tell().  NULL, or memory is short:
 * the caller is warned at once. */
void tfr_fault_warn(struct tfr_fault_policy *p, struct tfr_buf *later, const char *text);
void tfr_fault_tell(struct tfr_fault_policy *p, struct tfr_buf *later);
/* A file without a record or a fault; standard input may be empty. */
void tfr_fault_warn_empty(struct tfr_fault_policy *p, struct tfr_buf *later, const char *path);

/* Skips a fault: TFR_OK.  Any status but TFR_EDATA, and each one without `skip`, is returned.
 * `record`: the bad record, NULL if there is none. */
enum tfr_status tfr_fault_pass(struct tfr_fault_policy *p, struct tfr_buf *later,
	enum tfr_status status, const struct tfr_error *why, const void *record, size_t size);
/* The same for a fault of the reader, which moves to the next record.  TFR_END: none follows. */
enum tfr_status tfr_fault_resync(struct tfr_fault_policy *p, struct tfr_buf *later,
	struct tfr_reader *reader, enum tfr_status status, struct tfr_error *err);
/* Writes bytes to the quarantine; for struct tfr_reader_opts, with the policy as `ctx`. */
enum tfr_status tfr_fault_put(void *policy, const void *data, size_t size, struct tfr_error *err);

#endif
