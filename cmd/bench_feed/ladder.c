/* cmd/bench_feed/ladder.c - bench-feed --ladder: runs the list up to each stage in turn.
 *
 * The cost of a stage is the slowdown of the pipeline when the stage is added, all else being
 * equal. That differs from the time that threads spend in it: a stage that overlaps others costs
 * nothing here.  Rates are converted to records of the files, because a stage may make several
 * items from one or drop some, and rungs must be comparable. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"
#include "bench_feed/outputs.h"
#include "common/figures.h"

/* The limit of a rung without --epochs, --steps and --seconds. */
#define RUNG_SECONDS 5

struct rung {
	char *stage;  /* "decode" */
	double rate;  /* records of the files per second */
	double bytes; /* of payloads per second */
	double each;  /* items made from one record */
	double seconds;
	uint64_t records;
};

struct ladder {
	char *list;
	struct rung *rungs;
	unsigned count, done;
	unsigned dearest; /* the rung whose stage costs most; 0: none */
};

/* The length of the stage at `list`: up to a comma outside quotes, or the end. */
static size_t stage_length(const char *list)
{
	bool quoted = false;
	size_t n = 0;

	for (; list[n] && (quoted || list[n] != ','); n++)
		if (list[n] == '"')
			quoted = !quoted;
	return n;
}

/* How many items stage `i` makes from one.  The counts of stages that hold items back or gather
 * them do not show it. */
static double growth(const struct tfr_pipeline_stats *st, unsigned i)
{
	static const char *const gather[] = { "shuffle", "prefetch", "cache", "batch", "upload",
		"kernels" };
	const struct tfr_stage_stats *s = &st->stages[i];
	double ratio;

	assert(i < st->stage_count);
	for (size_t k = 0; k < sizeof(gather) / sizeof(*gather); k++)
		if (!strcmp(s->name, gather[k]))
			return 1;
	if (!i || !s[-1].items)
		return 1;
	ratio = (double)s->items / (double)s[-1].items;
	return ratio >= 1.5 ? (double)(uint64_t)(ratio + 0.5) : ratio < 0.97 ? ratio : 1;
}

/* Runs the list up to the rung's stage. */
static int climb_one(struct feed *f, struct rung *r, const char *list)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;

	f->history = feed_history_new(f);
	if (!f->history)
		return cmd_no_memory(f->c);
	if (feed_open(f, list, false) || !f->pipeline)
		return f->c->exit ? f->c->exit : -1;
	feed_history_start(f->history);
	status = feed_consume(f, &err);
	feed_history_stop(f->history);
	tfr_pipeline_stats(f->pipeline, &f->stats);
	if (!feed_is_stuck(f, &err))
		feed_close(f);
	f->pipeline = NULL;
	feed_history_free(f->history);
	f->history = NULL;
	free(f->tensors);
	f->tensors = NULL;
	r->each = 1;
	for (unsigned i = 0; i + 1 < f->stats.stage_count; i++)
		r->each *= growth(&f->stats, i);
	r->each = r->each > 0 ? r->each : 1;
	r->rate = f->stats.records_per_second / r->each;
	r->bytes = f->stats.bytes_per_second;
	r->seconds = f->stats.seconds;
	r->records = f->stats.records;
	if (status == TFR_ECANCELLED)
		return -1;
	feed_hint_stuck(f, &err);
	return status == TFR_END ? 0 : cmd_fail(f->c, &err);
}

/* The complete list, as the pipeline describes it.  Inputs that cannot be fed at all fail here. */
static int learn_list(struct feed *f, struct ladder *l)
{
	if (feed_open(f, f->stages, f->images_optional) || !f->pipeline)
		return f->c->exit ? f->c->exit : -1;
	l->list = strdup(tfr_pipeline_describe(f->pipeline));
	feed_close(f);
	for (const char *at = l->list; at && *at; l->count++) {
		at += stage_length(at);
		at += *at == ',';
		at += strspn(at, " ");
	}
	l->rungs = calloc(l->count + 1, sizeof(*l->rungs));
	return l->list && l->rungs ? 0 : cmd_no_memory(f->c);
}

/* The microseconds per record that this rung adds to the previous one. */
static double added(const struct ladder *l, unsigned i)
{
	assert(i < l->count);
	if (l->rungs[i].rate <= 0)
		return 0;
	return 1e6 / l->rungs[i].rate -
	       (i && l->rungs[i - 1].rate > 0 ? 1e6 / l->rungs[i - 1].rate : 0);
}

static void climb(struct feed *f, struct ladder *l)
{
	const char *at = l->list;

	for (unsigned i = 0; i < l->count; i++) {
		size_t n = stage_length(at);
		char *cut = strndup(l->list, (size_t)(at - l->list) + n);
		int stop;

		l->rungs[i].stage = strndup(at, n);
		stop = !cut || !l->rungs[i].stage || climb_one(f, &l->rungs[i], cut);
		free(cut);
		if (stop) { /* a signal, or an error that is printed */
			free(l->rungs[i].stage);
			l->rungs[i].stage = NULL;
			break;
		}
		l->done++;
		at += n;
		at += *at == ',';
		at += strspn(at, " ");
	}
}

static void find_dearest(struct ladder *l)
{
	for (unsigned i = 1; i < l->done; i++)
		if (added(l, i) > (l->dearest ? added(l, l->dearest) : 0))
			l->dearest = i;
}

static void print_ladder(const struct ladder *l)
{
	char stage[36], rate[TFR_SIZE_TEXT], bytes[FIGURE_TEXT], to[TFR_SIZE_TEXT];

	printf("%-36s%14s%14s%16s\n", "with", "records/s", "read", "us a record");
	for (unsigned i = 0; i < l->done; i++)
		printf("%-36s%14s%14s%+16.2f\n",
			tfr_escape_line(stage, sizeof(stage), l->rungs[i].stage),
			tfr_format_count(l->rungs[i].rate, rate),
			figure_bandwidth(l->rungs[i].bytes, bytes), added(l, i));
	if (!l->dearest)
		return;
	printf("\ncosts most: ");
	cmd_put_text(stdout, l->rungs[l->dearest].stage, strlen(l->rungs[l->dearest].stage));
	printf(": from %s to %s records/s\n", tfr_format_count(l->rungs[l->dearest - 1].rate, rate),
		tfr_format_count(l->rungs[l->dearest].rate, to));
}

static void print_json(const struct feed *f, const struct ladder *l)
{
	struct tfr_json *j = cmd_json_open(2);

	tfr_json_string(j, "command", f->c->line);
	tfr_json_string(j, "pipeline", l->list);
	tfr_json_open_array(j, "ladder");
	for (unsigned i = 0; i < l->done; i++) {
		const struct rung *r = &l->rungs[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "stage", r->stage);
		tfr_json_f64(j, "records_per_second", r->rate);
		tfr_json_f64(j, "bytes_per_second", r->bytes);
		tfr_json_f64(j, "added_seconds", added(l, i) * 1e-6);
		tfr_json_f64(j, "items_per_record", r->each);
		tfr_json_u64(j, "records", r->records);
		tfr_json_f64(j, "seconds", r->seconds);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	if (l->dearest)
		tfr_json_string(j, "most_expensive", l->rungs[l->dearest].stage);
	tfr_json_close_object(j);
	cmd_print_json(f->c, j, stdout);
}

void feed_ladder_report(const struct feed *f)
{
	find_dearest(f->ladder);
	if (f->s->json)
		print_json(f, f->ladder);
	else
		print_ladder(f->ladder);
}

void feed_climb(struct feed *f)
{
	struct feed_settings own = *f->s;
	struct ladder l = { 0 };

	if (!own.epochs && !own.steps && own.seconds <= 0) {
		own.seconds = RUNG_SECONDS;
		own.epochs = 1;
	}
	f->s = &own;
	if (!learn_list(f, &l)) {
		f->ladder = &l;
		climb(f, &l);
		feed_ladder_report(f);
		f->ladder = NULL;
	}
	for (unsigned i = 0; i < l.done; i++)
		free(l.rungs[i].stage);
	free(l.rungs);
	free(l.list);
	f->s = f->c->settings;
}
