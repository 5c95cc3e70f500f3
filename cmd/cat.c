/* cmd/cat.c - tfr cat: selects records and writes them one after another.
 *
 * A failure leaves no output, but what a pipe has received cannot be taken back.  A dry run does
 * everything but opening the output: it verifies, counts and sums the same records. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/on_error.h"
#include "common/selection.h"

struct cat_settings {
	uint64_t shuffle_buffer, seed, skip, limit, max_record;
	const char *output, *interleave, *records, *where, *every, *sample, *keep, *drop, *on_error,
		*mix;
	int level, from, to, compress, compression, progress;
	bool follow, force, dry_run, allow_missing, quiet;
	struct expecting expect;
};

/* In the order of the words of --to. */
enum { TO_RECORDS, TO_RAW, TO_DELIMITED };

static const struct cat_settings defaults = { .limit = UINT64_MAX, .output = "-" };

static const struct opt options[] = {
	OPT_HEADING("Input"),
	OPT(CHOICE, 0, "from", "KIND", "records|lines|delimited",
		"the kind of input: records, lines of text, or delimited: payloads, each after "
		"its length as a varint [records]",
		struct cat_settings, from),
	OPT(STRING, 0, "interleave", "CYCLE,BLOCK", NULL,
		"read BLOCK records from each of CYCLE open files in turn, as tf.data's interleave "
		"does",
		struct cat_settings, interleave),
	OPT(STRING, 0, "mix", "SET=WEIGHT,...", NULL,
		"in place of FILEs: draw each record from one of these sets by their weights, as "
		"tf.data's sample_from_datasets does; with until=first in the list, stop where the "
		"first set ends",
		struct cat_settings, mix),
	OPT_GONE("mix-end",
		"In place of stop, add until=first to the list of --mix; drop needs nothing. For "
		"repeat, give a pipe: while cat SET; do :; done | tfr cat --mix -=WEIGHT,..."),
	OPT(FLAG, 0, "follow", NULL, NULL,
		"at the end of a growing file or a FIFO, wait for more until interrupted",
		struct cat_settings, follow),
	OPT(CHOICE, 0, "compression", "KIND", "auto|none|gzip|zlib",
		"the compression of the input: auto, none, gzip or zlib [auto: detected]",
		struct cat_settings, compression),
	OPT_MISSING(struct cat_settings, allow_missing),
	OPT_HEADING("Selection and order"),
	OPT(STRING, 0, "records", "LIST", NULL,
		"select records by number, from 0 over all inputs: 0,5,10-20,100-",
		struct cat_settings, records),
	OPT(STRING, 0, "where", "EXPR", NULL,
		"select records for which EXPR holds, such as 'image/class/label == 3'",
		struct cat_settings, where),
	OPT(STRING, 0, "every", "N[+OFFSET]", NULL,
		"select every N-th record from record OFFSET on [+0]", struct cat_settings, every),
	OPT(STRING, 0, "sample", "P", NULL,
		"select each record with probability P, drawn by --seed", struct cat_settings,
		sample),
	OPT(COUNT, 0, "shuffle-buffer", "N", NULL,
		"shuffle by a shuffle buffer of N records, as tf.data's shuffle(N, seed) does in "
		"the first epoch [0: keep the order]",
		struct cat_settings, shuffle_buffer),
	OPT(COUNT, 0, "seed", "N", NULL, "the seed of --mix, --sample and --shuffle-buffer [0]",
		struct cat_settings, seed),
	OPT(COUNT, 0, "skip", "N", NULL, "skip the first N selected records [0]",
		struct cat_settings, skip),
	OPT(COUNT, 'n', "limit", "N", NULL, "write at most N records [all]", struct cat_settings,
		limit),
	OPT(STRING, 0, "keep", "FEATURES", NULL,
		"keep only these features of each Example, names separated by commas",
		struct cat_settings, keep),
	OPT(STRING, 0, "drop", "FEATURES", NULL, "drop these features of each Example",
		struct cat_settings, drop),
	OPT_HEADING("Output"),
	OPT(STRING, 'o', "output", "OUT", NULL,
		"write OUT: a file, a set such as 'all@4.tfrecord' (round-robin), or - [-]",
		struct cat_settings, output),
	OPT(CHOICE, 0, "to", "FORM", "records|raw|delimited",
		"the form of OUT: records, raw: payloads without framing, or delimited: payloads, "
		"each after its length as a varint [records]",
		struct cat_settings, to),
	OPT_ALIAS("raw", "to=raw"),
	OPT_ALIAS("delimited", "to=delimited"),
	OPT_COMPRESS(struct cat_settings, compress),
	OPT_LEVEL(struct cat_settings, level),
	OPT_EXPECT_OUTPUT(struct cat_settings, expect),
	OPT(FLAG, 0, "dry-run", NULL, NULL,
		"write nothing; print OUT, its records and its size in bytes before compression",
		struct cat_settings, dry_run),
	OPT_FORCE(struct cat_settings, force),
	OPT_HEADING("Running"),
	OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",
		"damaged records: fail, skip them with a warning, or quarantine=FILE: skip them "
		"and write their bytes to FILE [fail]",
		struct cat_settings, on_error),
	OPT_RECORD_MEMORY(struct cat_settings, max_record),
	OPT_PROGRESS(struct cat_settings, progress),
	OPT_QUIET(struct cat_settings, quiet),
	OPTIONS_END,
};

/* --- --keep and --drop --- */

/* The features of an Example are sorted, and a record can have many: names are looked up in a
 * sorted list. */
struct name {
	const char *text; /* in the list: `size` bytes and a NUL, owned */
	size_t size;
};

struct features {
	struct name *names;
	size_t count;
	bool keep;
	uint64_t records;
	struct tfr_example *example;
	struct tfr_builder *builder;
	struct tfr_feature_watch *watch;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);

	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Finds the name at `at`, and its end.  NULL: it is empty and not quoted, or its quote is not
 * closed. */
static const char *read_name(const char *at, const char **start, size_t *size)
{
	const char *end;

	if (*at != '"' && *at != '\'') {
		*start = at;
		*size = strcspn(at, ",");
		return *size ? at + *size : NULL;
	}
	end = strchr(at + 1, *at);
	*start = at + 1;
	*size = end ? (size_t)(end - at) - 1 : 0;
	return end && (end[1] == ',' || !end[1]) ? end + 1 : NULL;
}

static bool add_name(struct features *f, const char *start, size_t size)
{
	struct name *larger = reallocarray(f->names, f->count + 1, sizeof(*larger));
	char *text = larger ? strndup(start, size) : NULL;

	if (larger)
		f->names = larger;
	if (text)
		f->names[f->count++] = (struct name){ text, size };
	return text != NULL;
}

static int read_names(struct cmd *c, struct features *f, const char *list)
{
	const char *start, *end;
	size_t size;

	for (const char *at = list;; at = end + 1) {
		end = read_name(at, &start, &size);
		if (!end)
			return cmd_usage(c,
				"--%s takes names separated by commas, in quotes where one has a "
				"comma, not '%s'",
				f->keep ? "keep" : "drop", list);
		if (!add_name(f, start, size))
			return cmd_no_memory(c);
		if (!*end)
			break;
	}
	qsort(f->names, f->count, sizeof(*f->names), compare_names);
	for (size_t i = 0; i < f->count; i++)
		if ((!i || compare_names(&f->names[i - 1], &f->names[i])) &&
			!tfr_feature_watch_add(f->watch, f->names[i].text))
			return cmd_no_memory(c);
	return 0;
}

/* Accepts NULL. */
static void features_close(struct features *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++)
		free((void *)(uintptr_t)f->names[i].text);
	free(f->names);
	tfr_example_free(f->example);
	tfr_builder_free(f->builder);
	tfr_feature_watch_free(f->watch);
	free(f);
}

/* Parses names separated by commas, with or without quotes.  If both lists are NULL, *f is NULL and
 * records stay unchanged.  On failure the error is printed and the exit status returned; 0 is
 * success. */
static int features_open(struct cmd *c, struct features **out, const char *keep, const char *drop)
{
	struct features *f;

	*out = NULL;
	if (!keep && !drop)
		return 0;
	if (keep && drop)
		return cmd_usage(c, "--keep and --drop cannot be combined");
	f = calloc(1, sizeof(*f));
	if (!f)
		return cmd_no_memory(c);
	f->keep = keep != NULL;
	f->example = tfr_example_new();
	f->builder = tfr_builder_new();
	f->watch = tfr_feature_watch_new();
	if (!f->example || !f->builder || !f->watch)
		cmd_no_memory(c);
	else if (!read_names(c, f, keep ? keep : drop))
		*out = f;
	if (*out)
		return 0;
	features_close(f);
	return c->exit;
}

/* The record with the features that are kept, in the builder's form, as pieces that are valid
 * until the next call.  TFR_EDATA: the record is not an Example. */
static enum tfr_status features_apply(struct features *f, const struct tfr_record *rec,
	const struct iovec **pieces, int *n, struct tfr_error *err)
{
	size_t size;

	if (tfr_is_sequence_example(rec->data, rec->size)) {
		*err = (struct tfr_error){ .status = TFR_EDATA,
			.message = "a SequenceExample, whose feature lists would be lost," };
		tfr_error_hint(err, "--keep and --drop are for Examples.");
		return TFR_EDATA;
	}
	TFR_TRY(tfr_example_parse(f->example, rec->data, rec->size, err));
	tfr_feature_watch_look(f->watch, f->example);
	tfr_builder_reset(f->builder);
	for (size_t i = 0; i < tfr_example_count(f->example); i++) {
		const struct tfr_feature *feature = tfr_example_at(f->example, i);

		struct name name = { feature->key, feature->key_size };
		bool named = bsearch(&name, f->names, f->count, sizeof(name), compare_names);

		if (named == f->keep)
			TFR_TRY(tfr_builder_feature(f->builder, feature, err));
	}
	f->records++;
	return tfr_builder_gather(f->builder, pieces, n, &size, err);
}

/* --- the copy --- */

struct cat_run {
	struct cmd *c;
	const struct cat_settings *s;
	struct selection in;
	struct features *features; /* --keep, --drop; NULL: records stay as they are */
	struct tfr_set_writer *out;
	struct tfr_stream_writer *bare; /* --to raw or delimited */
	uint64_t written, bytes, sum;
	uint64_t lengths; /* bytes of the varints of --to delimited */
	struct tfr_expect expect;
	uint64_t taken_sum;		  /* of the records as they were read, for --expect-sum */
	const volatile bool *interrupted; /* --follow */
	struct tfr_error unknown;	  /* a name in --keep that no record has */
};

static size_t put_varint(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

static enum tfr_status write_payload(struct cat_run *run, const struct iovec *pieces, int n,
	const struct tfr_digest *d, struct tfr_error *err)
{
	size_t length_size = 0;
	uint8_t length[10];
	uint32_t shard;

	run->bytes += d->size;
	run->sum += d->sum;
	run->written++;
	if (run->s->to == TO_DELIMITED)
		length_size = put_varint(length, d->size);
	run->lengths += length_size;
	if (run->s->dry_run)
		return TFR_OK;
	assert(!run->out != !run->bare);
	if (run->out) {
		shard = (uint32_t)((run->written - 1) % tfr_set_writer_shards(run->out));
		return tfr_set_writer_put(run->out, shard, pieces, n, d, err);
	}
	if (run->s->to == TO_DELIMITED)
		TFR_TRY(tfr_stream_writer_put(
			run->bare, &(struct iovec){ length, length_size }, 1, err));
	return tfr_stream_writer_put(run->bare, pieces, n, err);
}

static enum tfr_status write_record(
	struct cat_run *run, const struct tfr_record *rec, struct tfr_error *err)
{
	struct iovec whole = { (void *)(uintptr_t)rec->data, rec->size };
	const struct iovec *pieces = &whole;
	enum tfr_status status;
	struct tfr_digest d;
	int n = 1;

	if (!run->features) {
		tfr_digest_record(rec, &d);
		run->taken_sum += d.sum;
		return write_payload(run, pieces, n, &d, err);
	}
	status = features_apply(run->features, rec, &pieces, &n, err);
	if (status == TFR_EDATA)
		return tfr_select_reject(run->in.select, rec, status, err);
	if (status)
		return status;
	if (run->expect.has_sum) {
		tfr_digest_record(rec, &d);
		run->taken_sum += d.sum;
	}
	tfr_digest_pieces(pieces, n, &d);
	return write_payload(run, pieces, n, &d, err);
}

static enum tfr_status open_output(struct cat_run *run, struct tfr_error *err)
{
	const struct cat_settings *s = run->s;
	struct tfr_writer_opts opts = {
		.compression = (enum tfr_compression)s->compress,
		.level = s->level,
		.force = s->force,
		.temporaries = cmd_temporaries(),
		.expected = tfr_is_url(s->output) ? selection_bytes(&run->in) : 0,
	};

	if (s->dry_run)
		return TFR_OK;
	if (s->to != TO_RECORDS)
		return tfr_stream_writer_open(&run->bare, s->output, &opts, err);
	return tfr_set_writer_open(&run->out, s->output, &opts, cmd_warn_text, run->c, err);
}

static void note_unknown(void *ctx, const struct tfr_error *err)
{
	struct cat_run *run = ctx;

	if (run->unknown.status)
		cmd_error(run->c, &run->unknown);
	run->unknown = *err;
}

static void warn_of_feature(void *ctx, const char *text)
{
	cmd_warn_text(((struct cat_run *)ctx)->c, text);
}

/* Reports names in --keep and --drop that no record has.  If all records passed through here, such
 * a name in --keep is an error, and nothing is published. */
static enum tfr_status check_features(struct cat_run *run, struct tfr_error *err)
{
	const struct features *f = run->features;
	bool all = !run->s->records && run->s->limit == UINT64_MAX && f &&
		   f->records == tfr_select_records_read(run->in.select);

	if (f && f->records)
		tfr_feature_watch_report(
			f->watch, f->keep && all ? note_unknown : NULL, warn_of_feature, run);
	*err = run->unknown;
	return err->status;
}

static enum tfr_status publish(struct cat_run *run, struct tfr_error *err)
{
	TFR_AUTO_SET_INFO info = { .command = run->c->line };

	TFR_TRY(tfr_expect_check(&run->expect, run->written, run->taken_sum, err));
	TFR_TRY(check_features(run, err));
	if (!run->s->follow)
		TFR_TRY(tfr_expect_some(
			&run->expect, tfr_select_records_read(run->in.select), run->written, err));
	if (run->s->dry_run)
		return TFR_OK;
	if (run->bare) {
		TFR_TRY(tfr_stream_writer_seal(run->bare, err));
		TFR_TRY(selection_publish(&run->in, err));
		return tfr_stream_writer_publish(run->bare, err);
	}
	TFR_TRY(selection_carry(&run->in, &info, err));
	info.beside[0] = run->in.quarantine;
	return tfr_set_writer_publish(run->out, &info, err);
}

static enum tfr_status copy_records(struct cat_run *run, struct tfr_error *err)
{
	struct tfr_record rec;
	enum tfr_status status;

	while (!(status = tfr_select_next(run->in.select, &rec, err)))
		TFR_TRY(write_record(run, &rec, err));
	return status == TFR_END ? TFR_OK : status;
}

enum { FOLLOW_NS = 50 * 1000 * 1000 };

static enum tfr_status flush(struct cat_run *run, struct tfr_error *err)
{
	if (run->out)
		return tfr_set_writer_flush(run->out, err);
	return run->bare ? tfr_stream_writer_flush(run->bare, err) : TFR_OK;
}

/* --follow at the present end of the input: the reader of our output gets all of it now. */
static enum tfr_status wait_for_more(void *ctx, struct tfr_error *err)
{
	struct cat_run *run = ctx;

	TFR_TRY(flush(run, err));
	if (!*run->interrupted) /* a signal ends the sleep */
		nanosleep(&(struct timespec){ .tv_nsec = FOLLOW_NS }, NULL);
	return *run->interrupted ? TFR_END : TFR_OK;
}

static void print_summary(struct cat_run *run)
{
	struct cmd_summary summary = {
		.read = tfr_select_records_read(run->in.select),
		.written = run->written,
		.bad = tfr_select_bad(run->in.select),
		.bytes = run->bytes,
		.sum = run->sum,
		.seconds = cmd_seconds(),
	};

	cmd_print_summary(run->c, &summary);
}

/* The framing of a record takes 16 bytes. */
static void print_plan(const struct cat_run *run)
{
	uint64_t framing = run->s->to != TO_RECORDS ? 0 : 16 * run->written;

	cmd_print_planned(run->s->output, run->written, run->bytes + framing + run->lengths);
}

static bool names_a_set(const char *output)
{
	struct tfr_set_name name;
	bool is_set = tfr_set_name_parse(&name, output, NULL) != TFR_END;

	tfr_set_name_clear(&name);
	return is_set;
}

/* Whether a reader can end the output: it is neither a file nor a set. */
static bool is_pipe(const char *output)
{
	struct stat st;

	if (!strcmp(output, "-"))
		return fstat(STDOUT_FILENO, &st) || !S_ISREG(st.st_mode);
	return !tfr_stat(output, &st) && S_ISFIFO(st.st_mode);
}

/* --follow has no end of its own, so that there is no time at which an output file is complete. */
static int check_follow(struct cmd *c, const struct cat_settings *s)
{
	if (!s->follow)
		return 0;
	if (s->dry_run)
		return cmd_usage(c, "--follow has no end; it cannot go with --dry-run");
	if (s->mix)
		return cmd_usage(c, "--follow reads one input; it cannot go with --mix");
	if (strcmp(s->output, "-") && !is_pipe(s->output))
		return cmd_usage(
			c, "--follow writes to standard output or a FIFO, not to '%s'", s->output);
	if (s->compress == TFR_COMPRESSION_GZIP || s->compress == TFR_COMPRESSION_ZLIB)
		return cmd_usage(c, "--follow cannot compress its output");
	return 0;
}

/* Finishes or undoes what a killed run had begun to publish at the output. */
static int prepare_output(struct cmd *c, const struct cat_settings *s)
{
	if (s->to != TO_RECORDS && names_a_set(s->output))
		return cmd_usage(c, "--to raw and --to delimited write one file, not a set");
	if (!s->dry_run)
		tfr_set_recover(s->output, cmd_temporaries(), cmd_warn_text, c);
	if (on_error_quarantine(s->on_error) &&
		!strcmp(on_error_quarantine(s->on_error), s->output))
		return cmd_usage(c, "the output and the quarantine are one file");
	return 0;
}

static struct selection_opts what_to_select(const struct cat_settings *s)
{
	return (struct selection_opts){
		.select = {
			.framing = (enum tfr_framing)s->from,
			.compression = (enum tfr_compression)s->compression,
			.records = s->records,
			.where = s->where,
			.shuffle_buffer = s->shuffle_buffer,
			.seed = s->seed,
			.skip = s->skip,
			.limit = s->limit,
		},
		.interleave = s->interleave,
		.mix = s->mix,
		.every = s->every,
		.sample = s->sample,
		.allow_missing = s->allow_missing,
		/* A dry run writes no quarantine. */
		.on_error = s->dry_run && on_error_quarantine(s->on_error) ? "skip" : s->on_error,
		.force = s->force,
	};
}

/* Copies all records and prints the closing line. */
static void write_all(struct cat_run *run)
{
	struct tfr_error err;

	if (open_output(run, &err) || copy_records(run, &err) || publish(run, &err)) {
		cmd_progress_stop();
		if (!run->written) /* the reason may be a misspelt feature */
			tfr_select_warn_unmatched(run->in.select);
		cmd_error(run->c, &err);
		if (run->s->follow && flush(run, &err)) /* complete records are promised */
			cmd_error(run->c, &err);
	} else {
		cmd_progress_stop();
		tfr_select_warn_unmatched(run->in.select);
		if (run->s->dry_run)
			print_plan(run);
		else
			print_summary(run);
	}
	tfr_set_writer_close(run->out);
	tfr_stream_writer_close(run->bare);
}

static int cat_main(struct cmd *c)
{
	const struct cat_settings *s = c->settings;
	struct tfr_progress progress = { 0 };
	struct cat_run run = { .c = c, .s = s };
	struct tfr_growing growing = { wait_for_more, &run };
	struct selection_opts opts = what_to_select(s);

	c->quiet = s->quiet;
	opts.select.growing = s->follow ? &growing : NULL;
	opts.select.progress = &progress;
	if (prepare_output(c, s) || check_follow(c, s) || cmd_expect(c, &s->expect, &run.expect))
		return c->exit;
	if ((!s->dry_run && cmd_check_terminal(c, s->output, s->force)) ||
		features_open(c, &run.features, s->keep, s->drop))
		return c->exit;
	if (selection_open(c, &run.in, &opts)) {
		features_close(run.features);
		return c->exit;
	}
	if (s->follow) {
		cmd_temporaries(); /* first: its handler would end the process at once */
		run.interrupted = cmd_catch_signals();
	}
	progress.total_bytes = selection_bytes(&run.in);
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	write_all(&run);
	selection_close(&run.in);
	features_close(run.features);
	if (s->follow)
		cmd_end_of_signal();
	return c->exit;
}

const struct command cmd_cat = {
	.name = "cat",
	.operands = "[FILE]...",
	.summary = "select records and write them to a file or set",
	.options = options,
	.settings_size = sizeof(struct cat_settings),
	.defaults = &defaults,
	.main = cat_main,
};
