/* convert/folder/braces.c - replaces the first brace by each of its alternatives, and expands
 * the result in the same way. */
#include "convert/folder/braces.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000, DEEPEST = 64, DIGITS = 18 };

static enum tfr_status expand(
	struct tfr_names *names, const char *text, unsigned depth, struct tfr_error *err);

enum tfr_status tfr_names_add(struct tfr_names *names, const char *text, struct tfr_error *err)
{
	if (names->n == MOST)
		return tfr_fail(err, TFR_EUSAGE, "braces that expand to over a million names");
	if (!tfr_names_insert(names, names->n, text, strlen(text)))
		return tfr_fail_nomem(err, "listing the inputs");
	return TFR_OK;
}

/* The brace that closes the one at `open`; NULL: none. */
static const char *closing(const char *open)
{
	unsigned depth = 0;

	for (const char *p = open; *p; p++) {
		depth += *p == '{';
		depth -= *p == '}';
		if (!depth)
			return p;
	}
	return NULL;
}

/* The first `n` bytes of text, with `middle` in place of the braces. */
static enum tfr_status with(struct tfr_names *names, const char *text, const char *open,
	const char *close, const char *middle, size_t n, unsigned depth, struct tfr_error *err)
{
	TFR_AUTO_FREE char *whole =
		tfr_asprintf("%.*s%.*s%s", (int)(open - text), text, (int)n, middle, close + 1);

	if (!whole)
		return tfr_fail_nomem(err, "listing the inputs");
	return expand(names, whole, depth + 1, err);
}

/* Expands "A..B" between the braces. */
static bool read_range(
	const char *open, const char *close, long long *first, long long *last, int *width)
{
	const char *dots = open + 1;
	char *end;

	while (isdigit((unsigned char)*dots))
		dots++;
	if (dots == open + 1 || dots - open > DIGITS || strncmp(dots, "..", 2) ||
		!isdigit((unsigned char)dots[2]) || close - dots > DIGITS)
		return false;
	*first = strtoll(open + 1, NULL, 10);
	*last = strtoll(dots + 2, &end, 10);
	*width = open[1] == '0' ? (int)(dots - open - 1) : 1;
	return end == close;
}

static enum tfr_status expand_range(struct tfr_names *names, const char *text, const char *open,
	const char *close, unsigned depth, struct tfr_error *err)
{
	long long first = 0, last = 0;
	enum tfr_status status = TFR_OK;
	int width = 1;

	read_range(open, close, &first, &last, &width);
	for (long long k = first; !status; k += first <= last ? 1 : -1) {
		char number[32];
		int n = snprintf(number, sizeof(number), "%0*lld", width, k);

		status = with(names, text, open, close, number, (size_t)n, depth, err);
		if (k == last)
			break;
	}
	return status;
}

/* Splits the words at commas that are not in nested braces; *n of them. */
static enum tfr_status expand_words(struct tfr_names *names, const char *text, const char *open,
	const char *close, unsigned depth, struct tfr_error *err)
{
	const char *word = open + 1;
	enum tfr_status status = TFR_OK;
	unsigned inside = 0;

	for (const char *p = word; !status && p <= close; p++) {
		if (p == close || (*p == ',' && !inside)) {
			status = with(
				names, text, open, close, word, (size_t)(p - word), depth, err);
			word = p + 1;
		}
		inside += *p == '{';
		inside -= *p == '}';
	}
	return status;
}

static bool has_comma(const char *open, const char *close)
{
	unsigned inside = 0;

	for (const char *p = open + 1; p < close; p++) {
		if (*p == ',' && !inside)
			return true;
		inside += *p == '{';
		inside -= *p == '}';
	}
	return false;
}

static enum tfr_status expand(
	struct tfr_names *names, const char *text, unsigned depth, struct tfr_error *err)
{
	const char *open = text, *close;
	long long first, last;
	int width;

	if (depth > DEEPEST)
		return tfr_fail(err, TFR_EUSAGE, "over %d braces in '%s'", DEEPEST, text);
	while ((open = strchr(open, '{'))) {
		close = closing(open);
		if (close && read_range(open, close, &first, &last, &width))
			return expand_range(names, text, open, close, depth, err);
		if (close && has_comma(open, close))
			return expand_words(names, text, open, close, depth, err);
		open++;
	}
	return tfr_names_add(names, text, err);
}

enum tfr_status tfr_braces_expand(struct tfr_names *names, const char *text, struct tfr_error *err)
{
	return expand(names, text, 0, err);
}
