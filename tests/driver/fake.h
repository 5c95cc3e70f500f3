/* fake.h - the state of the fake driver, shared by its files.
 *
 * One lock guards everything; `change` is signalled at each change.  Every object is in one list,
 * so that a handle is looked up, never trusted.  An object belongs to a context. */
#ifndef TESTS_DRIVER_FAKE_H
#define TESTS_DRIVER_FAKE_H

#include <pthread.h>
#include <stdint.h>

#include "calls.h"
#include "fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))

enum { CONTEXT_DESTROYED = 709, INVALID_CONTEXT = 201, INVALID_IMAGE = 200, NOT_FOUND = 500 };

/* An address of the device is one of the process plus this bit, so that the processor faults when
 * it uses one. */
#define DEVICE_BIT ((uintptr_t)1 << 55)

enum { UPWARDS, DOWNWARDS }; /* the engines of a device that copy */

struct CUctx_st {
	int device;
	int references;
	unsigned error;	     /* of work that failed; every later call reports it */
	int working;	     /* work that is queued or in progress */
	int threads;	     /* of streams */
	uint64_t free_ns[2]; /* when the copies in each direction have ended */
	size_t used;	     /* bytes of device memory */
};

enum fake_kind { FAKE_STREAM, FAKE_EVENT, FAKE_BLOCK, FAKE_MODULE, FAKE_FUNCTION, FAKE_KINDS };

/* The beginning of every object. */
struct fake_object {
	struct fake_object *next;
	enum fake_kind kind;
	struct CUctx_st *context;
};

enum { FAKE_STREAMS = 64, FAKE_USES = 2 };

/* Memory of a device, or pinned memory. */
struct fake_block {
	struct fake_object object;
	char *memory; /* of the process */
	size_t size;
	bool pinned;
	int users; /* work in progress */
};

/* A range that work reads or writes. */
struct fake_use {
	struct fake_block *block;
	const char *at;
	size_t size;
	bool writes;
};

struct CUevent_st {
	struct fake_object object;
	uint64_t clock[FAKE_STREAMS]; /* of its stream at its last record */
	unsigned flags;
	uint64_t recorded, done; /* numbers of its last record, and of the last that was reached */
	uint64_t at_ns;
	int users; /* queued records and waits */
	bool destroyed;
};

struct CUmod_st {
	struct fake_object object;
	char *ptx;
};

struct CUfunc_st {
	struct fake_object object;
	struct CUmod_st *module;
	const struct fake_kernel *kernel;
	bool loaded;
};

extern struct fake_state {
	pthread_mutex_t lock;
	pthread_cond_t change;
	_Atomic(int) process; /* that called cuInit; 0: none */
	int visible[FAKE_CUDA_DEVICES], count;
	struct CUctx_st contexts[FAKE_CUDA_DEVICES];
	unsigned lost[FAKE_CUDA_DEVICES];
	bool failed[FAKE_CUDA_DEVICES]; /* a call or work failed as set up */
	struct fake_object *objects;
	struct CUstream_st *streams[FAKE_STREAMS]; /* whose thread runs */
	uint64_t numbers[FAKE_STREAMS];		   /* of the last work on each before */
	int calls, hanging_calls; /* of the call that fails, and of that which hangs */
	unsigned repairs;
	int leaked; /* objects that were left in a released context */
	int pushed; /* contexts on the stacks of all threads */
	int copies; /* in progress */
	int most_copies, pageable_copies, waiting_frees, spinning_waits, pinned_node;
} fake;

/* Prints "fake CUDA: ..." and aborts: where the driver would crash or corrupt silently. */
_Noreturn void fake_abort(const char *format, ...) __attribute__((format(printf, 1, 2)));

uint64_t fake_now_ns(void);
void fake_sleep_until(uint64_t ns);

/* Whether the call of this name, or "copy" or "kernel", is set up to fail on a device (-1: it has
 * none).  One that is set up to hang does so here. */
unsigned fake_injected(const char *call, int device);

/* Whether a call that needs only cuInit may run. */
unsigned fake_enter(const char *call, int device);

/* The same for a call that needs a context; `*c` is the current one, or NULL. */
unsigned fake_enter_context(const char *call, struct CUctx_st **c);

/* The same for a call on an object, which must exist: of another context it is error 400.
 * `*usable`, when not NULL: the error, if any, is one that was set up or of earlier work, so that a
 * call that frees the object does so, as the driver does. */
unsigned fake_enter_object(const char *call, enum fake_kind kind, const void *object, bool *usable);

#define ENTER(check)                                                                               \
	do {                                                                                       \
		unsigned error_ = check;                                                           \
		if (error_)                                                                        \
			return error_;                                                             \
	} while (0)

/* The functions below are called with the lock held. */

/* Aborts if there is no such object. */
void fake_must_exist(const char *call, enum fake_kind kind, const void *object);
void fake_add(struct fake_object *object, enum fake_kind kind, struct CUctx_st *context);
void fake_remove(struct fake_object *object);

/* The block that contains these bytes, or NULL. */
struct fake_block *fake_block(const void *memory, size_t size, bool pinned);
/* The same for an address of a device. */
struct fake_block *fake_device_block(struct CUctx_st *c, tfr_cuda_ptr address, size_t size);

void fake_stream_destroy(struct CUstream_st *s);
void fake_event_destroy(struct CUevent_st *ev);
void fake_block_free(struct fake_block *b);
void fake_module_free(struct CUmod_st *module);

/* Frees every object of a context and waits for its work. */
void fake_context_clear(struct CUctx_st *c);

/* Waits until no work of the context is left.  True: there was some. */
bool fake_drain(struct CUctx_st *c);

/* --- kernels --------------------------------------------------------------------------------- */

enum { FAKE_PARAMETERS = 8, FAKE_PARAMETER_BYTES = 64 };

/* One kernel of kernels.cu. */
struct fake_kernel {
	const char *name;
	unsigned sizes[FAKE_PARAMETERS]; /* of its parameters, 0 after the last */
	/* One thread of the grid. */
	void (*thread)(const unsigned char (*parameters)[FAKE_PARAMETER_BYTES]);
	/* Turns its addresses into those of the process and gives the memory that it uses; false:
	 * some of that is not the device's.  NULL: it uses none. */
	bool (*resolve)(struct CUctx_st *c, unsigned char (*parameters)[FAKE_PARAMETER_BYTES],
		struct fake_use *uses);
};

/* NULL: there is no such kernel. */
const struct fake_kernel *fake_kernel_named(const char *name);

struct fake_launch {
	const struct fake_kernel *kernel;
	unsigned grid[3], block[3];
	unsigned char parameters[FAKE_PARAMETERS][FAKE_PARAMETER_BYTES];
};

void fake_launch_run(const struct fake_launch *launch);

/* Puts a kernel on a stream, which owns the copy of `launch`.  `error`: what it will fail with. */
void fake_stream_launch(struct CUstream_st *s, const struct fake_launch *launch,
	const struct fake_use *uses, unsigned error);

#endif
