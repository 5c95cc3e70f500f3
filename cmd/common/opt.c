/* cmd/common/opt.c - reads options by a table.
 *
 * "-j4", "-j 4", "--jobs=4" and "--jobs 4" are the same.  Flags can be joined ("-fq"), "--" ends
 * the options, and a single "-" is an operand. */
#include "common/opt.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "common/text.h"

/* The options of objects are no rows of the commands' tables: they mean the same everywhere, and
 * tfr-remote(7) describes them once. */
const struct opt opt_remote[] = {
	OPT(FLAG, 0, "anonymous", NULL, NULL, "do not sign requests, and look for no credentials",
		struct opt_remote_settings, anonymous),
	OPT(POSITIVE, 0, "connections", "N", NULL, "use at most N connections at once [32]",
		struct opt_remote_settings, connections),
	OPT(SECRET, 0, "header", "HEADER", NULL,
		"send 'Authorization: VALUE' to the web server of the inputs",
		struct opt_remote_settings, header),
	OPT(SIZE, 0, "part-size", "SIZE", NULL, "upload objects in parts of SIZE [16M]",
		struct opt_remote_settings, part_size),
	OPT(REAL, 0, "timeout", "S", NULL, "fail after S seconds without progress [60]",
		struct opt_remote_settings, timeout),
	OPTIONS_END,
};

const struct opt *opt_or_remote(const struct opt *o, const struct command *command)
{
	const struct opt *end = opt_remote + sizeof(opt_remote) / sizeof(*opt_remote);

	if (o->type || command->local || (o >= opt_remote && o < end))
		return o;
	return opt_remote;
}

struct parser {
	const struct command *command;
	const struct opt *table;
	int argc, at;
	char **argv;
	void *settings;
	struct opt_result *result;
	struct tfr_error *err;
};

static enum tfr_status refuse_usage(struct parser *p, const char *format, ...) TFR_PRINTF(2, 3);

static enum tfr_status refuse_usage(struct parser *p, const char *format, ...)
{
	va_list args;

	*p->err = (struct tfr_error){ .status = TFR_EUSAGE };
	va_start(args, format);
	vsnprintf(p->err->message, sizeof(p->err->message), format, args);
	va_end(args);
	return TFR_EUSAGE;
}

static enum tfr_status no_memory(struct parser *p)
{
	*p->err = (struct tfr_error){ .status = TFR_ENOMEM,
		.message = "out of memory reading the options" };
	return TFR_ENOMEM;
}

static void *field_of(struct parser *p, const struct opt *o)
{
	return (char *)p->settings + o->offset;
}

static enum tfr_status append_word(
	const char ***values, size_t *count, const char *value, struct parser *p)
{
	const char **larger = realloc(*values, (*count + 1) * sizeof(**values));

	if (!larger)
		return no_memory(p);
	larger[(*count)++] = value;
	*values = larger;
	return TFR_OK;
}

static enum tfr_status set_count(
	struct parser *p, const struct opt *o, const char *shown, const char *value)
{
	uint64_t *n = field_of(p, o);
	char *end;

	errno = 0;
	*n = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return refuse_usage(p, "%s takes a whole number, not '%s'", shown, value);
	return TFR_OK;
}

static enum tfr_status set_real(
	struct parser *p, const struct opt *o, const char *shown, const char *value)
{
	double *number = field_of(p, o);
	char *end;

	*number = tfr_text_f64(value, &end);
	if (end == value || *end || !isfinite(*number) || *number < 0)
		return refuse_usage(p, "%s takes a number, not '%s'", shown, value);
	return TFR_OK;
}

const struct opt *opt_of_name(const struct opt *table, const char *name)
{
	for (const struct opt *o = table; o->type; o++)
		if (opt_is_option(o) && o->name && !strcmp(o->name, name))
			return o;
	return NULL;
}

void opt_hint_word(const char *words, const char *value, struct tfr_error *err)
{
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, value, strlen(value));
	for (const char *word = words; *word; word += *word == '|') {
		size_t n = strcspn(word, "|");

		tfr_suggestion_offer(&meant, word, n);
		word += n;
	}
	tfr_suggestion_hint(&meant, err);
}

/* Neither the recorded command line nor the list of processes shows the value. */
static enum tfr_status set_secret(struct parser *p, const struct opt *o, const char *value)
{
	char **secret = field_of(p, o), *word = (char *)(uintptr_t)value;
	size_t n = strlen(value);

	free(*secret);
	*secret = strdup(value);
	if (!*secret)
		return no_memory(p);
	memset(word, 0, n);
	memset(word, '*', n < 3 ? n : 3);
	return TFR_OK;
}

static bool takes_argument(const struct opt *o)
{
	return o->type != OPT_FLAG && o->type != OPT_LEVEL;
}

/* The row of a name of n bytes; an alias gives the row that it stands for, and in *value, which may
 * be NULL, the value of NAME=VALUE.  Can be OPT_GONE. */
static const struct opt *find_name(
	const struct opt *table, const char *name, size_t n, const char **value)
{
	for (const struct opt *o = table; o->type; o++) {
		size_t size;

		if (!o->name || strlen(o->name) != n || memcmp(o->name, name, n))
			continue;
		if (o->type != OPT_ALIAS)
			return o;
		size = strcspn(o->values, "=");
		if (value && o->values[size])
			*value = o->values + size + 1;
		o = find_name(table, o->values, size, NULL);
		assert(o && opt_is_option(o)); /* an alias of an alias is a mistake */
		return o;
	}
	return NULL;
}

/* The same for a letter. */
static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (const struct opt *o = table; o->type; o++)
		if (o->letter == letter || (o->type == OPT_LEVEL && letter >= '1' && letter <= '9'))
			return o;
	return find_name(table, &letter, 1, NULL);
}

static enum tfr_status refuse_gone(struct parser *p, const struct opt *o)
{
	refuse_usage(p, "the option %s%s was removed", o->name[1] ? "--" : "-", o->name);
	tfr_error_hint(p->err, "%s", o->help);
	return TFR_EUSAGE;
}

static enum tfr_status set_choice(
	struct parser *p, const struct opt *o, const char *shown, const char *value)
{
	size_t n = strlen(value);
	char removed[64]; /* as the name of a row OPT_GONE */
	const struct opt *gone;
	int index = 0;

	for (const char *word = o->values; word; index++) {
		const char *bar = strchr(word, '|');
		size_t size = bar ? (size_t)(bar - word) : strlen(word);

		if (size == n && !memcmp(word, value, n)) {
			*(int *)field_of(p, o) = index;
			return TFR_OK;
		}
		word = bar ? bar + 1 : NULL;
	}
	snprintf(removed, sizeof(removed), "%s=%s", o->name, value);
	gone = find_name(p->table, removed, strlen(removed), NULL);
	if (gone)
		return refuse_gone(p, gone);
	refuse_usage(p, "%s takes %s, not '%s'", shown, o->values, value);
	opt_hint_word(o->values, value, p->err);
	return TFR_EUSAGE;
}

static enum tfr_status set_value(
	struct parser *p, const struct opt *o, const char *shown, const char *value)
{
	struct opt_list *list;
	struct tfr_error e;

	switch (o->type) {
	case OPT_END:
	case OPT_HEADING:
	case OPT_ALIAS:
	case OPT_GONE:
		assert(!"a row that is no option was found by its name");
		break;
	case OPT_FLAG:
		*(bool *)field_of(p, o) = true;
		break;
	case OPT_STRING:
		*(const char **)field_of(p, o) = value;
		break;
	case OPT_SECRET:
		return set_secret(p, o, value);
	case OPT_LIST:
		list = field_of(p, o);
		return append_word(&list->values, &list->count, value, p);
	case OPT_COUNT:
		return set_count(p, o, shown, value);
	case OPT_POSITIVE:
		if (set_count(p, o, shown, value))
			return TFR_EUSAGE;
		if (!*(uint64_t *)field_of(p, o))
			return refuse_usage(p, "%s takes a number from 1 on", shown);
		break;
	case OPT_JOB:
		if (set_count(p, o, shown, value))
			return TFR_EUSAGE;
		if (*(uint64_t *)field_of(p, o) > OPT_JOBS_MAX)
			return refuse_usage(p, "%s takes at most %d", shown, OPT_JOBS_MAX);
		break;
	case OPT_SIZE:
		if (tfr_parse_size(value, field_of(p, o), &e))
			return refuse_usage(p, "%s: %s", shown, e.message);
		break;
	case OPT_REAL:
		return set_real(p, o, shown, value);
	case OPT_LEVEL:
		*(int *)field_of(p, o) = value[0] - '0';
		break;
	case OPT_CHOICE:
		return set_choice(p, o, shown, value);
	}
	return TFR_OK;
}

/* The options of parts, for commands without them, and those that went. */
static bool is_of_parts(const char *name, size_t n)
{
	static const char *const names[] = { "part", "job", "phase", "wait" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

static enum tfr_status unknown_long(struct parser *p, const char *arg, size_t n)
{
	struct tfr_suggestion meant;
	const char *word;

	if (is_of_parts(arg + 2, n - 2)) {
		refuse_usage(p, "'tfr %s' has no option '%.*s'", p->command->name, (int)n, arg);
		tfr_error_hint(p->err, "tfr-cluster(7) lists the commands with --part, and engines "
				       "for the others.");
		return TFR_EUSAGE;
	}
	tfr_suggestion_init(&meant, arg + 2, n - 2);
	for (const struct opt *o = p->table; (o = opt_or_remote(o, p->command))->type; o++)
		if (opt_is_option(o) && o->name)
			tfr_suggestion_offer(&meant, o->name, strlen(o->name));
	word = tfr_suggestion_word(&meant);
	refuse_usage(p, "unknown option '%.*s'", (int)n, arg);
	if (word)
		tfr_error_hint(p->err, "Did you mean '--%s'?", word);
	return TFR_EUSAGE;
}

static enum tfr_status set_remote(
	struct parser *p, const struct opt *o, const char *shown, const char *value)
{
	struct parser other = *p;

	other.settings = &p->result->remote;
	return set_value(&other, o, shown, value);
}

static enum tfr_status parse_long(struct parser *p, const char *arg)
{
	const char *equals = strchr(arg, '='), *value = NULL, *implied = NULL;
	size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
	const struct opt *o, *remote = NULL;
	char shown[64];

	if (!strcmp(arg, "--help")) {
		p->result->help = true;
		return TFR_OK;
	}
	if (!strcmp(arg, "--version")) {
		p->result->version = true;
		return TFR_OK;
	}
	/* "--s" is not the letter s */
	o = n > 3 ? find_name(p->table, arg + 2, n - 2, &implied) : NULL;
	if (!o && !p->command->local)
		o = remote = find_name(opt_remote, arg + 2, n - 2, NULL);
	if (!o)
		return unknown_long(p, arg, n);
	if (o->type == OPT_GONE)
		return refuse_gone(p, o);
	if ((!takes_argument(o) || implied) && equals)
		return refuse_usage(p, "%.*s takes no argument", (int)n, arg);
	if (takes_argument(o) && !implied && !equals && p->at == p->argc)
		return refuse_usage(p, "--%s needs an argument: %s", o->name, o->arg);
	if (takes_argument(o))
		value = implied ? implied : equals ? equals + 1 : p->argv[p->at++];
	snprintf(shown, sizeof(shown), "--%s", o->name);
	return remote ? set_remote(p, o, shown, value) : set_value(p, o, shown, value);
}

static enum tfr_status parse_short(struct parser *p, const char *arg)
{
	for (const char *c = arg + 1; *c; c++) {
		const struct opt *o = find_letter(p->table, *c);
		char shown[3] = { '-', *c, 0 };
		const char *value = c;
		enum tfr_status status;

		if (*c == 'h' || *c == 'V') {
			p->result->help = *c == 'h';
			p->result->version = *c == 'V';
			return TFR_OK;
		}
		if (!o)
			return refuse_usage(p, "unknown option '-%c'", *c);
		if (o->type == OPT_GONE)
			return refuse_gone(p, o);
		if (takes_argument(o)) {
			if (!c[1] && p->at == p->argc)
				return refuse_usage(p, "-%c needs an argument: %s", *c, o->arg);
			value = c[1] ? c + 1 : p->argv[p->at++];
		}
		status = set_value(p, o, shown, value);
		if (status || takes_argument(o))
			return status;
	}
	return TFR_OK;
}

enum tfr_status opt_parse(const struct command *command, int argc, char **argv, void *settings,
	struct opt_result *result, struct tfr_error *err)
{
	struct parser p = { command, command->options, argc, 0, argv, settings, result, err };
	enum tfr_status status = TFR_OK;
	bool operands_only = false;

	while (!status && p.at < argc) {
		const char *arg = argv[p.at++];

		if (operands_only || arg[0] != '-' || !arg[1])
			status = append_word(&result->operands, &result->count, arg, &p);
		else if (!strcmp(arg, "--"))
			operands_only = true;
		else
			status = arg[1] == '-' ? parse_long(&p, arg) : parse_short(&p, arg);
	}
	return status;
}

void opt_result_clear(struct opt_result *result, const struct opt *table, void *settings)
{
	for (const struct opt *o = table; o->type; o++)
		if (o->type == OPT_LIST)
			free(((struct opt_list *)(void *)((char *)settings + o->offset))->values);
	free(result->operands);
	if (result->remote.header)
		explicit_bzero(result->remote.header, strlen(result->remote.header));
	free(result->remote.header);
	*result = (struct opt_result){ 0 };
}

const struct opt *opt_find(const struct opt *table, const char *word, const char **value)
{
	size_t n = strcspn(word, "=");
	const char *implied = NULL;
	const struct opt *o;

	*value = NULL;
	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		o = n > 3 ? find_name(table, word + 2, n - 2, &implied) : NULL;
		*value = word[n] ? word + n + 1 : NULL;
		return o && o->type != OPT_GONE && takes_argument(o) && !implied ? o : NULL;
	}
	for (const char *c = word + 1; *c; c++) {
		o = find_letter(table, *c);
		if (!o || o->type == OPT_GONE || !takes_argument(o))
			continue;
		*value = c[1] ? c + 1 : NULL;
		return o;
	}
	return NULL;
}

/* --- the help --- */

/* "  -j, --jobs N" */
static void format_head(const struct opt *o, char *text, size_t size)
{
	const char *arg = takes_argument(o) ? o->arg : NULL;

	if (o->type == OPT_LEVEL)
		snprintf(text, size, "  -1 ... -9");
	else if (o->letter && o->name)
		snprintf(text, size, "  -%c, --%s%s%s", o->letter, o->name, arg ? " " : "",
			arg ? arg : "");
	else if (o->letter)
		snprintf(text, size, "  -%c%s%s", o->letter, arg ? " " : "", arg ? arg : "");
	else
		snprintf(text, size, "      --%s%s%s", o->name, arg ? " " : "", arg ? arg : "");
}

enum { HELP_COLUMN = 28, HELP_WIDTH = 79 };

static void print_wrapped(const char *text)
{
	int column = HELP_COLUMN;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + n > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			putchar(' ');
			column++;
		}
		printf("%.*s", n, text);
		column += n;
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

void opt_print(const struct command *command)
{
	const struct opt *table = command->options;
	char head[128];

	for (const struct opt *o = table; o->type; o++) {
		if (o->type == OPT_HEADING)
			printf("%s%s:\n", o == table ? "" : "\n", o->help);
		if (!opt_is_option(o))
			continue;
		format_head(o, head, sizeof(head));
		if (strlen(head) + 1 < HELP_COLUMN)
			printf("%-*s", HELP_COLUMN, head);
		else
			printf("%s\n%*s", head, HELP_COLUMN, "");
		print_wrapped(o->help);
	}
	printf("%-*s", HELP_COLUMN, "  -h, --help");
	print_wrapped("print this and exit");
	if (!command->local)
		printf("\nFor URLs (s3://, gs://, https://), tfr-remote(7) describes --anonymous,\n"
		       "--connections N, --header HEADER, --part-size SIZE and --timeout S.\n");
}

/* --- the settings as text --- */

static void describe_value(FILE *f, const struct opt *o, const void *field)
{
	const struct opt_list *list = field;
	const char *text = o->type == OPT_STRING ? *(const char *const *)field : NULL;
	char line[4200];

	switch (o->type) {
	case OPT_END:
	case OPT_HEADING:
	case OPT_ALIAS:
	case OPT_GONE:
	case OPT_SECRET:
		break;
	case OPT_FLAG:
		fputs(*(const bool *)field ? " yes" : " no", f);
		break;
	case OPT_STRING:
		fprintf(f, " %s", text ? tfr_escape_line(line, sizeof(line), text) : "(not given)");
		break;
	case OPT_LIST:
		for (size_t i = 0; i < list->count; i++)
			fprintf(f, " %s", tfr_escape_line(line, sizeof(line), list->values[i]));
		break;
	case OPT_COUNT:
	case OPT_POSITIVE:
	case OPT_JOB:
	case OPT_SIZE:
		fprintf(f, " %llu", (unsigned long long)*(const uint64_t *)field);
		break;
	case OPT_REAL:
		fprintf(f, " %.17g", *(const double *)field);
		break;
	case OPT_LEVEL:
	case OPT_CHOICE:
		fprintf(f, " %d", *(const int *)field);
		break;
	}
}

static bool is_among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

char *opt_describe(const struct opt *table, const void *settings, const char *const *except)
{
	struct text text;

	if (!text_open(&text))
		return NULL;
	for (const struct opt *o = table; o->type != OPT_END; o++) {
		if (!opt_is_option(o) || !o->name || is_among(o->name, except))
			continue;
		fprintf(text.f, "--%s", o->name);
		describe_value(text.f, o, (const char *)settings + o->offset);
		fputc('\n', text.f);
	}
	return text_close(&text);
}
