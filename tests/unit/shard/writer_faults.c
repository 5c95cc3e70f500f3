/* Writers of libtfr on a disk that fails: each write, fsync and change of names in turn.  After the
 * first failure every call fails with the same error, and nothing incomplete has a name. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <tfr/shard.h>

#include "support/temp.h"

/* --- the disk: these take the place of libc's --- */

static atomic_int countdown; /* calls until one fails; 0: none does */
static int reason;

static long call(long number, long a, long b, long c, long d, long e)
{
	if (atomic_load(&countdown) > 0 && atomic_fetch_sub(&countdown, 1) == 1) {
		errno = reason;
		return -1;
	}
	return syscall(number, a, b, c, d, e);
}

ssize_t writev(int fd, const struct iovec *pieces, int n)
{
	return call(SYS_writev, fd, (long)pieces, n, 0, 0);
}

int fsync(int fd)
{
	return (int)call(SYS_fsync, fd, 0, 0, 0, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	return (int)call(SYS_linkat, from_dir, (long)from, to_dir, (long)to, flags);
}

int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return (int)call(SYS_renameat2, from_dir, (long)from, to_dir, (long)to, flags);
}

int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* --- a writer of either kind --- */

struct way {
	const char *target; /* a set has a manifest */
	struct tfr_writer_opts opts;
	bool single; /* by tfr_writer */
	bool over;   /* an older output is replaced */
	bool terms;  /* a single file gets a manifest */
};

static const struct way ways[] = {
	{ .target = "x", .single = true },
	{ .target = "x.gz", .single = true, .opts = { .threads = 3 } },
	{ .target = "x", .single = true, .over = true, .opts = { .force = true } },
	{ .target = "x" },
	{ .target = "x", .terms = true },
	{ .target = "x@3" },
	{ .target = "x@3.gz", .opts = { .threads = 3 } },
	{ .target = "x@3", .over = true, .opts = { .force = true } },
	{ .target = "x@3", .opts = { .part = 1, .parts = 2 } },
};

enum { RECORDS = 9, LARGE = 600 << 10 };

struct writer {
	const struct way *way;
	struct tfr_writer *one;
	struct tfr_set_writer *set;
};

static enum tfr_status open_it(struct writer *w, const struct way *way, struct tfr_error *err)
{
	*w = (struct writer){ .way = way };
	return way->single ? tfr_writer_open(&w->one, way->target, &way->opts, err)
			   : tfr_set_writer_open(&w->set, way->target, &way->opts, NULL, NULL, err);
}

static enum tfr_status put(struct writer *w, uint32_t i, struct tfr_error *err)
{
	static uint8_t payload[LARGE];
	struct iovec piece = { payload, i % 2 ? 100 : sizeof(payload) };
	uint32_t shard = w->set ? i % tfr_set_writer_shards(w->set) : 0;

	for (size_t k = 0; k < sizeof(payload); k++)
		payload[k] = (uint8_t)(k * (2654435761u + i) >> 13);
	if (w->way->opts.parts)
		shard = w->way->opts.part;
	return w->one ? tfr_writer_put(w->one, payload, piece.iov_len, err)
		      : tfr_set_writer_put(w->set, shard, &piece, 1, NULL, err);
}

static enum tfr_status publish(struct writer *w, struct tfr_error *err)
{
	const struct tfr_set_info terms = { .options = "a\n", .inputs = 7 };

	return w->one ? tfr_writer_publish(w->one, err)
		      : tfr_set_writer_publish(w->set, w->way->terms ? &terms : NULL, err);
}

static void close_it(struct writer *w)
{
	tfr_writer_close(w->one);
	tfr_set_writer_close(w->set);
}

/* Runs everything twice over, with failures ignored as a careless program would; the calls after
 * the first failure are compared with it.  Returns the first failure. */
static enum tfr_status run(const struct way *way, struct tfr_error *first)
{
	enum tfr_status failed = TFR_OK;
	struct writer w;
	struct tfr_error err;
	char a[1024], b[1024];

	failed = open_it(&w, way, first);
	if (failed) {
		close_it(&w);
		return failed;
	}
	for (uint32_t i = 0; i < 2 * (RECORDS + 2); i++) {
		bool again = i >= RECORDS + 2, publishes = i % (RECORDS + 2) >= RECORDS;
		enum tfr_status status = publishes ? publish(&w, &err) : put(&w, i, &err);
		enum tfr_status wanted = failed			     ? failed
					 : again || i == RECORDS + 1 ? TFR_EUSAGE
								     : TFR_OK;

		if (!failed && status && wanted != TFR_EUSAGE) {
			failed = status;
			*first = err;
			continue;
		}
		cr_assert_eq(status, wanted, "%s: call %u after %d returned %d", way->target, i,
			failed, status);
		if (failed)
			cr_assert_str_eq(tfr_error_format(&err, a, sizeof(a)),
				tfr_error_format(first, b, sizeof(b)));
	}
	close_it(&w);
	return failed;
}

/* The names in the folder and their sums, without the dates that manifests have. */
static void look(char *text, size_t size)
{
	FILE *f = popen("for n in * .[!.]*; do test -f \"$n\" && echo \"$n\" $(grep -av "
			"'\"\\(created\\|modified\\|mtime\\)' \"$n\" | md5sum); done",
		"r");

	text[fread(text, 1, size - 1, f)] = '\0';
	pclose(f);
}

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(writer_faults, .init = setup, .fini = teardown, .timeout = 300);

static void attack(const struct way *way)
{
	static char before[1 << 16], after[1 << 16], complete[1 << 16];
	const int reasons[] = { ENOSPC, EIO };
	struct tfr_error err;

	for (int n = 0, failures = 0;; n++) {
		struct writer old;

		cr_assert_eq(system("rm -rf d && mkdir d"), 0);
		cr_assert_eq(chdir("d"), 0);
		if (way->over) {
			cr_assert_eq(open_it(&old, way, NULL), TFR_OK);
			cr_assert_eq(put(&old, 0, NULL), TFR_OK);
			cr_assert_eq(publish(&old, NULL), TFR_OK);
			close_it(&old);
		}
		look(before, sizeof(before));
		reason = reasons[n % 2];
		atomic_store(&countdown, n);
		failures += run(way, &err) != TFR_OK;
		bool over = atomic_exchange(&countdown, 0) > 0;
		look(after, sizeof(after));
		cr_assert_eq(chdir(".."), 0);
		if (!n)
			memcpy(complete, after, sizeof(complete));
		else
			cr_assert(!strcmp(after, before) || !strcmp(after, complete),
				"%s, call %d: %s\nbefore: %s\ncomplete: %s", way->target, n, after,
				before, complete);
		if (over) {
			cr_assert_geq(failures, 3);
			break;
		}
	}
}

Test(writer_faults, single_files)
{
	for (size_t i = 0; i < 3; i++)
		attack(&ways[i]);
}

Test(writer_faults, sets)
{
	for (size_t i = 3; i < sizeof(ways) / sizeof(*ways); i++)
		attack(&ways[i]);
}
