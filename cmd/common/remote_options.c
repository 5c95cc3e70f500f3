/* cmd/common/remote_options.c - applies options to the process: those of objects, and the limit of
 * records. */
#include "common/cmd.h"
#include "common/opt.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <tfr-private/io.h>
#include <tfr-private/record.h>
#include <tfr/remote.h>

/* Of a command with --memory, in addition to that. */
enum { READ_MEMORY = 48 << 20 };

#define MAX_RECORD ((uint64_t)1 << 30)

bool cmd_names_object(const struct cmd *c)
{
	for (int i = 1; i < c->argc; i++)
		if (strstr(c->argv[i], "://"))
			return true;
	return false;
}

/* NULL: the command has no such option.  *whole: it limits more than the size of a record. */
static uint64_t *find_memory(const struct cmd *c, bool *whole)
{
	const struct opt *o = opt_of_name(c->command->options, "memory");
	const char *defaults = c->command->defaults;

	if (!o || o->type != OPT_SIZE)
		return NULL;
	*whole = defaults && *(const uint64_t *)(const void *)(defaults + o->offset);
	return (void *)((char *)c->settings + o->offset);
}

void cmd_limit_records(const struct cmd *c)
{
	bool whole = true;
	const uint64_t *memory = find_memory(c, &whole);
	uint64_t least = whole ? MAX_RECORD : 1;

	tfr_limit_records(memory && *memory >= least ? *memory : MAX_RECORD);
}

/* Parts that wait to be sent get a quarter of the command's memory. */
static uint64_t take_memory(struct cmd *c)
{
	bool whole = false;
	uint64_t *memory = find_memory(c, &whole);
	uint64_t quarter = whole ? *memory / 4 : 0;

	if (whole)
		*memory -= quarter;
	return quarter;
}

static const char *temporary_folder(const struct cmd *c)
{
	const struct opt *o = opt_of_name(c->command->options, "tmpdir");
	const void *field = o ? (const char *)c->settings + o->offset : NULL;
	const struct opt_list *list = field;

	if (o && o->type == OPT_STRING)
		return *(const char *const *)field;
	return o && o->type == OPT_LIST && list->count ? list->values[0] : NULL;
}

/* In --mix, a URL in quotes ends at the closing quote.  Any other URL ends before the first '='
 * that is followed by a number and then by a comma or the end. */
static size_t set_size(const char *url, char before)
{
	const char *equals = url;
	size_t n;

	if (before == '"' || before == '\'')
		return strcspn(url, (char[]){ before, '\0' });
	while ((equals = strchr(equals, '='))) {
		n = strspn(++equals, "0123456789.eE+-");
		if (n && (!equals[n] || equals[n] == ','))
			return (size_t)(equals - 1 - url);
	}
	return strlen(url);
}

char *cmd_next_url(char *const *argv, int i, char *at, size_t *size)
{
	const char *word = argv[i];
	bool mix = !strncmp(word, "--mix=", 6) || !strcmp(argv[i - 1], "--mix");

	for (; *at; at++) {
		if (at != word && !strchr(mix ? "=@,'\"" : "=@", at[-1]) &&
			!(at == word + 2 && *word == '-'))
			continue;
		*size = 0;
		while (isalnum((unsigned char)at[*size]))
			++*size;
		if (!*size || strncmp(at + *size, "://", 3) != 0)
			continue;
		*size = mix ? set_size(at, at > word ? at[-1] : '\0') : strlen(at);
		return at;
	}
	return NULL;
}

static bool is_authorization(const char *header)
{
	for (const char *p = header; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return !strncasecmp(header, "Authorization:", 14);
}

/* The bytes of "https://host:port". */
static size_t server_size(const char *url)
{
	size_t n = (size_t)(strstr(url, "://") + 3 - url);

	return n + strcspn(url + n, "/?#");
}

/* The header is for the server that the command line names.  Of all headers, libcurl keeps this one
 * from the host that a redirect leads to. */
static int send_header(struct cmd *c, const char *header)
{
	const char *server = NULL;
	struct tfr_error err;

	if (!is_authorization(header))
		return cmd_usage(c, "--header takes 'Authorization: VALUE'");
	for (int i = 2; i < c->argc; i++) {
		size_t n;

		for (char *url = c->argv[i]; (url = cmd_next_url(c->argv, i, url, &n)); url += n) {
			if (strncasecmp(url, "http", 4) != 0)
				continue;
			if (server && (server_size(url) != server_size(server) ||
					      strncasecmp(url, server, server_size(url)) != 0))
				return cmd_usage(c, "--header is for one web server");
			server = url;
		}
	}
	if (!server)
		return cmd_usage(c, "--header needs the address of a web server as an input");
	return tfr_remote_authorize(server, header, &err) ? cmd_fail(c, &err) : 0;
}

int cmd_set_remote(struct cmd *c, const struct opt_remote_settings *s)
{
	struct tfr_remote_opts opts = { .anonymous = s->anonymous,
		.connections = (unsigned)(s->connections < 4096 ? s->connections : 4096),
		.timeout = s->timeout,
		.part_size = s->part_size };
	struct tfr_error err;

	/* URLs may be in a list, too: an option that was given always counts. */
	if (c->command->local || !(cmd_names_object(c) || s->header || s->anonymous ||
					 s->connections || s->part_size || s->timeout > 0))
		return 0;
	opts.memory = take_memory(c);
	opts.read_memory = opts.memory ? READ_MEMORY : 0;
	opts.tmpdir = temporary_folder(c);
	if (tfr_remote_set(&opts, &err))
		return cmd_fail(c, &err);
	return s->header ? send_header(c, s->header) : 0;
}
