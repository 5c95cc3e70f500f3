/* convert/archive/archive.c - reads the members of a tar or zip archive as if they were the
 * files of a folder of images or audio, without unpacking.
 *
 * Labels are numbers of sorted class names, so that all names must be known before the first
 * record.  Therefore a file is read twice: the first pass lists the classes and, for a plain tar
 * archive, the place of each member.  Such an archive is then a list, which all threads read.  A
 * pipe cannot be read twice: it is a stream of members without classes.  Classes and splits are
 * found from the paths of all members, as in a folder on disk. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/audio.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/annotations/kinds.h"
#include "convert/archive/member_folders.h"
#include "convert/archive/members.h"
#include "convert/audio_features.h"
#include "convert/folder/splits.h"
#include "convert/folder/unused_files.h"
#include "convert/image_features.h"

enum {
	LOOK = 64 << 10,
	WHOLE = 1 << 20,
	HEAD = 64,
	FILES = 100, /* files that decide whether an archive is one of audio */
};

/* A member of a list. */
struct entry {
	uint64_t name; /* in names: the path, cleaned, with its NUL */
	uint64_t place, size;
	const char *fault;
};

struct archive {
	struct tfr_input in;
	struct tfr_input_ops
		audio; /* the kind of one whose first image or WAV file is a WAV file */
	struct tfr_archive *m;
	char *prefix;
	struct tfr_member_folders tree; /* of an input that can be read twice */
	struct tfr_splits splits;
	struct tfr_class_folders folders;
	bool surveyed;
	/* of a list */
	struct tfr_buf names;
	struct entry *entries;
	size_t n_entries, entries_cap;
	struct tfr_buf name;	       /* of the member at hand */
	unsigned looked_at;	       /* files seen before the kind of the archive is known */
	struct tfr_unused unused;
	/* Of a data set with annotations: all members, unpacked if they are compressed. */
	int unpacked; /* a file; -1: none */
	struct tfr_source *source;
	struct tfr_scan *scan;
};

/* --- images or audio --- */

static bool is_audio(const struct archive *a)
{
	return a->in.ops != &tfr_input_archive;
}

static bool begins_as_image(const struct tfr_buf *head)
{
	return tfr_image_is_decoded(tfr_image_sniff(head->data, head->size));
}

/* Whether a file begins like an image, or like a WAV file in an archive of those. */
static bool begins_as_item(const struct archive *a, const struct tfr_buf *head)
{
	return is_audio(a) ? tfr_audio_sniff(head->data, head->size) : begins_as_image(head);
}

/* Refuses options of images for an archive of WAV files, and the reverse. */
static enum tfr_status check_kind(struct archive *a, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = a->in.opts;
	const char *option = o->images.sha256			    ? "--sha256"
			     : o->images.verify			    ? "--verify-images"
			     : tfr_rework_wanted(&o->images.rework) ? "changing images"
								    : NULL;

	if (is_audio(a) && option)
		return tfr_fail_path(err, TFR_EUSAGE, a->m->feed.name,
			"%s has no effect on an archive of audio files:", option);
	if (!is_audio(a) && (o->audio.kind || o->audio.frame != 0))
		return tfr_fail_path(err, TFR_EUSAGE, a->m->feed.name,
			"%s needs audio files, not an archive of images:",
			o->audio.frame != 0 ? "--frame" : "--audio");
	return TFR_OK;
}

static bool is_known(const struct archive *a)
{
	return a->looked_at >= FILES;
}

/* The first image or WAV file decides the kind of the archive. */
static void look_at_kind(struct archive *a, const struct tfr_buf *head)
{
	bool audio = tfr_audio_sniff(head->data, head->size);

	if (is_known(a))
		return;
	a->looked_at++;
	if (audio) {
		a->audio = tfr_input_archive;
		a->audio.what = "an archive of audio files";
		a->audio.nothing = "no WAV files in";
		a->audio.refused = "not a usable WAV file";
		a->audio.flags &= ~(TFR_INPUT_IMAGES | TFR_INPUT_REWORKS);
		a->in.ops = &a->audio;
	}
	if (audio || begins_as_image(head))
		a->looked_at = FILES;
}

/* Examines a member.  *item: it counts as an item, with its name in a->name. */
static enum tfr_status take_in(struct archive *a, const struct tfr_member *member, bool *item,
	const char **fault, struct tfr_error *err)
{
	bool hidden;

	TFR_NEED_MEMORY(
		tfr_member_name(member->path, &a->name, &hidden, fault), err, "reading an archive");
	*item = member->kind != TFR_MEMBER_FOLDER && !hidden;
	if (!*fault)
		*fault = member->fault;
	return TFR_OK;
}

/* The folder of a member; 0 if its path is a fault. */
static uint32_t folder_of(const struct archive *a, const char *name, const char *fault)
{
	return fault && *name == '/'
		       ? 0
		       : tfr_member_folders_find(&a->tree, name, tfr_member_folder_size(name));
}

static uint32_t class_of(const struct archive *a, uint32_t folder)
{
	return a->folders.class_of ? a->folders.class_of[folder] : TFR_CLASSLESS;
}

/* --- one item --- */

static enum tfr_status name_item(struct archive *a, struct tfr_item *item, const char *name,
	const char *fault, struct tfr_error *err)
{
	uint32_t folder = a->surveyed ? folder_of(a, name, fault) : 0;

	TFR_NEED_MEMORY(tfr_item_name(item, name, strlen(name)), err, "reading an archive");
	if (class_of(a, folder) < TFR_CLASSLESS)
		item->class = class_of(a, folder);
	tfr_splits_place(&a->splits, folder, item);
	if (fault)
		tfr_item_skip(item, TFR_EDATA, "%s", fault);
	return TFR_OK;
}

static enum tfr_status next_listed(struct archive *a, struct tfr_item *item, struct tfr_error *err)
{
	const struct entry *e = &a->entries[item->number];

	return name_item(a, item, (const char *)a->names.data + e->name, e->fault, err);
}

/* Skips a member whose first block shows that it is unusable. */
static void look_at_item(const struct archive *a, struct tfr_item *item)
{
	if (is_audio(a))
		tfr_audio_item_look(item);
	else
		tfr_image_look(item);
}

static void too_large(struct tfr_item *item)
{
	item->file.size = 0;
	tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
}

/* For a pipe, whose kind is not known yet: skips a file that is neither, so that the first other
 * one decides the kind. */
static enum tfr_status look_at_first(
	struct archive *a, struct tfr_item *item, struct tfr_error *err)
{
	look_at_kind(a, &item->file);
	if (is_known(a))
		return check_kind(a, err);
	if (!a->m->fault[0])
		tfr_image_look(item);
	return TFR_OK;
}

/* Reads the bytes of a stream's member: the beginning, and the rest if it is usable.  One byte
 * beyond the claimed size shows that the claim is false. */
static enum tfr_status read_member(struct archive *a, const struct tfr_member *member,
	struct tfr_item *item, const struct tfr_room *room, struct tfr_error *err)
{
	size_t most = member->size < TFR_ITEM_MOST ? (size_t)member->size : TFR_ITEM_MOST;

	TFR_TRY(tfr_archive_read(a->m, &item->file, LOOK, err));
	if (!a->m->rewindable && !is_known(a))
		TFR_TRY(look_at_first(a, item, err));
	if (!a->m->fault[0] && item->file.size == LOOK) {
		look_at_item(a, item);
		if (!item->skipped)
			TFR_TRY(tfr_archive_read(
				a->m, &item->file, most < LOOK ? 1 : most - LOOK + 1, err));
	}
	if (!item->skipped && a->m->fault[0])
		tfr_item_skip(item, TFR_EDATA, "%s", a->m->fault);
	item->size = item->file.size;
	if (!item->skipped && item->file.size > most) {
		if (most == TFR_ITEM_MOST)
			too_large(item);
		else
			tfr_item_skip(item, TFR_EDATA, "more bytes than its header claims");
	}
	if (item->skipped)
		tfr_buf_clear(&item->file);
	tfr_room_reserve(room, item->file.size);
	return TFR_OK;
}

static enum tfr_status classes_unknown(struct archive *a, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_EUSAGE, a->m->feed.name,
		"'%.200s' is in a folder, but the classes of a stream are not known in advance:",
		(const char *)a->name.data);
	tfr_error_hint(err, "Labels are numbers of all class names, sorted.  Use a file, "
			    "which can be read twice, or --no-classes.");
	return TFR_EUSAGE;
}

static enum tfr_status next_streamed(struct archive *a, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_member member;
	const char *fault;
	bool yes = false;

	while (!yes) {
		TFR_TRY(tfr_archive_next(a->m, &member, err));
		TFR_TRY(take_in(a, &member, &yes, &fault, err));
		if (yes && a->surveyed)
			yes = tfr_splits_take(
				&a->splits, folder_of(a, (const char *)a->name.data, fault));
	}
	if (!fault && !a->m->rewindable && !a->in.opts->classes.none &&
		strchr((char *)a->name.data, '/'))
		return classes_unknown(a, err);
	TFR_TRY(name_item(a, item, (char *)a->name.data, fault, err));
	if (!fault && member.size != TFR_SIZE_UNKNOWN && member.size > TFR_ITEM_MOST)
		too_large(item);
	return item->skipped ? TFR_OK : read_member(a, &member, item, room, err);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct archive *a = (struct archive *)in;

	if (in->items == TFR_STREAM)
		return next_streamed(a, item, room, err);
	return next_listed(a, item, err);
}

static enum tfr_status read_listed(struct archive *a, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	const struct entry *e = &a->entries[item->number];
	size_t first = e->size > WHOLE ? LOOK : (size_t)e->size;

	if (e->size > TFR_ITEM_MOST) {
		too_large(item);
		return TFR_OK;
	}
	tfr_room_reserve(room, e->size);
	TFR_TRY(tfr_archive_read_at(a->m, &item->file, e->place, first, err));
	if (first < e->size)
		look_at_item(a, item);
	if (!item->skipped && first < e->size)
		TFR_TRY(tfr_archive_read_at(
			a->m, &item->file, e->place + first, (size_t)e->size - first, err));
	item->size = item->file.size;
	return TFR_OK;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct archive *a = (struct archive *)in;

	if (in->items != TFR_STREAM)
		TFR_TRY(read_listed(a, item, room, err));
	if (!item->skipped)
		TFR_TRY(is_audio(a) ? tfr_audio_item_add(in, item, bench, room, err)
				    : tfr_image_add(in, item, bench, err));
	if (!item->skipped && in->n_classes &&
		class_of(a, folder_of(a, (const char *)item->name.data, NULL)) == TFR_NO_CLASS)
		tfr_item_skip(item, TFR_EDATA, "%s outside of the class folders",
			is_audio(a) ? "a WAV file" : "an image");
	return TFR_OK;
}

/* --- the first pass --- */

static enum tfr_status list_entry(struct archive *a, const struct tfr_member *member,
	const char *fault, struct tfr_error *err)
{
	struct entry e = { a->names.size, member->place, member->size, fault };

	if (!tfr_buf_append(&a->names, a->name.data, a->name.size) ||
		TFR_ARRAY_RESERVE(a->entries, a->entries_cap, a->n_entries + 1))
		return tfr_fail_nomem(err, "listing an archive");
	a->entries[a->n_entries++] = e;
	return TFR_OK;
}

static enum tfr_status read_annotations(struct archive *a, struct tfr_buf *head,
	const struct tfr_member *member, struct tfr_error *err)
{
	size_t n = member->size < TFR_UNUSED_HEAD ? (size_t)member->size : TFR_UNUSED_HEAD;

	head->size = 0;
	TFR_TRY(a->m->placed ? tfr_archive_read_at(a->m, head, member->place, n, err)
			     : tfr_archive_read(a->m, head, TFR_UNUSED_HEAD, err));
	n = head->size < TFR_UNUSED_HEAD ? head->size : TFR_UNUSED_HEAD;
	TFR_NEED_MEMORY(tfr_unused_add(&a->unused, (const char *)a->name.data, head->data, n), err,
		"listing an archive");
	return TFR_OK;
}

/* For a stream, reads the head of a member, unless its folder is already known to be usable. */
static enum tfr_status survey_member(struct archive *a, struct tfr_buf *head,
	const struct tfr_member *member, struct tfr_error *err)
{
	const char *fault, *name;
	bool item = false, folder = member->kind == TFR_MEMBER_FOLDER, wanted = false, *usable;
	size_t n;

	TFR_TRY(take_in(a, member, &item, &fault, err));
	name = (const char *)a->name.data;
	if (!item && (!folder || *name == '.' || fault))
		return TFR_OK;
	n = folder ? strlen(name) : *name == '/' ? 0 : tfr_member_folder_size(name);
	usable = tfr_member_folders_add(&a->tree, name, n, item);
	if (!usable || (item && !fault && !tfr_unused_note(&a->unused, name, &wanted)))
		return tfr_fail_nomem(err, "listing an archive");
	if (!item)
		return TFR_OK;
	if (wanted)
		TFR_TRY(read_annotations(a, head, member, err));
	if (a->m->placed)
		return list_entry(a, member, fault, err);
	if (fault || (is_known(a) && *usable))
		return TFR_OK;
	if (!wanted) {
		head->size = 0;
		TFR_TRY(tfr_archive_read(a->m, head, HEAD, err));
	}
	look_at_kind(a, head);
	*usable |= begins_as_item(a, head);
	return TFR_OK;
}

static enum tfr_status read_head(
	struct archive *a, struct tfr_buf *head, const struct entry *e, struct tfr_error *err)
{
	head->size = 0;
	return tfr_archive_read_at(
		a->m, head, e->place, e->size < HEAD ? (size_t)e->size : HEAD, err);
}

/* For a list, reads the head only if it matters, because it costs one seek per member. */
static enum tfr_status look_into_list(
	struct archive *a, struct tfr_buf *head, struct tfr_error *err)
{
	const struct entry *e = a->entries;
	size_t n = a->n_entries;

	for (size_t i = 0; !is_known(a) && i < n; i++) {
		if (e[i].fault)
			continue;
		TFR_TRY(read_head(a, head, &e[i], err));
		look_at_kind(a, head);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t folder = folder_of(a, (const char *)a->names.data + e[i].name, e[i].fault);

		if (e[i].fault || a->tree.usable[folder])
			continue;
		TFR_TRY(read_head(a, head, &e[i], err));
		a->tree.usable[folder] = begins_as_item(a, head);
	}
	return TFR_OK;
}

/* Removes members from a list that are not items. */
static void keep_entries(struct archive *a)
{
	struct entry *e = a->entries;
	size_t kept = 0;

	for (size_t i = 0; i < a->n_entries; i++)
		if (tfr_splits_take(&a->splits,
			    folder_of(a, (const char *)a->names.data + e[i].name, e[i].fault)))
			e[kept++] = e[i];
	a->in.items = kept;
}

/* Decides what the folders are. */
static enum tfr_status lay_out(struct archive *a, struct tfr_error *err)
{
	struct tfr_usable u = {
		.scan = &a->tree.scan, .known = a->tree.usable, .nothing = a->in.ops->nothing
	};

	a->splits.scan = &a->tree.scan;
	a->surveyed = true;
	if (a->in.opts->classes.none)
		return TFR_OK;
	TFR_TRY(tfr_splits_find(&a->splits, &u, a->in.opts, err));
	if (a->splits.n && !a->splits.named)
		return tfr_splits_refuse(&a->splits, &u, a->in.opts, err);
	TFR_TRY(tfr_class_folders_find(&a->folders, &a->splits, &u, err));
	TFR_TRY(tfr_class_folders_check(&a->folders, &a->tree.scan, a->in.opts, err));
	if (a->folders.class_of && !tfr_class_names_number(&a->folders.names, &a->in))
		return tfr_fail_nomem(err, "listing an archive");
	if (a->in.n_classes == 1)
		tfr_warn(a->in.opts,
			"all members are in one folder, '%.4000s', which is the only class",
			a->in.classes[0].text);
	return TFR_OK;
}

/* --- annotations --- */

/* Copies a member of a stream to the end of a->unpacked, and lists it. */
static enum tfr_status unpack_member(struct archive *a, struct tfr_member *member,
	struct tfr_buf *block, uint64_t *end, struct tfr_error *err)
{
	const char *fault = NULL;
	bool item = false;

	TFR_TRY(take_in(a, member, &item, &fault, err));
	if (!item || fault)
		return TFR_OK;
	member->place = *end;
	do {
		block->size = 0;
		TFR_TRY(tfr_archive_read(a->m, block, WHOLE, err));
		TFR_TRY(tfr_unpacked_write(a->in.opts, a->unpacked, block->data, block->size, err));
		*end += block->size;
	} while (block->size == WHOLE);
	member->size = *end - member->place;
	return list_entry(a, member, a->m->fault[0] ? "damaged" : NULL, err);
}

/* A compressed archive cannot be read in any order. */
static enum tfr_status unpack(struct archive *a, struct tfr_error *err)
{
	TFR_AUTO_BUF block = { 0 };
	struct tfr_member member;
	enum tfr_status status;
	uint64_t end = 0;

	TFR_TRY(tfr_unpacked_open(a->in.opts, &a->unpacked, err));
	TFR_TRY(a->m->ops->rewind(a->m, err));
	while (!(status = tfr_archive_next(a->m, &member, err)))
		TFR_TRY(unpack_member(a, &member, &block, &end, err));
	if (status != TFR_END)
		return status;
	return tfr_source_open_fd(&a->source, a->unpacked, a->m->feed.name, err);
}

/* Makes a->scan of all members. */
static enum tfr_status scan_members(struct archive *a, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_scan_member *list = NULL;
	const struct tfr_source *source = a->m->feed.source;
	size_t n = 0;

	if (!a->m->placed) {
		TFR_TRY(unpack(a, err));
		source = a->source;
	}
	list = calloc(a->n_entries + 1, sizeof(*list));
	a->scan = calloc(1, sizeof(*a->scan));
	if (!list || !a->scan)
		return tfr_fail_nomem(err, "listing an archive");
	for (size_t i = 0; i < a->n_entries; i++)
		if (!a->entries[i].fault)
			list[n++] = (struct tfr_scan_member){ (const char *)a->names.data +
								      a->entries[i].name,
				a->entries[i].place, a->entries[i].size };
	return tfr_scan_members(a->scan, a->in.opts->input.paths[0], source, list, n, err);
}

static void drop_scan(struct archive *a)
{
	if (a->scan)
		tfr_scan_clear(a->scan);
	free(TFR_STEAL(a->scan));
	tfr_source_close(TFR_STEAL(a->source));
	if (a->unpacked >= 0)
		close(a->unpacked);
	a->unpacked = -1;
}

static void close_archive(struct tfr_input *in)
{
	struct archive *a = (struct archive *)in;

	tfr_archive_close(a->m);
	tfr_splits_clear(&a->splits);
	tfr_class_folders_clear(&a->folders);
	tfr_member_folders_clear(&a->tree);
	tfr_buf_clear(&a->names);
	free(a->entries);
	tfr_buf_clear(&a->name);
	tfr_unused_clear(&a->unused);
	drop_scan(a);
	free(a->prefix);
	free(a);
}

static void close_owner(void *owner)
{
	struct archive *a = owner;

	a->scan = NULL;
	close_archive(&a->in);
}

static enum tfr_status check_opts(
	const struct archive *a, const struct tfr_input_ops *kind, struct tfr_error *err)
{
	struct tfr_input_ops ops = *kind;

	/* Annotations are looked for, and read, in an unpacked copy. */
	ops.flags |= a->m->placed ? 0 : TFR_INPUT_TMPDIR;
	return tfr_input_check(&ops, a->in.opts, err);
}

/* Opens the archive as a set.  *in is then that of the set, whose tree owns the archive. */
static enum tfr_status open_set(struct archive *a, struct tfr_input **in,
	const struct tfr_set_kind *set, struct tfr_error *err)
{
	struct tfr_scan *scan = a->scan;
	enum tfr_status status;

	TFR_TRY(check_opts(a, &set->ops, err));
	*in = NULL;
	status = tfr_images_open(in, set, a->in.opts, scan, err);
	if (!*in) {
		*in = &a->in;
		return status;
	}
	scan->owner = a;
	scan->close_owner = close_owner;
	return status;
}

static enum tfr_status survey_members(struct archive *a, struct tfr_error *err)
{
	TFR_AUTO_BUF head = { 0 };
	struct tfr_member member;
	enum tfr_status status;

	while (!(status = tfr_archive_next(a->m, &member, err)))
		TFR_TRY(survey_member(a, &head, &member, err));
	if (status != TFR_END)
		return status;
	TFR_NEED_MEMORY(tfr_member_folders_finish(&a->tree), err, "listing an archive");
	if (a->m->placed)
		TFR_TRY(look_into_list(a, &head, err));
	return check_kind(a, err);
}

/* Looks for annotations in an archive that can be read twice; what looks like some and is in no
 * layout is refused. */
static enum tfr_status survey(struct archive *a, struct tfr_input **in,
	const struct tfr_set_kind *set, struct tfr_error *err)
{
	TFR_TRY(survey_members(a, err));
	if (set || (!a->in.opts->input.from && a->unused.files.size)) {
		TFR_TRY(scan_members(a, err));
		if (!set)
			TFR_TRY(tfr_set_recognise(&set, a->in.opts, a->scan, err));
		if (set)
			return open_set(a, in, set, err);
		drop_scan(a);
	}
	TFR_TRY(check_opts(a, a->in.ops, err));
	if (!a->in.opts->input.ignore_annotations)
		TFR_TRY(tfr_unused_judge(&a->unused,
			a->in.opts->input.from
				? "Without '--from', the kind of annotations is detected."
				: TFR_UNUSED_UNPACK,
			err));
	tfr_unused_clear(&a->unused);
	TFR_TRY(lay_out(a, err));
	a->looked_at = FILES;
	if (!a->m->placed)
		return a->m->ops->rewind(a->m, err);
	keep_entries(a);
	return TFR_OK;
}

/* --- the archive --- */

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return tfr_archive_recognises(offer->head, offer->head_size);
}

enum tfr_status tfr_archive_open_set(struct tfr_input **in, const struct tfr_set_kind *set,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct archive *a = calloc(1, sizeof(*a));

	TFR_NEED_MEMORY(a, err, "reading an archive");
	*in = &a->in;
	a->in.ops = &tfr_input_archive;
	a->in.opts = opts;
	a->in.items = TFR_STREAM;
	a->unused.in = &a->in;
	a->unpacked = -1;
	a->prefix = tfr_asprintf("%s/", opts->input.paths[0]);
	TFR_NEED_MEMORY(a->prefix, err, "reading an archive");
	a->in.prefix = a->prefix;
	TFR_TRY(tfr_archive_open(&a->m, opts->input.paths[0], err));
	if (a->m->rewindable)
		return survey(a, in, set, err);
	if (set)
		return tfr_fail_hint(err, TFR_EUSAGE, "Use a file, which can be read twice.",
			"the annotations of a stream are not known in advance");
	TFR_TRY(tfr_input_check(a->in.ops, opts, err));
	if (tfr_splits_are_asked(opts))
		return tfr_fail_hint(err, TFR_EUSAGE, "Use a file, which can be read twice.",
			"the splits of a stream are not known in advance");
	return TFR_OK;
}

static enum tfr_status open_archive(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	return tfr_archive_open_set(in, NULL, opts, err);
}

const struct tfr_input_ops tfr_input_archive = {
	.name = "archive",
	.what = "an archive",
	.nothing = "no images in",
	.refused = "not a usable image",
	.flags = TFR_INPUT_IMAGES | TFR_INPUT_REWORKS | TFR_INPUT_AUDIO | TFR_INPUT_SPLITS |
		 TFR_INPUT_STRAYS | TFR_INPUT_CLASSLESS | TFR_INPUT_NUMBERS,
	.recognises = recognises,
	.open = open_archive,
	.next = next,
	.load = load,
	.close = close_archive,
};
