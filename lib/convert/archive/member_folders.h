/* convert/archive/member_folders.h - finds the folders of an archive from the paths of its
 * members in any order, as a scan of them would. */
#ifndef TFR_CONVERT_ARCHIVE_MEMBER_FOLDERS_H
#define TFR_CONVERT_ARCHIVE_MEMBER_FOLDERS_H

#include "convert/folder/scan.h"

struct tfr_member_folder;

struct tfr_member_folders {
	void *tree; /* struct tfr_member_folder, by tsearch() */
	struct tfr_member_folder **list;
	size_t n, cap;
	struct tfr_member_folder *last; /* of the last member */
	/* The result: folders without items; `first` and `last` of each are 0 and the number of
	 * its members at any depth. */
	struct tfr_scan scan;
	bool *usable; /* for each folder: whether a member directly in it is usable */
};

/* The length of the folder in a member's path; 0: the member is at the top. */
size_t tfr_member_folder_size(const char *path);
/* Adds a member, or with `members` 0 a folder, of the first `size` bytes of `folder`.  Returns a
 * flag to be set if a member directly in it is usable; NULL: out of memory. */
bool *tfr_member_folders_add(
	struct tfr_member_folders *f, const char *folder, size_t size, unsigned members);
/* Called after the last member.  False: out of memory. */
bool tfr_member_folders_finish(struct tfr_member_folders *f);
/* The number of an existing folder; any thread may call it. */
uint32_t tfr_member_folders_find(
	const struct tfr_member_folders *f, const char *folder, size_t size);
void tfr_member_folders_clear(struct tfr_member_folders *f);

#endif
