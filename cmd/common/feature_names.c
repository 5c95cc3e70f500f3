/* cmd/common/feature_names.c - finds names for completion in the files on the command line.
 *
 * A user waits at the keyboard.  So only a few records of a few regular files are read, and an
 * alarm limits the time.  Errors in files are ignored: the command itself reports them later. */
#include "common/feature_names.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "common/shell_words.h"
#include "common/text.h"

enum { FILES = 4, RECORDS = 64, BYTES = 32 << 20, NAMES = 10000, SECONDS = 2 };

struct names {
	char **list; /* sorted */
	size_t n;
};

static void add(struct names *names, const char *name, size_t size)
{
	size_t low = 0, high = names->n;
	char **larger = NULL, *copy;
	bool there = false;

	if (!tfr_text_all_harmless(name, size))
		return;
	copy = strndup(name, size);
	while (copy && !there && low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(names->list[middle], copy);

		there = !order;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (copy && !there && names->n < NAMES)
		larger = reallocarray(names->list, names->n + 1, sizeof(*larger));
	if (!larger) {
		free(copy);
		return;
	}
	names->list = larger;
	memmove(larger + low + 1, larger + low, (names->n - low) * sizeof(*larger));
	larger[low] = copy;
	names->n++;
}

static void clear(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

/* --- features of files --- */

static void read_file(struct names *names, const char *path)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_reader *reader = NULL;
	struct tfr_error err;
	struct tfr_record rec;
	uint64_t bytes = 0;
	struct stat st;
	int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && ex &&
		!tfr_reader_open_fd(
			&reader, fd, path, &(struct tfr_reader_opts){ .threads = 1 }, &err))
		for (unsigned i = 0; i < RECORDS && bytes < BYTES; i++) {
			if (tfr_reader_next(reader, &rec, &err))
				break;
			bytes += rec.size;
			if (tfr_example_parse(ex, rec.data, rec.size, &err))
				continue;
			for (size_t k = 0; k < tfr_example_count(ex); k++) {
				const struct tfr_feature *f = tfr_example_at(ex, k);

				add(names, f->key, f->key_size);
			}
		}
	tfr_reader_close(reader);
	tfr_example_free(ex);
	if (fd >= 0)
		close(fd);
}

/* A list of files can be a pipe. */
static bool may_wait(const char *input)
{
	struct stat st;

	return !strcmp(input, "-") ||
	       (*input == '@' && !tfr_stat(input + 1, &st) && !S_ISREG(st.st_mode));
}

static char *without_tilde(const char *word)
{
	const char *home = getenv("HOME");
	char *path = NULL;

	if (home && word[0] == '~' && word[1] == '/')
		return asprintf(&path, "%s%s", home, word + 1) < 0 ? NULL : path;
	return strdup(word);
}

/* Each input is opened on its own: a missing one does not affect the others. */
static void read_input(struct names *names, const char *word, unsigned *files)
{
	char *input = without_tilde(word);
	struct tfr_set *set = NULL;
	struct tfr_set_opts opts = {
		.inputs = (const char *const *)&input, .count = 1, .allow_missing = true
	};
	struct tfr_error err;

	if (input && !may_wait(input) && !tfr_set_open(&set, &opts, &err))
		for (size_t i = 0; i < tfr_set_count(set) && *files < FILES; i++, ++*files)
			read_file(names, tfr_set_path(set, i));
	tfr_set_close(set);
	free(input);
}

/* --- the word at the cursor --- */

struct place {
	const struct opt *option; /* NULL: the word is an operand */
	const char *value;	  /* its value, as far as it was typed */
	const char *front;	  /* the text before it in the same word: "--order=" */
	size_t front_size;
};

/* Goes through the words as opt_parse() does, and ignores errors in them. */
static void look(
	const struct command *command, const struct line *l, struct place *at, struct names *names)
{
	bool operands_only = false;
	unsigned files = 0;

	*at = (struct place){ .value = l->words[l->current], .front = "" };
	for (size_t i = 2; i < l->n; i++) {
		const char *word = l->words[i], *value = NULL;
		const struct opt *o =
			operands_only ? NULL : opt_find(command->options, word, &value);

		if (o && !value && i != l->current && i + 1 < l->n)
			word = value = l->words[++i];
		if (o && value && i == l->current)
			*at = (struct place){ o, value, word, (size_t)(value - word) };
		if (o)
			continue;
		if (!operands_only && word[0] == '-' && word[1])
			operands_only = !strcmp(word, "--");
		else if (names && i != l->current)
			read_input(names, word, &files);
	}
}

/* --- candidates --- */

struct offer {
	const struct line *l;
	const struct place *at;
	bool bash;
	size_t head; /* bytes of the value that are kept */
	char quote;  /* of an expression or a list: the text around the name */
	const char *fragment;
	const char *behind; /* added after a name */
};

static void put_quoted(const char *text, char quote)
{
	for (; *text; text++) {
		if (quote == '\'' && *text == '\'')
			fputs("'\\''", stdout);
		else if ((quote == '"' && strchr("\"\\$`", *text)) ||
			 (!quote && strchr(" \t\"'\\$`|;&<>()*?[]{}!#~", *text)))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void put(const struct offer *o, const char *name)
{
	struct text text;
	char *line;
	size_t front = o->bash ? o->at->front_size : 0;

	if (!text_open(&text))
		return;
	fwrite(o->at->front, 1, front, text.f);
	fwrite(o->at->value, 1, o->head, text.f);
	for (; *name; name++) {
		if (o->quote && (*name == o->quote || *name == '\\'))
			fputc('\\', text.f);
		fputc(*name, text.f);
	}
	if (o->quote)
		fputc(o->quote, text.f);
	fputs(o->behind, text.f);
	line = text_close(&text);
	if (!line)
		return;
	if (!o->bash)
		fputs(line, stdout);
	else if (strlen(line) > o->l->kept)
		put_quoted(line + o->l->kept, o->l->quote);
	putchar('\n');
	free(line);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_/.-:@", c)) || (c & 0x80);
}

static bool is_bare(const char *name)
{
	bool bare = *name && !isdigit((unsigned char)*name) && *name != '-' && *name != '.';

	for (; bare && *name; name++)
		bare = is_name_char(*name);
	return bare;
}

/* Finds the name in an expression: at its beginning or after ( ! && ||.  False: the cursor is
 * not at a name. */
static bool place_in_expression(struct offer *o, const char *from)
{
	const char *start = from, *before;

	for (const char *p = from; *p; p++) {
		if (o->quote && *p == '\\' && p[1])
			p++;
		else if (o->quote ? *p == o->quote : *p == '"' || *p == '\'')
			o->quote = o->quote ? 0 : *p, start = p + 1;
		else if (!o->quote && !is_name_char(*p))
			start = p + 1;
	}
	before = o->quote ? start - 1 : start;
	while (before > from && before[-1] == ' ')
		before--;
	o->fragment = start;
	o->head = (size_t)(start - o->at->value);
	return before == from || strchr("(!&|", before[-1]);
}

static void place_in_list(struct offer *o)
{
	const char *start = o->at->value;

	for (const char *p = start; *p; p++) {
		if (o->quote ? *p == o->quote : (*p == '"' || *p == '\'') && p == start) {
			o->quote = o->quote ? 0 : *p;
			start = o->quote ? p + 1 : start;
		} else if (!o->quote && *p == ',') {
			start = p + 1;
		}
	}
	o->fragment = start;
	o->head = (size_t)(start - o->at->value);
}

/* Finds the beginning of the typed name, and the text around it.  False: the cursor is not at a
 * name. */
static bool place_name(struct offer *o, const char *mark)
{
	const char *equals = strchr(o->at->value, '=');

	o->fragment = o->at->value;
	if (!strcmp(mark, OPT_EXPRESSION))
		return place_in_expression(o, o->at->value);
	if (!strcmp(mark, OPT_CLASS))
		return equals && place_in_expression(o, equals + 1);
	if (!strcmp(mark, OPT_FEATURES))
		place_in_list(o);
	if (!strcmp(mark, OPT_COLUMN))
		o->behind = ":";
	return true;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "label" is the start of a part of "image/class/label". */
static bool begins_part(const char *name, const char *with)
{
	while ((name = strchr(name, '/')))
		if (begins(++name, with))
			return true;
	return false;
}

/* For bash: prints the names that begin with the typed text, or else the only name that has a part
 * which begins with it.  Other shells have their own rules, and get all names. */
static void offer_names(struct offer *o, const char *mark, const struct names *names)
{
	bool comma = !strcmp(mark, OPT_FEATURES);
	bool expression = !strcmp(mark, OPT_EXPRESSION) || !strcmp(mark, OPT_CLASS);
	size_t begun = 0, within = 0;
	char quote = o->quote;

	for (size_t i = 0; i < names->n; i++) {
		begun += begins(names->list[i], o->fragment);
		within += begins_part(names->list[i], o->fragment);
	}
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->list[i];
		struct offer one = *o;

		if (o->bash && !(begun ? begins(name, o->fragment)
				       : within == 1 && begins_part(name, o->fragment)))
			continue;
		if (!quote && ((expression && !is_bare(name)) || (comma && strchr(name, ',')))) {
			char *quoted = NULL;

			one.quote = strchr(name, '"') ? '\'' : '"';
			if (asprintf(&quoted, "%.*s%c", (int)o->head, o->at->value, one.quote) < 0)
				return;
			one.at = &(struct place){ o->at->option, quoted, o->at->front,
				o->at->front_size };
			one.head = o->head + 1;
			put(&one, name);
			free(quoted);
			continue;
		}
		put(&one, name);
	}
}

const char *names_mark(const struct opt *o)
{
	const char *mark = o && o->values ? strchr(o->values, ':') : NULL;

	return mark && (mark == o->values || mark[-1] == '|') ? mark : NULL;
}

static void add_words(struct names *names, const char *words)
{
	for (; *words && *words != ':'; words += *words == '|') {
		size_t n = strcspn(words, "|");

		add(names, words, n);
		words += n;
	}
}

/* --- names of sets --- */

/* "train-00003-of-00016.tfrecord" belongs to "train@16.tfrecord". */
static void add_set(struct names *names, const char *front, const char *base, const char *file)
{
	size_t n = strlen(base);
	unsigned shard, shards;
	char *name = NULL;
	int at = 0;

	if (!begins(file, base) || sscanf(file + n, "-%5u-of-%5u%n", &shard, &shards, &at) != 2 ||
		at != 15)
		return;
	if (asprintf(&name, "%s@%u%s", front, shards, file + n + at) < 0)
		return;
	add(names, name, strlen(name));
	free(name);
}

static bool find_sets(struct names *names, const char *word)
{
	const char *at = strrchr(word, '@'), *slash = strrchr(word, '/');
	char *front, *folder;
	struct dirent *entry;
	DIR *dir;

	if (!at || at == word || (slash && slash > at))
		return false;
	front = strndup(word, (size_t)(at - word));
	folder = without_tilde(front ? front : "");
	if (folder && slash)
		strrchr(folder, '/')[1] = '\0';
	dir = front && folder ? opendir(slash ? folder : ".") : NULL;
	while (dir && (entry = readdir(dir)))
		add_set(names, front, slash ? front + (slash - word) + 1 : front, entry->d_name);
	if (dir)
		closedir(dir);
	free(folder);
	free(front);
	return true;
}

/* --- the entire line --- */

static void on_alarm(int signal_number)
{
	(void)signal_number;
	_exit(1);
}

static bool complete(const struct line *l, bool bash)
{
	const struct command *command = l->n > 2 ? help_find_command(l->words[1]) : NULL;
	struct names names = { 0 };
	struct place at;
	struct offer o = { .l = l, .at = &at, .bash = bash, .behind = "" };
	const char *mark;
	bool ours = false;

	if (!command || l->current < 2)
		return false;
	look(command, l, &at, NULL);
	mark = names_mark(at.option);
	if (mark) {
		ours = true;
		if (place_name(&o, mark)) {
			look(command, l, &at, &names);
			add_words(&names, at.option->values);
			offer_names(&o, mark, &names);
		}
	} else if (!at.option) {
		ours = find_sets(&names, at.value);
		o.fragment = at.value;
		offer_names(&o, "", &names);
	}
	clear(&names);
	return ours;
}

bool names_print(const char *before, const char *after, const char *breaks)
{
	struct line l;
	bool ours;

	signal(SIGALRM, on_alarm);
	alarm(SECONDS);
	ours = line_split(&l, before, after, breaks ? breaks : "") && complete(&l, breaks != NULL);
	line_clear(&l);
	return ours;
}
