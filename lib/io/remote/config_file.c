/* io/remote/config_file.c - looks a value up in the text of a file, line by line.
 *
 * The files are a few lines long, and each is searched a few times per process. */
#include "io/remote/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "io/source.h"

enum { FILE_MOST = 1 << 20 };

/* --- lines --- */

struct line {
	const char *text, *end; /* without the spaces around it and without a comment */
	bool indented;
};

static void trim(const char **text, const char **end)
{
	while (*text < *end && isspace((unsigned char)**text))
		(*text)++;
	while (*end > *text && isspace((unsigned char)(*end)[-1]))
		(*end)--;
}

/* A comment begins the line or follows a space. */
static const char *before_comment(const char *text, const char *end)
{
	for (const char *p = text; p < end; p++)
		if ((*p == '#' || *p == ';') && (p == text || isspace((unsigned char)p[-1])))
			return p;
	return end;
}

static bool next_line(const char **at, const char *end, struct line *l)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at)) ?: end;
	l->text = *at;
	l->indented = isspace((unsigned char)**at);
	l->end = before_comment(*at, newline);
	trim(&l->text, &l->end);
	*at = newline + 1;
	return true;
}

static bool equals(const char *text, const char *end, const char *name)
{
	return (size_t)(end - text) == strlen(name) && !memcmp(text, name, strlen(name));
}

/* "[profile x]" and "[x]". */
static bool is_section(const struct line *l, const char *section)
{
	const char *text = l->text + 1, *end = l->end - 1;

	trim(&text, &end);
	return equals(text, end, section);
}

static bool split(const struct line *l, const char **name_end, const char **value)
{
	const char *equal = memchr(l->text, '=', (size_t)(l->end - l->text)), *start = l->text;

	if (!equal)
		return false;
	*name_end = equal;
	trim(&start, name_end);
	*value = equal + 1;
	while (*value < l->end && isspace((unsigned char)**value))
		(*value)++;
	return true;
}

bool tfr_config_find(const struct tfr_buf *text, const char *section, const char *name,
	const char *nested, char *value, size_t size)
{
	const char *at = (const char *)text->data, *end = at + text->size, *name_end, *from;
	bool inside = false, below = false, found = false;
	struct line l;

	while (text->size && next_line(&at, end, &l)) {
		if (l.text == l.end)
			continue;
		if (*l.text == '[' && l.end[-1] == ']') {
			inside = is_section(&l, section);
			below = false;
			continue;
		}
		if (!inside || !split(&l, &name_end, &from))
			continue;
		if (!l.indented)
			below = nested && equals(l.text, name_end, name);
		if (nested ? !(l.indented && below && equals(l.text, name_end, nested))
			   : (l.indented || !equals(l.text, name_end, name)))
			continue;
		found = (size_t)(l.end - from) < size &&
			!memchr(from, '\0', (size_t)(l.end - from));
		if (found) {
			memcpy(value, from, (size_t)(l.end - from));
			value[l.end - from] = '\0';
		}
	}
	return found;
}

/* --- the two files --- */

const char *tfr_environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

bool tfr_environment_true(const char *name)
{
	const char *value = tfr_environment(name);

	return value && !strcasecmp(value, "true");
}

bool tfr_is_null_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

static enum tfr_status read_file(
	struct tfr_buf *text, const char *variable, const char *name, struct tfr_error *err)
{
	const char *given = tfr_environment(variable), *home = tfr_environment("HOME");
	TFR_AUTO_FREE char *path = NULL;
	struct tfr_error why = { .status = TFR_OK };
	enum tfr_status status;

	if (!given && !home)
		return TFR_OK;
	if (given && given[0] == '~' && given[1] == '/' && home)
		path = tfr_asprintf("%s%s", home, given + 1);
	else
		path = given ? strdup(given) : tfr_asprintf("%s/.aws/%s", home, name);
	TFR_NEED_MEMORY(path, err, "reading a configuration");
	if (tfr_is_null_device(path))
		return TFR_OK;
	status = tfr_source_read_regular(path, FILE_MOST, text, "reading a configuration", &why);
	if (!status && text->size > FILE_MOST)
		return tfr_fail_path(err, TFR_EUSAGE, path, "larger than 1 MiB:");
	if (status == TFR_ESYS && (why.sys_errno == ENOENT || why.sys_errno == ENOTDIR))
		return TFR_OK;
	return tfr_error_pass(&why, err);
}

static bool has_section(const struct tfr_buf *text, const char *section)
{
	const char *at = (const char *)text->data, *end = at + text->size;
	struct line l;

	while (text->size && next_line(&at, end, &l))
		if (l.text < l.end && *l.text == '[' && l.end[-1] == ']' && is_section(&l, section))
			return true;
	return false;
}

/* In the file config, a profile other than the default one is called "profile NAME". */
static const char *config_section(const struct tfr_aws_config *c, char *text, size_t size)
{
	if (!strcmp(c->profile, "default"))
		return "default";
	snprintf(text, size, "profile %s", c->profile);
	return text;
}

static enum tfr_status read_config(struct tfr_aws_config *c, struct tfr_error *err)
{
	char section[160];

	TFR_TRY(read_file(&c->config, "AWS_CONFIG_FILE", "config", err));
	TFR_TRY(read_file(&c->credentials, "AWS_SHARED_CREDENTIALS_FILE", "credentials", err));
	if (c->named && !has_section(&c->credentials, c->profile) &&
		!has_section(&c->config, config_section(c, section, sizeof(section))))
		return tfr_fail(err, TFR_EUSAGE,
			"AWS_PROFILE names the profile '%s', which no configuration file has",
			c->profile);
	return TFR_OK;
}

enum tfr_status tfr_aws_config_read(struct tfr_aws_config *c, struct tfr_error *err)
{
	const char *profile =
		tfr_environment("AWS_PROFILE") ?: tfr_environment("AWS_DEFAULT_PROFILE");
	enum tfr_status status;

	*c = (struct tfr_aws_config){ .named = profile };
	snprintf(c->profile, sizeof(c->profile), "%s", profile ?: "default");
	status = read_config(c, err);
	if (status)
		tfr_aws_config_clear(c);
	return status;
}

void tfr_aws_config_clear(struct tfr_aws_config *c)
{
	if (c->credentials.data)
		explicit_bzero(c->credentials.data, c->credentials.cap);
	if (c->config.data)
		explicit_bzero(c->config.data, c->config.cap);
	tfr_buf_clear(&c->credentials);
	tfr_buf_clear(&c->config);
}

bool tfr_aws_setting(const struct tfr_aws_config *c, const char *name, const char *nested,
	char *value, size_t size)
{
	char section[160];

	return tfr_config_find(&c->credentials, c->profile, name, nested, value, size) ||
	       tfr_config_find(&c->config, config_section(c, section, sizeof(section)), name,
		       nested, value, size);
}
