/* cmd/common/on_error.c - the words of --on-error, and its quarantine. */
#include "common/on_error.h"

#include <string.h>

const char *on_error_quarantine(const char *on_error)
{
	static const char word[] = "quarantine=";
	size_t n = sizeof(word) - 1;

	return on_error && !strncmp(on_error, word, n) && on_error[n] ? on_error + n : NULL;
}

enum tfr_on_fault on_error_policy(const char *on_error)
{
	return on_error && strcmp(on_error, "fail") ? TFR_ON_FAULT_SKIP : TFR_ON_FAULT_FAIL;
}

int on_error_check(struct cmd *c, const char *on_error)
{
	if (!on_error || !strcmp(on_error, "fail") || !strcmp(on_error, "skip") ||
		on_error_quarantine(on_error))
		return 0;
	return cmd_usage_word(c, "on-error", "fail, skip or quarantine=FILE", on_error);
}

/* A quarantine has the original bytes, uncompressed, whatever its name is. */
enum tfr_status on_error_open_quarantine(struct tfr_stream_writer **quarantine,
	const char *on_error, bool force, bool dry_run, struct tfr_error *err)
{
	const struct tfr_writer_opts writer = {
		.compression = TFR_COMPRESSION_NONE,
		.force = force,
		.dry_run = dry_run,
		.temporaries = cmd_temporaries(),
	};
	const char *path = on_error_quarantine(on_error);

	return path ? tfr_stream_writer_open(quarantine, path, &writer, err) : TFR_OK;
}
