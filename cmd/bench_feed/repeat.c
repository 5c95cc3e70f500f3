/* cmd/bench_feed/repeat.c - the command line that repeats this run.
 *
 * It has every setting of the run: the list, the device, workers, memory, seed and limits. Defaults
 * are included, because they depend on the machine and may change between versions.  Options that
 * only name output files are left out. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"
#include "common/text.h"

static bool among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static void put_option(FILE *out, const struct opt *o, const void *field, const void *initial)
{
	const struct opt_list *list = field;
	const char *text;
	const char *word = o->values;
	int choice;

	switch (o->type) {
	case OPT_FLAG:
		if (*(const bool *)field)
			fprintf(out, " --%s", o->name);
		break;
	case OPT_STRING:
		text = *(const char *const *)field;
		if (!text || text == *(const char *const *)initial)
			break;
		fprintf(out, " --%s ", o->name);
		cmd_put_word(out, text);
		break;
	case OPT_LIST:
		for (size_t i = 0; i < list->count; i++) {
			fprintf(out, " --%s ", o->name);
			cmd_put_word(out, list->values[i]);
		}
		break;
	case OPT_COUNT:
	case OPT_POSITIVE:
		if (*(const uint64_t *)field != *(const uint64_t *)initial)
			fprintf(out, " --%s %llu", o->name,
				(unsigned long long)*(const uint64_t *)field);
		break;
	case OPT_REAL:
		if (*(const double *)field != *(const double *)initial)
			fprintf(out, " --%s %.17g", o->name, *(const double *)field);
		break;
	case OPT_CHOICE:
		choice = *(const int *)field;
		if (choice == *(const int *)initial)
			break;
		assert(choice >= 0);
		for (; choice; choice--, word = strchr(word, '|') + 1)
			assert(strchr(word, '|'));
		fprintf(out, " --%s %.*s", o->name, (int)strcspn(word, "|"), word);
		break;
	default:
		break;
	}
}

/* "cuda:0,1", "sim:25G,10us,4": the devices as they were opened. */
static void put_devices(FILE *out, const struct feed *f)
{
	const char *spec = f->s->device;

	fputs(" --device ", out);
	cmd_put_word(out,
		strcmp(spec, "auto") || !f->device_count ? spec : tfr_device_name(f->devices[0]));
}

/* Exactly, in the largest unit that divides it. */
static void put_size(FILE *out, uint64_t bytes)
{
	static const char units[] = "KMG";
	int unit = -1;

	while (bytes && bytes % 1024 == 0 && unit < 2) {
		bytes /= 1024;
		unit++;
	}
	fprintf(out, "%llu", (unsigned long long)bytes);
	if (unit >= 0)
		fputc(units[unit], out);
}

/* Always in quotes, so that print_command() can break it into lines. */
static void put_list(FILE *out, const char *list)
{
	fputs(" --stages ", out);
	if (strchr(list, '\'') || !tfr_text_all_harmless(list, strlen(list)))
		cmd_put_word(out, list);
	else
		fprintf(out, "'%s'", list);
}

static void put_command(FILE *out, const struct feed *f)
{
	/* Options that put_command() itself writes, or that are not part of the run. */
	static const char *const except[] = { "device", "stages", "batch", "size", "augment",
		"shuffle-buffer", "cycle-length", "block-length", "prefetch", "epochs", "steps",
		"seconds", "seed", "memory", "jobs", "json", "trace", "html", "compare",
		"tolerance", "progress", "force", "verbose", "quiet", NULL };
	const struct feed_settings *s = f->s;

	fputs("tfr bench-feed", out);
	put_devices(out, f);
	put_list(out, tfr_pipeline_describe(f->pipeline));
	for (const struct opt *o = feed_options; o->type != OPT_END; o++)
		if (opt_is_option(o) && o->name && !among(o->name, except))
			put_option(out, o, (const char *)s + o->offset,
				(const char *)&feed_defaults + o->offset);
	if (s->epochs || !(s->steps || s->seconds > 0))
		fprintf(out, " --epochs %llu", (unsigned long long)(s->epochs ? s->epochs : 1));
	if (s->steps)
		fprintf(out, " --steps %llu", (unsigned long long)s->steps);
	if (s->seconds > 0 || !(s->epochs || s->steps))
		fprintf(out, " --seconds %g", s->seconds > 0 ? s->seconds : 30);
	fprintf(out, " --seed %llu -j %u -m ", (unsigned long long)s->seed, f->stats.threads);
	put_size(out, s->memory);
	if (f->c->count)
		fputs(" --", out);
	for (size_t i = 0; i < f->c->count; i++) {
		fputc(' ', out);
		cmd_put_word(out, f->c->operands[i]);
	}
}

char *feed_repeat(const struct feed *f)
{
	struct text text;

	if (text_open(&text))
		put_command(text.f, f);
	return text_close(&text);
}
