/* setup.c - how the fake driver is set up and asked: TFR_FAKE_CUDA, calls that fail or hang, and
 * the counters. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct fake_state fake = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.change = PTHREAD_COND_INITIALIZER,
	.pinned_node = -1,
};

static struct fake_cuda_setup setup = {
	.version = 13000,
	.devices = 1,
	.memory = 0x1p33,
	.multiprocessors = 2,
	.sm = 90,
	.error = CUDA_LAUNCH_FAILED,
	.on = -1,
};

EXPORT struct fake_cuda_setup *fake_cuda_setup(void)
{
	return &setup;
}

void fake_abort(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("fake CUDA: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

/* The words of TFR_FAKE_CUDA: NAME=VALUE, or NAME alone for a flag. */
static const struct word {
	const char *name;
	enum { INT, DOUBLE, CALL, FLAG } type;
	void *to;
} words[] = {
	{ "version", INT, &setup.version },
	{ "devices", INT, &setup.devices },
	{ "memory", DOUBLE, &setup.memory },
	{ "multiprocessors", INT, &setup.multiprocessors },
	{ "bandwidth", DOUBLE, &setup.bandwidth },
	{ "sm", INT, &setup.sm },
	{ "fails", CALL, &setup.fails },
	{ "after", INT, &setup.after },
	{ "error", INT, &setup.error },
	{ "once", FLAG, &setup.once },
	{ "lost", FLAG, &setup.lost },
	{ "on", INT, &setup.on },
	{ "hang", CALL, &setup.hangs },
	{ "mig", FLAG, &setup.mig },
	{ "nopci", FLAG, &setup.nopci },
	{ "nojit", FLAG, &setup.nojit },
	{ "disabledjit", FLAG, &setup.disabledjit },
	{ "badptx", FLAG, &setup.badptx },
	{ "leaks", FLAG, &setup.leaks },
};

enum { WORDS = sizeof(words) / sizeof(*words) };

/* A call of the table, or "copy" or "kernel". */
static const char *call_named(const char *name)
{
#define NAME(call, older, arguments) #call,
	static const char *const calls[] = { TFR_CUDA_CALLS(NAME) "copy", "kernel" };
#undef NAME

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i], name) == 0)
			return calls[i];
	fake_abort("TFR_FAKE_CUDA: '%s' is no call of lib/device/cuda_api.h", name);
}

static void read_value(const struct word *w, const char *value)
{
	char *end = NULL;

	if (!value && w->type != FLAG)
		fake_abort("TFR_FAKE_CUDA: '%s' needs a value", w->name);
	if (w->type == FLAG)
		*(bool *)w->to = true;
	else if (w->type == INT)
		*(int *)w->to = (int)strtol(value, &end, 10);
	else if (w->type == DOUBLE)
		*(double *)w->to = strtod(value, &end);
	else
		*(const char **)w->to = call_named(value);
	if ((w->type == FLAG && value) || (end && (end == value || *end)))
		fake_abort("TFR_FAKE_CUDA: '%s=%s' has no valid value", w->name, value);
}

static void read_word(char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	for (int i = 0; i < WORDS; i++)
		if (strcmp(words[i].name, text) == 0) {
			read_value(&words[i], value);
			return;
		}
	fake_abort("TFR_FAKE_CUDA: unknown word '%s'", text);
}

__attribute__((constructor)) static void read_environment(void)
{
	const char *text = getenv("TFR_FAKE_CUDA");
	char *copy = strdup(text ? text : ""), *rest = NULL;

	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		read_word(word);
	free(copy);
	if (setup.devices < 0 || setup.devices > FAKE_CUDA_DEVICES)
		fake_abort("TFR_FAKE_CUDA: %d devices are not 0 to %d", setup.devices,
			FAKE_CUDA_DEVICES);
}

static bool is_meant(const char *name, const char *call, int device)
{
	return name && strcmp(name, call) == 0 && (setup.on < 0 || setup.on == device);
}

unsigned fake_injected(const char *call, int device)
{
	unsigned error = 0, repairs;

	pthread_mutex_lock(&fake.lock);
	repairs = fake.repairs;
	if (is_meant(setup.hangs, call, device) && fake.hanging_calls++ >= setup.after)
		while (repairs == fake.repairs)
			pthread_cond_wait(&fake.change, &fake.lock);
	if (device >= 0 && strncmp(call, "cuCtxP", 6) != 0) /* the stack is not the device's */
		error = fake.lost[device];
	if (!error && is_meant(setup.fails, call, device)) {
		int nth = fake.calls++;

		if (setup.once ? nth == setup.after : nth >= setup.after)
			error = (unsigned)setup.error;
		if (error && device >= 0) {
			fake.failed[device] = true;
			fake.lost[device] = setup.lost ? error : 0;
		}
	}
	pthread_mutex_unlock(&fake.lock);
	return error;
}

EXPORT void fake_cuda_repair(void)
{
	pthread_mutex_lock(&fake.lock);
	fake.calls = fake.hanging_calls = 0;
	fake.repairs++;
	memset(fake.lost, 0, sizeof(fake.lost));
	memset(fake.failed, 0, sizeof(fake.failed));
	pthread_cond_broadcast(&fake.change);
	pthread_mutex_unlock(&fake.lock);
}

/* The numbers of what is left. */
struct left {
	int contexts, objects[FAKE_KINDS], leaked, pushed;
	bool any;
};

static struct left what_is_left(void)
{
	struct left left = { 0 };

	pthread_mutex_lock(&fake.lock);
	for (int i = 0; i < FAKE_CUDA_DEVICES; i++)
		left.contexts += fake.contexts[i].references;
	for (struct fake_object *o = fake.objects; o; o = o->next)
		left.objects[o->kind]++;
	left.leaked = fake.leaked;
	left.pushed = fake.pushed;
	left.any = left.contexts || fake.objects || left.leaked || left.pushed;
	pthread_mutex_unlock(&fake.lock);
	return left;
}

EXPORT bool fake_cuda_all_freed(void)
{
	return !what_is_left().any;
}

__attribute__((destructor)) static void report_leaks(void)
{
	struct left left = what_is_left();

	if (setup.leaks && left.any)
		fprintf(stderr,
			"fake CUDA: left: %d contexts, %d streams, %d events, %d blocks of memory, "
			"%d modules; %d objects in released contexts; %d contexts on stacks\n",
			left.contexts, left.objects[FAKE_STREAM], left.objects[FAKE_EVENT],
			left.objects[FAKE_BLOCK], left.objects[FAKE_MODULE], left.leaked,
			left.pushed);
}

static int taken(int *counter, int first)
{
	int n;

	pthread_mutex_lock(&fake.lock);
	n = *counter;
	*counter = first;
	pthread_mutex_unlock(&fake.lock);
	return n;
}

EXPORT int fake_cuda_most_in_flight(void)
{
	return taken(&fake.most_copies, 0);
}

EXPORT int fake_cuda_pageable_copies(void)
{
	return taken(&fake.pageable_copies, 0);
}

EXPORT int fake_cuda_waiting_frees(void)
{
	return taken(&fake.waiting_frees, 0);
}

EXPORT int fake_cuda_spinning_waits(void)
{
	return taken(&fake.spinning_waits, 0);
}

EXPORT int fake_cuda_leaked(void)
{
	return taken(&fake.leaked, 0);
}

EXPORT int fake_cuda_pinned_node(void)
{
	return taken(&fake.pinned_node, -1);
}
