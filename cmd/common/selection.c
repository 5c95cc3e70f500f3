/* cmd/common/selection.c - converts the options of a command line to those of <tfr/select.h>. */
#include "common/selection.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "common/mixture.h"

struct selection {
	struct cmd *c;
	struct tfr_set *set;	 /* NULL: the mixture */
	struct mixture *mixture; /* NULL: the set */
	struct tfr_select *select;
	struct tfr_stream_writer *quarantine; /* NULL: no quarantine was requested */
};

/* Callbacks of the library. */
static void warn(void *ctx, const char *text)
{
	cmd_warn_text(((struct selection *)ctx)->c, text);
}

static void missing(void *ctx, const struct tfr_error *err)
{
	cmd_error(((struct selection *)ctx)->c, err);
}

const char *selection_quarantine(const char *on_error)
{
	static const char word[] = "quarantine=";
	size_t n = sizeof(word) - 1;

	return on_error && !strncmp(on_error, word, n) && on_error[n] ? on_error + n : NULL;
}

int selection_check_on_error(struct cmd *c, const char *on_error)
{
	if (!on_error || !strcmp(on_error, "fail") || !strcmp(on_error, "skip") ||
		selection_quarantine(on_error))
		return 0;
	return cmd_usage_word(c, "on-error", "fail, skip or quarantine=FILE", on_error);
}

/* A quarantine has the original bytes, uncompressed, whatever its name is. */
enum tfr_status selection_open_quarantine(struct tfr_stream_writer **quarantine,
	const char *on_error, bool force, bool dry_run, struct tfr_error *err)
{
	const struct tfr_writer_opts writer = {
		.compression = TFR_COMPRESSION_NONE,
		.force = force,
		.dry_run = dry_run,
		.temporaries = cmd_temporaries(),
	};
	const char *path = selection_quarantine(on_error);

	return path ? tfr_stream_writer_open(quarantine, path, &writer, err) : TFR_OK;
}

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
	rest = read_number(text, ',', &o->cycle);
	if (!rest || !read_number(rest, 0, &o->block))
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
	o->skip_damaged = opts->on_error && strcmp(opts->on_error, "fail");
	if (selection_check_on_error(c, opts->on_error) ||
		read_interleave(c, opts->interleave, o) || read_every(c, opts->every, o) ||
		read_sample(c, opts->sample, o))
		return c->exit;
	return 0;
}

static int open_inputs(
	struct selection *s, const struct selection_opts *opts, struct tfr_select_opts *o)
{
	if (!opts->mix)
		return cmd_open_inputs(s->c, opts->allow_missing, &s->set);
	if (s->c->count)
		return cmd_usage(
			s->c, "--mix names all inputs; '%s' is another one", s->c->operands[0]);
	if (mixture_open(s->c, &s->mixture, opts->mix, opts->allow_missing))
		return s->c->exit;
	o->mix = mixture_mix(s->mixture);
	return 0;
}

int selection_open(struct cmd *c, struct selection **out, const struct selection_opts *opts)
{
	struct selection *s = calloc(1, sizeof(*s));
	struct tfr_select_opts o = {
		.framing = opts->framing,
		.compression = opts->compression,
		.records = opts->records,
		.where = opts->where,
		.shuffle_buffer = opts->shuffle_buffer,
		.seed = opts->seed,
		.skip = opts->skip,
		.limit = opts->limit,
		.growing = opts->growing,
		.progress = opts->progress,
		.warn = warn,
		.missing = missing,
		.ctx = s,
	};
	struct tfr_error err;

	if (!s)
		return cmd_no_memory(c);
	s->c = c;
	if (!read_forms(c, opts, &o) && !open_inputs(s, opts, &o)) {
		enum tfr_status status = selection_open_quarantine(
			&s->quarantine, opts->on_error, opts->force, false, &err);

		o.quarantine = s->quarantine;
		if (status || tfr_select_open(&s->select, s->set, &o, &err))
			cmd_error(c, &err);
	}
	if (!s->select) {
		selection_close(s);
		return c->exit;
	}
	*out = s;
	return 0;
}

enum tfr_status selection_next(struct selection *s, struct tfr_record *rec, struct tfr_error *err)
{
	return tfr_select_next(s->select, rec, err);
}

struct tfr_select *selection_records(struct selection *s)
{
	return s->select;
}

const char *selection_path(const struct selection *s)
{
	return tfr_select_path(s->select);
}

void selection_locate(
	const struct selection *s, const struct tfr_record *rec, struct tfr_error *err)
{
	tfr_select_locate(s->select, rec, err);
}

enum tfr_status selection_reject(struct selection *s, const struct tfr_record *rec,
	enum tfr_status status, struct tfr_error *err)
{
	return tfr_select_reject(s->select, rec, status, err);
}

void selection_finish(struct selection *s)
{
	tfr_select_finish(s->select);
}

struct tfr_stream_writer *selection_aside(const struct selection *s)
{
	return s->quarantine;
}

enum tfr_status selection_publish(struct selection *s, struct tfr_error *err)
{
	return s->quarantine ? tfr_stream_writer_publish(s->quarantine, err) : TFR_OK;
}

void selection_close(struct selection *s)
{
	if (!s)
		return;
	tfr_stream_writer_close(s->quarantine);
	tfr_select_close(s->select);
	mixture_close(s->mixture);
	tfr_set_close(s->set);
	free(s);
}

uint64_t selection_bytes(const struct selection *s)
{
	return s->mixture ? mixture_bytes(s->mixture) : tfr_set_bytes(s->set);
}

uint64_t selection_read(const struct selection *s)
{
	return tfr_select_read(s->select);
}

uint64_t selection_bad(const struct selection *s)
{
	return tfr_select_bad(s->select);
}

enum tfr_status selection_carry(
	const struct selection *s, struct tfr_set_info *info, struct tfr_error *err)
{
	return s->set ? tfr_set_info_carry(info, s->set, err) : TFR_OK;
}
