/* cmd/bench_feed/stage_list.c - the stage list made from the short options of bench-feed.
 *
 * Each option is a number or a name in the list.  Names are checked where the list is parsed, so
 * that
 * --augment and --stages report the same errors. */
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"
#include "common/text.h"

/* Stages that set the size of an image: without an argument they take --size. */
static bool shapes(const char *name, size_t n)
{
	static const char *const names[] = { "random-resized-crop", "random-crop", "centre-crop",
		"five-crop", "resize", "pad" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

/* --augment, each stage with its size.  Without a stage that sets the size, resize comes first. */
static void put_augment(FILE *out, const char *list, const char *size)
{
	bool shaped = false;

	for (const char *name = list; *name;) {
		size_t n = strcspn(name, ","), word = strcspn(name, ",=*");

		shaped |= shapes(name, word);
		name += n + (name[n] == ',');
	}
	if (!shaped)
		fprintf(out, ",resize=%s", size);
	while (*list) {
		size_t n = strcspn(list, ","), word = strcspn(list, ",=*");

		fprintf(out, ",%.*s", (int)word, list);
		if (shapes(list, word) && list[word] != '=')
			fprintf(out, "=%s", size);
		fprintf(out, "%.*s", (int)(n - word), list + word);
		list += n + (list[n] == ',');
	}
}

static uint64_t given(uint64_t n, uint64_t otherwise)
{
	return n == FEED_NOT_GIVEN ? otherwise : n;
}

static void put_list(FILE *out, const struct feed_settings *s, bool images)
{
	uint64_t shuffle = given(s->shuffle, 2048);

	fprintf(out, "read=%llu:%llu", (unsigned long long)given(s->cycle_length, 4),
		(unsigned long long)given(s->block_length, 1));
	if (images || s->where)
		fputs(",parse", out);
	if (s->where)
		fputs(",filter", out);
	if (shuffle > 1)
		fprintf(out, ",shuffle=%llu", (unsigned long long)shuffle);
	if (images) {
		fputs(",decode", out);
		put_augment(out, s->augment ? s->augment : "random-resized-crop,flip,normalise",
			s->size ? s->size : "224");
	}
	fprintf(out, ",batch=%llu", (unsigned long long)given(s->batch, 64));
	if (given(s->prefetch, 0))
		fprintf(out, ",prefetch=%llu", (unsigned long long)s->prefetch);
	fputs(",upload", out);
}

char *feed_compose(const struct feed_settings *s, bool images)
{
	struct text text;

	if (text_open(&text))
		put_list(text.f, s, images);
	return text_close(&text);
}
