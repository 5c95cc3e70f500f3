/* device.c - the descriptions of the fake driver and of its devices, and which of them
 * CUDA_VISIBLE_DEVICES leaves. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "fake.h"

struct CUuuid_st {
	unsigned char bytes[16];
};

static const struct result {
	unsigned number;
	const char *text;
} results[] = {
	{ CUDA_OK, "no error" },
	{ CUDA_INVALID_VALUE, "invalid argument" },
	{ CUDA_OUT_OF_MEMORY, "out of memory" },
	{ CUDA_NOT_INITIALIZED, "initialization error" },
	{ CUDA_STUB_LIBRARY, "CUDA driver is a stub library" },
	{ CUDA_CALL_REQUIRES_NEWER_DRIVER,
		"API call is not supported in the installed CUDA driver" },
	{ CUDA_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable" },
	{ CUDA_NO_DEVICE, "no CUDA-capable device is detected" },
	{ CUDA_INVALID_DEVICE, "invalid device ordinal" },
	{ INVALID_IMAGE, "device kernel image is invalid" },
	{ INVALID_CONTEXT, "invalid device context" },
	{ CUDA_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device" },
	{ CUDA_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered" },
	{ CUDA_INVALID_PTX, "a PTX JIT compilation failed" },
	{ CUDA_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found" },
	{ CUDA_UNSUPPORTED_PTX_VERSION,
		"the provided PTX was compiled with an unsupported toolchain." },
	{ CUDA_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled" },
	{ CUDA_OS_CALL_FAILED, "OS call failed or operation not supported on this OS" },
	{ CUDA_INVALID_HANDLE, "invalid resource handle" },
	{ NOT_FOUND, "named symbol not found" },
	{ CUDA_NOT_READY, "device not ready" },
	{ CUDA_ILLEGAL_ADDRESS, "an illegal memory access was encountered" },
	{ CONTEXT_DESTROYED, "context is destroyed" },
	{ CUDA_LAUNCH_FAILED, "unspecified launch failure" },
	{ CUDA_SYSTEM_NOT_READY, "system not yet initialized" },
	{ CUDA_SYSTEM_DRIVER_MISMATCH,
		"system has unsupported display driver / cuda driver combination" },
	{ CUDA_COMPAT_NOT_SUPPORTED, "forward compatibility was attempted on non supported HW" },
	{ CUDA_UNKNOWN, "unknown error" },
};

static const struct result *result_numbered(unsigned number)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (results[i].number == number)
			return &results[i];
	return NULL;
}

unsigned cuGetErrorString(unsigned number, const char **text)
{
	const struct result *r = result_numbered(number);

	*text = r ? r->text : NULL;
	return r ? CUDA_OK : CUDA_INVALID_VALUE;
}

static struct CUuuid_st uuid_of(int physical)
{
	struct CUuuid_st uuid = { { 0xfa, 0x4e, 0xc0, 0xda, 0, 0, 0x40, 0, 0x80 } };

	uuid.bytes[0] = (unsigned char)(uuid.bytes[0] + physical); /* so prefixes differ */
	uuid.bytes[15] = (unsigned char)(physical + (fake_cuda.mig ? 0x10 : 0));
	return uuid;
}

/* "GPU-fa4ec0da-0000-4000-8000-000000000000". */
static void uuid_text(char *to, size_t size, int physical)
{
	struct CUuuid_st uuid = uuid_of(physical);
	const unsigned char *b = uuid.bytes;

	snprintf(to, size,
		"%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		fake_cuda.mig ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8],
		b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* The device that a word of CUDA_VISIBLE_DEVICES names, an ordinal or the beginning of the UUID of
 * one device; -1: none. */
static int device_named(const char *word, size_t length)
{
	char text[64], *end;
	long ordinal = strtol(word, &end, 10);
	int found = -1;

	if (end == word + length && length)
		return ordinal >= 0 && ordinal < fake_cuda.devices ? (int)ordinal : -1;
	if (length < 4)
		return -1;
	for (int d = 0; d < fake_cuda.devices; d++) {
		uuid_text(text, sizeof(text), d);
		if (strncasecmp(text, word, length) == 0) {
			if (found >= 0)
				return -1;
			found = d;
		}
	}
	return found;
}

/* The list ends before its first word that names no device; a device named twice leaves none
 * (CUDA C++ Programming Guide, environment variables). */
static void count_visible(void)
{
	const char *at = getenv("CUDA_VISIBLE_DEVICES");

	fake.count = at ? 0 : fake_cuda.devices;
	for (int d = 0; d < fake.count; d++)
		fake.visible[d] = d;
	while (at) {
		size_t length = strcspn(at, ",");
		int device = device_named(at, length);

		if (device < 0)
			return;
		for (int i = 0; i < fake.count; i++)
			if (fake.visible[i] == device) {
				fake.count = 0;
				return;
			}
		fake.visible[fake.count++] = device;
		at = at[length] ? at + length + 1 : NULL;
	}
}

unsigned cuInit(unsigned flags)
{
	int none = 0;
	unsigned error = CUDA_OK;

	if (flags)
		return CUDA_INVALID_VALUE;
	if (fake.process && fake.process != getpid())
		return CUDA_NOT_INITIALIZED;
	ENTER(fake_injected(__func__, -1));
	pthread_mutex_lock(&fake.lock);
	count_visible();
	if (fake.count == 0)
		error = CUDA_NO_DEVICE;
	pthread_mutex_unlock(&fake.lock);
	if (!error)
		atomic_compare_exchange_strong(&fake.process, &none, getpid());
	return error;
}

/* Needs no cuInit. */
unsigned cuDriverGetVersion(int *version)
{
	ENTER(fake_injected(__func__, -1));
	*version = fake_cuda.version;
	return CUDA_OK;
}

unsigned cuDeviceGetCount(int *count)
{
	ENTER(fake_enter(__func__, -1));
	*count = fake.count;
	return CUDA_OK;
}

static unsigned enter_device(const char *call, int device)
{
	ENTER(fake_enter(call, device < fake.count ? device : -1));
	return device >= 0 && device < fake.count ? CUDA_OK : CUDA_INVALID_DEVICE;
}

unsigned cuDeviceGet(int *device, int ordinal)
{
	ENTER(enter_device(__func__, ordinal));
	*device = ordinal;
	return CUDA_OK;
}

unsigned cuDeviceGetName(char *name, int size, int device)
{
	ENTER(enter_device(__func__, device));
	snprintf(name, (size_t)size, "%s", fake_cuda.mig ? "Fake MIG 1g.18gb" : "Fake GPU");
	return CUDA_OK;
}

unsigned cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device)
{
	ENTER(enter_device(__func__, device));
	*uuid = uuid_of(fake.visible[device]);
	return CUDA_OK;
}

EXPORT unsigned cuDeviceGetUuid(struct CUuuid_st *uuid, int device);

unsigned cuDeviceGetUuid(struct CUuuid_st *uuid, int device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

unsigned cuDeviceGetPCIBusId(char *address, int size, int device)
{
	ENTER(enter_device(__func__, device));
	if (fake_cuda.nopci)
		return CUDA_INVALID_VALUE;
	snprintf(address, (size_t)size, "0000:%02X:00.0", 0x3a + fake.visible[device]);
	return CUDA_OK;
}

unsigned cuDeviceGetAttribute(int *value, unsigned attribute, int device)
{
	ENTER(enter_device(__func__, device));
	if (attribute != CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT)
		fake_abort("%s: attribute %u is not known", __func__, attribute);
	*value = fake_cuda.multiprocessors;
	return CUDA_OK;
}

unsigned cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	ENTER(enter_device(__func__, device));
	*bytes = (size_t)fake_cuda.memory;
	return CUDA_OK;
}
