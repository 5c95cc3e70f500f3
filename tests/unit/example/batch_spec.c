/* Wanted features as a command line has them. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr/batch.h>

static void accepted(const char *spec, const char *name, enum tfr_kind kind, enum tfr_layout layout,
	size_t count)
{
	struct tfr_batch_feature f;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_batch_feature_parse(&f, spec, &err), TFR_OK, "%s: %s", spec, err.message);
	cr_expect_str_eq(f.name, name);
	cr_expect_eq(f.name_size, 0);
	cr_expect_eq(f.kind, kind);
	cr_expect_eq(f.layout, layout);
	cr_expect_eq(f.count, count);
	cr_expect_eq(f.copy, kind == TFR_KIND_BYTES);
	cr_expect(!f.fill && !f.splits32);
	tfr_batch_feature_clear(&f);
	cr_expect_null(f.name);
}

static void refused(const char *spec, const char *why)
{
	struct tfr_batch_feature f;
	struct tfr_error err = { 0 };
	char message[200];

	snprintf(message, sizeof(message), "feature '%s' %s", spec, why);
	cr_expect_eq(tfr_batch_feature_parse(&f, spec, &err), TFR_EUSAGE, "%s", spec);
	cr_expect_str_eq(err.message, message);
	cr_expect_neq(*tfr_error_hint_text(&err), '\0');
	cr_expect_null(f.name);
}

Test(batch_spec, accepted)
{
	accepted("label:int64[17]", "label", TFR_KIND_INT64, TFR_DENSE, 17);
	accepted("label:int64", "label", TFR_KIND_INT64, TFR_DENSE, 1);
	accepted("weights:float[]", "weights", TFR_KIND_FLOAT, TFR_RAGGED, 1);
	accepted("weights:float[*]", "weights", TFR_KIND_FLOAT, TFR_PADDED, 1);
	accepted("image/key:bytes[1]", "image/key", TFR_KIND_BYTES, TFR_DENSE, 1);
	accepted("a:b c[3]:float[2]", "a:b c[3]", TFR_KIND_FLOAT, TFR_DENSE, 2);
	accepted("\"a:int64[2]\":float[1073741824]", "a:int64[2]", TFR_KIND_FLOAT, TFR_DENSE,
		1 << 30);
	accepted("'it\\'s \\\\ \\n':bytes[]", "it's \\ \\n", TFR_KIND_BYTES, TFR_RAGGED, 1);
}

Test(batch_spec, refused)
{
	refused("label", "has no kind");
	refused("", "has no kind");
	refused(":int64[1]", "has no name");
	refused("'':int64[1]", "has no name");
	refused("a:", "has a kind other than int64, float and bytes");
	refused("a:int32[1]", "has a kind other than int64, float and bytes");
	refused("a:int[1]", "has a kind other than int64, float and bytes");
	refused("a:int64[0]", "has a shape other than [N], [*] and []");
	refused("a:int64[1073741825]", "has a shape other than [N], [*] and []");
	refused("a:int64[99999999999999999999]", "has a shape other than [N], [*] and []");
	refused("a:int64[-1]", "has a shape other than [N], [*] and []");
	refused("a:int64[1", "has a shape other than [N], [*] and []");
	refused("a:int64[1]x", "has a shape other than [N], [*] and []");
	refused("a:int64[2,3]", "has a shape other than [N], [*] and []");
	refused("a:int64[**]", "has a shape other than [N], [*] and []");
	refused("\"a:int64[1]", "has a quote that does not end before a colon");
	refused("\"a\"int64[1]", "has a quote that does not end before a colon");
}
