/* io/remote/hidden.c - a list of queries that only grows; a query has one number. */
#include "io/remote/hidden.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

static const char mark[] = "hidden-";

static struct {
	pthread_mutex_t lock;
	char **queries;
	size_t n;
} hidden = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The number of a query, from 1; 0: out of memory. */
static size_t number_of(const char *query)
{
	size_t i = 0;
	char *copy;

	pthread_mutex_lock(&hidden.lock);
	while (i < hidden.n && strcmp(hidden.queries[i], query) != 0)
		i++;
	if (i == hidden.n) {
		copy = strdup(query);
		if (copy && !TFR_ARRAY_ONE_MORE(hidden.queries, hidden.n))
			hidden.queries[hidden.n++] = copy;
		else
			free(copy);
	}
	i = i < hidden.n ? i + 1 : 0;
	pthread_mutex_unlock(&hidden.lock);
	return i;
}

const char *tfr_hidden_query(const char *text)
{
	const char *query = NULL;
	char *end;
	size_t n;

	if (strncmp(text, mark, sizeof(mark) - 1) != 0)
		return NULL;
	n = strtoul(text + sizeof(mark) - 1, &end, 10);
	if (*end && *end != '#')
		return NULL;
	pthread_mutex_lock(&hidden.lock);
	if (n && n <= hidden.n)
		query = hidden.queries[n - 1];
	pthread_mutex_unlock(&hidden.lock);
	return query;
}

enum tfr_status tfr_hide_query(const char *url, char **shown, struct tfr_error *err)
{
	const char *query = strncasecmp(url, "http", 4) ? NULL : strchr(url, '?');
	size_t number;

	*shown = NULL;
	if (!query || tfr_hidden_query(query + 1))
		return TFR_OK;
	number = number_of(query + 1);
	if (number)
		*shown = tfr_asprintf("%.*s?%s%zu", (int)(query - url), url, mark, number);
	return *shown ? TFR_OK : tfr_fail_nomem(err, "opening a web address");
}
