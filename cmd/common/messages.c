/* cmd/common/messages.c - what every command prints in the same form: errors, warnings, words of
 * others, and reports in JSON.
 *
 * Errors and warnings go to standard error, below the progress bar, which is wiped first. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"

void cmd_print_error(const char *name, const struct tfr_error *err)
{
	const char *hint = tfr_error_hint_text(err);
	char text[4 * TFR_ERROR_TEXT + 1024];

	cmd_progress_hide();
	fprintf(stderr, "tfr%s%s: %s\n", name ? " " : "", name ? name : "",
		tfr_error_format(err, text, sizeof(text)));
	if (*hint)
		fprintf(stderr, "hint: %s\n", tfr_escape_line(text, sizeof(text), hint));
}

void cmd_error(struct cmd *c, const struct tfr_error *err)
{
	int status = tfr_status_exit_code(err->status);

	cmd_print_error(c->command->name, err);
	if (c->exit < status)
		c->exit = status;
}

void cmd_missing(void *ctx, const struct tfr_error *err)
{
	cmd_error(ctx, err);
}

int cmd_fail(struct cmd *c, const struct tfr_error *err)
{
	void (*failed)(struct cmd * c, const struct tfr_error *err) = c->failed;

	c->failed = NULL; /* it may fail, too */
	if (failed && err->status != TFR_EUSAGE)
		failed(c, err);
	cmd_error(c, err);
	return c->exit;
}

int cmd_no_memory(struct cmd *c)
{
	struct tfr_error err;

	cmd_fill_no_memory(&err);
	return cmd_fail(c, &err);
}

static void fail_usage(struct cmd *c, const char *hint, const char *format, va_list args)
{
	struct tfr_error err = { .status = TFR_EUSAGE };

	vsnprintf(err.message, sizeof(err.message), format, args);
	if (hint)
		tfr_error_hint(&err, "%s", hint);
	cmd_fail(c, &err);
}

int cmd_usage(struct cmd *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_usage(c, NULL, format, args);
	va_end(args);
	return c->exit;
}

int cmd_usage_hint(struct cmd *c, const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_usage(c, hint, format, args);
	va_end(args);
	return c->exit;
}

int cmd_usage_word(struct cmd *c, const char *option, const char *said, const char *value)
{
	const struct opt *o = opt_of_name(c->command->options, option);
	struct tfr_error err = { .status = TFR_EUSAGE };

	snprintf(err.message, sizeof(err.message), "--%s takes %s, not '%s'", option, said, value);
	if (o && o->values)
		opt_hint_word(o->values, value, &err);
	return cmd_fail(c, &err);
}

void cmd_warn(struct cmd *c, const char *format, ...)
{
	char text[4400], escaped[4 * sizeof(text)];
	va_list args;

	if (c->quiet)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cmd_progress_hide();
	fprintf(stderr, "tfr %s: warning: %s\n", c->command->name,
		tfr_escape_line(escaped, sizeof(escaped), text));
}

void cmd_warn_empty(struct cmd *c, const char *path)
{
	if (strcmp(path, "-"))
		cmd_warn(c, "'%s' holds no records", path);
}

void cmd_warn_text(void *ctx, const char *text)
{
	cmd_warn(ctx, "%s", text);
}

int cmd_put_text(FILE *out, const char *text, size_t n)
{
	int printed = 0;

	for (size_t len; n; text += len, n -= len) {
		len = tfr_text_harmless(text, n);
		printed += len ? (int)fwrite(text, 1, len, out)
			       : fprintf(out, "\\x%02x", (unsigned char)*text);
		len = len ? len : 1;
	}
	return printed;
}

bool cmd_put_word(FILE *out, const char *word)
{
	char *text = tfr_escape_word(word);

	if (text)
		fputs(text, out);
	free(text);
	return text;
}

void cmd_print_planned(const char *path, uint64_t records, uint64_t bytes)
{
	char name[4 * 4096];

	printf("%s\t%llu\t%llu\n", tfr_escape_name(name, sizeof(name), path),
		(unsigned long long)records, (unsigned long long)bytes);
}

/* --- reports in JSON --- */

struct tfr_json *cmd_json_open(unsigned depth)
{
	struct tfr_json *j = tfr_json_new();

	if (depth)
		tfr_json_pretty(j, depth);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", CMD_JSON_VERSION);
	return j;
}

void cmd_json_sum(struct tfr_json *j, const char *key, uint64_t sum)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
	tfr_json_string(j, key, text);
}

int cmd_print_json(struct cmd *c, struct tfr_json *j, FILE *to)
{
	const char *text = tfr_json_text(j, NULL);
	bool made = text, written = text && fprintf(to, "%s\n", text) > 0;

	tfr_json_free(j);
	if (!made)
		return cmd_no_memory(c);
	/* A failure to write to standard output is noticed at the end. */
	if (!written && to == stderr)
		c->exit = 3;
	return c->exit;
}
