/* shard/shares.c - the fractions of several sets: read, checked, and obeyed.
 *
 * The hashes are a line from 0 to 1 on which each fraction has its stretch, one behind the other in
 * the order given; a set without a fraction has what is left. */
#include "shard/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

/* strtod() would take "nan", "0x1" and " 1" as well. */
static bool read_number(const char *text, double *number)
{
	char *end = NULL;

	if (!*text || text[strspn(text, "0123456789.eE+-")])
		return false;
	*number = strtod(text, &end);
	return !*end;
}

/* Whether the first `n` bytes of `text` are a set's name. */
static bool names_a_set(const char *text, size_t n)
{
	TFR_AUTO_FREE char *name = strndup(text, n);
	struct tfr_set_name parsed;
	bool is_set = name && tfr_set_name_parse(&parsed, name, NULL) == TFR_OK;

	if (is_set)
		tfr_set_name_clear(&parsed);
	return is_set;
}

enum tfr_status tfr_share_parse(
	const char *text, char **set, double *fraction, struct tfr_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	bool number = equals && read_number(equals + 1, fraction);

	/* A file's name may hold a '='; what follows a set's name is meant as its fraction. */
	if (equals && !number && !names_a_set(text, n)) {
		equals = NULL;
		n = strlen(text);
	}
	if (equals && !(number && *fraction > 0 && *fraction <= 1))
		return tfr_fail(err, TFR_EUSAGE,
			"a set's fraction is above 0 and at most 1, not '%s'", equals + 1);
	if (!equals)
		*fraction = 0;
	*set = strndup(text, n);
	return *set ? TFR_OK : tfr_fail_nomem(err, "reading the options");
}

enum tfr_status tfr_shares_check(
	const struct tfr_share *shares, size_t count, struct tfr_error *err)
{
	double sum = 0;
	size_t rest = 0;

	for (size_t t = 0; t < count; t++) {
		sum += shares[t].fraction;
		rest += shares[t].fraction == 0;
		for (size_t u = 0; u < t; u++)
			if (!strcmp(shares[t].set, shares[u].set))
				return tfr_fail(err, TFR_EUSAGE, "the set '%s' is named twice",
					shares[t].set);
	}
	if (!count)
		return tfr_fail(err, TFR_EUSAGE, "no set to write");
	if (rest > 1)
		return tfr_fail(err, TFR_EUSAGE,
			"several sets without a fraction: only one can take the rest");
	if (sum > 1 + TFR_SHARES_SLACK || (rest && sum > 1 - TFR_SHARES_SLACK && count > 1))
		return tfr_fail(err, TFR_EUSAGE, "the fractions add up to %.9g%s", sum,
			rest ? ", which leaves nothing to the set without one" : ", more than 1");
	return TFR_OK;
}

size_t tfr_shares_choose(const struct tfr_share *shares, size_t count, uint64_t hash)
{
	double at = (double)(hash >> 11) * 0x1p-53, sum = 0;
	size_t rest = count;

	for (size_t t = 0; t < count; t++) {
		sum += shares[t].fraction;
		if (shares[t].fraction == 0)
			rest = t;
		else if (at < sum)
			return t;
	}
	/* Fractions that were meant to add up to 1 leave nothing over. */
	if (rest == count && sum > 1 - TFR_SHARES_SLACK)
		return count - 1;
	return rest;
}
