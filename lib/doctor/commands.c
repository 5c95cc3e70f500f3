/* doctor/commands.c - builds commands that can be pasted into a shell, and the names in them.
 *
 * A command that keeps every record replaces the set.  A command that drops records, or changes the
 * number of shards, writes a new set beside it.  Pasting a command never loses data. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

const char *tfr_doctor_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool add_word(struct tfr_buf *b, const char *word)
{
	TFR_AUTO_FREE char *quoted = strcmp(word, "&&") ? tfr_escape_word(word) : strdup(word);

	return quoted && tfr_buf_printf(b, "%s%s", b->size ? " " : "", quoted);
}

void tfr_command_add(struct tfr_command *c, ...)
{
	const char *word;
	va_list args;

	va_start(args, c);
	while ((word = va_arg(args, const char *)))
		c->no_memory |= !add_word(&c->text, word);
	va_end(args);
}

/* The length of the name, without its extension, of a file that is not a shard. */
static size_t stem_of(const char *path)
{
	static const char *const known[] = { ".tfrecord.gz", ".tfrecord", ".tfrec.gz", ".tfrec",
		".gz" };
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t m = strlen(known[i]);

		if (n > m && !strcmp(path + n - m, known[i]) && path[n - m - 1] != '/')
			return n - m;
	}
	return dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : n;
}

char *tfr_doctor_beside(const struct tfr_dset *s, const char *suffix, uint64_t shards)
{
	size_t stem = stem_of(s->name);
	const char *ext = s->name + stem;
	char *name = NULL, *star;
	int n;

	assert(stem && (!s->count || (s->base && s->ext)));
	if (!s->count && s->files > 1 && !shards)
		shards = s->files;
	if (s->count)
		n = asprintf(&name, "%s-%s@%llu%s", s->base, suffix,
			(unsigned long long)(shards ? shards : s->count), s->ext);
	else if (shards)
		n = asprintf(&name, "%.*s-%s@%llu%s", (int)stem, s->name, suffix,
			(unsigned long long)shards, ext);
	else
		n = asprintf(&name, "%.*s-%s%s", (int)stem, s->name, suffix, ext);
	if (n < 0)
		return NULL;
	while (!s->count && s->files > 1 && (star = strchr(name, '*')))
		*star = 'N';
	return name;
}

void tfr_doctor_write_beside(struct tfr_command *c, const struct tfr_dset *s, const char *command,
	const char *suffix, uint64_t shards)
{
	TFR_AUTO_FREE char *name = tfr_doctor_beside(s, suffix, shards);

	c->no_memory |= !name;
	tfr_command_add(c, "tfr", command, NULL);
	if (tfr_doctor_absent(s))
		tfr_command_add(c, "--allow-missing", NULL);
	tfr_command_add(c, "-o", name ? name : "", s->name, NULL);
}

void tfr_doctor_compare(struct tfr_command *c, const struct tfr_dset *a, const struct tfr_dset *b)
{
	c->tells = true;
	tfr_command_add(c, "tfr", "diff", "--overlap", NULL);
	if (tfr_doctor_absent(a) || tfr_doctor_absent(b))
		tfr_command_add(c, "--allow-missing", NULL);
	tfr_command_add(c, a->name, b->name, NULL);
}

void tfr_doctor_rewrite(struct tfr_command *c, const struct tfr_dset *s, const char *command,
	const char *option, const char *value)
{
	TFR_AUTO_FREE char *beside = NULL;

	tfr_command_add(c, "tfr", command, NULL);
	if (option)
		tfr_command_add(c, option, value, NULL);
	if (s->count || s->files == 1) {
		tfr_command_add(c, "-f", "-o", s->name, s->name, NULL);
		return;
	}
	beside = tfr_doctor_beside(s, "anew", 0);
	c->no_memory |= !beside;
	tfr_command_add(c, "-o", beside ? beside : "", s->name, NULL);
}

uint64_t tfr_doctor_shards(uint64_t bytes)
{
	uint64_t n = bytes / (128 << 20);

	return n ? n : 1;
}

size_t tfr_doctor_damaged(const struct tfr_doctor *d, const struct tfr_dset *s)
{
	size_t n = 0;

	for (size_t i = s->first; i < s->first + s->files; i++)
		n += d->files[i].look.faults != 0;
	return n;
}
