/* Members of tar archives: names and sizes in every form, links and what is damaged. */
#include "support/temp.h"

#include "convert/archive/members.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter();
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(tar, .init = set_up, .fini = tear_down);

static void seal(uint8_t *h)
{
	unsigned sum = 0;

	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
}

/* A header; `size` is the text of its field. */
static void put_header(struct tfr_buf *b, const char *name, const char *prefix, char kind,
	const char *size)
{
	uint8_t h[512] = { 0 };

	memcpy(h, name, strnlen(name, 100));
	memcpy(h + 124, size, strnlen(size, 12));
	h[156] = (uint8_t)kind;
	memcpy(h + 257, "ustar\000" "00", 8);
	memcpy(h + 345, prefix, strnlen(prefix, 155));
	seal(h);
	cr_assert(tfr_buf_append(b, h, sizeof(h)));
}

static void put_block(struct tfr_buf *b, const char *text)
{
	uint8_t block[512] = { 0 };

	memcpy(block, text, strlen(text));
	cr_assert(tfr_buf_append(b, block, sizeof(block)));
}

static void put_extra(struct tfr_buf *b, char kind, const char *text)
{
	char size[13];

	snprintf(size, sizeof(size), "%011o", (unsigned)strlen(text));
	put_header(b, "extra", "", kind, size);
	put_block(b, text);
}

/* The members: "path kind size fault|...", then the status and message of the end. */
static void walk(const struct tfr_buf *b, char *text, size_t size)
{
	static const char *const kinds[] = { "file", "folder", "other" };
	struct tfr_archive *m = NULL;
	struct tfr_member member;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	temp_write("t.tar", b->data, b->size);
	status = tfr_archive_open(&m, "t.tar", &err);
	*text = '\0';
	while (!status && !(status = tfr_archive_next(m, &member, &err)))
		snprintf(text + strlen(text), size - strlen(text), "%s %s %llu%s%s|", member.path,
			kinds[member.kind], (unsigned long long)member.size,
			member.fault ? " " : "", member.fault ? member.fault : "");
	if (status != TFR_END)
		snprintf(text + strlen(text), size - strlen(text), "%s", err.message);
	tfr_archive_close(m);
}

static void expect(const struct tfr_buf *b, const char *expected)
{
	char text[2000];

	walk(b, text, sizeof(text));
	cr_expect_str_eq(text, expected, "'%s', not '%s'", text, expected);
}

Test(tar, names)
{
	TFR_AUTO_BUF b = { 0 };
	char full[101], prefix[156], expected[1000];

	memset(full, 'n', 100);
	memset(prefix, 'p', 155);
	full[100] = prefix[155] = '\0';
	put_header(&b, "a.png", "", '0', "00000000000");
	put_header(&b, full, prefix, '0', "00000000000");
	put_header(&b, "old", "", '\0', "0");
	put_header(&b, "folder/", "", '0', "0");
	put_header(&b, "dir", "", '5', "0");
	put_extra(&b, 'L', "long/name");
	put_header(&b, "short", "prefix", '0', "0");
	put_extra(&b, 'x', "17 path=pax/name\n");
	put_header(&b, "short", "prefix", '0', "0");
	/* pax wins over GNU's long name, in whichever order. */
	put_extra(&b, 'L', "gnu");
	put_extra(&b, 'x', "12 path=pax\n");
	put_header(&b, "short", "", '0', "0");
	/* A global header, and the name of a link's target, describe no member's name. */
	put_extra(&b, 'g', "15 path=global\n");
	put_extra(&b, 'K', "target");
	put_header(&b, "last", "", '0', "0");
	snprintf(expected, sizeof(expected),
		"a.png file 0|%s/%s file 0|old file 0|folder/ folder 0|dir folder 0|"
		"long/name file 0|pax/name file 0|pax file 0|last file 0|",
		prefix, full);
	expect(&b, expected);
}

Test(tar, sizes)
{
	TFR_AUTO_BUF b = { 0 };
	uint8_t *size;

	put_header(&b, "octal", "", '0', "00000000003");
	put_block(&b, "abc");
	put_header(&b, "spaces", "", '0', "      3 ");
	put_block(&b, "abc");
	put_header(&b, "base-256", "", '0', "");
	size = b.data + b.size - 512 + 124;
	size[0] = 0x80;
	size[11] = 4;
	seal(b.data + b.size - 512);
	put_block(&b, "abcd");
	/* pax replaces the size of the header. */
	put_extra(&b, 'x', "9 size=5\n");
	put_header(&b, "pax", "", '0', "00000000000");
	put_block(&b, "abcde");
	/* A folder and a link have no bytes, whatever their size says. */
	put_header(&b, "dir", "", '5', "00000000777");
	put_header(&b, "link", "", '2', "00000000777");
	expect(&b, "octal file 3|spaces file 3|base-256 file 4|pax file 5|dir folder 0|"
		   "link other 0 a symbolic link|");
}

Test(tar, what_is_no_file)
{
	static const struct {
		char kind;
		const char *fault;
	} cases[] = { { '1', "a hard link" }, { '2', "a symbolic link" }, { '3', "a device" },
		{ '4', "a device" }, { '6', "a FIFO" }, { 'Z', "of an unknown kind" },
		{ 'S', "a sparse file" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TFR_AUTO_BUF b = { 0 };
		char expected[100];

		put_header(&b, "x", "", cases[i].kind, "0");
		put_header(&b, "y", "", '7', "0");
		snprintf(expected, sizeof(expected), "x other 0 %s|y file 0|", cases[i].fault);
		expect(&b, expected);
	}
}

Test(tar, strange_pax_records)
{
	static const char *const bad[] = { "path=x\n", "5 a=b", "99 path=x\n", "9 path x\n",
		"11 path=x\n", "9 size=x\n", "4 =\n", "99999999999999999999 a=b\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		TFR_AUTO_BUF b = { 0 };
		bool good = i == 6; /* an unknown key */

		put_extra(&b, 'x', bad[i]);
		put_header(&b, "y", "", '0', "0");
		expect(&b, good ? "y file 0|" : "an invalid pax record before at byte 1024 of the archive 't.tar'");
	}
}

Test(tar, a_name_with_a_nul)
{
	TFR_AUTO_BUF b = { 0 };

	put_header(&b, "extra", "", 'x', "00000000014");
	put_block(&b, "12 path=a?b\n");
	b.data[b.size - 512 + 9] = '\0';
	put_header(&b, "y", "", '0', "0");
	expect(&b, "a other 0 a name with a NUL in it|");
}

Test(tar, damage)
{
	TFR_AUTO_BUF b = { 0 };

	put_header(&b, "a", "", '0', "00000000003");
	put_block(&b, "abc");
	put_header(&b, "b", "", '0', "0");
	b.data[1024] ^= 1; /* the checksum of the second header */
	expect(&b, "a file 3|not a tar header at byte 1024 of the archive 't.tar'");
	b.data[1024] ^= 1;
	b.size = 1024 + 200;
	expect(&b, "a file 3|archive truncated at byte 1224: 't.tar'");
	b.size = 700;
	expect(&b, "a file 3|archive truncated at byte 700: 't.tar'");
	/* After blocks of zeros, bytes of any kind may follow; so may another archive. */
	b.size = 1024;
	put_block(&b, "");
	put_block(&b, "");
	put_block(&b, "no header");
	expect(&b, "a file 3|");
	b.size -= 512;
	put_header(&b, "c", "", '0', "0");
	expect(&b, "a file 3|c file 0|");
}

Test(tar, paths_below_a_folder)
{
	static const struct {
		const char *path, *name;
		bool hidden, leaves;
	} cases[] = {
		{ "a.png", "a.png", false, false },
		{ "./a//b", "a/b", false, false },
		{ "a/./b/", "a/b", false, false },
		{ "a/.b/c", "a/.b/c", true, false },
		{ "../a", "../a", false, true },
		{ "a/../../b", "a/../../b", false, true },
		{ "/etc/passwd", "/etc/passwd", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TFR_AUTO_BUF name = { 0 };
		const char *fault;
		bool hidden;

		cr_assert(tfr_member_name(cases[i].path, &name, &hidden, &fault));
		cr_expect_str_eq((char *)name.data, cases[i].name);
		cr_expect_eq(fault != NULL, cases[i].leaves, "%s", cases[i].path);
		if (!fault)
			cr_expect_eq(hidden, cases[i].hidden, "%s", cases[i].path);
	}
}
