/* example/print/tensor_text.c - TensorProtos as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "example/print/print.h"
#include "example/tensor.h"

static bool json_value(struct tfr_printer *p, const struct tfr_tensor_value *v)
{
	bool wide = v->form == TFR_FORM_COMPLEX128;

	switch (v->form) {
	case TFR_FORM_STRING:
		return tfr_print_json_bytes(p, v->bytes);
	case TFR_FORM_F32:
		tfr_json_f32(p->json, NULL, v->f[0]);
		break;
	case TFR_FORM_F64:
		tfr_json_f64(p->json, NULL, v->d[0]);
		break;
	case TFR_FORM_U64:
		tfr_json_u64(p->json, NULL, v->u);
		break;
	case TFR_FORM_BOOL:
		tfr_json_bool(p->json, NULL, v->i);
		break;
	case TFR_FORM_COMPLEX64:
	case TFR_FORM_COMPLEX128:
		tfr_json_open_array(p->json, NULL);
		for (int i = 0; i < 2; i++)
			if (wide)
				tfr_json_f64(p->json, NULL, v->d[i]);
			else
				tfr_json_f32(p->json, NULL, v->f[i]);
		tfr_json_close_array(p->json);
		break;
	default:
		tfr_json_i64(p->json, NULL, v->i);
		break;
	}
	return true;
}

static bool json_tensor(struct tfr_printer *p, struct tfr_tensor_proto t)
{
	const Tfr__TensorShape *shape = t.message->tensor_shape;
	struct tfr_tensor_value v;
	bool ok = true;

	tfr_json_open_object(p->json, "tensor");
	tfr_json_string(p->json, "dtype", t.dtype->name);
	tfr_json_open_array(p->json, "shape");
	for (size_t i = 0; i < shape->n_dim; i++)
		tfr_json_i64(p->json, NULL, shape->dim[i]->size);
	tfr_json_close_array(p->json);
	if (t.dtype->form == TFR_FORM_OPAQUE) {
		tfr_json_u64(p->json, "bytes", t.message->tensor_content.len);
	} else {
		tfr_json_open_array(p->json, "values");
		while (ok && tfr_tensor_next(&t, &v))
			ok = json_value(p, &v);
		tfr_json_close_array(p->json);
	}
	tfr_json_close_object(p->json);
	return ok;
}

static bool text_value(struct tfr_printer *p, const struct tfr_tensor_value *v)
{
	if (v->form == TFR_FORM_STRING)
		return tfr_print_text_bytes(p, v->bytes);
	tfr_json_reset(p->json);
	json_value(p, v);
	return tfr_print_text_json(p);
}

/* "[2, 3]", cut if a shape has too many dimensions for a line. */
static void shape_text(const Tfr__TensorShape *shape, char *text, size_t size)
{
	size_t used = 1;

	snprintf(text, size, "[");
	for (size_t i = 0; i < shape->n_dim && used < size - 30; i++)
		used += (size_t)snprintf(
			text + used, size - used, "%s%" PRId64, i ? ", " : "", shape->dim[i]->size);
	snprintf(text + used, size - used, used < size - 30 ? "]" : ", …]");
}

static bool text_tensor(struct tfr_printer *p, struct tfr_tensor_proto t)
{
	struct tfr_tensor_value v;
	char shape[128];
	bool ok;

	shape_text(t.message->tensor_shape, shape, sizeof(shape));
	ok = tfr_print_text_head(p, "tensor", 6, 8, t.dtype->name, shape);
	for (unsigned i = 0; ok && i < p->opts.values && tfr_tensor_next(&t, &v); i++)
		ok = (!i || tfr_buf_append(&p->text, ", ", 2)) && text_value(p, &v);
	if (!ok)
		return false;
	if (t.dtype->form == TFR_FORM_OPAQUE)
		return tfr_buf_printf(&p->text, "%zu bytes", (size_t)t.message->tensor_content.len);
	if (t.next < t.count)
		return tfr_buf_printf(&p->text, ", …");
	if (t.count && t.count < t.elements)
		return tfr_buf_printf(&p->text, ", which repeats");
	return t.count || !t.elements || tfr_buf_printf(&p->text, "zeros");
}

static enum tfr_status print_message(
	struct tfr_printer *p, bool json, const Tfr__TensorProto *m, struct tfr_error *err)
{
	struct tfr_tensor_proto t;
	bool ok;

	TFR_TRY(tfr_tensor_init(&t, m, err));
	if (json) {
		tfr_json_open_object(p->json, NULL);
		ok = json_tensor(p, t);
		tfr_json_close_object(p->json);
	} else {
		ok = text_tensor(p, t) && tfr_print_end_line(p);
	}
	TFR_NEED_MEMORY(ok, err, "printing a record");
	return TFR_OK;
}

/* --- parsing --- */

static void *allocate(void *failed, size_t size)
{
	void *p = malloc(size);

	*(bool *)failed |= !p;
	return p;
}

static void release(void *failed, void *p)
{
	(void)failed;
	free(p);
}

/* protobuf-c returns NULL for invalid bytes and for a failed allocation, which this allocator tells
 * apart.  It is malloc() and free(), so that free_unpacked(m, NULL) releases what it gave. */
static enum tfr_status unpack_tensor(
	Tfr__TensorProto **m, const void *data, size_t size, struct tfr_error *err)
{
	bool failed = false;
	ProtobufCAllocator allocator = { allocate, release, &failed };

	*m = tfr__tensor_proto__unpack(&allocator, size, data);
	TFR_NEED_MEMORY(!failed || *m, err, "parsing a record");
	return *m ? TFR_OK : tfr_fail(err, TFR_EDATA, "not a TensorProto: it cannot be parsed");
}

enum tfr_status tfr_print_tensor(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	Tfr__TensorProto *m;
	enum tfr_status status;

	TFR_TRY(unpack_tensor(&m, data, size, err));
	status = print_message(p, json, m, err);
	tfr__tensor_proto__free_unpacked(m, NULL);
	return status;
}
