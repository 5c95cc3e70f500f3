/* device/cuda_api.c - the table of driver calls, filled and initialised at the first use of CUDA in
 * this process, and what the driver's errors mean for a user.
 *
 * A failure is not remembered: a later call tries again.  After fork() the driver is unusable in
 * the child, whose copy of its state looks sound: the process that began to use it is noted before
 * the lock is taken, which a child may inherit locked. */
#include "device/cuda_api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	_Atomic(pid_t) process; /* that began to use CUDA; 0: none */
	pthread_mutex_t lock;
	bool filled, initialised;
	struct tfr_cuda_api api;
} cuda = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define LOOK_INTO_LOG "The kernel's log (dmesg, lines with Xid) and nvidia-smi may tell more."

/* Texts replace the driver's where that says too little; NULL: the driver's. */
static const struct explanation {
	unsigned result;
	const char *text, *hint;
} explanations[] = {
	{ CUDA_OUT_OF_MEMORY, NULL,
		"nvidia-smi lists the processes that use the device.  Lower --batch or the "
		"prefetch of the stage list." },
	{ CUDA_NOT_INITIALIZED, NULL,
		"CUDA does not work in a process that forked from one that used it; otherwise "
		"nvidia-smi and the kernel's log (dmesg) may tell more." },
	{ CUDA_STUB_LIBRARY, "the library is NVIDIA's stub for linking, not a driver",
		"Remove the toolkit's folder of stubs from LD_LIBRARY_PATH." },
	{ CUDA_INSUFFICIENT_DRIVER, "the driver is too old", "Update the driver." },
	{ CUDA_CALL_REQUIRES_NEWER_DRIVER, NULL, "Update the driver." },
	{ CUDA_DEVICE_UNAVAILABLE, NULL,
		"Another process has the device to itself: nvidia-smi lists processes and the "
		"compute mode." },
	{ CUDA_NO_DEVICE, "no device is visible",
		"Look at CUDA_VISIBLE_DEVICES and at nvidia-smi -L.  A container sees GPUs if it "
		"is started with --gpus all." },
	{ CUDA_NO_BINARY_FOR_GPU, NULL,
		"The driver cannot compile the kernels for this device.  Update the driver, or "
		"use --normalise-on host and no --compute-ms." },
	{ CUDA_ECC_UNCORRECTABLE, NULL, "nvidia-smi -q -d ECC shows the device's errors." },
	{ CUDA_INVALID_PTX, NULL,
		"Use --normalise-on host and no --compute-ms, and report this as a bug." },
	{ CUDA_JIT_COMPILER_NOT_FOUND, NULL,
		"The driver's libnvidia-ptxjitcompiler.so.1 is missing.  A container needs "
		"NVIDIA_DRIVER_CAPABILITIES=compute,utility.  --normalise-on host without "
		"--compute-ms needs no compiler." },
	{ CUDA_UNSUPPORTED_PTX_VERSION, NULL,
		"Update the driver, or use --normalise-on host and no --compute-ms." },
	{ CUDA_JIT_COMPILATION_DISABLED, NULL,
		"Unset CUDA_DISABLE_PTX_JIT, or use --normalise-on host and no --compute-ms." },
	{ CUDA_OS_CALL_FAILED, NULL,
		"Check that this user may open /dev/nvidia* and that a container has these "
		"files." },
	{ CUDA_ILLEGAL_ADDRESS, NULL, LOOK_INTO_LOG },
	{ CUDA_LAUNCH_FAILED, NULL, LOOK_INTO_LOG },
	{ CUDA_SYSTEM_NOT_READY, NULL,
		"A machine with NVSwitch needs the service nvidia-fabricmanager: start it and "
		"wait until nvidia-smi -q reports the fabric as completed." },
	{ CUDA_SYSTEM_DRIVER_MISMATCH, NULL,
		"The driver was updated while its kernel module is the old one: reboot, or "
		"unload and load the module nvidia." },
	{ CUDA_COMPAT_NOT_SUPPORTED, NULL,
		"The cuda-compat library runs on data centre GPUs only: remove its folder from "
		"LD_LIBRARY_PATH." },
	{ CUDA_UNKNOWN, NULL,
		"nvidia-smi and the kernel's log (dmesg) may tell more.  After suspending, load "
		"the module nvidia_uvm again." },
};

static const struct explanation *explain(unsigned result)
{
	for (size_t i = 0; i < sizeof(explanations) / sizeof(*explanations); i++)
		if (explanations[i].result == result)
			return &explanations[i];
	return NULL;
}

enum tfr_status tfr_cuda_fail(const struct tfr_cuda_api *api, struct tfr_error *err,
	const char *device, const char *call, unsigned result)
{
	const struct explanation *known = explain(result);
	enum tfr_status status = result == CUDA_OUT_OF_MEMORY ? TFR_ENOMEM : TFR_ESYS;
	const char *text = known ? known->text : NULL, *suffix = strstr(call, "_v2");
	int length = (int)(suffix ? (size_t)(suffix - call) : strlen(call)), words;
	char number[32];

	snprintf(number, sizeof(number), "error %u", result);
	if (!text && (api->cuGetErrorString(result, &text) || !text))
		text = number;
	words = (int)strlen(text);
	words -= words && text[words - 1] == '.'; /* some of the driver's texts have a period */
	if (device)
		tfr_fail(err, status, "%.*s on %s: %.*s", length, call, device, words, text);
	else
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: %.*s: %.*s", length, call, words,
			text);
	if (known)
		tfr_error_hint(err, "%s", known->hint);
	return device ? status : TFR_EUNAVAILABLE;
}

static enum tfr_status fail_no_device(struct tfr_error *err)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");

	if (visible)
		tfr_fail(err, TFR_EUNAVAILABLE,
			"device cuda: no device is visible: CUDA_VISIBLE_DEVICES is '%s'", visible);
	else
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no device is visible");
	tfr_error_hint(err, "%s", explain(CUDA_NO_DEVICE)->hint);
	return TFR_EUNAVAILABLE;
}

static enum tfr_status initialise(bool *absent, struct tfr_error *err)
{
	unsigned rc;

	if (cuda.initialised)
		return TFR_OK;
	if (!cuda.filled)
		TFR_TRY(tfr_cuda_fill(&cuda.api, absent, err));
	cuda.filled = true;
	rc = cuda.api.cuInit(0);
	cuda.initialised = rc == CUDA_OK;
	*absent = rc == CUDA_NO_DEVICE;
	if (*absent)
		return fail_no_device(err);
	return rc ? tfr_cuda_fail(&cuda.api, err, NULL, "cuInit", rc) : TFR_OK;
}

enum tfr_status tfr_cuda_get(const struct tfr_cuda_api **api, bool *absent, struct tfr_error *err)
{
	pid_t none = 0, self = getpid();
	enum tfr_status status;

	*absent = false;
	if (!atomic_compare_exchange_strong(&cuda.process, &none, self) && none != self)
		return tfr_fail(err, TFR_EUNAVAILABLE,
			"device cuda: CUDA cannot be used after fork(): the parent process used "
			"it");
	pthread_mutex_lock(&cuda.lock);
	status = initialise(absent, err);
	pthread_mutex_unlock(&cuda.lock);
	*api = &cuda.api;
	return status;
}

enum tfr_status tfr_cuda_count(
	const struct tfr_cuda_api **api, int *count, bool *absent, struct tfr_error *err)
{
	unsigned rc;

	TFR_TRY(tfr_cuda_get(api, absent, err));
	rc = (*api)->cuDeviceGetCount(count);
	*absent = rc == CUDA_NO_DEVICE || (rc == CUDA_OK && *count == 0);
	if (*absent)
		return fail_no_device(err);
	return rc ? tfr_cuda_fail(*api, err, NULL, "cuDeviceGetCount", rc) : TFR_OK;
}
