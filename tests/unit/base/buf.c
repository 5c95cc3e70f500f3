#include <criterion/criterion.h>

#include "base/buf.h"

/* Offsets may be added to what holds 0 bytes. */
Test(buf, nothing_is_memory_too)
{
	TFR_AUTO_BUF reserved = { 0 };
	TFR_AUTO_BUF appended = { 0 };

	cr_assert(tfr_buf_reserve(&reserved, 0));
	cr_assert_not_null(reserved.data);
	cr_assert(tfr_buf_append(&appended, NULL, 0));
	cr_assert_not_null(appended.data);
	cr_assert_eq(appended.size, 0);
}

Test(buf, a_size_past_the_address_space)
{
	TFR_AUTO_BUF b = { 0 };

	cr_assert(tfr_buf_append(&b, "a", 1));
	cr_assert_not(tfr_buf_reserve(&b, SIZE_MAX));
	cr_assert_not(tfr_buf_reserve(&b, SIZE_MAX - 1));
	cr_assert(b.size == 1 && b.data[0] == 'a');
}

Test(buf, texts_on_the_heap)
{
	char *text = tfr_asprintf("%s-%d", "a", 5);

	cr_assert_str_eq(text, "a-5");
	free(text);
}
