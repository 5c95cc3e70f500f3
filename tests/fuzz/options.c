/* tests/fuzz/options.c - any words, each ending in NUL, as a command line: refused with a message,
 * or settings within their bounds, which describe themselves as the same words in another form do.
 */
#include "common/cmd.h"
#include "common/opt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct settings {
	bool flag, quiet;
	const char *text;
	struct opt_list list;
	uint64_t count, positive, job, size;
	double real;
	int level, choice;
};

static const struct opt table[] = {
	OPT_HEADING("Input"),
	OPT(FLAG, 'f', "flag", NULL, NULL, "", struct settings, flag),
	OPT(FLAG, 'q', "quiet", NULL, NULL, "", struct settings, quiet),
	OPT(STRING, 'o', "output", "OUT", NULL, "", struct settings, text),
	OPT(LIST, 0, "list", "X", NULL, "", struct settings, list),
	OPT(COUNT, 'n', "count", "N", NULL, "", struct settings, count),
	OPT(POSITIVE, 0, "positive", "N", NULL, "", struct settings, positive),
	OPT(JOB, 'j', "jobs", "N", NULL, "", struct settings, job),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "", struct settings, size),
	OPT(REAL, 0, "real", "X", NULL, "", struct settings, real),
	OPT(LEVEL, 0, NULL, NULL, NULL, "", struct settings, level),
	OPT(CHOICE, 'c', "choice", "WHICH", "one|two|three", "", struct settings, choice),
	OPT_ALIAS("former", "list"),
	OPT_ALIAS("s", "memory"),
	OPT_GONE("per-flag", "Use --flag."),
	OPT_GONE("g", "Use -f."),
	OPTIONS_END,
};

enum { WORDS = 64 };

static void check(const struct settings *s, const struct opt_result *result, int argc)
{
	static const char *const except[] = { NULL };
	char *text = opt_describe(table, s, except);

	if (!text || s->choice < 0 || s->choice > 2 || s->level < 0 || s->level > 9 ||
		s->job > OPT_JOBS_MAX || result->count > (size_t)argc ||
		s->list.count > (size_t)argc)
		abort();
	for (const char *p = text; p && *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\n')
			abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct command command = { .name = "fuzz", .options = table };
	struct settings s = { 0 };
	struct opt_result result = { 0 };
	struct tfr_error err = { 0 };
	char *words = malloc(size + 1), *argv[WORDS];
	int argc = 0;

	memcpy(words, data, size);
	words[size] = '\0';
	for (size_t at = 0; at < size && argc < WORDS; at += strlen(words + at) + 1) {
		const char *value;

		argv[argc++] = words + at;
		opt_find(table, words + at, &value);
	}
	if (opt_parse(&command, argc, argv, &s, &result, &err)) {
		if (!err.message[0])
			abort();
	} else {
		check(&s, &result, argc);
	}
	opt_result_clear(&result, table, &s);
	free(words);
	return 0;
}
