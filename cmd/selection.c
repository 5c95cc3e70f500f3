/* cmd/selection.c - one stream of records out of all inputs, as the selecting options leave it.
 *
 * Damage ends the stream unless --on-error allows it; then the reader goes on behind a damaged
 * payload, and behind a damaged length where the next record verifies. */
#include "selection.h"

#include <stdlib.h>
#include <string.h>

struct selection {
	struct cmd *c;
	struct selection_opts opts;
	struct tfr_set *set;
	size_t next_file;
	struct tfr_reader *reader;
	struct tfr_where *where;
	struct tfr_example *example;
	uint64_t selected, given, read, bad;
	uint64_t read_before; /* this file */
};

static int open_where(struct selection *s)
{
	struct tfr_error err;

	if (!s->opts.where)
		return 0;
	if (tfr_where_compile(&s->where, s->opts.where, &err))
		return cmd_fail(s->c, &err);
	s->example = tfr_example_new();
	if (!s->example)
		return cmd_fail(s->c,
			&(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
	return 0;
}

static int check_on_error(struct selection *s)
{
	const char *how = s->opts.on_error;

	if (!how || !strcmp(how, "fail")) {
		s->opts.on_error = NULL;
		return 0;
	}
	if (strcmp(how, "skip"))
		return cmd_usage(s->c, "--on-error takes fail or skip, not '%s'", how);
	return 0;
}

int selection_open(struct cmd *c, struct selection **out, const struct selection_opts *opts)
{
	struct selection *s = calloc(1, sizeof(*s));

	if (!s)
		return cmd_fail(
			c, &(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
	s->c = c;
	s->opts = *opts;
	if (check_on_error(s) || open_where(s) ||
		cmd_open_inputs(c, opts->allow_missing, &s->set)) {
		selection_close(s);
		return c->exit;
	}
	*out = s;
	return 0;
}

static enum tfr_status next_file(struct selection *s, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .compression = s->opts.compression };

	tfr_reader_close(s->reader);
	s->reader = NULL;
	s->read_before = s->read;
	if (s->next_file == tfr_set_count(s->set))
		return TFR_END;
	return tfr_reader_open(&s->reader, tfr_set_path(s->set, s->next_file++), &opts, err);
}

/* Whether reading can go on after a fault that --on-error=skip allows. */
static enum tfr_status pass_over(struct selection *s, struct tfr_error *err)
{
	char text[8192];
	uint64_t lost;
	enum tfr_fault fault = tfr_reader_fault(s->reader);
	enum tfr_status status = TFR_OK;

	s->bad++;
	cmd_warn(s->c, "%s", tfr_error_format(err, text, sizeof(text)));
	if (fault == TFR_FAULT_LENGTH || fault == TFR_FAULT_CUT)
		status = tfr_reader_resync(s->reader, &lost, err);
	else if (fault != TFR_FAULT_PAYLOAD)
		status = TFR_END;
	return status == TFR_END ? next_file(s, err) : status;
}

static enum tfr_status read_next(struct selection *s, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status = s->reader ? TFR_OK : next_file(s, err);

	while (!status) {
		status = tfr_reader_next(s->reader, rec, err);
		if (!status) {
			s->read++;
			tfr_progress_add(s->opts.progress, 1, rec->size + TFR_RECORD_OVERHEAD);
			return TFR_OK;
		}
		if (status == TFR_END) {
			if (s->read == s->read_before)
				cmd_warn_empty(s->c, tfr_set_path(s->set, s->next_file - 1));
			status = next_file(s, err);
		} else if (status == TFR_EDATA && s->opts.on_error) {
			status = pass_over(s, err);
		}
	}
	return status;
}

static enum tfr_status matches(
	struct selection *s, const struct tfr_record *rec, bool *selected, struct tfr_error *err)
{
	enum tfr_status status;

	*selected = true;
	if (!s->where)
		return TFR_OK;
	status = tfr_example_parse(s->example, rec->data, rec->size, err);
	if (!status)
		status = tfr_where_match(s->where, s->example, selected, err);
	if (status == TFR_EDATA)
		selection_locate(s, rec, err);
	return status;
}

enum tfr_status selection_next(struct selection *s, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;
	bool selected;

	if (s->given == s->opts.limit)
		return TFR_END;
	for (;;) {
		status = read_next(s, rec, err);
		if (!status)
			status = matches(s, rec, &selected, err);
		if (status == TFR_EDATA && s->opts.on_error && s->reader) { /* not an Example */
			char text[8192];

			s->bad++;
			cmd_warn(s->c, "%s", tfr_error_format(err, text, sizeof(text)));
			continue;
		}
		if (status)
			return status;
		if (selected && s->selected++ >= s->opts.skip) {
			s->given++;
			return TFR_OK;
		}
	}
}

const char *selection_path(const struct selection *s)
{
	return tfr_reader_name(s->reader);
}

void selection_locate(
	const struct selection *s, const struct tfr_record *rec, struct tfr_error *err)
{
	err->has_record = true;
	err->record = rec->index;
	err->offset = rec->offset;
	snprintf(err->path, sizeof(err->path), "%s", selection_path(s));
}

void selection_finish(struct selection *s)
{
	if (s->where && s->read)
		tfr_where_warn(s->where, cmd_warn_text, s->c);
}

void selection_close(struct selection *s)
{
	if (!s)
		return;
	tfr_reader_close(s->reader);
	tfr_where_free(s->where);
	tfr_example_free(s->example);
	tfr_set_close(s->set);
	free(s);
}

uint64_t selection_bytes(const struct selection *s)
{
	return tfr_set_bytes(s->set);
}

uint64_t selection_read(const struct selection *s)
{
	return s->read;
}

uint64_t selection_bad(const struct selection *s)
{
	return s->bad;
}
