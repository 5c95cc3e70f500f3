/* The values of every narrow type, against what NumPy reads (tests/data/narrow.expected). */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example/tensor.h"

enum { LONGEST = 1 << 16 };

static FILE *open_data(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", getenv("TFR_TEST_DATA"), name);
	f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	return f;
}

/* The payload of the next record; 0: the end. */
static size_t next_record(FILE *f, uint8_t *payload)
{
	uint8_t head[12], foot[4];
	uint64_t size;

	if (fread(head, 1, 12, f) != 12)
		return 0;
	memcpy(&size, head, 8);
	cr_assert_leq(size, LONGEST);
	cr_assert_eq(fread(payload, 1, size, f), size);
	cr_assert_eq(fread(foot, 1, 4, f), 4);
	return size;
}

static int put_f32(char *out, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return isnan(f) ? sprintf(out, "nan") : sprintf(out, "%" PRIx32, bits);
}

static int put_f64(char *out, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	return isnan(d) ? sprintf(out, "nan") : sprintf(out, "%" PRIx64, bits);
}

static int put_value(char *out, const struct tfr_tensor_value *v)
{
	int n;

	switch (v->form) {
	case TFR_FORM_F32:
		return put_f32(out, v->f[0]);
	case TFR_FORM_COMPLEX64:
		n = put_f32(out, v->f[0]);
		out[n++] = '+';
		return n + put_f32(out + n, v->f[1]);
	case TFR_FORM_COMPLEX128:
		n = put_f64(out, v->d[0]);
		out[n++] = '+';
		return n + put_f64(out + n, v->d[1]);
	default:
		cr_assert_eq(v->form, TFR_FORM_I64);
		return sprintf(out, "%" PRId64, v->i);
	}
}

Test(tensor, narrow_types_are_numpys)
{
	static uint8_t payload[LONGEST];
	static char got[LONGEST], want[LONGEST];
	FILE *records = open_data("narrow.snapshot"), *lines = open_data("narrow.expected");
	unsigned types = 0, last = 0;
	size_t size;

	while ((size = next_record(records, payload))) {
		Tfr__TensorProto *m = tfr__tensor_proto__unpack(NULL, size, payload);
		struct tfr_error err = { 0 };
		struct tfr_tensor_value v;
		struct tfr_tensor_proto t;
		int n = 0;

		cr_assert_not_null(m);
		cr_assert_not(tfr_tensor_init(&t, m, &err), "%s", err.message);
		while (tfr_tensor_next(&t, &v)) {
			n += put_value(got + n, &v);
			got[n++] = ' ';
		}
		got[n - 1] = '\0';
		cr_assert_not_null(fgets(want, sizeof(want), lines));
		want[strcspn(want, "\n")] = '\0';
		cr_assert_str_eq(got, want, "%s", t.dtype->name);
		types += (unsigned)m->dtype != last;
		last = (unsigned)m->dtype;
		tfr__tensor_proto__free_unpacked(m, NULL);
	}
	cr_assert_eq(types, 19);
	cr_assert_null(fgets(want, sizeof(want), lines));
	fclose(records);
	fclose(lines);
}
