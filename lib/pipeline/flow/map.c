/* pipeline/flow/map.c - records parsed, filtered and decoded, and pixels transformed: many at a
 * time.
 *
 * The result of one sample does not depend on any other, so that workers work on the slots of a
 * node side by side.  A record that fails leaves no gap here, only fewer records. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/flow/nodes.h"

/* ---- parse and filter ---- */

static enum tfr_status find_image(struct tfr_flow *flow, struct tfr_worker *w,
	struct tfr_pipeline_sample *s, struct tfr_error *err)
{
	bool masks = flow->settings->masks;
	const char *name = w->node->finds_audio ? "audio/encoded" : "image/encoded";
	struct tfr_bytes image, mask;

	if (!tfr_feature_bytes(tfr_example_get(w->example, name), 0, &image))
		return tfr_fail(err, TFR_EDATA, "no %s", name);
	s->image = image.data;
	s->image_size = image.size;
	if (!masks)
		return TFR_OK;
	if (!tfr_feature_bytes(
		    tfr_example_get(w->example, "image/segmentation/class/encoded"), 0, &mask))
		return tfr_fail(err, TFR_EDATA, "no image/segmentation/class/encoded");
	s->mask = mask.data;
	s->mask_size = mask.size;
	return TFR_OK;
}

/* `filter_ns`: where the time that filtering takes is wanted. */
static enum tfr_status parse_one(struct tfr_flow *flow, struct tfr_worker *w,
	struct tfr_pipeline_sample *s, bool *wanted, uint64_t *filter_ns)
{
	const struct tfr_flow_node *n = w->node;
	enum tfr_status status = tfr_example_parse(w->example, s->data, s->size, &w->err);
	uint64_t start = filter_ns ? tfr_clock_ns() : 0;

	*wanted = true;
	if (status == TFR_OK && n->filters)
		status = tfr_where_match(w->where, w->example, wanted, &w->err);
	if (filter_ns)
		*filter_ns += tfr_clock_ns() - start;
	if (status == TFR_OK && *wanted && n->finds)
		status = find_image(flow, w, s, &w->err);
	return status;
}

/* The row of the stage of that kind in this node; the node's last row if it has none. */
static unsigned row_of(
	const struct tfr_flow *flow, const struct tfr_flow_node *n, enum tfr_stage_kind kind)
{
	for (unsigned i = n->from; i < n->to; i++)
		if (flow->settings->list.at[i].kind == kind)
			return i;
	return n->to - 1;
}

/* Parsing and filtering take turns on each record: what filtering takes is measured on every 16th.
 */
static void parse_all(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_node_slot *s)
{
	const struct tfr_flow_node *n = w->node;
	uint64_t start = tfr_clock_ns(), parsed = 0, bytes = 0, kept_bytes = 0, took, filter = 0;
	unsigned parse_row = row_of(flow, n, STAGE_PARSE),
		 filter_row = row_of(flow, n, STAGE_FILTER);
	uint64_t first = s->in[0] ? s->in[0]->ordinal : 0;
	unsigned kept = 0, measured = 0;

	for (unsigned i = 0; i < s->in_count; i++) {
		struct tfr_pipeline_sample *one = s->in[i];
		bool wanted = true, measure = one && n->filters && i % 16 == 0;

		if (!one) { /* an epoch ends: there is room for as many as came */
			s->out[s->out_count++] = NULL;
			continue;
		}
		measured += measure;
		if (parse_one(flow, w, one, &wanted, measure ? &filter : NULL)) {
			tfr_control_bad_record(flow->control, one, &w->err);
			wanted = false;
		} else {
			parsed++;
			bytes += one->size;
		}
		if (wanted) {
			s->out[s->out_count++] = one;
			kept++;
			kept_bytes += one->size;
		} else {
			tfr_sample_put(flow->pool, one);
		}
	}
	assert(s->out_count <= s->in_count && s->out_count <= s->out_capacity);
	took = tfr_clock_ns() - start;
	filter = measured ? filter * s->in_count / measured : 0;
	filter = filter < took ? filter : took;
	if (n->filters)
		tfr_work_time_add(&w->time, filter_row, filter, kept, kept_bytes);
	if (n->parses || n->finds)
		tfr_work_time_add(&w->time, parse_row, took - filter, parsed, bytes);
	tfr_trace_work(
		flow->settings, parse_row, w->time.thread, start, start + took - filter, first);
	if (n->filters && parse_row != filter_row)
		tfr_trace_work(flow->settings, filter_row, w->time.thread, start + took - filter,
			start + took, first);
}

/* ---- pixels ---- */

/* Where outputs of one image go: samples of their own. */
struct making {
	const struct tfr_flow *flow;
	struct tfr_pipeline_sample **made; /* by copy */
};

static void *place_output(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct making *m = ctx;

	if (!m->made[k])
		m->made[k] = tfr_sample_pixels(m->flow->pool, form, m->flow->settings->masks);
	return m->made[k] ? m->made[k]->pixels[mask].data : NULL;
}

struct tfr_image_input tfr_sample_image(const struct tfr_pipeline_sample *s)
{
	struct tfr_image_input in = {
		.encoded = s->image,
		.encoded_size = s->image_size,
		.mask_encoded = s->mask,
		.mask_encoded_size = s->mask_size,
		.epoch = s->epoch,
		.ordinal = s->ordinal,
		.copy = s->copy,
	};

	if (s->pixels) {
		in.image = s->pixels[0];
		in.mask = s->pixels[1];
	}
	return in;
}

/* Makes all copies of the image of one sample, next to each other in the slot. */
static enum tfr_status make_one(struct tfr_flow *flow, struct tfr_worker *w,
	struct tfr_node_slot *s, const struct tfr_pipeline_sample *one)
{
	const struct tfr_recipe *r = &w->node->recipe;
	struct making m = { flow, s->out + s->out_count };
	struct tfr_image_input in = tfr_sample_image(one);
	enum tfr_status status;

	memset(m.made, 0, r->copies * sizeof(*m.made));
	status = tfr_image_executor_run(w->executor, r, &in, place_output, &m, &w->err);
	for (uint32_t k = 0; k < r->copies && status == TFR_OK; k++) {
		struct tfr_pipeline_sample *made = m.made[k];

		made->epoch = one->epoch;
		made->ordinal = one->ordinal;
		made->record = one->record;
		made->offset = one->offset;
		made->file = one->file;
		made->copy = one->copy * r->copies + k;
		made->size = k ? 0 : one->size;
	}
	if (status == TFR_ECANCELLED)
		status = tfr_fail_nomem(&w->err, "decoding");
	if (status)
		tfr_samples_put(flow->pool, m.made, r->copies);
	else
		s->out_count += r->copies;
	return status;
}

/* Adds the executor's time to each stage of the recipe, and traces it. */
void tfr_worker_spent_images(const struct tfr_flow *flow, struct tfr_worker *w,
	const struct tfr_pipeline_sample *one, uint64_t start, uint64_t bytes)
{
	const struct tfr_flow_node *n = w->node;
	const uint64_t *spent = tfr_image_executor_spent(w->executor);
	uint32_t copies = 1;

	for (unsigned i = n->from; i < n->to && n->decodes; i++) {
		uint64_t took = spent[i];

		copies *= flow->settings->list.at[i].copies ? flow->settings->list.at[i].copies : 1;
		tfr_work_time_add(&w->time, i, took, copies,
			flow->settings->list.at[i].kind == STAGE_DECODE ? one->size : bytes);
		if (took)
			tfr_trace_work(flow->settings, i, w->time.thread, start, start + took,
				one->ordinal);
		start += took;
	}
}

static enum tfr_status make_all(
	struct tfr_flow *flow, struct tfr_worker *w, struct tfr_node_slot *s)
{
	for (unsigned i = 0; i < s->in_count; i++) {
		struct tfr_pipeline_sample *one = s->in[i];
		uint64_t start = tfr_clock_ns(), bytes = 0;
		unsigned before = s->out_count;

		if (!tfr_node_slot_reserve(s, w->node->recipe.copies))
			return tfr_fail_nomem(&w->err, "decoding");
		if (!one) {
			s->out[s->out_count++] = NULL;
			continue;
		}
		if (make_one(flow, w, s, one)) {
			tfr_control_bad_record(flow->control, one, &w->err);
		} else {
			for (unsigned k = before; k < s->out_count; k++)
				bytes += s->out[k]->pixels->stride * s->out[k]->pixels->height;
			tfr_worker_spent_images(flow, w, one, start, bytes);
		}
		tfr_sample_put(flow->pool, one);
	}
	return TFR_OK;
}

void tfr_map_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	struct tfr_node_slot *s = w->slot;
	const struct tfr_flow_node *n = w->node;
	enum tfr_status status = TFR_OK;

	if (n->decodes) {
		status = make_all(flow, w, s);
	} else if (n->parses || n->finds || n->filters) {
		parse_all(flow, w, s);
	} else {
		memcpy(s->out, s->in, s->in_count * sizeof(*s->in));
		s->out_count = s->in_count;
	}
	if (n->keeps) {
		uint64_t start = tfr_clock_ns();

		if (status == TFR_OK && !tfr_samples_keep(flow->pool, s->out, s->out_count))
			status = tfr_fail_nomem(&w->err, "copying records");
		tfr_work_time_spend(&w->time, flow->settings, n->keeps_row, start,
			s->out_count && s->out[0] ? s->out[0]->ordinal : 0);
	}
	tfr_worker_lock_and_settle(flow, w);
	if (status)
		tfr_control_fail(flow->control, status, &w->err);
	tfr_node_slot_finish(flow, w->node, s);
}
