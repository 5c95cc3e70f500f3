/* convert/archive/libarchive.c - the module archive: reads compressed tar and zip archives by
 * libarchive.
 *
 * libarchive converts UTF-8 names to the characters of the current locale and drops others.  So
 * the calling thread uses a UTF-8 locale, whatever the locale of the process.  Only its built-in
 * filters are allowed, none that would start another program. */
#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/module_export.h"
#include "base/utf8.h"
#include "convert/archive/members.h"

enum { STEP = 64 << 10 };

struct packed {
	struct tfr_archive m;
	struct archive *archive;
	struct tfr_buf path;
	locale_t utf8; /* 0: this system has no such locale */
	bool ended;
	size_t shown;	      /* bytes of the stream that libarchive is using */
	enum tfr_status late; /* of our read callback, with its error */
	struct tfr_error late_error;
};

/* --- callbacks of libarchive --- */

static la_ssize_t give(struct archive *a, void *ctx, const void **data)
{
	struct packed *p = ctx;
	const uint8_t *bytes;
	size_t got = 0;

	tfr_feed_take(&p->m.feed, p->shown);
	p->shown = 0;
	p->late = tfr_feed_peek(&p->m.feed, 1, &bytes, &got, &p->late_error);
	if (p->late) {
		archive_set_error(a, EIO, "cannot read");
		return -1;
	}
	*data = bytes;
	p->shown = got;
	return (la_ssize_t)got;
}

static la_int64_t hop(struct archive *a, void *ctx, la_int64_t bytes)
{
	struct packed *p = ctx;

	(void)a;
	tfr_feed_take(&p->m.feed, p->shown);
	p->shown = 0;
	if (!p->m.feed.seekable || !tfr_feed_has(&p->m.feed, (uint64_t)bytes))
		return 0;
	tfr_feed_seek(&p->m.feed, p->m.feed.place + (uint64_t)bytes);
	return bytes;
}

static la_int64_t seek_to(struct archive *a, void *ctx, la_int64_t offset, int whence)
{
	struct packed *p = ctx;
	uint64_t end = tfr_feed_end(&p->m.feed), from = p->m.begin;

	(void)a;
	if (whence == SEEK_CUR)
		from = p->m.feed.place + p->shown;
	else if (whence == SEEK_END)
		from = end;
	if ((offset < 0 && (uint64_t)-offset > from - p->m.begin) ||
		(offset > 0 && (uint64_t)offset > end - from))
		return ARCHIVE_FATAL;
	p->shown = 0;
	tfr_feed_seek(&p->m.feed, from + (uint64_t)offset);
	return (la_int64_t)(p->m.feed.place - p->m.begin);
}

/* --- names --- */

/* The upper half of code page 437, equal to Python's codec "cp437". */
static const char upper[] = "ÇüéâäàåçêëèïîìÄÅ"
			    "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
			    "áíóúñÑªº¿⌐¬½¼¡«»"
			    "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
			    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
			    "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
			    "αßΓπΣσµτΦΘΩδ∞φε∩"
			    "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ";

/* Appends a text in code page 437 as UTF-8.  The first 128 characters are those of ASCII.  False:
 * out of memory. */
static bool append_cp437(struct tfr_buf *to, const char *text)
{
	for (; *text; text++) {
		const uint8_t *p = (const uint8_t *)text;

		if (*p >= 0x80) {
			p = (const uint8_t *)upper;
			for (int i = (uint8_t)*text; i > 0x80; i--)
				p += tfr_utf8_length(p, 4);
			assert(p < (const uint8_t *)upper + sizeof(upper) - 1);
		}
		if (!tfr_buf_append(to, p, tfr_utf8_length(p, 4)))
			return false;
	}
	return true;
}

/* --- the archive --- */

static enum tfr_status failed(struct packed *p, struct tfr_error *err)
{
	const char *why = archive_error_string(p->archive);

	if (p->late) {
		if (err)
			*err = p->late_error;
		return p->late;
	}
	if (why && !strcmp(why, "Unrecognized archive format"))
		return tfr_fail_path(err, TFR_EFORMAT, p->m.feed.name, "not a tar or zip archive:");
	return tfr_fail_path(err, TFR_EDATA, p->m.feed.name, "%s, at byte %llu of the archive",
		why ? why : "damaged", (unsigned long long)(p->m.feed.place + p->shown));
}

static enum tfr_status start_reading(struct packed *p, struct tfr_error *err)
{
	struct archive *a = archive_read_new();

	p->archive = a;
	TFR_NEED_MEMORY(a, err, "reading an archive");
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_zip(a);
	archive_read_set_format_option(a, "tar", "read_concatenated_archives", "1");
	archive_read_set_callback_data(a, p);
	archive_read_set_read_callback(a, give);
	archive_read_set_skip_callback(a, hop);
	if (p->m.feed.seekable)
		archive_read_set_seek_callback(a, seek_to);
	return archive_read_open1(a) == ARCHIVE_OK ? TFR_OK : failed(p, err);
}

static enum tfr_status start(struct packed *p, struct tfr_error *err)
{
	locale_t before = uselocale(p->utf8); /* 0 leaves it unchanged */
	enum tfr_status status = start_reading(p, err);

	uselocale(before);
	return status;
}

/* The name in UTF-8 if the archive says so, else its bytes.  In a zip archive, names that are
 * not UTF-8 are in code page 437 (APPNOTE.TXT, appendix D). */
static bool set_path(struct packed *p, struct archive_entry *e)
{
	const char *path = archive_entry_pathname(e);
	int format = archive_format(p->archive) & ARCHIVE_FORMAT_BASE_MASK;

	if (!path || strchr(path, '?')) /* '?' can replace a character that this locale lacks */
		path = archive_entry_pathname_utf8(e) ?: path;
	path = path ?: "";
	p->path.size = 0;
	if (format == ARCHIVE_FORMAT_ZIP && !tfr_is_utf8((const uint8_t *)path, strlen(path)))
		return append_cp437(&p->path, path) && tfr_buf_append(&p->path, "", 1);
	return tfr_buf_append(&p->path, path, strlen(path) + 1);
}

/* Reads the next header, and its name into p->path.  Needs the UTF-8 locale. */
static int read_header(struct packed *p, struct archive_entry **e, bool *named)
{
	locale_t before = uselocale(p->utf8);
	int code = archive_read_next_header(p->archive, e);

	*named = (code != ARCHIVE_OK && code != ARCHIVE_WARN) || set_path(p, *e);
	uselocale(before);
	return code;
}

static const char *fault_of(struct archive_entry *e)
{
	if (archive_entry_hardlink(e))
		return "a hard link";
	switch (archive_entry_filetype(e)) {
	case 0: /* a zip archive may lack it */
	case AE_IFREG:
		return archive_entry_sparse_count(e) ? "a sparse file" : NULL;
	case AE_IFLNK:
		return "a symbolic link";
	case AE_IFCHR:
	case AE_IFBLK:
		return "a device";
	case AE_IFIFO:
		return "a FIFO";
	default:
		return "of an unknown kind";
	}
}

static enum tfr_status next(struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err)
{
	struct packed *p = (struct packed *)m;
	struct archive_entry *e;
	bool named = true;
	int code = p->ended ? ARCHIVE_EOF : read_header(p, &e, &named);

	p->ended = code == ARCHIVE_EOF; /* it must not be called again */
	if (p->ended)
		return p->late ? failed(p, err) : TFR_END;
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
		return failed(p, err);
	TFR_NEED_MEMORY(named, err, "reading an archive");
	*member = (struct tfr_member){ .path = (const char *)p->path.data };
	member->size = TFR_SIZE_UNKNOWN;
	if (archive_entry_size_is_set(e))
		member->size = (uint64_t)archive_entry_size(e);
	if (archive_entry_filetype(e) == AE_IFDIR) {
		member->kind = TFR_MEMBER_FOLDER;
		return TFR_OK;
	}
	member->fault = fault_of(e);
	if (member->fault)
		member->kind = TFR_MEMBER_OTHER;
	if (!archive_entry_is_encrypted(e))
		return TFR_OK;
	tfr_fail_path(
		err, TFR_EDATA, m->feed.name, "'%.200s' is encrypted in the archive", member->path);
	tfr_error_hint(err, "Unpack it with its password first.");
	return TFR_EDATA;
}

static enum tfr_status read_some(
	struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err)
{
	struct packed *p = (struct packed *)m;

	while (most) {
		size_t n = most < STEP ? most : STEP;
		la_ssize_t got;

		TFR_NEED_MEMORY(tfr_buf_reserve(into, n), err, "reading an archive");
		got = archive_read_data(p->archive, into->data + into->size, n);
		if (got == 0)
			break;
		if (got == ARCHIVE_FATAL || p->late)
			return failed(p, err);
		if (got < 0) {
			const char *why = archive_error_string(p->archive);

			snprintf(m->fault, sizeof(m->fault), "damaged: %s", why ? why : "?");
			break;
		}
		into->size += (size_t)got;
		most -= (size_t)got;
	}
	return TFR_OK;
}

static enum tfr_status rewind_packed(struct tfr_archive *m, struct tfr_error *err)
{
	struct packed *p = (struct packed *)m;

	archive_read_free(p->archive);
	p->archive = NULL;
	p->shown = 0;
	p->ended = false;
	tfr_feed_seek(&m->feed, m->begin);
	return start(p, err);
}

static void close_packed(struct tfr_archive *m)
{
	struct packed *p = (struct packed *)m;

	if (p->archive)
		archive_read_free(p->archive);
	tfr_buf_clear(&p->path);
	if (p->utf8)
		freelocale(p->utf8);
	free(p);
}

static const struct tfr_archive_ops packed_ops = {
	.next = next,
	.read = read_some,
	.rewind = rewind_packed,
	.close = close_packed,
};

static enum tfr_status open_packed(
	struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err)
{
	struct packed *p = calloc(1, sizeof(*p));

	TFR_NEED_MEMORY(p, err, "reading an archive");
	p->m.ops = &packed_ops;
	p->m.feed = *feed;
	p->m.begin = feed->place;
	p->m.rewindable = feed->seekable;
	p->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!p->utf8)
		p->utf8 = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
	*m = &p->m;
	p->m.feed.block = TFR_FEED_MOST;
	return start(p, err);
}

static const struct tfr_archive_module calls = { open_packed };

TFR_MODULE_EXPORT("archive", calls);
