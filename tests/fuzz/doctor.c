/* Any bytes behind records that are whole, as the end of a large file: a sample of it finds damage
 * where reading it all does, and nowhere else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "record/framing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS = 200, PAYLOAD = 1000, EACH = PAYLOAD + TFR_RECORD_OVERHEAD };

static bool damaged(const char *path, uint64_t share)
{
	struct tfr_doctor_opts opts = { .paths = &path,
		.count = 1,
		.threads = 1,
		.sample = share,
		.full = share == UINT64_MAX,
		.label = "label" };
	struct tfr_doctor *d = NULL;
	bool found;

	if (tfr_doctor_run(&d, &opts, NULL) || d->file_count != 1)
		abort();
	found = d->files[0].look.faults != 0;
	if (found != (d->files[0].look.damage != NULL))
		abort();
	tfr_doctor_free(d);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("doctor", MFD_CLOEXEC);
	uint8_t record[EACH];
	char path[64];

	for (int i = 0; i < RECORDS; i++) {
		tfr_put_header(record, PAYLOAD);
		memset(record + TFR_RECORD_HEADER, 'a' + i % 26, PAYLOAD);
		tfr_store32(record + TFR_RECORD_HEADER + PAYLOAD,
			tfr_crc_mask(tfr_crc32c(0, record + TFR_RECORD_HEADER, PAYLOAD)));
		if (write(fd, record, EACH) != EACH)
			abort();
	}
	if (size < 32 << 10 && write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (damaged(path, 128 << 10) != damaged(path, UINT64_MAX))
		abort();
	close(fd);
	return 0;
}
