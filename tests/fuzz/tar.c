/* tests/fuzz/tar.c - any bytes as a tar archive: members lie within it, and reading them in turn
 * gives what lies there. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/archive/members.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sums are what a fuzzer does not find: every block that may be a header gets a right one. */
static void mend(uint8_t *data, size_t size)
{
	for (size_t at = 0; at + 512 <= size; at += 512) {
		unsigned sum = 8 * ' ';
		char text[9];

		if (data[at + 148] != '!')
			continue;
		for (size_t i = 0; i < 512; i++)
			sum += i >= 148 && i < 156 ? 0 : data[at + i];
		snprintf(text, sizeof(text), "%06o", sum);
		memcpy(data + at + 148, text, 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct tfr_archive *m = NULL;
	struct tfr_source *source;
	struct tfr_member member;
	struct tfr_feed feed;
	struct tfr_buf bytes = { 0 };
	struct tfr_error err;
	enum tfr_status status;

	memcpy(copy, data, size);
	mend(copy, size);
	if (FUZZ_SAFE(tfr_source_open_memory(&source, copy, size, "memory", &err) ||
		      tfr_feed_of(&feed, source, &err) || tfr_tar_open(&m, &feed, &err)))
		abort();
	while (!(status = tfr_archive_next(m, &member, &err))) {
		assert(member.place <= size && member.size <= size - member.place);
		assert(member.path && (member.kind == TFR_MEMBER_OTHER) == (member.fault != NULL));
		bytes.size = 0;
		if (tfr_archive_read(m, &bytes, (size_t)member.size / 2, &err) ||
			tfr_archive_read(m, &bytes, SIZE_MAX / 2, &err)) {
			abort();
			break;
		}
		assert(bytes.size == member.size &&
			(!bytes.size || !memcmp(bytes.data, copy + member.place, bytes.size)));
	}
	assert(status == TFR_END || err.message[0] || fuzz_out_of_memory);
	tfr_buf_clear(&bytes);
	tfr_archive_close(m);
	free(copy);
	return 0;
}
