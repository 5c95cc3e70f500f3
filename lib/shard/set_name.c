/* shard/set_name.c - train@16.tfrecord <-> train-00003-of-00016.tfrecord. */
#include "shard/set_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"

static enum tfr_status fill_name(struct tfr_set_name *name, const char *text, size_t base_size,
	const char *extension, uint32_t count, struct tfr_error *err)
{
	name->base = strndup(text, base_size);
	name->extension = strdup(extension);
	name->count = count;
	if (name->base && name->extension)
		return TFR_OK;
	tfr_set_name_clear(name);
	return tfr_fail_nomem(err, "reading a set's name");
}

enum tfr_status tfr_set_name_parse(
	struct tfr_set_name *name, const char *text, struct tfr_error *err)
{
	const char *at = strrchr(text, '@'), *end;
	unsigned long count = 0;

	*name = (struct tfr_set_name){ 0 };
	if (!at || at == text || at[-1] == '/')
		return TFR_END;
	if (at[1] == '*') {
		end = at + 2;
	} else if (!strncmp(at + 1, "auto", 4)) {
		end = at + 5;
		name->automatic = true;
	} else {
		if (!isdigit((unsigned char)at[1]))
			return TFR_END;
		count = strtoul(at + 1, (char **)&end, 10);
	}
	if ((*end && *end != '.') || strchr(end, '/')) {
		*name = (struct tfr_set_name){ 0 };
		return TFR_END;
	}
	if (isdigit((unsigned char)at[1]) && (count < 1 || count > TFR_SHARDS_MAX))
		return tfr_fail(err, TFR_EUSAGE, "a set has 1 to %d shards, not '%s'",
			TFR_SHARDS_MAX, text);
	return fill_name(name, text, (size_t)(at - text), end, (uint32_t)count, err);
}

enum tfr_status tfr_set_name_parse_target(
	struct tfr_set_name *name, const char *text, struct tfr_error *err)
{
	enum tfr_status status = tfr_set_name_parse(name, text, err);
	const char *file = tfr_base_name(text);

	if (status != TFR_END || !*file || !strchr(file + 1, '@'))
		return status;
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Name a set like 'train@16.tfrecord', or a single file without '@'.",
		"the '@' in '%s' is followed by neither a number of shards nor 'auto'", text);
}

void tfr_set_name_clear(struct tfr_set_name *name)
{
	free(name->base);
	free(name->extension);
	*name = (struct tfr_set_name){ 0 };
}

char *tfr_set_name_file(const struct tfr_set_name *name, uint32_t shard)
{
	return tfr_asprintf("%s-%05u-of-%05u%s", name->base, shard, name->count, name->extension);
}

/* --- files beside a set --- */

static void dots_to_dashes(char *p)
{
	for (; *p; p++)
		if (*p == '.')
			*p = '-';
}

/* The length of a path up to an extension of record files inside its last name, as in TFDS's
 * "mnist-train.tfrecord-00000-of-00004"; the full length if there is none. */
static size_t before_extension(const char *path)
{
	static const char *const extensions[] = { ".tfrec", ".record" };
	const char *file = tfr_base_name(path);
	size_t n = strlen(path);

	for (size_t i = 0; *file && i < sizeof(extensions) / sizeof(*extensions); i++) {
		const char *at = strstr(file + 1, extensions[i]);

		n = at && (size_t)(at - path) < n ? (size_t)(at - path) : n;
	}
	return n;
}

/* STEM.WHICH[_TAIL][EXTENSION].WHAT, where `tail` and `extension` begin with a dot or are empty. */
static char *name_beside(const char *stem, size_t stem_size, const char *which, const char *tail,
	const char *extension, const char *what)
{
	TFR_AUTO_FREE char *after = NULL, *ext = strdup(extension);

	after = tfr_asprintf("%s%s", *tail ? "_" : "", *tail ? tail + 1 : "");
	if (!after || !ext)
		return NULL;
	dots_to_dashes(after);
	dots_to_dashes(ext);
	return tfr_asprintf("%.*s.%s%s%s.%s", (int)stem_size, stem, which, after, ext, what);
}

char *tfr_set_name_beside(const struct tfr_set_name *name, const char *what)
{
	size_t n = before_extension(name->base);
	char count[16];

	snprintf(count, sizeof(count), "%u", name->count);
	return name_beside(name->base, n, count, name->base + n, name->extension, what);
}

char *tfr_file_name_beside(const char *path, const char *what)
{
	const char *file = tfr_base_name(path);
	const char *dot = *file ? strchr(file + 1, '.') : NULL;
	size_t n = before_extension(path);

	/* The extension of "x.gz" and "x.dat" is the only one; of "v1.2.tfrecord" it is the last.
	 */
	if (!path[n] && dot)
		n = (size_t)(strrchr(path, '.') - path);
	return name_beside(path, n, "file", "", path + n, what);
}

char *tfr_set_name_manifest(const struct tfr_set_name *name)
{
	return tfr_set_name_beside(name, "manifest.json");
}

char *tfr_set_name_note(const struct tfr_set_name *name, uint32_t part, uint32_t parts)
{
	char what[64];

	snprintf(what, sizeof(what), "part-%05u-of-%05u.json", part, parts);
	return tfr_set_name_beside(name, what);
}

enum tfr_status tfr_shard_file_set(
	struct tfr_set_name *name, const char *file, struct tfr_error *err)
{
	struct tfr_shard_file f;

	*name = (struct tfr_set_name){ 0 };
	if (!tfr_shard_file_parse(file, &f))
		return TFR_END;
	return fill_name(name, file, f.base_size, f.extension, f.count, err);
}

/* --- shards --- */

/* Five digits, with leading zeros, or more if the number needs more. */
static const char *read_number(const char *p, uint32_t *value)
{
	const char *start = p;

	*value = 0;
	while (isdigit((unsigned char)*p) && p - start < 8)
		*value = *value * 10 + (uint32_t)(*p++ - '0');
	return p - start >= 5 && (p - start == 5 || *start != '0') ? p : NULL;
}

bool tfr_shard_file_parse(const char *file, struct tfr_shard_file *f)
{
	for (const char *dash = strchr(file, '-'); dash; dash = strchr(dash + 1, '-')) {
		const char *p = read_number(dash + 1, &f->shard);

		if (!p || strncmp(p, "-of-", 4))
			continue;
		p = read_number(p + 4, &f->count);
		if (!p || (*p && *p != '.') || strchr(p, '/') || f->shard >= f->count)
			continue;
		f->base_size = (size_t)(dash - file);
		f->extension = p;
		return true;
	}
	return false;
}

bool tfr_shard_file_of(const struct tfr_set_name *name, const char *file, struct tfr_shard_file *f)
{
	return tfr_shard_file_parse(file, f) && f->base_size == strlen(name->base) &&
	       !memcmp(file, name->base, f->base_size) && !strcmp(f->extension, name->extension);
}

bool tfr_shard_file_in_set_of(const char *a, const struct tfr_shard_file *fa, const char *b,
	const struct tfr_shard_file *fb)
{
	return fa->base_size == fb->base_size && !memcmp(a, b, fa->base_size) &&
	       fa->count == fb->count && !strcmp(fa->extension, fb->extension);
}
