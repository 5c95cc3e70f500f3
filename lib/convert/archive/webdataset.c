/* convert/archive/webdataset.c - WebDataset archives: consecutive members with the same key form
 * a record.
 *
 * The input is a stream: one thread reads the headers of a sample.  From a file, the thread that
 * makes the record reads the members' bytes; from a pipe, the thread that reads the headers
 * does.  An archive stays open until its last sample has been read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/text.h>

#include "convert/archive/members.h"
#include "convert/archive/webdataset_names.h"
#include "convert/audio_features.h"
#include "convert/image_features.h"
#include "convert/yolo/yolo.h"
#include "io/path.h"

enum { LOOKED_AT = 100, HEAD = 4 << 10 };

struct webdataset {
	struct tfr_input in;
	struct tfr_names braces;
	struct tfr_set *set;
	size_t next_file;
	struct tfr_archive *m; /* the archive being read; NULL: the next one must be opened */
	struct tfr_member member;
	bool pending; /* `member`, whose name is in `name`, belongs to the next sample */
	struct tfr_buf name;
	const char *fault; /* of `member` */
};

/* What an item keeps. */
struct own {
	struct tfr_sample sample;
	struct tfr_archive *m; /* its members are read from it; NULL: they have been read */
};

static void free_own(void *p)
{
	struct own *own = p;

	tfr_archive_close(own->m);
	tfr_sample_clear(&own->sample);
	free(own);
}

/* --- iterating over members --- */

/* Whether webdataset uses a member of this name; it ignores those that describe the archive. */
static bool is_meta(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && !strchr(name, '/') && !memcmp(name, "__", 2) &&
	       !memcmp(name + n - 2, "__", 2);
}

/* Reads the header of the next member that counts.  TFR_END: there is none in this archive. */
static enum tfr_status advance(struct webdataset *w, struct tfr_error *err)
{
	bool hidden;

	for (w->pending = false; !w->pending;) {
		TFR_TRY(tfr_archive_next(w->m, &w->member, err));
		TFR_NEED_MEMORY(tfr_member_name(w->member.path, &w->name, &hidden, &w->fault), err,
			"reading an archive");
		w->pending = w->member.kind != TFR_MEMBER_FOLDER && !hidden &&
			     !is_meta((const char *)w->name.data);
		if (!w->fault)
			w->fault = w->member.fault;
		if (!w->fault && !tfr_sample_key((const char *)w->name.data))
			w->fault = "not a field: its name has no dot";
	}
	return TFR_OK;
}

/* Finds the first member of the next sample, in any file. */
static enum tfr_status find_first(struct webdataset *w, struct tfr_error *err)
{
	while (!w->pending) {
		enum tfr_status status;

		if (!w->m && w->next_file == tfr_set_count(w->set))
			return TFR_END;
		if (!w->m)
			TFR_TRY(tfr_archive_open(&w->m, tfr_set_path(w->set, w->next_file++), err));
		status = advance(w, err);
		if (status > TFR_END)
			return status;
		if (status)
			tfr_archive_close(TFR_STEAL(w->m));
	}
	return TFR_OK;
}

/* --- one sample --- */

static void too_large(struct tfr_item *item)
{
	tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
}

/* Reads a member of a stream, the image into item->file, the others into item->more. */
static enum tfr_status read_part(struct webdataset *w, struct tfr_item *item,
	struct tfr_sample_field *part, struct tfr_error *err)
{
	struct tfr_buf *into = part->image ? &item->file : &item->more;
	struct tfr_archive *m = w->m;
	size_t before = into->size, most = TFR_ITEM_MOST - item->size;
	bool told = w->member.size <= most;

	/* One byte beyond the claimed size shows that the claim is false. */
	if (told)
		most = (size_t)w->member.size;
	TFR_TRY(tfr_archive_read(m, into, most + 1, err));
	part->place = before;
	part->size = into->size - before;
	item->size += (size_t)part->size;
	if (part->size > most && told)
		tfr_item_skip(item, TFR_EDATA, "more bytes than its header claims");
	else if (part->size > most)
		too_large(item);
	if (m->fault[0])
		tfr_item_skip(item, TFR_EDATA, "%s", m->fault);
	return TFR_OK;
}

static enum tfr_status add_member(
	struct webdataset *w, struct tfr_item *item, struct tfr_error *err)
{
	struct own *own = item->own;
	const char *name = (const char *)w->name.data;
	struct tfr_sample_field *part;
	enum tfr_status status =
		tfr_sample_add(&own->sample, name, w->member.place, w->member.size, err);

	if (status == TFR_EDATA && err) {
		tfr_error_set_path(err, w->m->feed.name);
		tfr_error_hint(err, "It is in '%s'.", w->m->feed.name);
	}
	if (status)
		return status;
	part = &own->sample.parts[own->sample.n_parts - 1];
	if ((part->image || (part->audio && !own->sample.has_image)) &&
		!tfr_item_name(item, name, strlen(name)))
		return tfr_fail_nomem(err, "reading an archive");
	if (w->fault)
		tfr_item_skip(item, TFR_EDATA, "'%.150s' is %s", name, w->fault);
	else if (!tfr_is_utf8(name, strlen(name)))
		tfr_item_skip(item, TFR_EDATA, "a name that is not UTF-8");
	if (!item->skipped && w->member.size != TFR_SIZE_UNKNOWN && w->member.size > TFR_ITEM_MOST)
		too_large(item);
	if (item->skipped || w->m->placed)
		return TFR_OK;
	return read_part(w, item, part, err);
}

static uint64_t sum_of_sizes(const struct tfr_sample *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n_parts; i++)
		sum += s->parts[i].size < TFR_ITEM_MOST ? s->parts[i].size : TFR_ITEM_MOST + 1ull;
	return sum;
}

static enum tfr_status gather(struct webdataset *w, struct tfr_item *item, struct tfr_error *err)
{
	struct own *own = item->own;
	enum tfr_status status = TFR_OK;

	if (!tfr_sample_start(&own->sample, (const char *)w->name.data) ||
		!tfr_item_name(item, (const char *)own->sample.key.data, own->sample.key.size - 1))
		return tfr_fail_nomem(err, "reading an archive");
	do {
		status = add_member(w, item, err);
		if (!status)
			status = advance(w, err);
	} while (!status && tfr_sample_has(&own->sample, (const char *)w->name.data));
	/* The end of this archive is found again, and then the next one is opened. */
	return status == TFR_END ? TFR_OK : status;
}

/* A member that cannot belong to a sample is an item of its own. */
static enum tfr_status skip_member(
	struct webdataset *w, struct tfr_item *item, struct tfr_error *err)
{
	const char *name = (const char *)w->name.data;

	TFR_NEED_MEMORY(tfr_item_name(item, name, strlen(name)), err, "reading an archive");
	tfr_item_skip(item, TFR_EDATA, "%s", w->fault);
	w->pending = false;
	return TFR_OK;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct webdataset *w = (struct webdataset *)in;
	struct tfr_archive *m;
	struct own *own;

	TFR_TRY(find_first(w, err));
	if (!item->own) {
		item->own = calloc(1, sizeof(*own));
		item->free_own = free_own;
	}
	own = item->own;
	TFR_NEED_MEMORY(own, err, "reading an archive");
	tfr_archive_close(TFR_STEAL(own->m));
	if (!tfr_sample_key((const char *)w->name.data) ||
		(w->fault && w->fault != w->member.fault))
		return skip_member(w, item, err);
	m = w->m;
	TFR_TRY(gather(w, item, err));
	if (!item->skipped && sum_of_sizes(&own->sample) > TFR_ITEM_MOST)
		too_large(item);
	if (!m->placed)
		tfr_room_reserve(room, item->size);
	else if (!item->skipped)
		own->m = tfr_archive_share(m);
	return TFR_OK;
}

/* --- its record --- */

/* Reads all members from the file. */
static enum tfr_status read_parts(struct tfr_item *item, struct own *own, struct tfr_error *err)
{
	for (size_t i = 0; i < own->sample.n_parts; i++) {
		struct tfr_sample_field *part = &own->sample.parts[i];
		struct tfr_buf *into = part->image ? &item->file : &item->more;
		uint64_t place = part->place;

		part->place = into->size;
		TFR_TRY(tfr_archive_read_at(own->m, into, place, (size_t)part->size, err));
		item->size += (size_t)part->size;
	}
	return TFR_OK;
}

/* Parses a whole number between white space. */
static bool read_class(const uint8_t *p, size_t n, int64_t *label)
{
	char text[32], *end;

	while (n && strchr(" \t\r\n", p[n - 1]) && p[n - 1])
		n--;
	while (n && strchr(" \t\r\n", *p) && *p) {
		p++;
		n--;
	}
	if (!n || n > 20 || memchr(p, 0, n))
		return false;
	memcpy(text, p, n);
	text[n] = '\0';
	errno = 0;
	*label = strtoll(text, &end, 10);
	return (*text == '-' || (*text >= '0' && *text <= '9')) && !*end && !errno;
}

static enum tfr_status add_class(
	struct tfr_item *item, bool of_audio, const struct tfr_bytes *value, struct tfr_error *err)
{
	int64_t label;

	if (read_class(value->data, value->size, &label))
		return tfr_builder_int64(item->builder,
			of_audio ? "audio/class/label" : "image/class/label", label, err);
	tfr_item_skip(item, TFR_EDATA, "its 'cls' is not a whole number");
	return TFR_OK;
}

/* Adds the fields other than the image.  If the sample has audio but no image, the class and the
 * key are features of the audio. */
static enum tfr_status add_part(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_sample *s, size_t i, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_sample_field *part = &s->parts[i];
	struct tfr_bytes value = { NULL, (size_t)part->size };

	if (part->image)
		return TFR_OK;
	if (part->size) /* of samples without any, `more` has no address */
		value.data = item->more.data + part->place;
	if (part->audio)
		return tfr_audio_item_put(
			in, item, &value, (const char *)s->audio.data, bench, room, err);
	if (!strcmp(tfr_sample_field(s, i), "cls"))
		return add_class(item, s->has_audio && !s->has_image, &value, err);
	return tfr_builder_bytes_ref(item->builder, tfr_sample_field(s, i), &value, 1, err);
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct own *own = item->own;
	const struct tfr_sample *s = &own->sample;
	bool of_audio = s->has_audio && !s->has_image;

	if (own->m) {
		tfr_room_reserve(room, sum_of_sizes(s));
		TFR_TRY(read_parts(item, own, err));
		tfr_archive_close(TFR_STEAL(own->m));
	}
	if (s->has_image)
		TFR_TRY(tfr_image_add(in, item, bench, err));
	for (size_t i = 0; !item->skipped && i < s->n_parts; i++)
		TFR_TRY(add_part(in, item, s, i, bench, room, err));
	return item->skipped ? TFR_OK
			     : tfr_builder_text(item->builder, of_audio ? "audio/key" : "image/key",
				       (const char *)s->key.data, err);
}

/* --- the archives --- */

/* Expands the inputs, including braces. */
static enum tfr_status list_files(struct tfr_names *braces, struct tfr_set **set,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_set_opts o = { .warn = opts->run.warn, .ctx = opts->run.ctx };
	struct stat st;

	for (size_t i = 0; i < opts->input.count; i++) {
		const char *input = opts->input.paths[i];

		/* An existing path is used unchanged, whatever characters it has. */
		enum tfr_status status = strchr(input, '{') ? tfr_look(input, &st, err) : TFR_END;

		if (status == TFR_END)
			TFR_TRY(tfr_braces_expand(braces, input, err));
		else
			TFR_TRY(status ? status : tfr_names_add(braces, input, err));
	}
	o.inputs = (const char *const *)braces->list;
	o.count = braces->n;
	return tfr_set_open(set, &o, err);
}

/* Whether two consecutive members among the first ones have the same key and different fields, one
 * of which is a field of WebDataset's.  If there are images or audio, at most half of the samples
 * may be without: more are the other files of an archive of images.  No text is the labels of a
 * YOLO data set. */
static bool looks_like_samples(struct tfr_archive *m, struct tfr_error *err)
{
	struct tfr_sample s = { 0 };
	TFR_AUTO_BUF name = { 0 };
	TFR_AUTO_BUF text = { 0 };
	struct tfr_member member;
	const char *fault, *field;
	bool yes = false, yolo = false, hidden, telling = false;
	unsigned samples = 0, media = 0;

	for (int i = 0; i < LOOKED_AT && !yolo && !tfr_archive_next(m, &member, err); i++) {
		if (member.kind != TFR_MEMBER_FILE)
			continue;
		if (!tfr_member_name(member.path, &name, &hidden, &fault)) {
			tfr_fail_nomem(err, "looking at an archive");
			break;
		}
		if (fault || hidden || !tfr_sample_key((const char *)name.data))
			continue;
		if (!tfr_sample_has(&s, (const char *)name.data)) {
			media += s.has_image || s.has_audio;
			samples++;
			telling = false;
			if (!tfr_sample_start(&s, (const char *)name.data)) {
				tfr_fail_nomem(err, "looking at an archive");
				break;
			}
		}
		if (tfr_sample_add(&s, (const char *)name.data, 0, 0, err))
			break;
		field = tfr_sample_field(&s, s.n_parts - 1);
		telling |= !strcmp(field, "cls") || !strcmp(field, "json") || !strcmp(field, "txt");
		yes |= telling && s.n_parts > 1;
		if (strcmp(field, "txt"))
			continue;
		text.size = 0;
		if (tfr_archive_read(m, &text, HEAD, err))
			break;
		yolo = tfr_yolo_looks((const char *)text.data, text.size);
	}
	media += s.has_image || s.has_audio;
	tfr_sample_clear(&s);
	return yes && !yolo && (!media || media * 2 >= samples);
}

/* Detection reads nothing from a pipe. */
static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	struct tfr_convert_opts quiet = { .input.paths = opts->input.paths, .input.count = 1 };
	TFR_AUTO_NAMES braces = { 0 };
	struct tfr_archive *m = NULL;
	struct tfr_set *set = NULL;
	struct tfr_error why = { 0 };
	struct stat st;
	bool yes = false;

	if (!offer->directory && !list_files(&braces, &set, &quiet, &why) && tfr_set_count(set) &&
		strcmp(tfr_set_path(set, 0), "-") && !tfr_look(tfr_set_path(set, 0), &st, &why) &&
		S_ISREG(st.st_mode) && !tfr_archive_open(&m, tfr_set_path(set, 0), &why))
		yes = looks_like_samples(m, &why);
	tfr_offer_failed(offer, &why);
	tfr_archive_close(m);
	tfr_set_close(set);
	return yes;
}

static void close_webdataset(struct tfr_input *in)
{
	struct webdataset *w = (struct webdataset *)in;

	tfr_archive_close(w->m);
	tfr_set_close(w->set);
	tfr_names_clear(&w->braces);
	tfr_buf_clear(&w->name);
	free(w);
}

static enum tfr_status open_webdataset(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct webdataset *w = calloc(1, sizeof(*w));

	TFR_NEED_MEMORY(w, err, "reading an archive");
	*in = &w->in;
	w->in.ops = &tfr_input_webdataset;
	w->in.opts = opts;
	w->in.items = TFR_STREAM;
	w->in.prefix = "";
	return list_files(&w->braces, &w->set, opts, err);
}

const struct tfr_input_ops tfr_input_webdataset = {
	.name = "webdataset",
	.what = "a WebDataset",
	.nothing = "no samples in",
	.refused = "not a usable sample",
	.flags = TFR_INPUT_IMAGES | TFR_INPUT_REWORKS | TFR_INPUT_AUDIO | TFR_INPUT_SEVERAL,
	.recognises = recognises,
	.open = open_webdataset,
	.next = next,
	.load = load,
	.close = close_webdataset,
};
