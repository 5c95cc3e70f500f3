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

static char *put_together(const char *url, const char *host, const char *from, const char *query)
{
	int scheme = (int)(host - url), n = (int)(query ? query - from : (ptrdiff_t)strlen(from));
	size_t number;

	if (!query)
		return tfr_asprintf("%.*s%.*s", scheme, url, n, from);
	number = number_of(query + 1);
	return number ? tfr_asprintf("%.*s%.*s?%s%zu", scheme, url, n, from, mark, number) : NULL;
}

/* Finding the store keeps its user name and password. */
enum tfr_status tfr_hide_address(const char *url, char **shown, struct tfr_error *err)
{
	const char *host = strstr(url, "://"), *query, *at;
	enum tfr_status status;
	struct tfr_store *s;
	const char *key;

	*shown = NULL;
	if (!host || strncasecmp(url, "http", 4) != 0)
		return TFR_OK;
	host += 3;
	query = strchr(host, '?');
	if (query && tfr_hidden_query(query + 1))
		query = NULL;
	at = memchr(host, '@', strcspn(host, "/?#"));
	if (!query && !at)
		return TFR_OK;
	status = tfr_store_find(&s, url, &key, err);
	if (status)
		return status;
	while (at && memchr(at + 1, '@', strcspn(at + 1, "/?#")))
		at = memchr(at + 1, '@', strcspn(at + 1, "/?#"));
	*shown = put_together(url, host, at ? at + 1 : host, query);
	return *shown ? TFR_OK : tfr_fail_nomem(err, "opening a web address");
}
