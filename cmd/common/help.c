/* cmd/common/help.c - help and version: made from the tables, so they cannot say other things. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"

static const struct opt no_options[] = { OPTIONS_END };

void help_print_commands(FILE *f)
{
	fprintf(f, "usage: tfr COMMAND [OPTION]... [FILE]...\n\nTFRecord files: made, looked at, "
		   "proved, fed.\n\n");
	for (const struct command *const *p = commands; *p; p++)
		fprintf(f, "  %-16s %s\n", (*p)->name, (*p)->summary);
	fprintf(f, "\n'tfr COMMAND -h' lists a command's options, 'tfr help COMMAND' shows its "
		   "page.\n");
}

void help_print_command(const struct command *command)
{
	printf("usage: tfr %s%s%s%s\n", command->name, command->options->type ? " [OPTION]..." : "",
		*command->operands ? " " : "", command->operands);
	printf("\n%s\n\n", command->summary);
	opt_print(command->options);
}

const struct command *help_find_command(const char *name)
{
	for (const struct command *const *p = commands; *p; p++)
		if (!strcmp((*p)->name, name) || ((*p)->alias && !strcmp((*p)->alias, name)))
			return *p;
	return NULL;
}

void help_hint_command(const char *name, struct tfr_error *err)
{
	struct tfr_meant meant;
	const char *word;

	tfr_meant_init(&meant, name, strlen(name));
	for (const struct command *const *p = commands; *p; p++) {
		tfr_meant_offer(&meant, (*p)->name, strlen((*p)->name));
		if ((*p)->alias)
			tfr_meant_offer(&meant, (*p)->alias, strlen((*p)->alias));
	}
	word = tfr_meant_word(&meant);
	if (word)
		snprintf(err->hint, sizeof(err->hint), "Did you mean 'tfr %s'?", word);
}

/* The page where it is installed; the table's own help where it is not. */
static int help_main(struct cmd *c)
{
	const struct command *command;
	char page[64];

	if (!c->count) {
		help_print_commands(stdout);
		return 0;
	}
	if (c->count > 1)
		return cmd_usage(c, "one command at a time");
	command = help_find_command(c->operands[0]);
	if (!command) {
		struct tfr_error err = { .status = TFR_EUSAGE };

		snprintf(err.message, sizeof(err.message), "unknown command '%s'", c->operands[0]);
		help_hint_command(c->operands[0], &err);
		return cmd_fail(c, &err);
	}
	snprintf(page, sizeof(page), "tfr-%s", command->name);
	if (isatty(STDOUT_FILENO)) {
		char quiet_check[96];

		snprintf(quiet_check, sizeof(quiet_check), "man -w %s >/dev/null 2>&1", page);
		if (system(quiet_check) == 0) {
			execlp("man", "man", page, (char *)NULL);
		}
	}
	help_print_command(command);
	return 0;
}

const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "show a command's page",
	.options = no_options,
	.main = help_main,
};

static int version_main(struct cmd *c)
{
	if (c->count)
		return cmd_usage(c, "version takes no operands");
	printf("tfr %s\n", tfr_version());
	printf("built with: %s\n", tfr_build_features());
	return 0;
}

const struct command cmd_version = {
	.name = "version",
	.operands = "",
	.summary = "the version and what is built in",
	.options = no_options,
	.main = version_main,
};
