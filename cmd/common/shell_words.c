/* cmd/common/shell_words.c - splits a command line into words as a shell does: spaces and
 * operators separate them, except in quotes and after backslashes.
 *
 * The word at the cursor ends there: the text after it up to the next space is dropped.  A quote
 * that is open at the cursor is treated as closed, since the rest of the line is mostly files. */
#include "common/shell_words.h"

#include <stdlib.h>
#include <string.h>

struct scan {
	struct line *l;
	const char *breaks;
	char *word; /* NULL: between words */
	size_t size;
	char quote;
	size_t opened, broken; /* bytes before the open quote, and after the last break */
};

static bool begin(struct scan *s, size_t room)
{
	s->size = s->opened = s->broken = 0;
	s->word = s->word ? s->word : malloc(room + 1);
	return s->word != NULL;
}

static bool end(struct scan *s)
{
	char **larger = reallocarray(s->l->words, s->l->n + 1, sizeof(*larger));

	if (!larger)
		return false;
	s->word[s->size] = '\0';
	s->l->words = larger;
	larger[s->l->n++] = s->word;
	s->word = NULL;
	return true;
}

/* Reads one character, or two after a backslash.  Returns how many; 0: out of memory. */
static size_t take(struct scan *s, const char *at)
{
	char c = *at;

	if (!s->quote && strchr(" \t\n|;&<>()", c))
		return !s->word || end(s);
	if (!s->word && !begin(s, strlen(at)))
		return 0;
	if (s->quote ? c == s->quote : c == '\'' || c == '"') {
		s->quote = s->quote ? 0 : c;
		s->opened = s->size;
		return 1;
	}
	if (c == '\\' && s->quote != '\'' && at[1] && (!s->quote || strchr("\"\\$`", at[1]))) {
		s->word[s->size++] = at[1];
		return 2;
	}
	s->word[s->size++] = c;
	/* bash replaces @ and $ together with the text that follows them */
	if (!s->quote && strchr(s->breaks, c))
		s->broken = s->size - (c == '@' || c == '$');
	return 1;
}

static bool take_all(struct scan *s, const char *text)
{
	while (*text) {
		size_t n = take(s, text);

		if (!n)
			return false;
		text += n;
	}
	return true;
}

bool line_split(struct line *l, const char *before, const char *after, const char *breaks)
{
	struct scan s = { .l = l, .breaks = breaks };

	*l = (struct line){ 0 };
	if (!take_all(&s, before) || (!s.word && !begin(&s, 0)))
		return free(s.word), false;
	l->current = l->n;
	l->quote = s.quote;
	l->kept = s.quote ? s.opened : s.broken;
	if (!end(&s))
		return free(s.word), false;
	if (s.quote && *after == s.quote)
		after++;
	s.quote = 0;
	after += strcspn(after, " \t\n");
	if (!take_all(&s, after) || (s.word && !end(&s)))
		return free(s.word), false;
	return true;
}

void line_clear(struct line *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->words[i]);
	free(l->words);
	*l = (struct line){ 0 };
}
