/* What a test can ask of the stand-in for the CUDA runtime, and what its kernels use. */
#ifndef TESTS_STUBS_CUDART_H
#define TESTS_STUBS_CUDART_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda_runtime_api.h"

/* Changed between runs, not during one.  A program is told by TFR_STAND_IN, as in
 * "devices=2,fails=cudaMalloc,after=1,error=2,on=1,lost". */
struct cudart_setup {
	int driver;	   /* version, 0: no driver; 13000 at first */
	int devices;	   /* 1 at first, 8 at most */
	double bandwidth;  /* of a copy in bytes a second, 0: as fast as memory */
	bool no_kernels;   /* as built without nvcc */
	const char *fails; /* the name of a call that fails, or NULL.  "copy" is a copy that fails
			      under way, "kernel" a kernel likewise, "cudaLaunchKernel" its start */
	int after;	   /* that many calls of it succeed first */
	int error;	   /* what it fails with */
	bool lost;	   /* once it has failed, every call on its device does */
	int on;		   /* the device that it fails on; -1, at first: on any */
};

extern struct cudart_setup cudart;

/* Lost devices are found again, and calls counted anew. */
void cudart_mend(void);
/* No memory, stream or event is left: what a test asks once it has closed its device. */
bool cudart_all_freed(void);
/* The most copies that were under way at once since the last call. */
int cudart_most_in_flight(void);
/* Copies from memory that was not pinned since the last call. */
int cudart_pageable_copies(void);
/* The node of NUMA that the thread preferred when memory was last pinned; -1: none. */
int cudart_pinned_node(void);

/* Puts a kernel on a stream: `run` is called on its thread with a copy of `arg`. */
cudaError_t cudart_launch(
	cudaStream_t stream, cudaError_t (*run)(void *arg), const void *arg, size_t size);
/* Whether these bytes are cudaMalloc's. */
bool cudart_on_device(const void *memory, size_t size);

#endif
