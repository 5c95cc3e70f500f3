/* convert/archive/webdataset_names.h - WebDataset's naming: which members form a sample, which
 * field each is, and names with braces: 'train-{000000..000146}.tar'.
 *
 * The key of a member is its path up to the first dot of its last part; the rest, in lower case,
 * is its field: "a/0001.seg.PNG" is field "seg.png" of "a/0001".  Consecutive members with the
 * same key form a sample (webdataset, tariterators.py: base_plus_ext, group_by_keys). */
#ifndef TFR_CONVERT_ARCHIVE_WEBDATASET_NAMES_H
#define TFR_CONVERT_ARCHIVE_WEBDATASET_NAMES_H

#include "base/names.h"
#include "convert/item.h"

struct tfr_sample_field {
	size_t name;	/* offset in names: the field, with its NUL */
	uint64_t place; /* of its bytes in the archive, or in item->file or item->more */
	uint64_t size;
	bool image; /* the sample's image, at most one */
	bool audio; /* its WAV file, at most one */
};

struct tfr_sample {
	struct tfr_buf key;   /* with its NUL */
	struct tfr_buf names; /* of fields */
	struct tfr_sample_field *parts;
	size_t n_parts, parts_cap;
	struct tfr_buf audio; /* path of the WAV file's member, with its NUL */
	bool has_image, has_audio;
};

/* The length of the key in `path`; 0: it has no key, because it has no field. */
size_t tfr_sample_key(const char *path);

static inline const char *tfr_sample_field(const struct tfr_sample *s, size_t i)
{
	return (const char *)s->names.data + s->parts[i].name;
}

/* Starts the sample that the member `path` belongs to.  False: out of memory. */
bool tfr_sample_start(struct tfr_sample *s, const char *path);
/* Whether the member `path` belongs to it. */
bool tfr_sample_has(const struct tfr_sample *s, const char *path);
/* Adds a member that belongs to it.  TFR_EDATA: it has that field. */
enum tfr_status tfr_sample_add(struct tfr_sample *s, const char *path, uint64_t place,
	uint64_t size, struct tfr_error *err);
void tfr_sample_clear(struct tfr_sample *s);

/* Adds the names that `text` expands to, in order: {A..B} is each number from A to B with the
 * leading zeros of A, and {a,b} is each of the words.  There can be several braces, also nested.
 * Other text is one name.  TFR_EUSAGE: over a million names. */
enum tfr_status tfr_braces_expand(struct tfr_names *names, const char *text, struct tfr_error *err);
/* Adds `text` unchanged. */
enum tfr_status tfr_names_add(struct tfr_names *names, const char *text, struct tfr_error *err);

#endif
