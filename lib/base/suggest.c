/* base/suggest.c - finds the word that the user probably meant by an unknown one.
 *
 * The result depends only on the set of words offered, not on their order or on how often each
 * occurs.  Of equally near words it is the shortest, then the first bytewise.  Therefore the
 * results of several threads merge into the result of a single one. */
#include <string.h>
#include <strings.h>

#include <tfr-private/text.h>

/* --- the number of typing errors --- */

/* The Damerau-Levenshtein distance in which no substring is edited twice (optimal string
 * alignment). */
enum { LONGEST = 64 };

static unsigned min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned tfr_text_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	if (n > LONGEST || m > 2 * n + 2)
		return UINT32_MAX;
	for (size_t k = 0; k <= n; k++)
		row[k] = (unsigned)k;
	for (size_t i = 1; i <= m; i++) {
		unsigned *spare = before;

		before = last;
		last = row;
		row = spare;
		row[0] = (unsigned)i;
		for (size_t k = 1; k <= n; k++) {
			row[k] = min2(min2(row[k - 1], last[k]) + 1,
				last[k - 1] + (a[k - 1] != b[i - 1]));
			if (i > 1 && k > 1 && a[k - 1] == b[i - 2] && a[k - 2] == b[i - 1])
				row[k] = min2(row[k], before[k - 2] + 1);
		}
	}
	return 2 * row[n] < n + !row[n] && (row[n] <= 2 || row[n] <= n / 3) ? row[n] : UINT32_MAX;
}

/* --- the nearest word --- */

static bool comes_before(const char *a, size_t n, const char *b)
{
	size_t m = strlen(b);

	return n < m || (n == m && memcmp(a, b, n) < 0);
}

void tfr_suggestion_init(struct tfr_suggestion *m, const char *wanted, size_t size)
{
	m->wanted = wanted;
	m->size = size;
	m->distance = UINT32_MAX;
	m->nearest[0] = m->begun[0] = '\0';
	m->several = false;
}

/* Where the last components of a path begin, as many as `wanted` has; 0: it has no more. */
static size_t last_components(const struct tfr_suggestion *m, const char *word, size_t n)
{
	size_t components = 1;

	for (size_t i = 0; i < m->size; i++)
		components += m->wanted[i] == '/';
	for (; n; n--)
		if (word[n - 1] == '/' && !--components)
			return n;
	return 0;
}

/* The edit distance, but 1 if only the case differs; if the last components of a path are
 * nearer, their distance plus 1. */
static unsigned distance(const struct tfr_suggestion *m, const char *word, size_t n)
{
	size_t at = last_components(m, word, n);
	unsigned whole, end;

	if (n == m->size && !strncasecmp(word, m->wanted, n))
		return 1;
	whole = tfr_text_distance(m->wanted, m->size, word, n);
	end = at ? tfr_text_distance(m->wanted, m->size, word + at, n - at) : UINT32_MAX;
	return end < whole ? end + 1 : whole;
}

static void take_near(struct tfr_suggestion *m, const char *word, size_t n, unsigned d)
{
	if (d > m->distance || d == UINT32_MAX)
		return;
	if (d == m->distance && !comes_before(word, n, m->nearest))
		return;
	m->distance = d;
	memcpy(m->nearest, word, n);
	m->nearest[n] = '\0';
}

static void take_begun(struct tfr_suggestion *m, const char *word, size_t n)
{
	if (strlen(m->begun) == n && !memcmp(m->begun, word, n))
		return;
	m->several = m->begun[0] != '\0';
	memcpy(m->begun, word, n);
	m->begun[n] = '\0';
}

void tfr_suggestion_offer(struct tfr_suggestion *m, const char *word, size_t n)
{
	if (!n || n >= sizeof(m->nearest) || memchr(word, 0, n) ||
		(n == m->size && !memcmp(word, m->wanted, n)))
		return;
	take_near(m, word, n, distance(m, word, n));
	if (!m->several && m->size > 1 && n > m->size && !memcmp(word, m->wanted, m->size))
		take_begun(m, word, n);
}

void tfr_suggestion_merge(struct tfr_suggestion *into, const struct tfr_suggestion *from)
{
	take_near(into, from->nearest, strlen(from->nearest), from->distance);
	if (from->begun[0] && !into->several)
		take_begun(into, from->begun, strlen(from->begun));
	into->several = into->several || from->several;
}

const char *tfr_suggestion_word(const struct tfr_suggestion *m)
{
	if (m->begun[0] && !m->several)
		return m->begun;
	return m->distance < UINT32_MAX ? m->nearest : NULL;
}

void tfr_suggestion_hint(const struct tfr_suggestion *m, struct tfr_error *err)
{
	const char *word = tfr_suggestion_word(m);

	if (word)
		tfr_error_hint(err, "Did you mean '%s'?", word);
}
