/* io/remote/upload_answer.h - what stores answer to the start and the completion of an upload. */
#ifndef TFR_IO_REMOTE_UPLOAD_ANSWER_H
#define TFR_IO_REMOTE_UPLOAD_ANSWER_H

#include "io/remote/http/failure.h"

/* The UploadId of an InitiateMultipartUploadResult.  False: there is none, or it is longer than
 * TFR_UPLOAD_ID. */
bool tfr_upload_started(char id[TFR_UPLOAD_ID], const void *text, size_t size);

/* The body of a 200 to CompleteMultipartUpload: stores send the status line before they know how it
 * ends.  TFR_OK: a CompleteMultipartUploadResult, with its ETag in `etag` ("" if it has none).
 * TFR_END: an <Error>, which is in `fault`.  TFR_ESYS: neither, such as a body that was cut. */
enum tfr_status tfr_upload_completed(
	char etag[TFR_ETAG], struct tfr_store_fault *fault, const void *text, size_t size);

#endif
