/* example/print/event.c - Events, the records of TensorBoard's files.
 *
 * The values of a summary are unpacked one at a time, so that memory grows with the largest of
 * them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "example/print/print.h"
#include "example/tensor.h"
#include "example/unpack.h"
#include "example/wire.h"

/* Width of the names below, except in a summary. */
enum { OTHER_WIDTH = 14 };

static struct tfr_bytes bytes_of(ProtobufCBinaryData b)
{
	return (struct tfr_bytes){ b.len ? b.data : (const uint8_t *)"", b.len };
}

static struct tfr_bytes plugin_of(const Tfr__SummaryValue *v)
{
	if (!v->metadata || !v->metadata->plugin_data)
		return (struct tfr_bytes){ (const uint8_t *)"", 0 };
	return bytes_of(v->metadata->plugin_data->plugin_name);
}

static const char *level_name(int32_t level)
{
	switch (level) {
	case 10:
		return "debug";
	case 20:
		return "info";
	case 30:
		return "warn";
	case 40:
		return "error";
	case 50:
		return "fatal";
	default:
		return "unknown";
	}
}

static const char *status_name(int32_t status)
{
	static const char *const names[] = { "unspecified", "start", "stop", "checkpoint" };

	return status >= 0 && status < 4 ? names[status] : "unknown";
}

static const char *value_name(const Tfr__SummaryValue *v)
{
	switch (v->value_case) {
	case TFR__SUMMARY_VALUE__VALUE_OBSOLETE_OLD_STYLE_HISTOGRAM:
		return "obsolete_old_style_histogram";
	case TFR__SUMMARY_VALUE__VALUE_IMAGE:
		return "image";
	case TFR__SUMMARY_VALUE__VALUE_HISTO:
		return "histogram";
	case TFR__SUMMARY_VALUE__VALUE_AUDIO:
		return "audio";
	default:
		return "unset";
	}
}

/* ---- JSON ---- */

static bool json_bytes(struct tfr_printer *p, const char *key, ProtobufCBinaryData b)
{
	tfr_json_key(p->json, key, strlen(key));
	return tfr_print_json_bytes(p, bytes_of(b));
}

static bool json_image(struct tfr_printer *p, const Tfr__SummaryImage *m)
{
	bool ok;

	tfr_json_open_object(p->json, "image");
	tfr_json_i64(p->json, "height", m->height);
	tfr_json_i64(p->json, "width", m->width);
	tfr_json_i64(p->json, "colorspace", m->colorspace);
	ok = json_bytes(p, "encoded_image_string", m->encoded_image_string);
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_audio(struct tfr_printer *p, const Tfr__Audio *m)
{
	bool ok;

	tfr_json_open_object(p->json, "audio");
	tfr_json_f32(p->json, "sample_rate", m->sample_rate);
	tfr_json_i64(p->json, "num_channels", m->num_channels);
	tfr_json_i64(p->json, "length_frames", m->length_frames);
	ok = json_bytes(p, "encoded_audio_string", m->encoded_audio_string) &&
	     json_bytes(p, "content_type", m->content_type);
	tfr_json_close_object(p->json);
	return ok;
}

static void json_doubles(struct tfr_printer *p, const char *key, const double *values, size_t n)
{
	tfr_json_open_array(p->json, key);
	for (size_t i = 0; i < n; i++)
		tfr_json_f64(p->json, NULL, values[i]);
	tfr_json_close_array(p->json);
}

static void json_histogram(struct tfr_printer *p, const Tfr__Histogram *m)
{
	tfr_json_open_object(p->json, "histogram");
	tfr_json_f64(p->json, "min", m->min);
	tfr_json_f64(p->json, "max", m->max);
	tfr_json_f64(p->json, "num", m->num);
	tfr_json_f64(p->json, "sum", m->sum);
	tfr_json_f64(p->json, "sum_squares", m->sum_squares);
	json_doubles(p, "bucket_limit", m->bucket_limit, m->n_bucket_limit);
	json_doubles(p, "bucket", m->bucket, m->n_bucket);
	tfr_json_close_object(p->json);
}

static bool json_value(
	struct tfr_printer *p, const Tfr__SummaryValue *v, const struct tfr_tensor_proto *tensor)
{
	struct tfr_bytes plugin = plugin_of(v);
	bool ok;

	tfr_json_open_object(p->json, NULL);
	ok = json_bytes(p, "tag", v->tag);
	if (plugin.size)
		tfr_json_bytes(p->json, "plugin", plugin.data, plugin.size);
	switch (v->value_case) {
	case TFR__SUMMARY_VALUE__VALUE_SIMPLE_VALUE:
		tfr_json_f32(p->json, "simple_value", v->simple_value);
		break;
	case TFR__SUMMARY_VALUE__VALUE_OBSOLETE_OLD_STYLE_HISTOGRAM:
		ok = ok && json_bytes(p, value_name(v), v->obsolete_old_style_histogram);
		break;
	case TFR__SUMMARY_VALUE__VALUE_IMAGE:
		ok = ok && json_image(p, v->image);
		break;
	case TFR__SUMMARY_VALUE__VALUE_HISTO:
		json_histogram(p, v->histo);
		break;
	case TFR__SUMMARY_VALUE__VALUE_AUDIO:
		ok = ok && json_audio(p, v->audio);
		break;
	case TFR__SUMMARY_VALUE__VALUE_TENSOR:
		ok = ok && tfr_print_json_tensor(p, "tensor", *tensor);
		break;
	default:
		break;
	}
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_session(struct tfr_printer *p, const Tfr__SessionLog *m)
{
	bool ok;

	tfr_json_open_object(p->json, "session_log");
	tfr_json_string(p->json, "status", status_name(m->status));
	ok = json_bytes(p, "checkpoint_path", m->checkpoint_path) && json_bytes(p, "msg", m->msg);
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_log(struct tfr_printer *p, const Tfr__LogMessage *m)
{
	bool ok;

	tfr_json_open_object(p->json, "log_message");
	tfr_json_string(p->json, "level", level_name(m->level));
	ok = json_bytes(p, "message", m->message);
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_metadata(struct tfr_printer *p, const Tfr__TaggedRunMetadata *m)
{
	bool ok;

	tfr_json_open_object(p->json, "tagged_run_metadata");
	ok = json_bytes(p, "tag", m->tag) && json_bytes(p, "run_metadata", m->run_metadata);
	tfr_json_close_object(p->json);
	return ok;
}

/* The contents of an Event other than summaries. */
static bool json_what(struct tfr_printer *p, const Tfr__Event *e)
{
	switch (e->what_case) {
	case TFR__EVENT__WHAT_FILE_VERSION:
		return json_bytes(p, "file_version", e->file_version);
	case TFR__EVENT__WHAT_GRAPH_DEF:
		return json_bytes(p, "graph_def", e->graph_def);
	case TFR__EVENT__WHAT_META_GRAPH_DEF:
		return json_bytes(p, "meta_graph_def", e->meta_graph_def);
	case TFR__EVENT__WHAT_LOG_MESSAGE:
		return json_log(p, e->log_message);
	case TFR__EVENT__WHAT_SESSION_LOG:
		return json_session(p, e->session_log);
	case TFR__EVENT__WHAT_TAGGED_RUN_METADATA:
		return json_metadata(p, e->tagged_run_metadata);
	default:
		return true;
	}
}

/* ---- Text ---- */

static bool text_number(struct tfr_printer *p, double value)
{
	tfr_json_reset(p->json);
	tfr_json_f64(p->json, NULL, value);
	return tfr_print_text_json(p);
}

static bool text_size(struct tfr_printer *p, size_t size)
{
	char text[TFR_SIZE_TEXT];

	return tfr_buf_printf(&p->text, "%s", tfr_format_size(size, text));
}

static bool text_histogram(
	struct tfr_printer *p, double num, double min, double max, uint64_t buckets)
{
	return text_number(p, num) && tfr_buf_printf(&p->text, " values, ") &&
	       text_number(p, min) && tfr_buf_printf(&p->text, " to ") && text_number(p, max) &&
	       tfr_buf_printf(&p->text, ", %llu bucket%s", (unsigned long long)buckets,
		       buckets == 1 ? "" : "s");
}

static bool is_plugin(const Tfr__SummaryValue *v, const char *name)
{
	struct tfr_bytes plugin = plugin_of(v);

	return plugin.size == strlen(name) && !memcmp(plugin.data, name, plugin.size);
}

/* Rows of left edge, right edge and count, in the layout of tf.summary.histogram. */
static bool text_tensor_histogram(
	struct tfr_printer *p, struct tfr_bytes tag, size_t width, struct tfr_tensor_proto t)
{
	double min = INFINITY, max = -INFINITY, num = 0;
	struct tfr_tensor_value left, right, count;

	while (tfr_tensor_next(&t, &left) && tfr_tensor_next(&t, &right) &&
		tfr_tensor_next(&t, &count)) {
		min = fmin(min, left.d[0]);
		max = fmax(max, right.d[0]);
		num += count.d[0];
	}
	return tfr_print_text_head(p, tag.data, tag.size, width, "histogram", "") &&
	       text_histogram(p, num, min, max, t.count / 3);
}

static bool text_tensor(struct tfr_printer *p, const Tfr__SummaryValue *v, struct tfr_bytes tag,
	size_t width, const struct tfr_tensor_proto *t)
{
	const Tfr__TensorShape *shape = t->message->tensor_shape;
	struct tfr_bytes plugin = plugin_of(v);

	if (is_plugin(v, "scalars") && !shape->n_dim && t->count)
		return tfr_print_text_tensor(p, tag, width, "scalar", *t);
	if (is_plugin(v, "histograms") && t->dtype->form == TFR_FORM_F64 && t->count &&
		t->count == t->elements && shape->n_dim == 2 && shape->dim[1]->size == 3)
		return text_tensor_histogram(p, tag, width, *t);
	return tfr_print_text_tensor(p, tag, width, NULL, *t) &&
	       (!plugin.size ||
		       (tfr_buf_printf(&p->text, "; plugin ") && tfr_print_text_bytes(p, plugin)));
}

static bool text_audio(struct tfr_printer *p, const Tfr__Audio *m)
{
	return tfr_print_text_bytes(p, bytes_of(m->content_type)) &&
	       tfr_buf_printf(&p->text, ", ") && text_number(p, m->sample_rate) &&
	       tfr_buf_printf(&p->text, " Hz, %lld channel%s, %lld frames, ",
		       (long long)m->num_channels, m->num_channels == 1 ? "" : "s",
		       (long long)m->length_frames) &&
	       text_size(p, m->encoded_audio_string.len);
}

static bool text_value(struct tfr_printer *p, const Tfr__SummaryValue *v, size_t width,
	const struct tfr_tensor_proto *tensor)
{
	struct tfr_bytes tag = bytes_of(v->tag);
	bool scalar = v->value_case == TFR__SUMMARY_VALUE__VALUE_SIMPLE_VALUE;

	if (v->value_case == TFR__SUMMARY_VALUE__VALUE_TENSOR)
		return text_tensor(p, v, tag, width, tensor);
	if (!tfr_print_text_head(
		    p, tag.data, tag.size, width, scalar ? "scalar" : value_name(v), ""))
		return false;
	switch (v->value_case) {
	case TFR__SUMMARY_VALUE__VALUE_SIMPLE_VALUE:
		tfr_json_reset(p->json);
		tfr_json_f32(p->json, NULL, v->simple_value);
		return tfr_print_text_json(p);
	case TFR__SUMMARY_VALUE__VALUE_OBSOLETE_OLD_STYLE_HISTOGRAM:
		return text_size(p, v->obsolete_old_style_histogram.len);
	case TFR__SUMMARY_VALUE__VALUE_IMAGE:
		return tfr_print_text_bytes(p, bytes_of(v->image->encoded_image_string));
	case TFR__SUMMARY_VALUE__VALUE_HISTO:
		return text_histogram(
			p, v->histo->num, v->histo->min, v->histo->max, v->histo->n_bucket);
	case TFR__SUMMARY_VALUE__VALUE_AUDIO:
		return text_audio(p, v->audio);
	default:
		return true;
	}
}

/* One line: name, kind, and the text, or the size of other bytes. */
static bool text_line(struct tfr_printer *p, const char *name, const char *kind,
	ProtobufCBinaryData b, bool sized)
{
	return tfr_print_text_head(p, name, strlen(name), OTHER_WIDTH, kind, "") &&
	       (sized ? text_size(p, b.len) : tfr_print_text_bytes(p, bytes_of(b))) &&
	       tfr_print_end_line(p);
}

static bool text_what(struct tfr_printer *p, const Tfr__Event *e)
{
	switch (e->what_case) {
	case TFR__EVENT__WHAT_FILE_VERSION:
		return text_line(p, "file_version", "text", e->file_version, false);
	case TFR__EVENT__WHAT_GRAPH_DEF:
		return text_line(p, "graph_def", "bytes", e->graph_def, true);
	case TFR__EVENT__WHAT_META_GRAPH_DEF:
		return text_line(p, "meta_graph_def", "bytes", e->meta_graph_def, true);
	case TFR__EVENT__WHAT_LOG_MESSAGE:
		return text_line(p, "log_message", level_name(e->log_message->level),
			e->log_message->message, false);
	case TFR__EVENT__WHAT_SESSION_LOG:
		return text_line(p, "session_log", status_name(e->session_log->status),
			e->session_log->msg.len ? e->session_log->msg
						: e->session_log->checkpoint_path,
			false);
	case TFR__EVENT__WHAT_TAGGED_RUN_METADATA:
		return text_line(p, "run_metadata", "tag", e->tagged_run_metadata->tag, false) &&
		       text_line(p, "", "bytes", e->tagged_run_metadata->run_metadata, true);
	default:
		return true;
	}
}

/* The time in UTC, so that one file prints the same everywhere. */
static bool text_heading(struct tfr_printer *p, const Tfr__Event *e, size_t width)
{
	char step[32], when[40];
	time_t seconds;
	struct tm tm;

	snprintf(step, sizeof(step), "%lld", (long long)e->step);
	if (!tfr_print_text_head(p, "event", 5, width, "step", step))
		return false;
	if (!(e->wall_time >= 0 && e->wall_time < 253402300800.0)) /* up to the year 9999 */
		return text_number(p, e->wall_time) && tfr_buf_printf(&p->text, " s after 1970") &&
		       tfr_print_end_line(p);
	seconds = (time_t)e->wall_time;
	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	return tfr_buf_printf(&p->text, "%s.%03d UTC", when,
		       (int)((e->wall_time - (double)seconds) * 1000)) &&
	       tfr_print_end_line(p);
}

/* ---- Both ---- */

static enum tfr_status print_value(struct tfr_printer *p, bool json, ProtobufCBinaryData b,
	size_t width, struct tfr_error *err)
{
	Tfr__SummaryValue *v;
	struct tfr_tensor_proto tensor = { 0 };
	enum tfr_status status = TFR_OK;

	TFR_TRY(TFR_UNPACK(&v, tfr__summary_value__unpack, b.data, b.len,
		"not an Event: a value of its summary cannot be parsed", err));
	if (v->value_case == TFR__SUMMARY_VALUE__VALUE_TENSOR)
		status = tfr_tensor_init(&tensor, v->tensor, err);
	if (!status && !(json ? json_value(p, v, &tensor)
			      : text_value(p, v, width, &tensor) && tfr_print_end_line(p)))
		status = tfr_fail_nomem(err, "printing a record");
	tfr__summary_value__free_unpacked(v, NULL);
	return status;
}

static size_t tag_size(ProtobufCBinaryData b)
{
	struct tfr_bytes value = bytes_of(b);
	struct tfr_wire w = { .p = value.data, .end = value.data + value.size };
	struct tfr_wire_field f;
	size_t size = 0;

	while (tfr_wire_next(&w, &f))
		if (f.number == 1 && f.type == TFR_WIRE_BYTES)
			size = f.size;
	return size;
}

static size_t name_width(const Tfr__Event *e)
{
	size_t width = 8;

	if (e->what_case != TFR__EVENT__WHAT_SUMMARY)
		return OTHER_WIDTH;
	for (size_t i = 0; i < e->summary->n_value; i++)
		width = tfr_print_wider(width, tag_size(e->summary->value[i]));
	return width;
}

static enum tfr_status print_summary(struct tfr_printer *p, bool json, const Tfr__Summary *s,
	size_t width, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (json)
		tfr_json_open_array(p->json, "summary");
	for (size_t i = 0; !status && i < s->n_value; i++)
		status = print_value(p, json, s->value[i], width, err);
	if (json)
		tfr_json_close_array(p->json);
	return status;
}

static bool json_heading(struct tfr_printer *p, const Tfr__Event *e)
{
	tfr_json_open_object(p->json, NULL);
	tfr_json_open_object(p->json, "event");
	tfr_json_f64(p->json, "wall_time", e->wall_time);
	tfr_json_i64(p->json, "step", e->step);
	return !e->source_metadata || json_bytes(p, "writer", e->source_metadata->writer);
}

enum tfr_status tfr_print_event(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	Tfr__Event *e;
	size_t width;
	bool ok;

	TFR_TRY(TFR_UNPACK(
		&e, tfr__event__unpack, data, size, "not an Event: it cannot be parsed", err));
	width = name_width(e);
	ok = json ? json_heading(p, e) && json_what(p, e)
		  : text_heading(p, e, width) && text_what(p, e);
	if (e->what_case == TFR__EVENT__WHAT_SUMMARY && ok)
		status = print_summary(p, json, e->summary, width, err);
	if (json) {
		tfr_json_close_object(p->json);
		tfr_json_close_object(p->json);
	}
	tfr__event__free_unpacked(e, NULL);
	return ok ? status : tfr_fail_nomem(err, "printing a record");
}
