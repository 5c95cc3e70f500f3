/* tests/man/option_tables.c - one long name has one type, one argument and one meaning in all
 * commands.
 *
 * Compares the option tables of all commands.  An option that several commands have needs a row in
 * `shared`: the argument that -h shows, and a phrase of the meaning, which each help text contains.
 * Whoever gives a name to a second command therefore states its meaning here. */
#include <stdio.h>
#include <string.h>

#include "common/cmd.h"

static const struct {
	const char *name, *arg, *phrase;
} shared[] = {
	{ "allow-empty", NULL, "without records" },
	{ "allow-missing", NULL, "lacks members" },
	{ "batch", "N", "batch" },
	{ "by", "FEATURE", "value" },
	{ "compress", "KIND", "compress the output" },
	{ "compression", "KIND", "the input" },
	{ "dry-run", NULL, "write nothing" },
	{ "expect", "N", "fail unless" },
	{ "expect-sum", "SUM", "content sum" },
	{ "follow", NULL, "until interrupted" },
	{ "force", NULL, "overwrite" },
	{ "format", "FORMAT", "text, json, junit or github" },
	{ "from", "KIND", "kind of input" },
	{ "html", "FILE", "page" },
	{ "jobs", "N", "processors" },
	{ "json", NULL, "JSON" },
	{ "key", "FEATURE", "equal values" },
	{ "limit", "N", "at most N records" },
	{ "manifest", NULL, "the manifest" },
	{ "memory", "SIZE", "memory" },
	{ "on-error", "HOW", "skip" },
	{ "output", "OUT", "write " },
	{ "part", "I/N", "tfr-cluster(7)" },
	{ "progress", "WHEN", "progress" },
	{ "quick", NULL, "no payload|read none" },
	{ "quiet", NULL, "no warnings" },
	{ "report", "FILE", "FILE" },
	{ "resume", NULL, "continue" },
	{ "sample", "P", "probability P" },
	{ "seed", "N", "seed|random choice" },
	{ "shuffle-buffer", "N", "shuffle buffer" },
	{ "skip", "N", "first N" },
	{ "tmpdir", "DIR", "in DIR" },
	{ "to", "FORM", "form of OUT" },
	{ "where", "EXPR", "for which EXPR" },
};

/* Arguments of one command that say more than that of the others. */
static const struct {
	const char *command, *name, *arg, *why;
} exceptions[] = {
	{ "shard", "output", "SET[=FRACTION]", "divides, so that -o is repeated" },
	{ "split", "output", "SET[=FRACTION]", "divides, so that -o is repeated" },
};

static int failed;

#define FAIL(...) (failed++, printf("FAILED: " __VA_ARGS__), putchar('\n'))

/* The kind of argument.  A word is a string with or without a fixed list; either can be repeatable.
 */
static const char *kind(const struct opt *o)
{
	switch (o->type) {
	case OPT_FLAG:
		return "no argument";
	case OPT_COUNT:
	case OPT_POSITIVE:
	case OPT_JOB:
		return "a whole number";
	case OPT_SIZE:
		return "a size";
	case OPT_REAL:
		return "a number";
	case OPT_LEVEL:
		return "a level";
	default:
		return "a word";
	}
}

/* What the argument of the option is to be called: that of the other commands, unless excepted. */
static const char *argument_of(const struct command *command, const char *name, const char *arg)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++)
		if (!strcmp(exceptions[i].command, command->name) &&
			!strcmp(exceptions[i].name, name))
			return exceptions[i].arg;
	return arg;
}

static bool is_option(const struct opt *o)
{
	return opt_is_option(o) && o->name;
}

static unsigned count_uses(const char *name)
{
	unsigned n = 0;

	for (const struct command_row *p = commands; p->command; p++)
		for (const struct opt *o = p->command->options; o->type; o++)
			n += is_option(o) && !strcmp(o->name, name);
	return n;
}

/* Whether `help` contains one of the phrases separated by '|', in upper or lower case. */
static bool has_phrase(const char *help, const char *phrases)
{
	char one[64];

	for (; *phrases; phrases += *phrases == '|') {
		size_t n = strcspn(phrases, "|");

		snprintf(one, sizeof(one), "%.*s", (int)n, phrases);
		if (strcasestr(help, one))
			return true;
		phrases += n;
	}
	return false;
}

static void check_meaning(const struct command *command, const struct opt *o)
{
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++) {
		const char *arg = argument_of(command, o->name, shared[i].arg);

		if (strcmp(o->name, shared[i].name))
			continue;
		if (!arg != !o->arg || (arg && strcmp(arg, o->arg)))
			FAIL("tfr %s --%s takes %s, in other commands %s", command->name, o->name,
				o->arg ?: "nothing", arg ?: "nothing");
		if (!has_phrase(o->help, shared[i].phrase))
			FAIL("tfr %s --%s: '%s' does not contain '%s'", command->name, o->name,
				o->help, shared[i].phrase);
		return;
	}
	FAIL("tfr %s --%s: other commands have it too, but its meaning is not in the test",
		command->name, o->name);
}

/* Compares with each option of the same name or letter in later commands. */
static void compare(const struct command_row *from, const struct opt *o)
{
	for (const struct command_row *p = from + 1; p->command; p++)
		for (const struct opt *other = p->command->options; other->type; other++) {
			bool same;

			if (!is_option(other))
				continue;
			same = !strcmp(o->name, other->name);
			if (same && strcmp(kind(o), kind(other)) &&
				!argument_of(from->command, o->name, NULL) &&
				!argument_of(p->command, o->name, NULL))
				FAIL("--%s takes %s in tfr %s, %s in tfr %s", o->name, kind(o),
					from->command->name, kind(other), p->command->name);
			if (same && o->letter != other->letter)
				FAIL("--%s has another letter in tfr %s than in tfr %s", o->name,
					from->command->name, p->command->name);
			if (!same && o->letter && o->letter == other->letter)
				FAIL("-%c is --%s in tfr %s, --%s in tfr %s", o->letter, o->name,
					from->command->name, other->name, p->command->name);
		}
}

/* An old name must not be an option of today in the same command. */
static void check_old_name(const struct command *command, const struct opt *old)
{
	bool found = old->type == OPT_GONE;

	for (const struct opt *o = command->options; o->type; o++) {
		if (!is_option(o))
			continue;
		if (!strcmp(o->name, old->name))
			FAIL("tfr %s --%s is an option and an old name", command->name, o->name);
		found |= old->type == OPT_ALIAS && strlen(o->name) == strcspn(old->values, "=") &&
			 !strncmp(o->name, old->values, strlen(o->name));
	}
	if (!found)
		FAIL("tfr %s: --%s stands for --%s, which does not exist", command->name, old->name,
			old->values);
}

int main(void)
{
	unsigned options = 0;

	for (const struct command_row *p = commands; p->command; p++)
		for (const struct opt *o = p->command->options; o->type; o++) {
			if (o->type == OPT_ALIAS || o->type == OPT_GONE)
				check_old_name(p->command, o);
			if (!is_option(o))
				continue;
			options++;
			compare(p, o);
			if (count_uses(o->name) > 1)
				check_meaning(p->command, o);
		}
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (!count_uses(shared[i].name))
			FAIL("no command has --%s", shared[i].name);
	printf("%u options, %d failures\n", options, failed);
	return failed != 0;
}
