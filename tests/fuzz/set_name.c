/* tests/fuzz/set_name.c - any text as the name of a set, of a shard, and of a set with its share:
 * what is taken names files that are read back as shards of the same set. */
#include "shard/set_name.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_file(const struct tfr_set_name *name, uint32_t shard)
{
	TFR_AUTO_FREE char *file = tfr_set_name_file(name, shard);
	struct tfr_shard_file f;
	const char *slash, *base;

	if (!file) {
		abort();
		return;
	}
	if (strstr(name->base, "-of-")) /* of two numbers in a name, the first may be the shard's */
		return;
	slash = strrchr(file, '/');
	base = slash ? slash + 1 : file;
	if (!tfr_shard_file_parse(base, &f) || f.shard != shard || f.count != name->count ||
		strcmp(f.extension, name->extension))
		abort();
}

static void check_shard(const char *text)
{
	TFR_AUTO_SET_NAME name = { 0 };
	struct tfr_shard_file f;

	if (strchr(text, '/') || !tfr_shard_file_parse(text, &f))
		return;
	if (f.shard >= f.count || f.base_size > strlen(text) ||
		tfr_shard_file_set(&name, text, NULL) || name.count != f.count)
		abort();
}

static void check_share(const char *text)
{
	TFR_AUTO_FREE char *set = NULL;
	double fraction = 0;

	if (!tfr_share_parse(text, &set, &fraction, NULL) &&
		(!set || !(fraction >= 0 && fraction <= 1)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TFR_AUTO_FREE char *text = malloc(size + 1);
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_SET_NAME target = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	if (!tfr_set_name_parse(&name, text, NULL) && name.count) {
		check_file(&name, 0);
		check_file(&name, name.count - 1);
	}
	tfr_set_name_parse_target(&target, text, NULL);
	check_shard(text);
	check_share(text);
	return 0;
}
