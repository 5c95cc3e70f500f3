/* convert/folder/audio.c - a folder of WAV files, which differs from a folder of images only in
 * the kind of its files.
 *
 * The first image or WAV file decides the kind of the folder.  The number of files examined is
 * bounded, because a folder of a million notes has neither. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/audio.h>

#include "base/cleanup.h"
#include "convert/audio_features.h"
#include "convert/folder/folder.h"
#include "convert/parts.h"
#include "io/path.h"
#include "io/root.h"
#include "io/source.h"

enum { FILES = 100, DEPTH = 8, HEAD = 16 };

struct search {
	unsigned files; /* files that may still be examined */
	bool audio;
	int failed; /* the errno if memory or descriptors were exhausted */
};

/* --- which kind of folder --- */

static bool look_at(struct search *s, const uint8_t *head, ssize_t n)
{
	enum tfr_image_format format = n > 0 ? tfr_image_sniff(head, (size_t)n) : TFR_IMAGE_UNKNOWN;

	s->files--;
	s->audio = n > 0 && tfr_audio_sniff(head, (size_t)n);
	return s->audio || tfr_image_is_decoded(format) || !s->files;
}

static bool search_folder(struct search *s, int fd, unsigned depth);

/* Whether the kind is known now. */
static bool search_entry(struct search *s, int parent, const char *name, unsigned depth)
{
	/* Opening a FIFO would block, and it is neither. */
	TFR_AUTO_CLOSE int fd = TEMP_FAILURE_RETRY(
		openat(parent, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	uint8_t head[HEAD];
	struct stat st;

	if (fd < 0 && tfr_errno_of_process(errno))
		s->failed = errno;
	if (fd < 0 || fstat(fd, &st))
		return false;
	if (S_ISREG(st.st_mode))
		return look_at(s, head, tfr_fd_read(fd, head, sizeof(head), 0));
	return S_ISDIR(st.st_mode) && depth < DEPTH && search_folder(s, fd, depth + 1);
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool search_folder(struct search *s, int fd, unsigned depth)
{
	struct dirent **names = NULL;
	int n = scandirat(fd, ".", &names, is_shown, by_name);
	bool known = false;

	if (n < 0 && tfr_errno_of_process(errno))
		s->failed = errno;

	for (int i = 0; i < n; i++) {
		known = known || search_entry(s, fd, names[i]->d_name, depth);
		free(names[i]);
	}
	free(names);
	return known;
}

static bool search_prefix(struct search *s, const char *url, unsigned depth);

static bool search_object(struct search *s, const char *url, unsigned depth)
{
	uint8_t head[HEAD];
	struct stat st;

	if (tfr_stat(url, &st))
		return false;
	if (S_ISREG(st.st_mode))
		return look_at(s, head, tfr_root_head(NULL, url, head, sizeof(head)));
	return depth < DEPTH && search_prefix(s, url, depth + 1);
}

/* The same below a prefix of a bucket, in the same order. */
static bool search_prefix(struct search *s, const char *url, unsigned depth)
{
	struct tfr_names names = { 0 };
	bool known = false;

	if (tfr_list_folder(url, &names, NULL))
		return false;
	if (names.n)
		qsort((void *)names.list, names.n, sizeof(*names.list), by_text);
	for (size_t i = 0; !known && i < names.n; i++) {
		TFR_AUTO_FREE char *path = NULL;

		if (names.list[i][0] == '.')
			continue;
		path = tfr_path_join(url, names.list[i]);
		if (!path)
			s->failed = ENOMEM;
		known = !path || search_object(s, path, depth);
	}
	tfr_names_clear(&names);
	return known;
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	struct search s = { .files = FILES };
	TFR_AUTO_CLOSE int fd = -1;

	(void)opts;
	if (!offer->directory)
		return false;
	if (tfr_is_url(offer->path)) {
		search_prefix(&s, offer->path, 0);
		*offer->failed = s.failed;
		return s.audio;
	}
	fd = TEMP_FAILURE_RETRY(open(offer->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (fd < 0) {
		*offer->failed = errno;
		return false;
	}
	search_folder(&s, fd, 0);
	*offer->failed = s.failed;
	return s.audio;
}

/* --- the folder --- */

static enum tfr_status open_audio(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_folder_kind audio = {
		.one = "an audio file",
		.look = tfr_audio_item_look,
		.judge = tfr_audio_item_judge,
		.add = tfr_audio_item_add,
	};

	return tfr_folder_open(in, &tfr_input_audio, &audio, opts, err);
}

const struct tfr_input_ops tfr_input_audio = {
	.name = "audio",
	.what = "a folder of audio files",
	.nothing = "no WAV files in",
	.refused = "not a usable WAV file",
	.audio = true,
	.chooses = true,
	.splits = true,
	.strays = true,
	.recognises = recognises,
	.open = open_audio,
	.next = tfr_folder_next,
	.load = tfr_folder_load,
	.measure = tfr_folder_measure,
	.close = tfr_folder_close,
};
