/* cmd/main.c - the entry point of all commands.
 *
 * After each command, standard output is flushed and checked: a delayed write error, such as a full
 * disk, must not end with status 0. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <tfr-private/io.h>

#include "common/cmd.h"
#include "common/text.h"

/* NULL: out of memory. */
static char *join_command_line(int argc, char **argv)
{
	struct text line;
	bool room = text_open(&line);
	char *text;

	for (int i = 0; room && i < argc; i++) {
		if (i)
			fputc(' ', line.f);
		room = cmd_put_word(line.f, i ? argv[i] : "tfr");
	}
	text = text_close(&line);
	if (room)
		return text;
	free(text);
	return NULL;
}

/* Exchanges URLs with secrets before any word is printed or recorded. */
static int hide_secrets(int argc, char **argv)
{
	size_t n;

	for (int i = 2; i < argc; i++)
		for (char *url = argv[i]; (url = cmd_next_url(argv, i, url, &n)); url += n) {
			char *name = strndup(url, n), *shown = NULL, *word;
			struct tfr_error err;

			if (name ? tfr_hide_secrets(name, &shown, &err)
				 : cmd_fill_no_memory(&err)) {
				cmd_print_error(NULL, &err);
				return tfr_status_exit_code(err.status);
			}
			free(name);
			if (!shown)
				continue;
			if (asprintf(&word, "%.*s%s%s", (int)(url - argv[i]), argv[i], shown,
				    url + n) < 0)
				return 3;
			n = strlen(shown);
			free(shown);
			url = word + (url - argv[i]);
			memset(argv[i], 'x', strlen(argv[i])); /* in the list of processes, too */
			argv[i] = word;
		}
	return 0;
}

/* All shards of a set are open while it is written. */
static void raise_open_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void run_command(struct cmd *c, int argc, char **argv)
{
	const struct command *command = c->command;
	struct opt_result result = { 0 };
	struct tfr_error err;
	bool wrong;

	if (command->defaults)
		memcpy(c->settings, command->defaults, command->settings_size);
	wrong = opt_parse(command, argc, argv, c->settings, &result, &err);
	c->line = join_command_line(c->argc, c->argv); /* without secrets by now */
	if (!c->line) {
		cmd_no_memory(c);
	} else if (wrong) {
		cmd_fail(c, &err);
		fprintf(stderr, "hint: 'tfr %s -h' lists the options.\n", command->name);
	} else if (result.help) {
		help_print_command(command);
	} else if (result.version) {
		printf("tfr %s\n", tfr_version());
	} else {
		c->operands = result.operands;
		c->count = result.count;
		cmd_limit_records(c);
		c->exit = cmd_set_remote(c, &result.remote) ? c->exit : command->main(c);
	}
	opt_result_clear(&result, command->options, c->settings);
}

static int unknown_command(const char *name)
{
	struct tfr_error err;

	help_unknown_command(name, &err);
	cmd_print_error(NULL, &err);
	fprintf(stderr, "hint: 'tfr help' lists the commands.\n");
	return 2;
}

static int unknown_level(void)
{
	struct tfr_error err = { .status = TFR_EUSAGE };

	snprintf(err.message, sizeof(err.message), "unknown TFR_CPU '%s' in the environment",
		getenv("TFR_CPU"));
	tfr_error_hint(&err, "It is plain, sse4.2, avx2 or avx512.");
	cmd_print_error(NULL, &err);
	return 2;
}

int main(int argc, char **argv)
{
	struct cmd c = { 0 };
	int status;

	if (!cmd_claim_streams()) {
		fprintf(stderr, "tfr: cannot open '/dev/null', which takes the place of a closed "
				"standard descriptor\n");
		return 3;
	}
	cmd_catch_pipe();
	if (!tfr_cpu_level())
		return unknown_level();
	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		help_print_commands(argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : cmd_finish_stdout(NULL, 0);
	}
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
		c.command = help_find_command("version");
	else
		c.command = help_find_command(argv[1]);
	if (!c.command)
		return unknown_command(argv[1]);
	status = c.command->local ? 0 : hide_secrets(argc, argv);
	if (status)
		return status;
	raise_open_file_limit();
	c.settings = calloc(1, c.command->settings_size + 1);
	c.argc = argc;
	c.argv = argv;
	if (!c.settings) {
		fprintf(stderr, "tfr: out of memory\n");
		return 3;
	}
	run_command(&c, argc - 2, argv + 2);
	cmd_abort_uploads();
	status = cmd_finish_stdout(c.command->name, c.exit);
	free(c.settings);
	free(c.line);
	return status;
}
