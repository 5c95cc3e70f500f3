/* select/select.c - the stages of a selection, in the order that <tfr-private/select.h> defines.
 *
 * Each stage is a function that asks the stage before it for records until one passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/select.h>

#include "base/error.h"
#include "base/shuffler.h"
#include "example/wire.h"
#include "record/framing.h"
#include "select/select.h"

/* A copy of a record in the shuffle buffer, because the reader's view is valid only until the next
 * call. */
struct kept {
	struct tfr_record rec;
	const char *path;
	uint8_t data[];
};

struct tfr_select {
	struct tfr_select_opts o;
	struct tfr_fault_policy faults;
	struct tfr_mix *in;
	struct number_list list;
	struct tfr_where *where;
	struct tfr_example *example;
	struct tfr_shuffler shuffler;
	struct kept *shown; /* the last record returned, if it came from the shuffle buffer */
	const char *path;
	uint64_t matched, skipped, given;
	bool read_to_the_end;
};

static uint64_t next_wanted(void *ctx, uint64_t from)
{
	struct tfr_select *s = ctx;

	return tfr_number_list_next(&s->list, from);
}

static enum tfr_status open_stages(
	struct tfr_select *s, const struct tfr_set *set, struct tfr_error *err)
{
	struct tfr_cycle_opts cycle = { .order = s->o.order,
		.framing = s->o.framing,
		.compression = s->o.compression,
		.growing = s->o.growing,
		.faults = &s->faults,
		.next_wanted = s->o.records ? next_wanted : NULL,
		.ctx = s,
		.progress = s->o.progress };

	if (!s->o.order.cycle != !s->o.order.block)
		return tfr_fail(err, TFR_EUSAGE, "a cycle and a block are above 0");
	if (s->o.growing && s->o.mix)
		return tfr_fail(err, TFR_EUSAGE, "one file can be followed, not a mix of sets");
	if (s->o.growing && tfr_set_count(set) != 1)
		return tfr_fail(
			err, TFR_EUSAGE, "one file can be followed, not %zu", tfr_set_count(set));
	if (s->o.sampled && !(s->o.sample >= 0 && s->o.sample <= 1))
		return tfr_fail(err, TFR_EUSAGE, "a sample's probability is from 0 to 1, not %g",
			s->o.sample);
	if (s->o.sampled && s->o.every)
		return tfr_fail(
			err, TFR_EUSAGE, "every n-th record and a sample cannot be combined");
	if (s->o.records)
		TFR_TRY(tfr_number_list_parse(&s->list, s->o.records, err));
	if (s->o.where) {
		TFR_TRY(tfr_where_compile(&s->where, s->o.where, err));
		s->example = tfr_example_new();
		TFR_NEED_MEMORY(s->example, err, "selecting records");
	}
	tfr_shuffler_init(&s->shuffler, s->o.shuffle_buffer, s->o.seed);
	return tfr_mix_open(&s->in, set, s->o.mix, &cycle, s->o.seed, err);
}

enum tfr_status tfr_select_open(struct tfr_select **out, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_error *err)
{
	struct tfr_select *s = calloc(1, sizeof(*s));
	enum tfr_status status;

	TFR_NEED_MEMORY(s, err, "selecting records");
	s->o = *opts;
	s->faults = (struct tfr_fault_policy){ .on_fault = opts->on_fault,
		.quarantine = opts->quarantine,
		.warn = opts->warn,
		.ctx = opts->ctx };
	tfr_fault_policy_init(&s->faults);
	status = open_stages(s, set, err);
	if (status)
		tfr_select_close(s);
	else
		*out = s;
	return status;
}

void tfr_select_close(struct tfr_select *s)
{
	if (!s)
		return;
	for (void *kept; (kept = tfr_shuffler_discard(&s->shuffler));)
		free(kept);
	tfr_shuffler_clear(&s->shuffler);
	free(s->shown);
	tfr_mix_close(s->in);
	tfr_number_list_clear(&s->list);
	tfr_where_free(s->where);
	tfr_example_free(s->example);
	tfr_fault_policy_clear(&s->faults);
	free(s);
}

/* --- the stages --- */

/* Whether the expression holds, or there is none. */
static enum tfr_status matches(
	struct tfr_select *s, const struct tfr_record *rec, bool *selected, struct tfr_error *err)
{
	enum tfr_status status;

	*selected = true;
	if (!s->where)
		return TFR_OK;
	status = tfr_example_parse(s->example, rec->data, rec->size, err);
	if (!status)
		status = tfr_where_match(s->where, s->example, selected, err);
	if (status != TFR_EDATA)
		return status;
	*selected = false;
	return tfr_select_reject(s, rec, status, err);
}

/* Reads the next record whose number is in the list.  After the end of the list nothing is read. */
static enum tfr_status next_listed(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	do {
		if (s->o.records && tfr_number_list_ends_before(&s->list, tfr_mix_seen(s->in)))
			return TFR_END;
		status = tfr_mix_next(s->in, rec, err);
	} while (
		!status && s->o.records && !tfr_number_list_has(&s->list, tfr_mix_seen(s->in) - 1));
	if (!status)
		s->path = tfr_mix_path(s->in);
	s->read_to_the_end = status == TFR_END;
	return status;
}

static enum tfr_status next_matching(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err)
{
	bool selected = false;

	while (!selected) {
		TFR_TRY(next_listed(s, rec, err));
		TFR_TRY(matches(s, rec, &selected, err));
	}
	return TFR_OK;
}

/* Whether the last record is dropped by every-n-th or by sampling. */
static bool thinned_out(struct tfr_select *s)
{
	uint64_t n = s->matched++;
	struct tfr_rng rng;

	if (s->o.every)
		return n < s->o.every_offset || (n - s->o.every_offset) % s->o.every;
	if (!s->o.sampled)
		return false;
	tfr_rng_init(&rng, s->o.seed, tfr_mix_seen(s->in) - 1);
	return tfr_rng_unit(&rng) >= s->o.sample;
}

static enum tfr_status next_thinned(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err)
{
	do
		TFR_TRY(next_matching(s, rec, err));
	while (thinned_out(s));
	return TFR_OK;
}

static enum tfr_status keep_record(
	struct tfr_select *s, const struct tfr_record *rec, struct tfr_error *err)
{
	struct kept *kept = malloc(sizeof(*kept) + rec->size);

	if (!kept || !tfr_shuffler_push(&s->shuffler, kept, rec->size)) {
		free(kept);
		tfr_fail_nomem(err, "filling the shuffle buffer");
		tfr_error_hint(err, "Take a smaller buffer, or shuffle on disk.");
		return TFR_ENOMEM;
	}
	kept->rec = *rec;
	kept->rec.data = kept->data;
	kept->path = s->path;
	if (rec->size) /* an empty payload may have no address */
		memcpy(kept->data, rec->data, rec->size);
	return TFR_OK;
}

static enum tfr_status next_shuffled(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	if (!s->o.shuffle_buffer)
		return next_thinned(s, rec, err);
	while (!tfr_shuffler_ready(&s->shuffler)) {
		if (tfr_shuffler_drained(&s->shuffler))
			return TFR_END;
		status = next_thinned(s, rec, err);
		if (status == TFR_END)
			tfr_shuffler_close_epoch(&s->shuffler);
		else
			TFR_TRY(status ? status : keep_record(s, rec, err));
	}
	free(s->shown);
	s->shown = tfr_shuffler_pop(&s->shuffler);
	s->path = s->shown->path;
	*rec = s->shown->rec;
	return TFR_OK;
}

enum tfr_status tfr_select_next(struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err)
{
	if (s->given == s->o.limit)
		return TFR_END;
	for (;;) {
		TFR_TRY(next_shuffled(s, rec, err));
		if (s->skipped == s->o.skip)
			break;
		s->skipped++;
	}
	s->given++;
	return TFR_OK;
}

/* --- reports --- */

const char *tfr_select_path(const struct tfr_select *s)
{
	return s->path;
}

/* Writes the record as it is in its file to the quarantine. */
static enum tfr_status give_up(
	struct tfr_select *s, const struct tfr_record *rec, struct tfr_error *err)
{
	uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER] = { '\n' };
	size_t head_size = 0, foot_size = 0;

	switch (s->o.framing) {
	case TFR_FRAMING_RECORDS:
		head_size = sizeof(head);
		foot_size = sizeof(foot);
		tfr_put_header(head, rec->size);
		tfr_store32(foot, tfr_crc_mask(rec->crc));
		break;
	case TFR_FRAMING_DELIMITED:
		head_size = (size_t)(tfr_wire_put_varint(head, rec->size) - head);
		break;
	case TFR_FRAMING_LINES:
		foot_size = 1;
		break;
	}
	TFR_TRY(tfr_fault_put(&s->faults, head, head_size, err));
	TFR_TRY(tfr_fault_put(&s->faults, rec->data, rec->size, err));
	return tfr_fault_put(&s->faults, foot, foot_size, err);
}

enum tfr_status tfr_select_reject(struct tfr_select *s, const struct tfr_record *rec,
	enum tfr_status status, struct tfr_error *err)
{
	tfr_select_locate(s, rec, err);
	/* Whatever the caller calls it, to a selection it is a bad record. */
	if (s->faults.on_fault == TFR_ON_FAULT_SKIP)
		status = tfr_fault_skip_record(&s->faults, NULL, TFR_EDATA, err, NULL, 0);
	return status || !s->faults.quarantine ? status : give_up(s, rec, err);
}

void tfr_select_locate(
	const struct tfr_select *s, const struct tfr_record *rec, struct tfr_error *err)
{
	tfr_error_locate(err, s->path, rec->index, rec->offset);
}

/* Warns if the list names a number that no record has. */
static void warn_of_numbers(struct tfr_select *s)
{
	const struct number_range *r = &s->list.ranges[s->list.count - 1];
	uint64_t named = r->last == UINT64_MAX ? r->first : r->last, seen = tfr_mix_seen(s->in);
	char text[100];

	if (named < seen)
		return;
	snprintf(text, sizeof(text), "there is no record %llu: the inputs have %llu",
		(unsigned long long)named, (unsigned long long)seen);
	tfr_fault_warn(&s->faults, NULL, text);
}

void tfr_select_warn_unmatched(struct tfr_select *s)
{
	if (s->o.records && s->read_to_the_end)
		warn_of_numbers(s);
	if (s->where && tfr_mix_records_read(s->in))
		tfr_feature_watch_report(tfr_where_lookout(s->where),
			s->read_to_the_end ? s->o.missing : NULL, s->o.warn, s->o.ctx);
}

uint64_t tfr_select_records_read(const struct tfr_select *s)
{
	return tfr_mix_records_read(s->in);
}

uint64_t tfr_select_bad(const struct tfr_select *s)
{
	return s->faults.faults;
}
