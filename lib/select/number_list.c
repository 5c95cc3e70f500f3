/* select/number_list.c - sorts and joins a list when it is parsed, so that a query takes one step
 * at most. */
#include "select/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

static enum tfr_status refuse_list(const char *at, struct tfr_error *err)
{
	int n = 0;

	while (at[n] && at[n] != ',' && n < 60)
		n++;
	return tfr_fail(err, TFR_EUSAGE,
		"a list of records is such as 0,5,10-20,100-, and '%.*s' is no part of one", n, at);
}

/* Parses the number at *p and moves *p after it. */
static bool read_number(const char **p, uint64_t *n)
{
	char *behind;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*n = strtoull(*p, &behind, 10);
	*p = behind;
	return !errno && *n < UINT64_MAX;
}

/* N, N-M or N- */
static enum tfr_status read_range(const char **p, struct number_range *r, struct tfr_error *err)
{
	const char *start = *p;

	if (!read_number(p, &r->first))
		return refuse_list(start, err);
	r->last = r->first;
	if (**p == '-') {
		++*p;
		r->last = UINT64_MAX;
		if (isdigit((unsigned char)**p) && !read_number(p, &r->last))
			return refuse_list(start, err);
	}
	if ((**p && **p != ',') || r->last < r->first)
		return refuse_list(start, err);
	return TFR_OK;
}

static int compare(const void *a, const void *b)
{
	const struct number_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts, and joins what overlaps or touches. */
static void sort_and_join(struct number_list *l)
{
	size_t n = 0;

	qsort(l->ranges, l->count, sizeof(*l->ranges), compare);
	for (size_t i = 1; i < l->count; i++) {
		struct number_range *r = &l->ranges[i], *before = &l->ranges[n];

		if (before->last != UINT64_MAX && r->first > before->last + 1)
			l->ranges[++n] = *r;
		else if (r->last > before->last)
			before->last = r->last;
	}
	l->count = n + 1;
}

enum tfr_status tfr_number_list_parse(
	struct number_list *l, const char *text, struct tfr_error *err)
{
	size_t most = 1;

	for (const char *p = text; *p; p++)
		most += *p == ',';
	*l = (struct number_list){ .ranges = calloc(most, sizeof(*l->ranges)) };
	TFR_NEED_MEMORY(l->ranges, err, "reading a list of records");
	do
		TFR_TRY(read_range(&text, &l->ranges[l->count++], err));
	while (*text++);
	sort_and_join(l);
	return TFR_OK;
}

void tfr_number_list_clear(struct number_list *l)
{
	free(l->ranges);
	*l = (struct number_list){ 0 };
}

uint64_t tfr_number_list_next(struct number_list *l, uint64_t n)
{
	while (l->at < l->count && l->ranges[l->at].last < n)
		l->at++;
	if (l->at == l->count)
		return UINT64_MAX;
	return l->ranges[l->at].first > n ? l->ranges[l->at].first : n;
}

bool tfr_number_list_has(struct number_list *l, uint64_t n)
{
	return tfr_number_list_next(l, n) == n;
}

bool tfr_number_list_ends_before(const struct number_list *l, uint64_t n)
{
	return !l->count || l->ranges[l->count - 1].last < n;
}
