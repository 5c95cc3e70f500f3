/* convert/archive/member_folders.h - the folders of an archive, as a scan of them would be, from
 * the paths of its members in any order. */
#ifndef TFR_CONVERT_ARCHIVE_MEMBER_FOLDERS_H
#define TFR_CONVERT_ARCHIVE_MEMBER_FOLDERS_H

#include "convert/folder/scan.h"

struct tfr_member_folders {
	/* While members come: a run for those that follow each other in one folder. */
	struct tfr_buf texts, runs;
	size_t compacted;
	/* Afterwards: folders only, no items; `first` and `last` of each are 0 and how many members
	 * it has at any depth. */
	struct tfr_scan scan;
	bool *usable;  /* of each folder: a member directly in it is */
	size_t *paths; /* of each, in texts */
};

/* The number of bytes of a member's path that are its folder; 0: it is at the top. */
size_t tfr_member_folder_size(const char *path);
/* Notes a member, or with `members` 0 a folder, of the first `size` bytes of `folder`.  NULL: out
 * of memory; else whether a member of the run is usable, to be set when it is known. */
bool *tfr_member_folders_add(
	struct tfr_member_folders *f, const char *folder, size_t size, unsigned members);
/* After the last one.  False: out of memory. */
bool tfr_member_folders_finish(struct tfr_member_folders *f);
/* The number of a folder, of which there must be one, by any thread. */
uint32_t tfr_member_folders_find(
	const struct tfr_member_folders *f, const char *folder, size_t size);
void tfr_member_folders_clear(struct tfr_member_folders *f);

#endif
