/* convert/skip_log.c - warnings and quarantine; a name with a line break or a tab stays one
 * field of one line. */
#include "convert/skip_log.h"

#include <stdio.h>

#include <tfr-private/text.h>

#include "convert/input.h"
#include "io/output.h"

enum { MOST_WARNED = 10 }; /* of a finding */

enum tfr_status tfr_notes_open(struct tfr_notes *n, const struct tfr_convert_opts *opts,
	const char *prefix, const uint64_t *written, uint64_t token, bool sealed,
	struct tfr_error *err)
{
	struct tfr_output_opts out = { .force = opts->writer.force,
		.temporaries = opts->writer.temporaries,
		.resume = written,
		.token = token,
		.sealed = written && sealed };

	*n = (struct tfr_notes){
		.opts = opts, .prefix = prefix, .written = written ? *written : 0
	};
	if (opts->on_error != TFR_ON_ERROR_QUARANTINE)
		return TFR_OK;
	return tfr_output_open(&n->quarantine, opts->quarantine, &out, err);
}

enum tfr_status tfr_notes_skipped(
	struct tfr_notes *n, const struct tfr_item *item, struct tfr_error *err)
{
	const char *name = (const char *)item->name.data;
	const char *prefix = item->prefix ? item->prefix : n->prefix;
	char text[8192], line[8192];

	if (n->warned[item->finding]++ < MOST_WARNED)
		tfr_warn(n->opts, "skipped '%s%s': %s", prefix, name, item->reason);
	if (!n->quarantine)
		return TFR_OK;
	snprintf(text, sizeof(text), "%s%s", prefix, name);
	tfr_escape_name(line, sizeof(line), text);
	n->line.size = 0;
	tfr_escape_line(text, sizeof(text), item->reason);
	if (!tfr_buf_printf(&n->line, "%s\t%s\n", line, text))
		return tfr_fail_nomem(err, "writing the quarantine");
	n->written += n->line.size;
	return tfr_output_write(n->quarantine, n->line.data, n->line.size, err);
}

void tfr_notes_end(const struct tfr_notes *n)
{
	for (int i = 0; i < TFR_FINDINGS; i++)
		if (n->warned[i] > MOST_WARNED)
			tfr_warn(n->opts, "skipped %llu more: %s",
				(unsigned long long)(n->warned[i] - MOST_WARNED),
				i == TFR_FOUND_UNUSABLE ? "unusable items"
							: tfr_finding_text((enum tfr_finding)i));
}

enum tfr_status tfr_notes_sync(struct tfr_notes *n, struct tfr_error *err)
{
	enum tfr_status status = n->quarantine
					 ? tfr_output_checkpoint(n->quarantine, &n->token, err)
					 : TFR_OK;

	if (status || !n->quarantine || !tfr_output_is_file(n->quarantine))
		return status;
	if (n->opts->resume)
		tfr_output_keep(n->quarantine);
	return tfr_sync_directory_of(n->opts->quarantine, err);
}

enum tfr_status tfr_notes_seal(struct tfr_notes *n, struct tfr_error *err)
{
	return n->quarantine ? tfr_output_seal(n->quarantine, err) : TFR_OK;
}

void tfr_notes_close(struct tfr_notes *n)
{
	tfr_output_close(n->quarantine);
	tfr_buf_clear(&n->line);
	*n = (struct tfr_notes){ 0 };
}
