/* cmd/shard/splits.c - prints the given command with other sets, word by word, so that pasting
 * it runs the same conversion. */
#include "shard/splits.h"

#include <stdlib.h>
#include <string.h>

bool splits_parse(const char *text, struct tfr_share *share, enum tfr_status *status)
{
	const char *equals = strrchr(text, '='), *folder = equals ? equals + 1 : "";
	size_t n = strlen(folder);

	*status = TFR_OK;
	if (!n || folder[n - 1] != '/' || equals == text)
		return false;
	share->fraction = 0;
	share->set = strndup(text, (size_t)(equals - text));
	share->folder = strdup(folder);
	*status = share->set && share->folder ? TFR_OK : TFR_ENOMEM;
	return !*status;
}

bool splits_add(struct splits_found *s, const struct tfr_found_split *found)
{
	struct split_found *larger = reallocarray(s->list, s->n + 1, sizeof(*larger));
	char *folder = larger ? strdup(found->folder) : NULL;

	if (larger)
		s->list = larger;
	if (folder)
		larger[s->n++] = (struct split_found){ folder, found->files, found->folders };
	return folder != NULL;
}

/* --- names of sets --- */

/* Makes "out/val@2.tfrecord" for the split "val", like "out/all@16.tfrecord".  The largest split
 * gets the given number of shards, and the others a number in proportion to their files. */
static char *name_set(const char *like, const char *split, uint64_t files, uint64_t most)
{
	struct tfr_set_name name;
	const char *base, *extension, *slash;
	char *text = NULL, count[32] = "";
	bool is_set = tfr_set_name_parse(&name, like, NULL) == TFR_OK;
	uint64_t shards = is_set ? name.count : 0;

	base = is_set ? name.base : strcmp(like, "-") ? like : ".tfrecord";
	slash = strrchr(base, '/');
	extension = is_set ? name.extension : strchr(slash ? slash : base, '.');
	if (is_set && name.automatic)
		strcpy(count, "@auto");
	else if (is_set)
		snprintf(count, sizeof(count), "@%llu",
			(unsigned long long)(most ? (shards * files + most - 1) / most : 1));
	if (asprintf(&text, "%.*s%s%s%s", slash ? (int)(slash - base) + 1 : 0, base, split, count,
		    extension ? extension : "") < 0)
		text = NULL;
	if (is_set)
		tfr_set_name_clear(&name);
	return text;
}

static void print_sets(const struct splits_found *s, const char *like, bool tfds)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->list[i].files > most ? s->list[i].files : most;
	for (size_t i = 0; i < s->n; i++) {
		char *set = tfds ? strdup(s->list[i].folder)
				 : name_set(like, s->list[i].folder, s->list[i].files, most);
		char *text = NULL;

		if (set && asprintf(&text, "%s=%s/", set, s->list[i].folder) >= 0) {
			fputs(" -o ", stderr);
			cmd_put_word(stderr, text);
			free(text);
		}
		free(set);
	}
}

/* --- the other words --- */

/* Prints a word; of a word with a set, only the other letters ("-f" of "-fo").  *skip: the next
 * word is the set. */
static bool print_word(const struct cmd *c, const char *word, bool *skip)
{
	const char *value, *letter;
	const struct opt *o = opt_find(c->command->options, word, &value);

	*skip = o && !value;
	if (!o || !o->name || strcmp(o->name, "output")) {
		fputc(' ', stderr);
		cmd_put_word(stderr, word);
		return false;
	}
	letter = strchr(word, o->letter);
	if (word[1] != '-' && letter > word + 1)
		fprintf(stderr, " %.*s", (int)(letter - word), word);
	return true;
}

/* Warns if some splits have classes and others do not. */
static void print_classless(const struct splits_found *s)
{
	char folder[4096];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->list[i].classes;
	for (size_t i = 0; n && i < s->n; i++)
		if (!s->list[i].classes)
			fprintf(stderr,
				"hint: '%s' has no class folders: its records get no labels.\n",
				tfr_escape_line(folder, sizeof(folder), s->list[i].folder));
}

void splits_print_command(struct cmd *c, const struct splits_found *s, const char *like, bool tfds)
{
	bool printed = false, operands = false;

	if (!s->n)
		return;
	fprintf(stderr, "  tfr %s", c->argv[1]);
	for (int i = 2; i < c->argc; i++) {
		bool skip = false, is_set = false;

		/* After "--", no word is an option. */
		if (!operands && !strcmp(c->argv[i], "--")) {
			operands = true;
			if (!printed)
				print_sets(s, like, tfds);
			printed = true;
		}
		if (!operands)
			is_set = print_word(c, c->argv[i], &skip);
		if (operands || (skip && !is_set && i + 1 < c->argc)) {
			fputc(' ', stderr);
			cmd_put_word(stderr, c->argv[operands ? i : i + 1]);
		}
		i += skip;
		if (is_set && !printed)
			print_sets(s, like, tfds);
		printed |= is_set;
	}
	if (!printed)
		print_sets(s, like, tfds);
	fputc('\n', stderr);
	print_classless(s);
}

void splits_clear(struct splits_found *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].folder);
	free(s->list);
	*s = (struct splits_found){ 0 };
}
