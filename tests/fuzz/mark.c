/* tests/fuzz/mark.c - any bytes as what is known of a file that another run had begun, beside a
 * temporary with records in it: refused, or gone on with to a file that holds what was written.
 *
 * The first byte chooses compression, and whether the run had sealed the file. */
#include <unistd.h>

#include <tfr-private/record.h>

#include "record/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *path(const char *what)
{
	static char text[2][64];
	static unsigned n;
	char *p = text[n++ % 2];

	snprintf(p, sizeof(text[0]), what, (int)getpid());
	return p;
}

/* What a killed run leaves: a record, whatever else, and the mark behind the record. */
static void leave(const struct tfr_writer_opts *opts, struct tfr_buf *mark)
{
	struct tfr_writer *w = NULL;

	if (tfr_writer_open_with(&w, path("/dev/shm/fuzz-mark-%d"), opts, NULL, NULL) ||
		tfr_writer_put(w, "the record that is there", 24, NULL) ||
		tfr_writer_mark_place(w, mark, NULL) || tfr_writer_put(w, "lost", 4, NULL))
		abort();
	if (w)
		tfr_writer_keep(w);
	tfr_writer_close(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tfr_writer_opts opts = { .force = true,
		.threads = 1,
		.compression = size && data[0] & 1 ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_NONE };
	TFR_AUTO_BUF mark = { 0 };
	struct tfr_writer *w = NULL;
	struct tfr_error err = { 0 };
	struct tfr_unread unread;
	struct tfr_writer_how how = { .mark = &unread, .sealed = size && data[0] & 2 };

	if (!size)
		return 0;
	FUZZ_SAFE((leave(&opts, &mark), 0));
	/* The mark as it was, with the input laid over it. */
	for (size_t i = 1; i < size; i++) {
		if (i <= mark.size)
			mark.data[i - 1] ^= data[i];
		else if (!FUZZ_SAFE(tfr_buf_append(&mark, &data[i], 1)))
			abort();
	}
	unread = (struct tfr_unread){ mark.data, mark.data + mark.size };
	if (tfr_writer_open_with(&w, path("/dev/shm/fuzz-mark-%d"), &opts, &how, &err)) {
		if (!err.message[0])
			abort();
	} else {
		tfr_writer_put(w, "more", 4, &err);
		tfr_writer_publish(w, &err);
		tfr_writer_close(w);
	}
	unlink(path("/dev/shm/fuzz-mark-%d"));
	unlink(path("/dev/shm/.fuzz-mark-%d.tmp"));
	return 0;
}
