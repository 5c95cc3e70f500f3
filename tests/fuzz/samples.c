/* tests/fuzz/samples.c - any text as names of members, a line each, grouped into samples as
 * webdataset's group_by_keys() does it; and as a name with braces. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "convert/archive/members.h"
#include "convert/archive/webdataset_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(struct tfr_sample *s, const char *line)
{
	TFR_AUTO_BUF name = { 0 };
	const char *fault, *path;
	size_t key, before;
	bool hidden;

	if (!FUZZ_SAFE(tfr_member_name(line, &name, &hidden, &fault)))
		abort();
	path = (const char *)name.data;
	assert(fault || (*path && *path != '/' && !strstr(path, "//")));
	key = tfr_sample_key(path);
	assert(key < strlen(path) + 1 && (!key || path[key] == '.'));
	if (!key)
		return;
	if (!tfr_sample_has(s, path) && !tfr_sample_start(s, path)) {
		abort();
		return;
	}
	assert(tfr_sample_has(s, path));
	before = s->n_parts;
	if (!tfr_sample_add(s, path, 0, 0, NULL))
		assert(s->n_parts == before + 1 &&
			!strcasecmp(tfr_sample_field(s, before), path + key + 1));
	else
		assert(s->n_parts == before && (before || fuzz_out_of_memory));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *rest = text, *line;
	struct tfr_sample s = { 0 };
	struct tfr_names names = { 0 };

	/* What stands for many names is slow to expand, and nothing else. */
	if (size < (strstr(text, "..") ? 9 : 30) &&
		tfr_braces_expand(&names, text, NULL) == TFR_OK && names.n == 1)
		assert(strlen(names.list[0]) <= strlen(text));
	tfr_names_clear(&names);
	FUZZ_SAFE(tfr_sample_start(&s, ""));
	while ((line = strsep(&rest, "\n")))
		take(&s, line);
	tfr_sample_clear(&s);
	free(text);
	return 0;
}
