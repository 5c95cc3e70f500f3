#include <fcntl.h>
#include <unistd.h>

#include "convert/item.h"
#include "support/temp.h"

enum { SIZE = 3 << 20 };

static char *dir;

static void setup(void)
{
	char *bytes = calloc(1, SIZE);

	dir = temp_enter();
	temp_write("a", bytes, SIZE);
	free(bytes);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(item, .init = setup, .fini = teardown);

static off_t new_size;

static void resize(struct tfr_item *item)
{
	(void)item;
	cr_assert_eq(truncate("a", new_size), 0);
}

/* A file that changes after its first block was looked at. */
static void expect_skipped(off_t size, enum tfr_status why, const char *reason)
{
	static const struct tfr_room room;
	struct tfr_item item = { 0 };

	new_size = size;
	cr_assert_eq(tfr_item_read(&item, NULL, "a", resize, &room, NULL), TFR_OK);
	cr_assert(item.skipped && item.why == why, "%d: %s", (int)item.why, item.reason);
	cr_assert_str_eq(item.reason, reason);
	tfr_item_clear(&item);
}

Test(item, half_a_file_is_no_file)
{
	expect_skipped(SIZE / 2, TFR_ESYS, "it ends at byte 1572864 of 3145728");
}

Test(item, a_file_that_lost_all_but_its_head)
{
	expect_skipped(1, TFR_ESYS, "it ends at byte 65536 of 3145728");
}

Test(item, a_file_that_grows)
{
	expect_skipped(SIZE + 1, TFR_EDATA, "it grew while being read");
}

Test(item, a_file_that_stays)
{
	static const struct tfr_room room;
	struct tfr_item item = { 0 };

	cr_assert_eq(tfr_item_read(&item, NULL, "a", NULL, &room, NULL), TFR_OK);
	cr_assert(!item.skipped && item.size == SIZE);
	tfr_item_clear(&item);
}
