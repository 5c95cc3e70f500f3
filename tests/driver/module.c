/* module.c - modules from PTX, which is checked as far as a driver's compiler refuses it: versions,
 * target, the entries and their parameters.
 *
 * The text is not compiled.  An entry stands for the kernel of the same name in kernels.cu, and
 * must have its parameters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* The newest PTX that a driver knows (PTX ISA, release notes). */
static const struct {
	int cuda, ptx;
} known[] = { { 6000, 40 }, { 6050, 41 }, { 7000, 42 }, { 7050, 43 }, { 8000, 50 }, { 9000, 60 },
	{ 9010, 61 }, { 9020, 62 }, { 10000, 63 }, { 10010, 64 }, { 10020, 65 }, { 11000, 70 },
	{ 11010, 71 }, { 11020, 72 }, { 11030, 73 }, { 11040, 74 }, { 11050, 75 }, { 11060, 76 },
	{ 11070, 77 }, { 11080, 78 }, { 12000, 80 }, { 12010, 81 }, { 12020, 82 }, { 12030, 83 },
	{ 12040, 84 }, { 12050, 85 }, { 12070, 86 }, { 12080, 87 }, { 12090, 88 }, { 13000, 90 } };

static int newest_ptx(void)
{
	int ptx = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].cuda <= fake_cuda.version)
			ptx = known[i].ptx;
	return ptx;
}

/* The options of cuModuleLoadDataEx.  Of those of the driver only the log of errors is modelled. */
struct log {
	char *to;
	size_t size;
	void **size_value; /* gets the length */
};

static unsigned read_options(
	struct log *log, unsigned count, const unsigned *options, void **values)
{
	*log = (struct log){ 0 };
	if (count && (!options || !values))
		return CUDA_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CUDA_JIT_ERROR_LOG_BUFFER) {
			log->to = values[i];
		} else if (options[i] == CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
			log->size = (size_t)(uintptr_t)values[i];
			log->size_value = &values[i];
		} else {
			return CUDA_INVALID_VALUE;
		}
	}
	return !log->to == !log->size ? CUDA_OK : CUDA_INVALID_VALUE;
}

static unsigned refuse(const struct log *log, unsigned error, const char *what)
{
	if (log->to) {
		int n = snprintf(
			log->to, log->size, "ptxas application ptx input, line 1; %s\n", what);

		*log->size_value = (void *)(uintptr_t)(n < (int)log->size ? (size_t)n : log->size);
	}
	return error;
}

/* The first line that begins with a directive; its argument, or NULL. */
static const char *directive(const char *ptx, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = ptx; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\n");
		if (strncmp(line, name, length) == 0 && isspace((unsigned char)line[length]))
			return line + length + strspn(line + length, " \t");
	}
	return NULL;
}

static const char *past_comments(const char *at)
{
	at += strspn(at, " \t\n");
	while (at[0] == '/' && at[1] == '/')
		at += strcspn(at, "\n"), at += strspn(at, " \t\n");
	return at;
}

static unsigned check_ptx(const char *ptx, const struct log *log)
{
	const char *target = directive(ptx, ".target"), *bits = directive(ptx, ".address_size");
	int major, minor, sm;

	if (sscanf(past_comments(ptx), ".version %d.%d", &major, &minor) != 2)
		return INVALID_IMAGE;
	if (fake_cuda.disabledjit)
		return CUDA_JIT_COMPILATION_DISABLED;
	if (fake_cuda.nojit)
		return CUDA_JIT_COMPILER_NOT_FOUND;
	if (10 * major + minor > newest_ptx())
		return refuse(log, CUDA_UNSUPPORTED_PTX_VERSION,
			"fatal   : Unsupported .version; current version is older");
	if (!target || sscanf(target, "sm_%d", &sm) != 1 || sm > fake_cuda.sm)
		return refuse(log, CUDA_INVALID_PTX,
			"error   : SM version specified by .target is higher than default SM "
			"version "
			"assumed");
	if (!bits || strncmp(bits, "64", 2) != 0)
		return refuse(log, CUDA_INVALID_PTX, "error   : .address_size is not 64");
	if (fake_cuda.badptx)
		return refuse(log, CUDA_INVALID_PTX, "error   : Unknown instruction 'fake'");
	return CUDA_OK;
}

unsigned cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned count,
	unsigned *options, void **values)
{
	struct CUmod_st *m;
	struct CUctx_st *c;
	struct log log;

	ENTER(fake_enter_context(__func__, &c));
	if (!module || !image)
		return CUDA_INVALID_VALUE;
	ENTER(read_options(&log, count, options, values));
	ENTER(check_ptx(image, &log));
	m = malloc(sizeof(*m));
	*m = (struct CUmod_st){ .ptx = strdup(image) };
	pthread_mutex_lock(&fake.lock);
	fake_add(&m->object, FAKE_MODULE, c);
	pthread_mutex_unlock(&fake.lock);
	*module = m;
	return CUDA_OK;
}

static struct CUfunc_st *function_of(const struct CUmod_st *m)
{
	for (struct fake_object *o = fake.objects; o; o = o->next)
		if (o->kind == FAKE_FUNCTION && ((struct CUfunc_st *)o)->module == m)
			return (struct CUfunc_st *)o;
	return NULL;
}

void fake_module_free(struct CUmod_st *m)
{
	struct CUfunc_st *f;

	while ((f = function_of(m))) {
		fake_remove(&f->object);
		free(f);
	}
	fake_remove(&m->object);
	free(m->ptx);
	free(m);
}

unsigned cuModuleUnload(struct CUmod_st *m)
{
	bool usable;
	unsigned error = fake_enter_object(__func__, FAKE_MODULE, m, &usable);

	if (!usable)
		return error;
	pthread_mutex_lock(&fake.lock);
	if (fake_drain(m->object.context))
		fake.waiting_frees++;
	fake_module_free(m);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

/* The bytes of a parameter such as ".param .u64 NAME" or ".param .align 4 .b8 NAME[32]"; `end` is
 * after it. */
static unsigned parameter_size(const char *text, const char *end)
{
	unsigned bits = 0, length = 1;
	const char *bracket = memchr(text, '[', (size_t)(end - text));

	for (const char *at = text; at < end && (at = strchr(at, '.')) && at < end; at++)
		if (strchr("busf", at[1]) && isdigit((unsigned char)at[2]))
			bits = (unsigned)atoi(at + 2);
	if (bracket)
		length = (unsigned)atoi(bracket + 1);
	return bits / 8 * length;
}

/* Aborts unless the entry has the parameters of the kernel. */
static void compare_parameters(const struct fake_kernel *kernel, const char *entry)
{
	const char *open = strchr(entry, '('), *close = open ? strchr(open, ')') : NULL;
	unsigned n = 0;

	for (const char *at = open; close && (at = strstr(at, ".param")) && at < close; at++, n++) {
		const char *end = strpbrk(at, ",)");

		if (n >= FAKE_PARAMETERS || parameter_size(at, end) != kernel->sizes[n])
			fake_abort("parameter %u of %s in PTX is not that of kernels.cu", n,
				kernel->name);
	}
	if (n < FAKE_PARAMETERS && kernel->sizes[n])
		fake_abort("%s has %u parameters in PTX, more in kernels.cu", kernel->name, n);
}

static const struct fake_kernel *find_entry(const char *ptx, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = ptx; (at = strstr(at, ".entry")); at++) {
		const char *entry = at + 6 + strspn(at + 6, " \t\n");

		if (strncmp(entry, name, length) == 0 && strchr(" \t\n(", entry[length])) {
			const struct fake_kernel *kernel = fake_kernel_named(name);

			if (!kernel)
				fake_abort("%s is no kernel of kernels.cu", name);
			compare_parameters(kernel, entry);
			return kernel;
		}
	}
	return NULL;
}

unsigned cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *m, const char *name)
{
	const struct fake_kernel *kernel;
	struct CUfunc_st *f;

	ENTER(fake_enter_object(__func__, FAKE_MODULE, m, NULL));
	if (!function || !name)
		return CUDA_INVALID_VALUE;
	kernel = find_entry(m->ptx, name);
	if (!kernel)
		return NOT_FOUND;
	f = malloc(sizeof(*f));
	*f = (struct CUfunc_st){ .module = m, .kernel = kernel };
	pthread_mutex_lock(&fake.lock);
	fake_add(&f->object, FAKE_FUNCTION, m->object.context);
	pthread_mutex_unlock(&fake.lock);
	*function = f;
	return CUDA_OK;
}

/* Loads the kernel, which otherwise its first launch does. */
unsigned cuFuncGetAttribute(int *value, unsigned attribute, struct CUfunc_st *f)
{
	ENTER(fake_enter_object(__func__, FAKE_FUNCTION, f, NULL));
	if (attribute != CUDA_FUNC_ATTRIBUTE_NUM_REGS)
		fake_abort("%s: attribute %u is not known", __func__, attribute);
	pthread_mutex_lock(&fake.lock);
	f->loaded = true;
	pthread_mutex_unlock(&fake.lock);
	*value = 16;
	return CUDA_OK;
}
