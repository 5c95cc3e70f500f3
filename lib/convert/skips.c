/* convert/skips.c - items that became no record.
 *
 * Counted are files with the extension or the first bytes of an image or a WAV file: a folder can
 * contain notes and databases of thumbnails, which no one expects in a set.  All items of lists and
 * annotations are expected.  In the quarantine, a name with a line break or a tab stays one field of
 * one line. */
#include "convert/skips.h"

#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/suffix.h"
#include "convert/folder/scan.h"
#include "io/output.h"

/* --- counting --- */

enum { FIRST = 1000 };

static const double USUAL_SHARE = 0.5;

static bool is_named_like_one(const struct tfr_input *in, const struct tfr_item *item)
{
	const char *name = (const char *)item->name.data;

	/* An archive accepts options of both, and its images decide. */
	return in->ops->images ? tfr_file_kind(name) == TFR_FILE_IMAGE
			       : tfr_file_kind(name) == TFR_FILE_AUDIO;
}

bool tfr_is_stray(const struct tfr_input *in, const struct tfr_item *item)
{
	const char *name = tfr_base_name((const char *)item->name.data);

	return in->ops->strays && strchr(name, '.') && !is_named_like_one(in, item);
}

static bool is_expected(const struct tfr_input *in, const struct tfr_item *item)
{
	return !item->skipped || !in->ops->strays || item->finding == TFR_FOUND_TRUNCATED ||
	       item->finding == TFR_FOUND_DAMAGED || is_named_like_one(in, item);
}

double tfr_losses_most(const struct tfr_convert_opts *opts)
{
	return opts->run.max_skipped > 0 ? opts->run.max_skipped : USUAL_SHARE;
}

static enum tfr_status refuse(uint64_t lost, uint64_t expected, const char *first,
	const char *which, struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EDATA,
		"Nothing was written.  Use '--max-skipped 100' to write the others, and "
		"'--on-error quarantine=FILE' to list the skipped ones in FILE.",
		"%llu of %s%llu items are unusable, the first %s", (unsigned long long)lost, which,
		(unsigned long long)expected, first);
}

enum tfr_status tfr_losses_add(struct tfr_losses *l, const struct tfr_input *in,
	const struct tfr_item *item, struct tfr_error *err)
{
	bool before = l->expected < FIRST;

	if (!is_expected(in, item))
		return TFR_OK;
	l->expected += item->records;
	if (item->skipped && !l->lost)
		snprintf(l->first, sizeof(l->first), "'%.200s%.200s': %.90s",
			item->prefix ? item->prefix : in->prefix, (const char *)item->name.data,
			item->reason);
	l->lost += item->skipped ? item->records : 0;
	if (in->opts->output.writer.parts || !before || l->expected < FIRST ||
		(double)l->lost <= tfr_losses_most(in->opts) * (double)l->expected)
		return TFR_OK;
	return refuse(l->lost, l->expected, l->first, "the first ", err);
}

enum tfr_status tfr_convert_judge(const struct tfr_part_tally *t, struct tfr_error *err)
{
	return (double)t->lost > t->most_lost * (double)t->expected
		       ? refuse(t->lost, t->expected, t->first_lost, "", err)
		       : TFR_OK;
}

/* --- reporting --- */

enum { NAMED = 3 }; /* items with one reason */

/* Adds the item to those with the same reason.  False: out of memory. */
static bool group(struct tfr_notes *n, const struct tfr_item *item, const char *prefix)
{
	struct tfr_notes_reason *r = n->reasons;
	const struct tfr_notes_reason *end = r + sizeof(n->reasons) / sizeof(*r);

	while (r < end && r->items && strcmp(r->why, item->reason) != 0)
		r++;
	if (r == end)
		return ++n->others;
	if (!r->items)
		snprintf(r->why, sizeof(r->why), "%s", item->reason);
	return r->items++ >= NAMED ||
	       tfr_buf_printf(&r->names, "%s'%s%s'", r->names.size ? ", " : "", prefix,
		       (const char *)item->name.data);
}

enum tfr_status tfr_notes_open(struct tfr_notes *n, const struct tfr_convert_opts *opts,
	const char *prefix, const uint64_t *written, uint64_t token, bool sealed,
	struct tfr_error *err)
{
	struct tfr_output_opts out = { .force = opts->output.writer.force,
		.temporaries = opts->output.writer.temporaries,
		.resume = written,
		.token = token,
		.sealed = written && sealed };

	*n = (struct tfr_notes){
		.opts = opts, .prefix = prefix, .written = written ? *written : 0
	};
	if (opts->run.on_error != TFR_ON_ERROR_QUARANTINE)
		return TFR_OK;
	return tfr_output_open(&n->quarantine, opts->run.quarantine, &out, err);
}

enum tfr_status tfr_notes_skipped(
	struct tfr_notes *n, const struct tfr_item *item, struct tfr_error *err)
{
	const char *name = (const char *)item->name.data;
	const char *prefix = item->prefix ? item->prefix : n->prefix;
	char text[8192], line[8192];

	TFR_NEED_MEMORY(group(n, item, prefix), err, "skipping an item");
	if (!n->quarantine)
		return TFR_OK;
	snprintf(text, sizeof(text), "%s%s", prefix, name);
	tfr_escape_name(line, sizeof(line), text);
	n->line.size = 0;
	tfr_escape_line(text, sizeof(text), item->reason);
	TFR_NEED_MEMORY(
		tfr_buf_printf(&n->line, "%s\t%s\n", line, text), err, "writing the quarantine");
	n->written += n->line.size;
	return tfr_output_write(n->quarantine, n->line.data, n->line.size, err);
}

void tfr_notes_end(const struct tfr_notes *n)
{
	for (size_t i = 0; i < sizeof(n->reasons) / sizeof(*n->reasons); i++) {
		const struct tfr_notes_reason *r = &n->reasons[i];
		char more[64] = "";

		if (r->items > NAMED)
			snprintf(more, sizeof(more), "%llu items, such as ",
				(unsigned long long)r->items);
		if (r->items)
			tfr_warn(n->opts, "skipped %s%s: %s", more, (const char *)r->names.data,
				r->why);
	}
	if (n->others)
		tfr_warn(n->opts, "skipped %llu more for other reasons",
			(unsigned long long)n->others);
}

enum tfr_status tfr_notes_sync(struct tfr_notes *n, struct tfr_error *err)
{
	if (!n->quarantine)
		return TFR_OK;
	TFR_TRY(tfr_output_checkpoint(n->quarantine, &n->token, err));
	if (!tfr_output_is_file(n->quarantine))
		return TFR_OK;
	if (n->opts->run.resume)
		tfr_output_keep(n->quarantine);
	return tfr_sync_directory_of(n->opts->run.quarantine, err);
}

enum tfr_status tfr_notes_seal(struct tfr_notes *n, struct tfr_error *err)
{
	return n->quarantine ? tfr_output_seal(n->quarantine, err) : TFR_OK;
}

void tfr_notes_close(struct tfr_notes *n)
{
	tfr_output_close(n->quarantine);
	tfr_buf_clear(&n->line);
	for (size_t i = 0; i < sizeof(n->reasons) / sizeof(*n->reasons); i++)
		tfr_buf_clear(&n->reasons[i].names);
	*n = (struct tfr_notes){ 0 };
}
