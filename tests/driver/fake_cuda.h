/* fake_cuda.h - a CUDA driver without a GPU, and how a test controls it.
 *
 * build/tests/driver/libcuda.so.1 exports the calls of lib/device/cuda_api.h under the names of
 * NVIDIA's driver.  A program that is started with LD_LIBRARY_PATH=build/tests/driver finds it, and
 * TFR_FAKE_CUDA sets it up, as in
 *
 *     devices=2,fails=cuMemAlloc_v2,after=1,error=2,on=1,lost
 *
 * A test that links it uses the functions below: dlopen("libcuda.so.1") then returns the library
 * that is already loaded. */
#ifndef TESTS_DRIVER_FAKE_CUDA_H
#define TESTS_DRIVER_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_CUDA_DEVICES = 8 };

/* Change it between runs, not during one.  Its members are the words of TFR_FAKE_CUDA.  The
 * devices are counted by cuInit, with CUDA_VISIBLE_DEVICES. */
struct fake_cuda_setup {
	int version;	     /* of CUDA, 13000 at first: 13.0 */
	int devices;	     /* 1 at first, FAKE_CUDA_DEVICES at most */
	double memory;	     /* bytes of a device, 8 GiB at first */
	int multiprocessors; /* 2 at first */
	double bandwidth;    /* bytes per second of a link, each way; 0: as fast as memory */
	int sm;		     /* compute capability, 90 at first: 9.0 */

	/* A call that fails.  "copy" is a copy that fails in progress, "kernel" likewise. */
	const char *fails;
	int after; /* this number of calls succeeds first */
	int error; /* the result, 719 at first */
	bool once; /* only one call fails; otherwise all later ones too */
	bool lost; /* after the failure every call on the device fails */
	int on;	   /* only on this device; -1, at first: on any */
	/* A call that never returns, after `after` calls and on `on`.  "copy" and "kernel" are work
	 * that never ends. */
	const char *hangs;

	bool mig;	  /* the devices are MIG instances */
	bool nopci;	  /* cuDeviceGetPCIBusId fails with 1 */
	bool nojit;	  /* the driver has no compiler for PTX: 221 */
	bool disabledjit; /* CUDA_DISABLE_PTX_JIT: 223 */
	bool badptx;	  /* the compiler refuses PTX: 218 */
	bool leaks;	  /* at exit, what was not freed is printed to stderr */
};

struct fake_cuda_setup *fake_cuda_setup(void);
#define fake_cuda (*fake_cuda_setup())

/* Lost devices are found again, calls are counted from 0, and work that hangs ends. */
void fake_cuda_repair(void);

/* Nothing is left: no context, stream, event, memory or module, no thread with a context on its
 * stack, and no context was released with something in it.  A test asks after closing devices. */
bool fake_cuda_all_freed(void);

/* The context of this thread and the depth of its stack.  NULL, 0: none. */
struct CUctx_st *fake_cuda_current(unsigned *depth);

/* Each of these counts since the last call of it. */
int fake_cuda_most_in_flight(void);  /* the most copies in progress at once */
int fake_cuda_pageable_copies(void); /* copies from memory that is not pinned */
int fake_cuda_waiting_frees(void);   /* calls that free or load and waited for other work */
int fake_cuda_leaked(void);	     /* objects that were in a context when it was released */
int fake_cuda_spinning_waits(void);  /* waits on a processor: without CU_EVENT_BLOCKING_SYNC */

/* The NUMA node that the thread preferred when memory was last pinned; -1: none. */
int fake_cuda_pinned_node(void);

#endif
