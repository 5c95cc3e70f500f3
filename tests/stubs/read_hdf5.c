/* tests/stubs/read_hdf5.c - in the place of tfr-read-hdf5: the first byte of its file says how it
 * goes wrong. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "convert/hdf5_protocol.h"

static void reply(enum tfr_hdf5_answer answer, uint32_t code, const void *body, uint64_t size)
{
	struct tfr_hdf5_reply head = { .answer = answer, .code = code, .size = size };

	if (write(TFR_HDF5_SOCKET, &head, sizeof(head)) < 0 ||
		write(TFR_HDF5_SOCKET, body, (size_t)size) < 0)
		_exit(9);
}

static void fail(char how)
{
	static const struct tfr_hdf5_reply half = { .answer = TFR_HDF5_NAMED, .size = 100 };
	static const struct tfr_hdf5_reply long_name = { .answer = TFR_HDF5_NAMED,
		.size = (uint64_t)1 << 40 };
	volatile unsigned long steps = 0;

	switch (how) {
	case 'c': /* crashes */
		raise(SIGSEGV);
		break;
	case 'k': /* is killed */
		kill(getpid(), SIGKILL);
		break;
	case 's': /* computes for ever */
		for (;;)
			steps++;
	case 'e': /* ends */
		_exit(0);
	case 'h': /* ends within a reply */
		if (write(TFR_HDF5_SOCKET, &half, sizeof(half)) < 0)
			_exit(9);
		_exit(0);
	case 'n': /* sends something other than a reply */
		reply((enum tfr_hdf5_answer)77, 0, "x", 1);
		break;
	case 'z': /* has a name with a NUL */
		reply(TFR_HDF5_NAMED, 0, "a\0b", 3);
		break;
	case 'l': /* claims a long name */
		if (write(TFR_HDF5_SOCKET, &long_name, sizeof(long_name)) < 0)
			_exit(9);
		break;
	case 'r': /* says that it has no sandbox, when it has begun */
		reply(TFR_HDF5_REFUSED, 1, "", 0);
		break;
	case 'd': /* is right: the file is damaged */
		reply(TFR_HDF5_DAMAGED, 0, "a/b\0bad", 7);
		break;
	}
}

int main(void)
{
	struct tfr_hdf5_request request;
	char how = '?';

	if (pread(TFR_HDF5_FILE, &how, 1, 0) != 1)
		return 9;
	if (how == '1') /* as the loader ends a program that lacks a library */
		return 127;
	if (how == 'v')
		reply(TFR_HDF5_READY, TFR_HDF5_PROTOCOL + 1, "", 0);
	else if (how == 'x')
		reply(TFR_HDF5_REFUSED, 22, "", 0);
	else
		reply(TFR_HDF5_READY, TFR_HDF5_PROTOCOL, "", 0);
	while (read(TFR_HDF5_SOCKET, &request, sizeof(request)) == sizeof(request))
		fail(how);
	return 0;
}
