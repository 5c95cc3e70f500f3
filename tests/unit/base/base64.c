#include "base/base64.h"

#include <criterion/criterion.h>
#include <string.h>

/* RFC 4648, section 10. */
static const char *const pairs[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
	{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfb", "//77" } };

Test(base64, test_vectors)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		TFR_AUTO_BUF text = { 0 }, bytes = { 0 };
		const char *plain = pairs[i][0], *coded = pairs[i][1];

		cr_assert(tfr_base64_encode(&text, plain, strlen(plain)));
		cr_assert_eq(text.size, strlen(coded));
		cr_assert(!text.size || !memcmp(text.data, coded, text.size));
		cr_assert(tfr_base64_decode(&bytes, coded, strlen(coded)));
		cr_assert_eq(bytes.size, strlen(plain));
		cr_assert(!bytes.size || !memcmp(bytes.data, plain, bytes.size));
	}
}

Test(base64, one_form_only)
{
	static const char *const wrong[] = { "Z", "Zg",
		"Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm 9", "Z=9v", "Zg==Zg==" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		TFR_AUTO_BUF bytes = { 0 };

		cr_assert_not(
			tfr_base64_decode(&bytes, wrong[i], strlen(wrong[i])), "'%s'", wrong[i]);
	}
}
