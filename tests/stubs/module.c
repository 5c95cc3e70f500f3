/* tests/stubs/module.c - modules for unit-base: a good one, and some that are refused. */
#include "base/module_export.h"

static const char calls[] = "calls";

#if defined(OTHER_BUILD)
TFR_API extern const struct tfr_module tfr_module;
const struct tfr_module tfr_module = { TFR_MODULE_MAGIC, "0.1.0 0123456789abcdef", "stub", calls };
#elif defined(OTHER_MAGIC)
TFR_API extern const struct tfr_module tfr_module;
const struct tfr_module tfr_module = { "tfr module 0", TFR_MODULE_BUILD, "stub", calls };
#elif defined(NEEDS)
int stub_needed(void);
TFR_API int stub_needs(void);

int stub_needs(void)
{
	return stub_needed();
}

TFR_MODULE_EXPORT("stub", calls);
#elif defined(NEEDED)
TFR_API int stub_needed(void);

int stub_needed(void)
{
	return calls[0];
}
#else
TFR_MODULE_EXPORT("stub", calls);
#endif
