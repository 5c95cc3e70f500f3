/* convert/findings.c - detects unusual images by their header and name, lists findings in the order
 * of the items, and reports items that became no record.
 *
 * No property keeps an image out of the records.  Readers treat some differently (EXIF, CMYK, 16
 * bits, alpha); others break pipelines (gray, tiny, huge), decode slowly (progressive), or hint at
 * a mistake upstream (a wrong name).
 *
 * One finding cannot be decided at once: a gray image matters only among images in colour.
 * Lines wait in memory until the first image in colour, with those of gray images marked.  If
 * there is none, the gray ones are left out.  The memory is bounded: after so many gray images
 * at the beginning, the set counts as gray, and they are only counted. */
#include "convert/findings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <tfr-private/text.h>

#include "base/suffix.h"
#include "convert/folder/scan.h"
#include "io/output.h"

enum {
	MOST_WAITING = 16 << 20, /* bytes */
	BLOCK = 64 << 10,
	NAME = 8192,
};

/* --- properties --- */

static const struct {
	const char *code, *text;
} rows[TFR_FINDINGS] = {
	[TFR_FOUND_UNREADABLE] = { "unreadable", "files that could not be read" },
	[TFR_FOUND_EMPTY] = { "empty", "empty files" },
	[TFR_FOUND_TRUNCATED] = { "truncated", "truncated images" },
	[TFR_FOUND_DAMAGED] = { "damaged", "damaged images" },
	[TFR_FOUND_NO_IMAGE] = { "no-image",
		"files that are not images in a format that is decoded" },
	[TFR_FOUND_UNUSABLE] = { "unusable", "files that are unusable for other reasons" },
	[TFR_FOUND_NAME] = { "name", "images with the extension of another format" },
	[TFR_FOUND_SIZE] = { "size", "images whose size differs from that in the input" },
	[TFR_FOUND_ORIENTATION] = { "orientation",
		"images with an EXIF orientation, which only some readers apply" },
	[TFR_FOUND_CMYK] = { "cmyk", "images in CMYK" },
	[TFR_FOUND_DEEP] = { "16-bit", "images with 16 bits per sample" },
	[TFR_FOUND_PALETTE] = { "palette",
		"images with a palette, which readers convert to colours" },
	[TFR_FOUND_INDICES] = { "indices", "BMP images with a palette, of which TensorFlow reads "
					   "the indices, not the colours" },
	[TFR_FOUND_ALPHA] = { "alpha", "images with an alpha channel" },
	[TFR_FOUND_GRAY] = { "gray", "gray images among images in colour" },
	[TFR_FOUND_PROGRESSIVE] = { "progressive",
		"progressive or interlaced images, which are slow to decode" },
	[TFR_FOUND_TINY] = { "tiny", "images with a side of less than 8 pixels" },
	[TFR_FOUND_HUGE] = { "huge", "images of more than 50 million pixels" },
};

const char *tfr_finding_code(enum tfr_finding finding)
{
	return rows[finding].code;
}

const char *tfr_finding_text(enum tfr_finding finding)
{
	return rows[finding].text;
}

enum { TINY = 8, HUGE = 50000000 };

/* Whether the name has the extension of another format; a name without an image's extension does
 * not. */
static bool is_misnamed(const struct tfr_item *item)
{
	static const struct {
		const char *ending;
		enum tfr_image_format format;
	} endings[] = {
		{ "jpg", TFR_IMAGE_JPEG },
		{ "jpeg", TFR_IMAGE_JPEG },
		{ "jpe", TFR_IMAGE_JPEG },
		{ "jfif", TFR_IMAGE_JPEG },
		{ "png", TFR_IMAGE_PNG },
		{ "gif", TFR_IMAGE_GIF },
		{ "bmp", TFR_IMAGE_BMP },
		{ "webp", TFR_IMAGE_WEBP },
		{ "tif", TFR_IMAGE_TIFF },
		{ "tiff", TFR_IMAGE_TIFF },
	};
	const char *name = (const char *)item->name.data, *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcasecmp(dot + 1, endings[i].ending))
			return endings[i].format != item->came.format;
	return false;
}

/* Whether an image has the property before any change; one that the change removes does not count.
 * Other code finds those that are not here. */
static bool holds(
	const struct tfr_item *item, enum tfr_finding finding, const struct tfr_rework *rework)
{
	const struct tfr_image_info *came = &item->came;

	switch (finding) {
	case TFR_FOUND_NAME:
		return is_misnamed(item);
	case TFR_FOUND_ORIENTATION:
		return came->orientation > 1 && !rework->orient;
	case TFR_FOUND_CMYK:
		return came->format == TFR_IMAGE_JPEG && came->components == 4 && !rework->rgb8;
	case TFR_FOUND_DEEP:
		return came->bit_depth > 8 && !rework->rgb8;
	case TFR_FOUND_PALETTE:
		return came->palette && came->format != TFR_IMAGE_BMP;
	case TFR_FOUND_INDICES:
		return came->palette && came->format == TFR_IMAGE_BMP;
	case TFR_FOUND_ALPHA:
		return came->channels % 2 == 0;
	case TFR_FOUND_GRAY:
		return came->channels < 3;
	case TFR_FOUND_PROGRESSIVE:
		return came->progressive;
	case TFR_FOUND_TINY:
		return came->width < TINY || came->height < TINY;
	case TFR_FOUND_HUGE:
		return (uint64_t)came->width * came->height > HUGE;
	default:
		return false;
	}
}

uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework)
{
	uint32_t found = 0;

	for (unsigned i = 0; i < TFR_FINDINGS; i++)
		found |= (uint32_t)holds(item, (enum tfr_finding)i, rework) << i;
	return found;
}

/* The detail of a finding: for a skipped item the reason, otherwise the measure. */
static const char *detail_of(
	const struct tfr_item *item, enum tfr_finding finding, char *text, size_t size)
{
	const struct tfr_image_info *came = &item->came;

	if (item->skipped)
		return item->reason;
	switch (finding) {
	case TFR_FOUND_NAME:
	case TFR_FOUND_PROGRESSIVE:
		return tfr_image_format_name(came->format);
	case TFR_FOUND_ORIENTATION:
		snprintf(text, size, "%u", came->orientation);
		break;
	case TFR_FOUND_TINY:
	case TFR_FOUND_HUGE:
		snprintf(text, size, "%ux%u", came->width, came->height);
		break;
	default:
		snprintf(text, size, "%u x %u bits", came->components, came->bit_depth);
	}
	return text;
}

/* --- the files --- */

static enum tfr_status open_file(const struct tfr_findings *f, struct tfr_output **file,
	const char *path, const struct tfr_file_mark *mark, struct tfr_error *err)
{
	const struct tfr_writer_opts *w = &f->in->opts->output.writer;
	struct tfr_output_opts out = { .force = w->force,
		.temporaries = w->temporaries,
		.resume = f->resumes ? &mark->written : NULL,
		.token = mark->token,
		.sealed = f->sealed };

	return tfr_output_open(file, path, &out, err);
}

static enum tfr_status write_text(struct tfr_output *file, struct tfr_file_mark *mark,
	struct tfr_buf *text, struct tfr_error *err)
{
	TFR_TRY(tfr_output_write(file, text->data, text->size, err));
	mark->written += text->size;
	text->size = 0;
	return TFR_OK;
}

static enum tfr_status sync_file(const struct tfr_findings *f, struct tfr_output *file,
	const char *path, struct tfr_file_mark *mark, struct tfr_error *err)
{
	if (!file)
		return TFR_OK;
	TFR_TRY(tfr_output_checkpoint(file, &mark->token, err));
	if (tfr_output_is_file(file))
		TFR_TRY(tfr_sync_directory_of(path, err));
	if (f->in->opts->run.resume)
		tfr_output_keep(file);
	return TFR_OK;
}

/* Precedes each line that waits. */
struct head {
	uint32_t size, gray;
};

static enum tfr_status flush(struct tfr_findings *f, size_t keep, struct tfr_error *err)
{
	return f->out.size > keep ? write_text(f->list, &f->state.list, &f->out, err) : TFR_OK;
}

/* Whether these are lines, each with its head. */
static bool are_lines(const uint8_t *p, uint64_t size)
{
	struct head head;

	while (size) {
		if (size < sizeof(head))
			return false;
		memcpy(&head, p, sizeof(head));
		if (head.size > size - sizeof(head))
			return false;
		p += sizeof(head) + head.size;
		size -= sizeof(head) + head.size;
	}
	return true;
}

/* The state of another run, before the waiting lines. */
static enum tfr_status take_up(
	struct tfr_findings *f, struct tfr_unread *found, struct tfr_error *err)
{
	const char *first = f->state.tally.first_lost;
	const void *waiting;

	if (!tfr_unread_copy(found, &f->state, sizeof(f->state)) ||
		!memchr(first, 0, sizeof(f->state.tally.first_lost)) ||
		!(waiting = tfr_unread_take(found, f->state.waiting)) ||
		!are_lines(waiting, f->state.waiting))
		return tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is invalid");
	return tfr_buf_append(&f->waiting, waiting, f->state.waiting)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "listing what was found");
}

enum tfr_status tfr_findings_mark(
	struct tfr_findings *f, struct tfr_buf *mark, struct tfr_error *err)
{
	const struct tfr_convert_run *o = &f->in->opts->run;

	TFR_TRY(sync_file(f, f->quarantine, o->quarantine, &f->state.quarantine, err));
	TFR_TRY(flush(f, 0, err));
	TFR_TRY(sync_file(f, f->list, o->report, &f->state.list, err));
	f->state.waiting = f->waiting.size;
	if (!tfr_buf_append(mark, &f->state, sizeof(f->state)) ||
		!tfr_buf_append(mark, f->waiting.data, f->waiting.size))
		return tfr_fail_nomem(err, "noting how far a run is");
	return TFR_OK;
}

static const double USUAL_SHARE = 0.5;

enum tfr_status tfr_findings_open(struct tfr_findings *f, const struct tfr_input *in,
	struct tfr_unread *mark, bool sealed, struct tfr_error *err)
{
	const struct tfr_convert_run *o = &in->opts->run;

	*f = (struct tfr_findings){ .in = in, .resumes = mark, .sealed = mark && sealed };
	if (mark)
		TFR_TRY(take_up(f, mark, err));
	f->state.tally.most_lost = o->max_skipped > 0 ? o->max_skipped : USUAL_SHARE;
	if (!o->report)
		return TFR_OK;
	f->json = tfr_has_suffix(o->report, ".json");
	f->line = tfr_json_new();
	if (!f->line ||
		(f->json && !mark && !tfr_buf_printf(&f->out, "{\"version\": 1, \"findings\": [")))
		return tfr_fail_nomem(err, "listing what was found");
	return open_file(f, &f->list, o->report, &f->state.list, err);
}

enum tfr_status tfr_findings_open_quarantine(struct tfr_findings *f, struct tfr_error *err)
{
	const struct tfr_convert_run *o = &f->in->opts->run;

	return o->on_error == TFR_ON_ERROR_QUARANTINE
		       ? open_file(f, &f->quarantine, o->quarantine, &f->state.quarantine, err)
		       : TFR_OK;
}

/* --- one line --- */

static const char *make_json(struct tfr_findings *f, const struct tfr_item *item,
	enum tfr_finding finding, const char *path, const char *detail, size_t *size)
{
	tfr_json_reset(f->line);
	tfr_json_open_object(f->line, NULL);
	tfr_json_string(f->line, "path", path);
	tfr_json_string(f->line, "code", tfr_finding_code(finding));
	tfr_json_string(f->line, "detail", detail);
	if (!item->skipped) {
		tfr_json_string(f->line, "set", f->in->opts->output.targets[item->target].set);
		tfr_json_u64(f->line, "shard", item->shard);
		tfr_json_u64(f->line, "record", item->record);
	}
	tfr_json_close_object(f->line);
	return tfr_json_text(f->line, size);
}

static bool make_line(struct tfr_findings *f, const struct tfr_item *item, enum tfr_finding finding,
	struct tfr_buf *line)
{
	char path[NAME], safe[4 * NAME], text[64];
	const char *detail = detail_of(item, finding, text, sizeof(text)), *json;
	size_t size;

	snprintf(path, sizeof(path), "%s%s", item->prefix, (const char *)item->name.data);
	if (f->json) {
		json = make_json(f, item, finding, path, detail, &size);
		return json && tfr_buf_append(line, json, size);
	}
	tfr_escape_name(safe, sizeof(safe), path);
	if (!tfr_buf_printf(line, "%s\t%s\t%s\t", safe, tfr_finding_code(finding), detail))
		return false;
	if (item->skipped)
		return tfr_buf_printf(line, "-\t-\t-\n");
	tfr_escape_name(safe, sizeof(safe), f->in->opts->output.targets[item->target].set);
	return tfr_buf_printf(
		line, "%s\t%u\t%llu\n", safe, item->shard, (unsigned long long)item->record);
}

/* --- the list --- */

static enum tfr_status write_line(
	struct tfr_findings *f, const void *line, size_t size, struct tfr_error *err)
{
	const char *before = !f->json ? "" : f->state.some ? ",\n  " : "\n  ";

	f->state.some = true;
	if (!tfr_buf_append(&f->out, before, strlen(before)) ||
		!tfr_buf_append(&f->out, line, size))
		return tfr_fail_nomem(err, "listing what was found");
	return flush(f, BLOCK, err);
}

/* Writes the waiting lines, with `gray` including those of gray images. */
static enum tfr_status release(struct tfr_findings *f, bool gray, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct head head;

	for (size_t at = 0; !status && at < f->waiting.size; at += head.size) {
		memcpy(&head, f->waiting.data + at, sizeof(head));
		at += sizeof(head);
		if (gray || !head.gray)
			status = write_line(f, f->waiting.data + at, head.size, err);
	}
	tfr_buf_clear(&f->waiting);
	return status;
}

static enum tfr_status list(struct tfr_findings *f, const struct tfr_item *item,
	enum tfr_finding finding, struct tfr_error *err)
{
	struct head head = { .gray = finding == TFR_FOUND_GRAY };
	TFR_AUTO_BUF line = { 0 };

	if (!f->list || (head.gray && f->state.overflowed && !f->state.colours))
		return TFR_OK;
	TFR_NEED_MEMORY(make_line(f, item, finding, &line), err, "listing what was found");
	if (f->state.colours || f->state.overflowed)
		return write_line(f, line.data, line.size, err);
	head.size = (uint32_t)line.size;
	if (!tfr_buf_append(&f->waiting, &head, sizeof(head)) ||
		!tfr_buf_append(&f->waiting, line.data, line.size))
		return tfr_fail_nomem(err, "listing what was found");
	f->state.overflowed = f->waiting.size > MOST_WAITING;
	return f->state.overflowed ? release(f, false, err) : TFR_OK;
}

static enum tfr_status list_all(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err)
{
	uint32_t found = item->skipped ? 1u << item->finding : item->found;

	if (!item->skipped && item->came.channels > 2 && !f->state.colours++)
		TFR_TRY(release(f, true, err));
	assert(found >> TFR_FINDINGS == 0);
	for (; found; found &= found - 1) {
		unsigned i = (unsigned)__builtin_ctz(found);

		f->state.count[i]++;
		TFR_TRY(list(f, item, (enum tfr_finding)i, err));
	}
	return TFR_OK;
}

static enum tfr_status end_json(struct tfr_findings *f, struct tfr_error *err)
{
	const char *text;
	size_t size;

	tfr_json_reset(f->line);
	tfr_json_open_object(f->line, NULL);
	for (unsigned i = 0; i < TFR_FINDINGS; i++)
		if (f->state.count[i])
			tfr_json_u64(f->line, tfr_finding_code((enum tfr_finding)i), f->state.count[i]);
	tfr_json_close_object(f->line);
	text = tfr_json_text(f->line, &size);
	if (!text || !tfr_buf_printf(&f->out, "%s], \"counts\": %.*s}\n", f->state.some ? "\n" : "",
			     (int)size, text))
		return tfr_fail_nomem(err, "listing what was found");
	return TFR_OK;
}

/* --- items that became no record --- */

/* A file counts as lost if it has the extension or the first bytes of an image or a WAV file.  A
 * folder can contain notes and databases of thumbnails, which no one expects in a set.  All items
 * of lists and annotations are expected. */

enum { FIRST = 1000, NAMED = 3 /* items with one reason */ };

static bool is_named_like_one(const struct tfr_input *in, const struct tfr_item *item)
{
	const char *name = (const char *)item->name.data;

	/* An archive accepts options of both, and its images decide. */
	return in->ops->flags & TFR_INPUT_IMAGES ? tfr_file_kind(name) == TFR_FILE_IMAGE
						 : tfr_file_kind(name) == TFR_FILE_AUDIO;
}

bool tfr_is_stray(const struct tfr_input *in, const struct tfr_item *item)
{
	const char *name = tfr_base_name((const char *)item->name.data);

	return in->ops->flags & TFR_INPUT_STRAYS && strchr(name, '.') &&
	       !is_named_like_one(in, item);
}

static bool is_expected(const struct tfr_input *in, const struct tfr_item *item)
{
	return !item->skipped || !(in->ops->flags & TFR_INPUT_STRAYS) ||
	       item->finding == TFR_FOUND_TRUNCATED || item->finding == TFR_FOUND_DAMAGED ||
	       is_named_like_one(in, item);
}

/* Fails if too many of the items so far are lost. */
static enum tfr_status judge_lost(
	const struct tfr_part_tally *t, const char *which, struct tfr_error *err)
{
	if (!((double)t->lost > t->most_lost * (double)t->expected))
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA,
		"Nothing was written.  Use '--max-skipped 100' to write the others, and "
		"'--on-error quarantine=FILE' to list the skipped ones in FILE.",
		"%llu of %s%llu items are unusable, the first %s", (unsigned long long)t->lost,
		which, (unsigned long long)t->expected, t->first_lost);
}

enum tfr_status tfr_convert_judge(const struct tfr_part_tally *t, struct tfr_error *err)
{
	return judge_lost(t, "", err);
}

static enum tfr_status count_lost(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_part_tally *t = &f->state.tally;
	bool early = t->expected < FIRST && !f->in->opts->output.writer.parts;

	if (!is_expected(f->in, item))
		return TFR_OK;
	t->expected += item->records;
	if (item->skipped && !t->lost)
		snprintf(t->first_lost, sizeof(t->first_lost), "'%.200s%.200s': %.90s",
			item->prefix, (const char *)item->name.data, item->reason);
	t->lost += item->skipped ? item->records : 0;
	return early && t->expected >= FIRST ? judge_lost(t, "the first ", err) : TFR_OK;
}

/* Adds the item to those with the same reason.  False: out of memory. */
static bool group(struct tfr_findings *f, const struct tfr_item *item)
{
	struct tfr_skip_reason *r = f->reasons;
	const struct tfr_skip_reason *end = r + sizeof(f->reasons) / sizeof(*r);

	while (r < end && r->items && strcmp(r->why, item->reason) != 0)
		r++;
	if (r == end)
		return ++f->others;
	if (!r->items)
		snprintf(r->why, sizeof(r->why), "%s", item->reason);
	return r->items++ >= NAMED ||
	       tfr_buf_printf(&r->names, "%s'%s%s'", r->names.size ? ", " : "", item->prefix,
		       (const char *)item->name.data);
}

/* In the quarantine, a name with a line break or a tab stays one field of one line. */
static enum tfr_status note_skipped(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err)
{
	char text[NAME], name[NAME];

	TFR_NEED_MEMORY(group(f, item), err, "skipping an item");
	if (!f->quarantine)
		return TFR_OK;
	snprintf(text, sizeof(text), "%s%s", item->prefix, (const char *)item->name.data);
	tfr_escape_name(name, sizeof(name), text);
	tfr_escape_line(text, sizeof(text), item->reason);
	TFR_NEED_MEMORY(
		tfr_buf_printf(&f->skipped, "%s\t%s\n", name, text), err, "writing the quarantine");
	return write_text(f->quarantine, &f->state.quarantine, &f->skipped, err);
}

void tfr_findings_warn(const struct tfr_findings *f)
{
	const struct tfr_skip_reason *end = f->reasons + sizeof(f->reasons) / sizeof(*f->reasons);

	for (const struct tfr_skip_reason *r = f->reasons; r < end && r->items; r++) {
		char more[64] = "";

		if (r->items > NAMED)
			snprintf(more, sizeof(more), "%llu items, such as ",
				(unsigned long long)r->items);
		tfr_warn(
			f->in->opts, "skipped %s%s: %s", more, (const char *)r->names.data, r->why);
	}
	if (f->others)
		tfr_warn(f->in->opts, "skipped %llu more for other reasons",
			(unsigned long long)f->others);
}

/* --- all of them --- */

enum tfr_status tfr_findings_add(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err)
{
	if (item->skipped)
		TFR_TRY(note_skipped(f, item, err));
	TFR_TRY(list_all(f, item, err));
	return count_lost(f, item, err);
}

enum tfr_status tfr_findings_seal(
	struct tfr_findings *f, struct tfr_convert_report *report, struct tfr_error *err)
{
	if (f->quarantine)
		TFR_TRY(tfr_output_seal(f->quarantine, err));
	if (!f->state.colours)
		f->state.count[TFR_FOUND_GRAY] = 0;
	memcpy(report->found, f->state.count, sizeof(f->state.count));
	if (!f->list)
		return TFR_OK;
	if (!f->sealed) {
		TFR_TRY(release(f, false, err));
		if (f->json)
			TFR_TRY(end_json(f, err));
		TFR_TRY(flush(f, 0, err));
	}
	f->sealed = true;
	return tfr_output_seal(f->list, err);
}

void tfr_findings_close(struct tfr_findings *f)
{
	tfr_output_close(f->list);
	tfr_output_close(f->quarantine);
	tfr_json_free(f->line);
	tfr_buf_clear(&f->out);
	tfr_buf_clear(&f->skipped);
	tfr_buf_clear(&f->waiting);
	for (size_t i = 0; i < sizeof(f->reasons) / sizeof(*f->reasons); i++)
		tfr_buf_clear(&f->reasons[i].names);
	*f = (struct tfr_findings){ 0 };
}
