/* A helper program that goes wrong in every way is an error that names the file. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert/array/arrays.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(hdf5, .init = setup, .fini = teardown);

/* The stub is beside this program. */
static const char *stub(void)
{
	static char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, 4096);

	cr_assert_gt(n, 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, "read-hdf5-stub");
	return path;
}

/* Starts the stub on a file that holds `how`, and asks for a data set. */
static enum tfr_status ask(const char *how, const char *program, struct tfr_error *err)
{
	struct tfr_hdf5_helper h = {
		.path = "x.h5", .memory = 1 << 20, .program = program, .seconds = 1, .socket = -1
	};
	char name[TFR_HDF5_NAME];
	enum tfr_status status;
	int fd;

	temp_write("x.h5", how, strlen(how));
	fd = open("x.h5", O_RDONLY | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	status = tfr_hdf5_start(&h, fd, err);
	close(fd);
	if (!status)
		status = tfr_hdf5_next(&h, name, err);
	tfr_hdf5_stop(&h);
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "no process is left");
	return status;
}

static void expect(const char *how, enum tfr_status status, const char *message)
{
	struct tfr_error err = { 0 };
	char text[512];

	cr_assert_eq(ask(how, stub(), &err), status, "%s: %s", how, err.message);
	tfr_error_format(&err, text, sizeof(text));
	cr_assert(strstr(text, message), "%s: %s", how, text);
	cr_assert(strstr(text, "'x.h5'"), "%s: %s", how, text);
}

Test(hdf5, helper_that_ends)
{
	expect("c", TFR_EDATA, "libhdf5 crashed (signal "); /* 11, or 6 where a sanitizer catches that */
	expect("k", TFR_EDATA, "libhdf5 crashed (signal 9)");
	expect("e", TFR_EDATA, "ended unexpectedly");
	expect("h", TFR_EDATA, "ended unexpectedly");
	expect("s", TFR_EDATA, "too much processor time");
}

Test(hdf5, helper_that_does_not_start)
{
	struct tfr_error err = { 0 };

	expect("1", TFR_EUNAVAILABLE, "does not start");
	expect("x", TFR_EUNAVAILABLE, "no sandbox (seccomp)");
	expect("v", TFR_EDATA, "invalid reply");
	cr_assert_eq(ask("e", "/nonexistent/helper", &err), TFR_EUNAVAILABLE);
	cr_assert(strstr(err.message, "'/nonexistent/helper' is missing"), "%s", err.message);
	temp_write("text", "no program", 10);
	cr_assert_eq(ask("e", "text", &err), TFR_ESYS);
}

Test(hdf5, helper_that_talks_nonsense)
{
	expect("n", TFR_EDATA, "invalid reply");
	expect("z", TFR_EDATA, "invalid reply");
	expect("l", TFR_EDATA, "invalid reply");
	expect("r", TFR_EDATA, "invalid reply");
	expect("d", TFR_EDATA, "cannot read 'a/b' of 'x.h5': bad");
}

/* A helper whose replies are these bytes, and which then ends. */
static void answer(struct tfr_hdf5_helper *h, const void *head, const void *body, size_t size)
{
	int ends[2];

	*h = (struct tfr_hdf5_helper){ .path = "x.h5", .ready = true };
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	cr_assert_eq(write(ends[1], head, sizeof(struct tfr_hdf5_reply)),
		(ssize_t)sizeof(struct tfr_hdf5_reply));
	cr_assert_eq(write(ends[1], body, size), (ssize_t)size);
	close(ends[1]);
	h->socket = ends[0];
}

static enum tfr_status open_set(struct tfr_hdf5_set set)
{
	struct tfr_hdf5_reply head = { .answer = TFR_HDF5_SET, .size = sizeof(set) };
	struct tfr_hdf5_helper h;
	enum tfr_status status;

	answer(&h, &head, &set, sizeof(set));
	status = tfr_hdf5_open(&h, "a", &set, NULL);
	tfr_hdf5_stop(&h);
	return status;
}

Test(hdf5, sets_are_possible)
{
	const struct tfr_hdf5_set good = { .cell = TFR_CELL_INT,
		.cell_size = 4,
		.n_dims = 2,
		.dims = { 10, 3 },
		.chunk_rows = 1 };
	struct tfr_hdf5_set bad[8];

	cr_assert_eq(open_set(good), TFR_OK);
	for (size_t i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].cell = 77;
	bad[1].cell_size = 3;
	bad[2].n_dims = 0;
	bad[3].n_dims = TFR_HDF5_DIMS + 1;
	bad[4].dims[1] = 0;
	bad[5].dims[1] = (uint64_t)1 << 62;
	bad[6].chunk_rows = 0;
	bad[7].cell = TFR_CELL_UCS4;
	for (size_t i = 0; i < 8; i++)
		cr_assert_eq(open_set(bad[i]), TFR_EDATA, "%zu", i);
}

/* Two texts: their sizes and their bytes, of which `size` arrive. */
static enum tfr_status read_texts(
	uint64_t one, uint64_t other, uint64_t claimed, struct tfr_bytes out[2])
{
	struct tfr_hdf5_reply head = { .answer = TFR_HDF5_ROWS, .size = claimed };
	struct {
		uint64_t sizes[2];
		char text[5];
	} body = { { one, other }, "hello" };
	static struct tfr_buf text;
	struct tfr_hdf5_helper h;
	enum tfr_status status;

	answer(&h, &head, &body, 21);
	status = tfr_hdf5_rows(&h, "a", (uint8_t *)out, 2 * sizeof(*out), &text, NULL);
	tfr_hdf5_stop(&h);
	return status;
}

Test(hdf5, texts_are_those_that_arrive)
{
	struct tfr_bytes out[2];

	cr_assert_eq(read_texts(2, 3, 21, out), TFR_OK);
	cr_assert(out[0].size == 2 && !memcmp(out[0].data, "he", 2));
	cr_assert(out[1].size == 3 && !memcmp(out[1].data, "llo", 3));
	cr_assert_eq(read_texts(2, 4, 21, out), TFR_EDATA);
	cr_assert_eq(read_texts(2, UINT64_MAX, 21, out), TFR_EDATA);
	cr_assert_eq(read_texts(2, 3, 15, out), TFR_EDATA);
	cr_assert_eq(read_texts(2, 13, 31, out), TFR_EDATA, "more than arrives");
}
