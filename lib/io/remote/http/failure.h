/* io/remote/http/failure.h - what a failed attempt means: whether to repeat it, and what to say. */
#ifndef TFR_IO_REMOTE_HTTP_FAILURE_H
#define TFR_IO_REMOTE_HTTP_FAILURE_H

#include "io/remote/http/answer.h"

/* The <Error> of a store. */
struct tfr_store_fault {
	char code[TFR_ERROR_CODE], message[256], request_id[96], region[40];
};

/* Reads the body of an answer that is not 2xx; all members are empty if it is no <Error>. */
void tfr_store_fault_parse(struct tfr_store_fault *f, const void *text, size_t size);

/* One failed attempt. */
struct tfr_failure {
	const struct tfr_store *store;
	const char *key, *method;
	CURLcode code;	       /* CURLE_OK: the answer says what failed */
	const char *curl_says; /* "" if nothing */
	const struct tfr_answer *answer;
	const struct tfr_answer_notes *notes;
	const struct tfr_store_fault *fault;
	unsigned attempts;
	double waited; /* seconds since the last progress */
};

enum tfr_verdict {
	TFR_FAILURE_FINAL,
	TFR_FAILURE_BRIEF,  /* repeat a few times: the server may be starting, or does not exist */
	TFR_FAILURE_REPEAT, /* repeat until the time-out */
};

enum tfr_verdict tfr_failure_judge(const struct tfr_failure *f);
/* Fills `err` with TFR_ESYS: "cannot read 's3://b/k': 403 AccessDenied: Access Denied (request
 * 4442587FB7D0A2F9)", and a hint. */
enum tfr_status tfr_failure_report(const struct tfr_failure *f, struct tfr_error *err);

#endif
