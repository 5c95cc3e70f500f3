/* cmd/common/help.c - help and version.
 *
 * The lists of commands and options are made from the tables, so that they cannot differ from what
 * the parser accepts.  Pages are shown by man. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr/remote.h>

#include "common/cmd.h"

static const struct opt no_options[] = { OPTIONS_END };

void help_print_commands(FILE *f)
{
	fprintf(f, "usage: tfr COMMAND [OPTION]... [FILE]...\n\n"
		   "create, inspect, verify and benchmark TFRecord files\n");
	for (const struct command_row *p = commands; p->command; p++) {
		if (p->heading)
			fprintf(f, "\n%s:\n", p->heading);
		fprintf(f, "  %-16s %s\n", p->command->name, p->command->summary);
	}
	fprintf(f, "\n'tfr COMMAND -h' lists options, 'tfr help COMMAND' opens the page.\n");
}

void help_print_command(const struct command *command)
{
	printf("usage: tfr %s%s%s%s\n", command->name, command->options->type ? " [OPTION]..." : "",
		*command->operands ? " " : "", command->operands);
	printf("\n%s\n\n", command->summary);
	opt_print(command);
}

const struct command *help_find_command(const char *name)
{
	for (const struct command_row *p = commands; p->command; p++)
		if (!strcmp(p->command->name, name) ||
			(p->command->alias && !strcmp(p->command->alias, name)))
			return p->command;
	return NULL;
}

void help_unknown_command(const char *name, struct tfr_error *err)
{
	struct tfr_suggestion meant;
	const char *word;

	*err = (struct tfr_error){ .status = TFR_EUSAGE };
	snprintf(err->message, sizeof(err->message), "unknown command '%.*s'",
		(int)tfr_path_shown(name), name);
	tfr_suggestion_init(&meant, name, strlen(name));
	for (const struct command_row *p = commands; p->command; p++) {
		tfr_suggestion_offer(&meant, p->command->name, strlen(p->command->name));
		if (p->command->alias)
			tfr_suggestion_offer(&meant, p->command->alias, strlen(p->command->alias));
	}
	word = tfr_suggestion_word(&meant);
	if (word)
		tfr_error_hint(err, "Did you mean 'tfr %s'?", word);
}

/* --- pages --- */

/* Finds the page relative to the program: in a build, PROGRAM is cmd/tfr and the page man/tfr-X.1;
 * installed, they are bin/tfr and share/man/man1/tfr-X.1. */
static bool find_page(char path[PATH_MAX], const char *page)
{
	static const char *const folders[] = { "man", "share/man/man1" };
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n <= 0)
		return false;
	program[n] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(program, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (snprintf(path, PATH_MAX, "%s/%s/%s.1", program, folders[i], page) < PATH_MAX &&
			access(path, R_OK) == 0)
			return true;
	return false;
}

/* Replaces the process by man.  Returns only if there is no page or no man. */
static void open_page(const char *page)
{
	char path[PATH_MAX], search[96];
	const char *shown = path;

	if (!find_page(path, page)) {
		snprintf(search, sizeof(search), "man -w %s >/dev/null 2>&1", page);
		if (system(search) != 0)
			return;
		shown = page;
	}
	execlp("man", "man", shown, (char *)NULL);
}

static int help_main(struct cmd *c)
{
	const struct command *command;
	char page[64];

	if (!c->count) {
		help_print_commands(stdout);
		return 0;
	}
	if (c->count > 1)
		return cmd_usage(c, "help takes one command");
	command = help_find_command(c->operands[0]);
	if (!command) {
		struct tfr_error err;

		help_unknown_command(c->operands[0], &err);
		return cmd_fail(c, &err);
	}
	snprintf(page, sizeof(page), "tfr-%s", command->name);
	if (isatty(STDOUT_FILENO)) {
		open_page(page);
		cmd_warn(c, "no manual page %s(1), or no 'man' to show it: these are the options",
			page);
	}
	help_print_command(command);
	return 0;
}

const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "open the page of a command",
	.options = no_options,
	.main = help_main,
	.local = true,
};
