/* base/edit_distance.c - the number of typing errors between two words: the Damerau-Levenshtein
 * distance in which no substring is edited twice (optimal string alignment). */
#include <string.h>

#include <tfr-private/text.h>

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
