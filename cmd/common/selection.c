/* cmd/common/selection.c - converts the options of a command line to those of
 * <tfr-private/select.h>. */
#include "common/selection.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "common/cmd.h"
#include "common/on_error.h"

/* --- the list of a mixture --- */

/* --mix is parsed from left to right: sets, each with its weight.
 *
 * A set is the text in quotes, or the text up to the last '=' before the next comma.  So only a
 * name with a comma needs quotes.  A weight is a number, so until=first is no set. */

struct mixture {
	struct tfr_mix_opts mix;
	struct tfr_set **sets;
	char **names;
	double *weights;
	size_t count;
};

static int refuse_mix(struct cmd *c, const char *at)
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

static int add_set(struct cmd *c, struct mixture *m, const char *name, size_t size, double weight)
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
			return refuse_mix(c, at);
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
		if (add_set(c, m, name, size, weight))
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

/* Accepts NULL. */
static void mixture_close(struct mixture *m)
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

/* Reads SET=WEIGHT,SET=WEIGHT,...[,until=first] and opens the sets.  On failure the error is
 * printed and the exit status returned; 0 is success. */
static int mixture_open(struct cmd *c, struct mixture **out, const char *text, bool allow_missing)
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

/* The bytes of all sets that are read, as far as they have a size. */
static uint64_t mixture_bytes(const struct mixture *m)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < m->count; i++)
		bytes += m->weights[i] > 0 ? tfr_set_bytes(m->sets[i]) : 0;
	return bytes;
}

/* --- selecting --- */

/* Parses a whole number above 0 that `end` follows.  NULL: there is none. */
static const char *read_number(const char *text, char end, uint64_t *n)
{
	char *behind;

	errno = 0;
	*n = strtoull(text, &behind, 10);
	if (!isdigit((unsigned char)*text) || *behind != end || errno || !*n)
		return NULL;
	return behind + (end != 0);
}

/* CYCLE,BLOCK */
static int read_interleave(struct cmd *c, const char *text, struct tfr_select_opts *o)
{
	const char *rest;

	if (!text)
		return 0;
	rest = read_number(text, ',', &o->order.cycle);
	if (!rest || !read_number(rest, 0, &o->order.block))
		return cmd_usage(c,
			"--interleave takes CYCLE,BLOCK, two whole numbers above 0, not '%s'",
			text);
	return 0;
}

/* N or N+OFFSET */
static int read_every(struct cmd *c, const char *text, struct tfr_select_opts *o)
{
	const char *plus = text ? strchr(text, '+') : NULL;
	const char *rest = text ? read_number(text, plus ? '+' : 0, &o->every) : NULL;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	if (rest && plus) {
		o->every_offset = strtoull(rest, &end, 10);
		rest = isdigit((unsigned char)*rest) && !*end && !errno ? rest : NULL;
	}
	if (!rest)
		return cmd_usage(
			c, "--every takes N or N+OFFSET, whole numbers, N above 0, not '%s'", text);
	return 0;
}

static int read_sample(struct cmd *c, const char *text, struct tfr_select_opts *o)
{
	char *end;

	if (!text)
		return 0;
	o->sampled = true;
	o->sample = tfr_text_f64(text, &end);
	if (end == text || *end || !(o->sample >= 0 && o->sample <= 1))
		return cmd_usage(c, "--sample takes a probability from 0 to 1, not '%s'", text);
	if (o->every)
		return cmd_usage(c, "--every and --sample cannot be combined");
	return 0;
}

/* Parses the options that have a format of their own. */
static int read_forms(struct cmd *c, const struct selection_opts *opts, struct tfr_select_opts *o)
{
	o->on_fault = on_error_policy(opts->on_error);
	if (on_error_check(c, opts->on_error) ||
		read_interleave(c, opts->interleave, o) || read_every(c, opts->every, o) ||
		read_sample(c, opts->sample, o))
		return c->exit;
	return 0;
}

static int open_inputs(struct cmd *c, struct selection *s, const struct selection_opts *opts,
	struct tfr_select_opts *o)
{
	if (!opts->mix)
		return cmd_open_inputs(c, opts->allow_missing, &s->set);
	if (c->count)
		return cmd_usage(c, "--mix names all inputs; '%s' is another one", c->operands[0]);
	if (mixture_open(c, &s->mixture, opts->mix, opts->allow_missing))
		return c->exit;
	o->mix = &s->mixture->mix;
	return 0;
}

static int open_all(struct cmd *c, struct selection *s, const struct selection_opts *opts)
{
	struct tfr_select_opts o = opts->select;
	struct tfr_error err;

	o.warn = cmd_warn_text;
	o.missing = cmd_missing;
	o.ctx = c;
	if (read_forms(c, opts, &o) || open_inputs(c, s, opts, &o))
		return c->exit;
	if (on_error_open_quarantine(&s->quarantine, opts->on_error, opts->force, false, &err))
		return cmd_fail(c, &err);
	o.quarantine = s->quarantine;
	return tfr_select_open(&s->select, s->set, &o, &err) ? cmd_fail(c, &err) : 0;
}

int selection_open(struct cmd *c, struct selection *s, const struct selection_opts *opts)
{
	*s = (struct selection){ 0 };
	if (!open_all(c, s, opts))
		return 0;
	selection_close(s);
	return c->exit;
}

enum tfr_status selection_publish(struct selection *s, struct tfr_error *err)
{
	return s->quarantine ? tfr_stream_writer_publish(s->quarantine, err) : TFR_OK;
}

void selection_close(struct selection *s)
{
	tfr_stream_writer_close(s->quarantine);
	tfr_select_close(s->select);
	mixture_close(s->mixture);
	tfr_set_close(s->set);
}

uint64_t selection_bytes(const struct selection *s)
{
	return s->mixture ? mixture_bytes(s->mixture) : tfr_set_bytes(s->set);
}

enum tfr_status selection_carry(
	const struct selection *s, struct tfr_set_info *info, struct tfr_error *err)
{
	return s->set ? tfr_set_info_carry(info, s->set, err) : TFR_OK;
}
