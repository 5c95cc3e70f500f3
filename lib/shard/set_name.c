/* shard/set_name.c - train@16.tfrecord <-> train-00003-of-00016.tfrecord. */
#include "shard/set_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { SHARDS_MAX = 1000000 };

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
	if (isdigit((unsigned char)at[1]) && (count < 1 || count > SHARDS_MAX))
		return tfr_fail(
			err, TFR_EUSAGE, "a set has 1 to %d shards, not '%s'", SHARDS_MAX, text);
	name->base = strndup(text, (size_t)(at - text));
	name->extension = strdup(end);
	name->count = (uint32_t)count;
	if (name->base && name->extension)
		return TFR_OK;
	tfr_set_name_clear(name);
	return tfr_fail_nomem(err, "reading a set's name");
}

void tfr_set_name_clear(struct tfr_set_name *name)
{
	free(name->base);
	free(name->extension);
	*name = (struct tfr_set_name){ 0 };
}

char *tfr_set_name_file(const struct tfr_set_name *name, uint32_t shard)
{
	char *file = NULL;

	if (asprintf(&file, "%s-%05u-of-%05u%s", name->base, shard, name->count, name->extension) <
		0)
		return NULL;
	return file;
}

char *tfr_set_name_manifest(const struct tfr_set_name *name)
{
	char *file = NULL;

	if (asprintf(&file, "%s.manifest.json", name->base) < 0)
		return NULL;
	return file;
}

/* Five digits or more; a number that needs fewer has zeros in front and is five long. */
static const char *digits(const char *p, uint32_t *value)
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
		const char *p = digits(dash + 1, &f->shard);

		if (!p || strncmp(p, "-of-", 4))
			continue;
		p = digits(p + 4, &f->count);
		if (!p || (*p && *p != '.') || strchr(p, '/') || f->shard >= f->count)
			continue;
		f->base_size = (size_t)(dash - file);
		f->extension = p;
		return true;
	}
	return false;
}
