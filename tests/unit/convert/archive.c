/* Our walk of a tar archive against libarchive's, on archives drawn at random, whole and cut short,
 * in a file and through a pipe. */
#include "support/temp.h"

#include <pthread.h>
#include <signal.h>

#include "base/rng.h"
#include "convert/archive/members.h"

static char *dir;
static struct tfr_rng rng;

static void set_up(void)
{
	dir = temp_enter();
	tfr_rng_init(&rng, 5, 0);
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(archive, .init = set_up, .fini = tear_down, .timeout = 120);

static uint64_t draw(uint64_t n)
{
	return tfr_rng_below(&rng, n);
}

/* --- an archive --- */

static void put_number(uint8_t *at, size_t n, uint64_t value)
{
	char text[32];

	if (!draw(4)) { /* GNU's base 256 */
		memset(at, 0, n);
		for (size_t i = n - 1; value; i--, value >>= 8)
			at[i] = (uint8_t)value;
		at[0] = 0x80;
		return;
	}
	snprintf(text, sizeof(text), draw(2) ? "%0*llo" : "%*llo", (int)n - 1,
		(unsigned long long)value);
	memcpy(at, text, n);
}

static void put_header(struct tfr_buf *b, const char *name, char kind, uint64_t size, bool gnu)
{
	uint8_t h[512] = { 0 };
	unsigned sum = 0;

	memcpy(h, name, strnlen(name, 100));
	memcpy(h + 100, "0000644", 7);
	put_number(h + 124, 12, size);
	h[156] = (uint8_t)kind;
	if (kind == '1' || kind == '2')
		memcpy(h + 157, "target", 6);
	memcpy(h + 257,
		gnu ? "ustar  "
		    : "ustar\0"
		      "00",
		8);
	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
	tfr_buf_append(b, h, 512);
}

static void put_bytes(struct tfr_buf *b, const void *data, size_t size)
{
	static const uint8_t zeros[512];

	tfr_buf_append(b, data, size);
	tfr_buf_append(b, zeros, (512 - size % 512) % 512);
}

static void put_random(struct tfr_buf *b, size_t size)
{
	uint8_t data[9000];

	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)draw(256);
	put_bytes(b, data, size);
}

static void put_member(struct tfr_buf *b)
{
	static const char kinds[] = "000000000\0007"
				    "5261";
	char name[400], text[600];
	size_t n = 1 + (size_t)draw(draw(3) ? 60 : 300), size = draw(3) ? draw(1000) : draw(9000);
	char kind = kinds[draw(sizeof(kinds) - 1)];
	int length;
	bool gnu;

	for (size_t i = 0; i < n; i++)
		name[i] = i + 1 == n ? 'z' : "abc/."[draw(i ? 5 : 3)];
	name[n] = '\0';
	gnu = draw(2);
	if (n > 100 && gnu) {
		put_header(b, "././@LongLink", 'L', n + 1, true);
		put_bytes(b, name, n + 1);
	} else if (n > 100) {
		/* The length counts itself. */
		length = (int)n + 7 + 3;
		length = snprintf(text, sizeof(text), "%d path=%s\n", length, name);
		cr_assert_eq(length, (int)n + 10);
		put_header(b, "PaxHeader", 'x', (uint64_t)length, false);
		put_bytes(b, text, (size_t)length);
	}
	if (kind && strchr("1256", kind))
		size = 0;
	put_header(b, name, kind, size, gnu);
	put_random(b, size);
}

/* --- what comes out of it --- */

/* "F 12 name 1a2b…": kind, size, path, and a sum of the bytes; a failure is its status. */
static void describe(struct tfr_archive *m, struct tfr_buf *text)
{
	struct tfr_member member;
	TFR_AUTO_BUF data = { 0 };
	enum tfr_status status;

	while (!(status = tfr_archive_next(m, &member, NULL))) {
		uint64_t sum = 0;

		data.size = 0;
		if (member.kind == TFR_MEMBER_FILE)
			status = tfr_archive_read(m, &data, 1 << 20, NULL);
		if (status)
			break;
		for (size_t i = 0; i < data.size; i++)
			sum = sum * 31 + data.data[i];
		tfr_buf_printf(text, "%d %zu %s %llx %s\n", member.kind, data.size, member.path,
			(unsigned long long)sum, member.fault ? member.fault : "");
	}
	tfr_buf_printf(text, "%s\n", status == TFR_END ? "whole" : "cut short");
}

static void walk(const char *path, bool packed, struct tfr_buf *text)
{
	struct tfr_archive *m = NULL;
	struct tfr_feed feed;
	enum tfr_status status;

	cr_assert_eq(tfr_feed_open(&feed, path, NULL), TFR_OK);
	status = packed ? tfr_packed_open(&m, &feed, NULL) : tfr_tar_open(&m, &feed, NULL);
	if (status == TFR_EUNAVAILABLE)
		cr_skip_test("built without libarchive");
	cr_assert_eq(status, TFR_OK);
	describe(m, text);
	tfr_archive_close(m);
	tfr_buf_append(text, "", 1);
}

struct pour {
	const struct tfr_buf *b;
	const char *path;
};

static void *pour_into_fifo(void *ctx)
{
	const struct pour *p = ctx;
	FILE *f = fopen(p->path, "wb");

	fwrite(p->b->data, 1, p->b->size, f);
	fclose(f);
	return NULL;
}

static void expect_same(const struct tfr_buf *b, int round)
{
	TFR_AUTO_BUF ours = { 0 }, theirs = { 0 }, piped = { 0 };
	struct pour pour = { b, "fifo" };
	pthread_t thread;

	temp_write("t.tar", b->data, b->size);
	walk("t.tar", false, &ours);
	walk("t.tar", true, &theirs);
	cr_assert_str_eq((char *)ours.data, (char *)theirs.data, "round %d:\n%s---\n%s", round,
		(char *)ours.data, (char *)theirs.data);
	pthread_create(&thread, NULL, pour_into_fifo, &pour);
	walk("fifo", false, &piped);
	pthread_join(thread, NULL);
	cr_assert_str_eq((char *)ours.data, (char *)piped.data, "round %d", round);
}

Test(archive, as_libarchive_walks_it)
{
	static const uint8_t zeros[1024];

	signal(SIGPIPE, SIG_IGN);
	mkfifo("fifo", 0600);
	for (int round = 0; round < 200; round++) {
		TFR_AUTO_BUF b = { 0 };
		size_t n = 1 + draw(12);

		for (size_t i = 0; i < n; i++)
			put_member(&b);
		tfr_buf_append(&b, zeros, sizeof(zeros));
		expect_same(&b, round);
	}
}

/* Cut at every 64th byte: what comes before is the same, and the cut is seen. */
Test(archive, cut_short)
{
	TFR_AUTO_BUF b = { 0 };
	uint64_t whole = 0;

	put_header(&b, "a.png", '0', 700, true);
	put_random(&b, 700);
	put_header(&b, "b.png", '0', 20, false);
	put_random(&b, 20);
	for (size_t size = 64; size <= b.size; size += 64) {
		struct tfr_archive *m = NULL;
		TFR_AUTO_BUF text = { 0 };

		temp_write("t.tar", b.data, size);
		if (size < 512)
			continue;
		cr_assert_eq(tfr_archive_open(&m, "t.tar", NULL), TFR_OK);
		cr_assert(m->placed);
		describe(m, &text);
		tfr_buf_append(&text, "", 1);
		whole += strstr((char *)text.data, "whole") != NULL;
		tfr_archive_close(m);
	}
	/* After a.png, where its last block ends, and after b.png: a tar need not have an end. */
	cr_assert_eq(whole, 2);
}
