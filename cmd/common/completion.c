/* cmd/common/completion.c - completion scripts for shells, made from the option tables.
 *
 * For names of features in files, the scripts run the binary that is on the command line, as
 * "tfr completion names" (feature_names.c).  Only an option's row says whether it takes such names;
 * the scripts do not. */
#include <string.h>

#include "builtin.h"
#include "common/feature_names.h"

static const struct opt no_options[] = { OPTIONS_END };

/* Prints the words of a row, separated by spaces, without its mark.  False: there are none. */
static bool print_values(const struct opt *o)
{
	const char *s = o->values;
	bool any = s && *s && *s != ':';

	for (; any && *s && !(*s == ':' && s[-1] == '|'); s++)
		putchar(*s == '|' ? ' ' : *s);
	return any;
}

static bool has_words(const struct opt *o)
{
	return o->values && *o->values && *o->values != ':';
}

static void print_names(const struct command *command, const char *between)
{
	printf("%s", command->name);
	if (command->alias)
		printf("%s%s", between, command->alias);
}

static void print_commands(void)
{
	for (const struct command *const *p = commands; *p; p++)
		printf("%s%s", p == commands ? "" : " ", (*p)->name);
}

/* --- bash --- */

static const char bash_begin[] =
	"# bash completion of tfr: source it, or copy it to a folder of bash-completion.\n"
	"_tfr() {\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= names\n"
	"	if [ \"$cur\" = = ]; then\n"
	"		cur=\n"
	"	elif [ \"$prev\" = = ]; then\n"
	"		prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"	fi\n";

/* Names are quoted already.  If an argument can continue after a name, no space is added. */
static const char bash_names[] =
	"	if names=$(\"${1/#\\~/$HOME}\" completion names -- \"${COMP_LINE:0:COMP_POINT}\" "
	"\\\n"
	"		\"${COMP_LINE:COMP_POINT}\" \"$COMP_WORDBREAKS\" 2> /dev/null); then\n"
	"		compopt +o filenames 2> /dev/null\n"
	"		case $prev in\n"
	"		%s) compopt -o nospace 2> /dev/null ;;\n"
	"		esac\n"
	"		COMPREPLY=()\n"
	"		[ -z \"$names\" ] || mapfile -t COMPREPLY <<< \"$names\"\n"
	"		return\n"
	"	fi\n";

/* Prints "--where | --keep", each option once. */
static void print_bash_names(void)
{
	char options[1000] = "";

	for (const struct command *const *p = commands; *p; p++)
		for (const struct opt *o = (*p)->options; (o = opt_or_remote(o, *p))->type; o++) {
			char pattern[64];

			if (!opt_is_option(o) || !names_mark(o) ||
				!strcmp(names_mark(o), OPT_FEATURE))
				continue;
			snprintf(
				pattern, sizeof(pattern), "%s--%s ", *options ? "| " : "", o->name);
			if (!strstr(options, pattern + (*options ? 2 : 0)) &&
				strlen(options) + strlen(pattern) < sizeof(options))
				strcat(options, pattern);
		}
	if (*options)
		options[strlen(options) - 1] = '\0';
	printf(bash_names, options);
}

static void print_bash_values(void)
{
	for (const struct command *const *p = commands; *p; p++)
		for (const struct opt *o = (*p)->options; (o = opt_or_remote(o, *p))->type; o++) {
			if (!opt_is_option(o) || !has_words(o) || names_mark(o))
				continue;
			printf("\t'%s --%s'", (*p)->name, o->name);
			if ((*p)->alias)
				printf(" | '%s --%s'", (*p)->alias, o->name);
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
	print_bash_names();
	printf("\tcase \"${COMP_WORDS[1]} $prev\" in\n");
	print_bash_values();
	printf("\thelp\\ *) words='");
	print_commands();
	printf("' ;;\n\tcompletion\\ *) words='bash zsh fish' ;;\n\tesac\n"
	       "\tif [ -n \"$words\" ]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- "
	       "\"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase \"$cur\" in\n\t-*)\n\t\tcase \"${COMP_WORDS[1]}\" in\n");
	for (const struct command *const *p = commands; *p; p++)
		print_bash_options(*p);
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

/* The text before the cursor is joined from the words: the buffer can hold other commands. */
static const char zsh_names[] =
	"_tfr_names() {\n"
	"	local before=\"${(j: :)words[1,CURRENT-1]} ${words[CURRENT]%$SUFFIX$QISUFFIX}\" "
	"out\n"
	"	local -a found\n"
	"	out=$(${(Q)~words[1]} completion names -- \"$before\" \" ${(j: "
	":)words[CURRENT+1,-1]}\" "
	"2> /dev/null) ||\n"
	"		return 1\n"
	"	found=(\"${(@f)out}\")\n"
	"	[[ -n $out ]] && compadd -M 'l:|=* r:|=*' \"$@\" -- $found\n"
	"	return 0\n"
	"}\n"
	"_tfr_files() { _tfr_names || _files }\n";

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
		if (names_mark(o)) {
			printf("_tfr_names");
		} else if (has_words(o)) {
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
	printf("#compdef tfr\n%s_tfr() {\n\tlocal -a commands=(\n", zsh_names);
	for (const struct command *const *p = commands; *p; p++) {
		printf("\t\t'%s:", (*p)->name);
		print_escaped((*p)->summary, ":");
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command "
	       "commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (const struct command *const *p = commands; *p; p++) {
		printf("\t");
		print_names(*p, " | ");
		printf(")\n\t\t_arguments -s");
		for (const struct opt *o = (*p)->options; (o = opt_or_remote(o, *p))->type; o++)
			if (opt_is_option(o) && o->name)
				print_zsh_option(o);
		printf(" \\\n\t\t\t'*:file:_tfr_files' ;;\n");
	}
	/* If zsh loads the file from $fpath, the file is the body of _tfr.  If it is sourced, it
	 * only defines _tfr. */
	printf("\tesac\n}\n"
	       "if [ \"$funcstack[1]\" = _tfr ]; then\n\t_tfr \"$@\"\nelse\n\tcompdef _tfr "
	       "tfr\nfi\n");
}

/* --- fish --- */

static const char fish_names[] =
	"function __tfr_names\n"
	"	set -l before (commandline -cp | string collect)\n"
	"	set -l all (commandline -p | string collect)\n"
	"	set -l after (string sub -s (math (string length -- \"$before\") + 1) -- "
	"\"$all\")\n"
	"	set -l program (commandline -po)[1]\n"
	"	$program completion names -- \"$before\" \"$after\" 2> /dev/null\n"
	"end\n"
	"complete -c tfr -n 'not __fish_use_subcommand' -a '(__tfr_names)'\n";

static void print_fish_option(const struct command *command, const struct opt *o)
{
	printf("complete -c tfr -n '__fish_seen_subcommand_from ");
	print_names(command, " ");
	printf("' -l %s", o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg)
		printf(" -r");
	if (names_mark(o)) {
		printf(" -f -a '(__tfr_names)'");
	} else if (has_words(o)) {
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
	fputs(fish_names, stdout);
	for (const struct command *const *p = commands; *p; p++) {
		printf("complete -c tfr -n __fish_use_subcommand -f -a %s -d '", (*p)->name);
		print_escaped((*p)->summary, "");
		printf("'\n");
		for (const struct opt *o = (*p)->options; (o = opt_or_remote(o, *p))->type; o++)
			if (opt_is_option(o) && o->name)
				print_fish_option(*p, o);
	}
}

/* "names" is for the scripts only: its output can change together with them. */
static int completion_main(struct cmd *c)
{
	static const struct {
		const char *shell;
		void (*print)(void);
	} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

	if ((c->count == 3 || c->count == 4) && !strcmp(c->operands[0], "names"))
		return !names_print(
			c->operands[1], c->operands[2], c->count == 4 ? c->operands[3] : NULL);
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
