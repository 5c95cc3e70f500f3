/* cmd/common/mixture.c - parses --mix from left to right.
 *
 * A set is the text in quotes, or the text up to the last '=' before the next comma.  So only a
 * name with a comma needs quotes.  A weight is a number, so until=first is no set. */
#include "common/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

struct mixture {
	struct tfr_mix mix;
	struct tfr_set **sets;
	char **names;
	double *weights;
	size_t count;
};

static int wrong(struct cmd *c, const char *at)
{
	return cmd_usage(c,
		"--mix takes SET=WEIGHT,SET=WEIGHT, a set in quotes where its name has a comma, "
		"and "
		"'%.*s' is no part of that",
		(int)strcspn(at, ","), at);
}

/* Finds the '=' after the set at `at`, and sets the set's name.  NULL: there is none. */
static const char *read_name(const char *at, const char **start, size_t *size)
{
	const char *end, *equals = NULL;

	if (*at != '"' && *at != '\'') {
		end = at + strcspn(at, ",");
		for (const char *p = at; p < end; p++)
			equals = *p == '=' ? p : equals;
		*start = at;
	} else {
		end = strchr(at + 1, *at);
		equals = end && end[1] == '=' ? end + 1 : NULL;
		*start = at + 1;
	}
	*size = equals ? (size_t)(equals - *start) - (*start != at) : 0;
	return *size ? equals : NULL;
}

/* Parses a decimal number up to `end`. */
static bool read_weight(const char *at, const char *end, double *weight)
{
	char *behind;

	if (at == end || at + strspn(at, "0123456789.eE+-") < end || *at == '+' || *at == '-')
		return false;
	*weight = tfr_text_f64(at, &behind);
	return behind == end;
}

static bool is_until_first(const char *at, const char *end)
{
	static const char words[] = "until=first";

	return (size_t)(end - at) == strlen(words) && !memcmp(at, words, strlen(words));
}

static int add(struct cmd *c, struct mixture *m, const char *name, size_t size, double weight)
{
	char *text = strndup(name, size);

	if (!text)
		return cmd_no_memory(c);
	m->names[m->count] = text;
	m->weights[m->count++] = weight;
	if (weight != 0 && !isnormal((float)weight))
		return cmd_usage(
			c, "the weight of '%s' is 0 or from 1e-37 to 1e38, not %g", text, weight);
	for (size_t i = 0; i + 1 < m->count; i++)
		if (!strcmp(m->names[i], text))
			return cmd_usage(c, "--mix has '%s' twice", text);
	return 0;
}

static int read_text(struct cmd *c, struct mixture *m, const char *text)
{
	double total = 0;

	for (const char *at = text, *name, *equals, *end;; at = end + 1) {
		size_t size;
		double weight;

		equals = read_name(at, &name, &size);
		if (!equals)
			return wrong(c, at);
		end = equals + 1 + strcspn(equals + 1, ",");
		if (is_until_first(at, end)) {
			m->mix.until_first = true;
			if (!*end)
				break;
			continue;
		}
		if (!read_weight(equals + 1, end, &weight))
			return cmd_usage(c,
				"the weight of '%.*s' is a number, 0 or above, not '%.*s'",
				(int)size, name, (int)(end - equals - 1), equals + 1);
		if (add(c, m, name, size, weight))
			return c->exit;
		total += weight;
		if (!*end)
			break;
	}
	return total > 0 ? 0 : cmd_usage(c, "--mix has no set whose weight is above 0");
}

static int open_sets(struct cmd *c, struct mixture *m, bool allow_missing)
{
	struct tfr_error err;

	for (size_t i = 0; i < m->count; i++) {
		struct tfr_set_opts opts = {
			.inputs = (const char *const *)&m->names[i],
			.count = 1,
			.allow_missing = allow_missing,
			.warn = cmd_warn_text,
			.ctx = c,
		};

		if (tfr_set_open(&m->sets[i], &opts, &err))
			return cmd_fail(c, &err);
		if (cmd_check_apart(c, m->sets[i]))
			return c->exit;
	}
	return 0;
}

int mixture_open(struct cmd *c, struct mixture **out, const char *text, bool allow_missing)
{
	struct mixture *m = calloc(1, sizeof(*m));
	size_t most = 1;

	if (!m)
		return cmd_no_memory(c);
	for (const char *p = text; *p; p++)
		most += *p == ',';
	m->names = calloc(most, sizeof(*m->names));
	m->sets = calloc(most, sizeof(*m->sets));
	m->weights = calloc(most, sizeof(*m->weights));
	if (!m->names || !m->sets || !m->weights)
		cmd_no_memory(c);
	else if (!read_text(c, m, text) && !open_sets(c, m, allow_missing))
		*out = m;
	if (c->exit) {
		mixture_close(m);
		return c->exit;
	}
	m->mix.sets = (const struct tfr_set *const *)m->sets;
	m->mix.weights = m->weights;
	m->mix.count = m->count;
	return 0;
}

const struct tfr_mix *mixture_mix(const struct mixture *m)
{
	return &m->mix;
}

uint64_t mixture_bytes(const struct mixture *m)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < m->count; i++)
		bytes += m->weights[i] > 0 ? tfr_set_bytes(m->sets[i]) : 0;
	return bytes;
}

void mixture_close(struct mixture *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		tfr_set_close(m->sets[i]);
		free(m->names[i]);
	}
	free(m->names);
	free(m->sets);
	free(m->weights);
	free(m);
}
