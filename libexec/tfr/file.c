/* tfr/file.c - a file driver of libhdf5 that reads a descriptor which is open already.
 *
 * The drivers of libhdf5 open files by name, which the sandbox does not allow.  Bytes between the
 * end of the file and its claimed size read as zeros, as with libhdf5's own driver. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_hdf5.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct file {
	H5FD_t pub; /* libhdf5's */
	haddr_t end;
};

static haddr_t size_at_start;
static int failure;

uint64_t file_size(void)
{
	return size_at_start;
}

int file_errno(void)
{
	return failure;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t fapl, haddr_t most)
{
	(void)name;
	(void)flags;
	(void)fapl;
	(void)most;
	return calloc(1, sizeof(struct file));
}

static herr_t close_file(H5FD_t *f)
{
	free(f);
	return 0;
}

/* The flags of libhdf5's own driver for files: small reads are joined. */
static herr_t query(const H5FD_t *f, unsigned long *flags)
{
	(void)f;
	*flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
	return 0;
}

static haddr_t get_end(const H5FD_t *f, H5FD_mem_t type)
{
	(void)type;
	return ((const struct file *)f)->end;
}

static herr_t set_end(H5FD_t *f, H5FD_mem_t type, haddr_t end)
{
	(void)type;
	((struct file *)f)->end = end;
	return 0;
}

static haddr_t get_size(const H5FD_t *f, H5FD_mem_t type)
{
	(void)f;
	(void)type;
	return size_at_start;
}

/* A file that ends before its earlier size has been truncated: EIO. */
static herr_t read_file(
	H5FD_t *f, H5FD_mem_t type, hid_t plist, haddr_t at, size_t size, void *buffer)
{
	char *into = buffer;

	(void)f;
	(void)type;
	(void)plist;
	while (size) {
		haddr_t left = at < size_at_start ? size_at_start - at : 0;
		size_t some = left < size ? (size_t)left : size;
		ssize_t n = some ? pread(TFR_HDF5_FILE, into, some, (off_t)at) : 0;

		if (!some) {
			memset(into, 0, size);
			return 0;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			failure = n ? errno : EIO;
			return -1;
		}
		into += n;
		at += (haddr_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static herr_t write_file(
	H5FD_t *f, H5FD_mem_t type, hid_t plist, haddr_t at, size_t size, const void *buffer)
{
	(void)f;
	(void)type;
	(void)plist;
	(void)at;
	(void)size;
	(void)buffer;
	return -1;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
	.version = H5FD_CLASS_VERSION,
	.value = (H5FD_class_value_t)300,
#endif
	.name = "descriptor",
	.maxaddr = INT64_MAX,
	.fc_degree = H5F_CLOSE_WEAK,
	.open = open_file,
	.close = close_file,
	.query = query,
	.get_eoa = get_end,
	.set_eoa = set_end,
	.get_eof = get_size,
	.read = read_file,
	.write = write_file,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t file_driver(void)
{
	hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = H5FDregister(&driver);
	struct stat st;

	if (fstat(TFR_HDF5_FILE, &st))
		return -1;
	size_at_start = (haddr_t)st.st_size;
	errno = ENOMEM;
	return access < 0 || id < 0 || H5Pset_driver(access, id, NULL) < 0 ? -1 : access;
}
