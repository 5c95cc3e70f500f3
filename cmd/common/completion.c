/* cmd/common/completion.c - completion scripts for shells, made from the option tables. */
#include <string.h>

#include "common/cmd.h"

static const struct opt no_options[] = { OPTIONS_END };

/* Prints the words of a row, separated by spaces. */
static void print_values(const struct opt *o)
{
	for (const char *s = o->values; *s; s++)
		putchar(*s == '|' ? ' ' : *s);
}

static void print_names(const struct command *command, const char *between)
{
	printf("%s", command->name);
	if (command->alias)
		printf("%s%s", between, command->alias);
}

static void print_commands(void)
{
	for (const struct command_row *p = commands; p->command; p++)
		printf("%s%s", p == commands ? "" : " ", p->command->name);
}

/* --- bash --- */

static const char bash_begin[] =
	"# bash completion of tfr: source it, or copy it to a folder of bash-completion.\n"
	"_tfr() {\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	"	if [ \"$cur\" = = ]; then\n"
	"		cur=\n"
	"	elif [ \"$prev\" = = ]; then\n"
	"		prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"	fi\n";

static void print_bash_values(void)
{
	for (const struct command_row *p = commands; p->command; p++)
		for (const struct opt *o = p->command->options;
			(o = opt_or_remote(o, p->command))->type; o++) {
			if (!opt_is_option(o) || !o->values)
				continue;
			printf("\t'%s --%s'", p->command->name, o->name);
			if (p->command->alias)
				printf(" | '%s --%s'", p->command->alias, o->name);
			printf(") words='");
			print_values(o);
			printf("' ;;\n");
		}
}

static void print_bash_options(const struct command *command)
{
	printf("\t\t");
	print_names(command, " | ");
	printf(") words='");
	for (const struct opt *o = command->options; (o = opt_or_remote(o, command))->type; o++) {
		if (!opt_is_option(o))
			continue;
		if (o->name)
			printf("--%s ", o->name);
		else if (o->letter)
			printf("-%c ", o->letter);
	}
	printf("--help' ;;\n");
}

static void print_bash(void)
{
	fputs(bash_begin, stdout);
	printf("\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	print_commands();
	printf("' -- \"$cur\"))\n\t\treturn\n\tfi\n");
	printf("\tcase \"${COMP_WORDS[1]} $prev\" in\n");
	print_bash_values();
	printf("\thelp\\ *) words='");
	print_commands();
	printf("' ;;\n\tcompletion\\ *) words='bash zsh fish' ;;\n\tesac\n"
	       "\tif [ -n \"$words\" ]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- "
	       "\"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase \"$cur\" in\n\t-*)\n\t\tcase \"${COMP_WORDS[1]}\" in\n");
	for (const struct command_row *p = commands; p->command; p++)
		print_bash_options(p->command);
	printf("\t\tesac\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	       "\t*) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n\tesac\n}\n"
	       "complete -o filenames -F _tfr tfr\n");
}

/* --- zsh --- */

static void print_escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr(special, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void print_zsh_option(const struct opt *o)
{
	printf(" \\\n\t\t\t");
	if (o->letter)
		printf("{-%c%s,--%s%s}", o->letter, o->arg ? "+" : "", o->name, o->arg ? "=" : "");
	else
		printf("--%s%s", o->name, o->arg ? "=" : "");
	printf("'[");
	print_escaped(o->help, "[]:");
	printf("]");
	if (o->arg) {
		printf(":%s:", o->arg);
		if (o->values) {
			printf("(");
			print_values(o);
			printf(")");
		} else {
			printf("_files");
		}
	}
	printf("'");
}

static void print_zsh(void)
{
	printf("#compdef tfr\n_tfr() {\n\tlocal -a commands=(\n");
	for (const struct command_row *p = commands; p->command; p++) {
		printf("\t\t'%s:", p->command->name);
		print_escaped(p->command->summary, ":");
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command "
	       "commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (const struct command_row *p = commands; p->command; p++) {
		printf("\t");
		print_names(p->command, " | ");
		printf(")\n\t\t_arguments -s");
		for (const struct opt *o = p->command->options;
			(o = opt_or_remote(o, p->command))->type; o++)
			if (opt_is_option(o) && o->name)
				print_zsh_option(o);
		printf(" \\\n\t\t\t'*:file:_files' ;;\n");
	}
	/* If zsh loads the file from $fpath, the file is the body of _tfr.  If it is sourced, it
	 * only defines _tfr. */
	printf("\tesac\n}\n"
	       "if [ \"$funcstack[1]\" = _tfr ]; then\n\t_tfr \"$@\"\nelse\n\tcompdef _tfr "
	       "tfr\nfi\n");
}

/* --- fish --- */

static void print_fish_option(const struct command *command, const struct opt *o)
{
	printf("complete -c tfr -n '__fish_seen_subcommand_from ");
	print_names(command, " ");
	printf("' -l %s", o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg)
		printf(" -r");
	if (o->values) {
		printf(" -f -a '");
		print_values(o);
		printf("'");
	}
	printf(" -d '");
	print_escaped(o->help, "");
	printf("'\n");
}

static void print_fish(void)
{
	for (const struct command_row *p = commands; p->command; p++) {
		printf("complete -c tfr -n __fish_use_subcommand -f -a %s -d '", p->command->name);
		print_escaped(p->command->summary, "");
		printf("'\n");
		for (const struct opt *o = p->command->options;
			(o = opt_or_remote(o, p->command))->type; o++)
			if (opt_is_option(o) && o->name)
				print_fish_option(p->command, o);
	}
}

static int completion_main(struct cmd *c)
{
	static const struct {
		const char *shell;
		void (*print)(void);
	} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

	for (size_t i = 0; c->count == 1 && i < sizeof(shells) / sizeof(*shells); i++) {
		if (!strcmp(c->operands[0], shells[i].shell)) {
			shells[i].print();
			return 0;
		}
	}
	return cmd_usage(c, "name a shell: bash, zsh or fish");
}

const struct command cmd_completion = {
	.name = "completion",
	.operands = "bash|zsh|fish",
	.summary = "print the completion script for a shell",
	.options = no_options,
	.main = completion_main,
	.local = true,
};
