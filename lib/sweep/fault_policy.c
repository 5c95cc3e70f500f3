/* sweep/fault_policy.c - counts faults and words the warnings. */
#include "sweep/fault_policy.h"

#include <stdio.h>
#include <string.h>

void tfr_fault_policy_init(struct tfr_fault_policy *p)
{
	pthread_mutex_init(&p->lock, NULL);
}

void tfr_fault_policy_clear(struct tfr_fault_policy *p)
{
	pthread_mutex_destroy(&p->lock);
}

void tfr_fault_warn(struct tfr_fault_policy *p, struct tfr_buf *later, const char *text)
{
	if (!p->warn || (later && tfr_buf_append(later, text, strlen(text) + 1)))
		return;
	pthread_mutex_lock(&p->lock);
	p->warn(p->ctx, text);
	pthread_mutex_unlock(&p->lock);
}

void tfr_fault_tell(struct tfr_fault_policy *p, struct tfr_buf *later)
{
	for (size_t at = 0; at < later->size; at += strlen((char *)later->data + at) + 1)
		tfr_fault_warn(p, NULL, (char *)later->data + at);
	later->size = 0;
}

void tfr_fault_warn_empty(struct tfr_fault_policy *p, struct tfr_buf *later, const char *path)
{
	char text[4400];

	if (!strcmp(path, "-"))
		return;
	snprintf(text, sizeof(text), "'%s' holds no records", path);
	tfr_fault_warn(p, later, text);
}

enum tfr_status tfr_fault_pass(struct tfr_fault_policy *p, struct tfr_buf *later,
	enum tfr_status status, const struct tfr_error *why, const void *record, size_t size)
{
	char text[8192];

	if (status != TFR_EDATA || !p->skip)
		return status;
	__atomic_fetch_add(&p->faults, 1, __ATOMIC_RELAXED);
	if (p->skipped) {
		pthread_mutex_lock(&p->lock);
		p->skipped(p->ctx, why, record, size);
		pthread_mutex_unlock(&p->lock);
	} else {
		tfr_fault_warn(p, later, tfr_error_format(why, text, sizeof(text)));
	}
	return TFR_OK;
}

enum tfr_status tfr_fault_resync(struct tfr_fault_policy *p, struct tfr_buf *later,
	struct tfr_reader *reader, enum tfr_status status, struct tfr_error *err)
{
	uint64_t lost;

	status = tfr_fault_pass(p, later, status, err, NULL, 0);
	return status ? status : tfr_reader_resync(reader, &lost, err);
}

enum tfr_status tfr_fault_put(void *policy, const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_fault_policy *p = policy;
	struct iovec piece = { (void *)(uintptr_t)data, size };

	return size ? tfr_stream_writer_put(p->quarantine, &piece, 1, err) : TFR_OK;
}
