/* What a test can ask of the stand-in for the CUDA runtime. */
#ifndef TESTS_STUBS_CUDART_H
#define TESTS_STUBS_CUDART_H

#include <stdbool.h>
#include <stddef.h>

/* Changed between runs, not during one. */
struct cudart_setup {
	int driver;	   /* version, 0: no driver; 13000 at first */
	int devices;	   /* 1 at first */
	double bandwidth;  /* of a copy in bytes a second, 0: as fast as memory */
	const char *fails; /* the name of a call that fails, or NULL */
	int after;	   /* that many calls of it succeed first */
	int error;	   /* what it fails with.  The call "copy" is a copy that fails under way */
};

extern struct cudart_setup cudart;

/* No memory, stream or event is left: what a test asks once it has closed its device. */
bool cudart_all_freed(void);
/* The most copies that were under way at once since the last call. */
int cudart_most_in_flight(void);
/* Copies from memory that was not pinned since the last call. */
int cudart_pageable_copies(void);

#endif
