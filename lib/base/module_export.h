/* base/module_export.h - included by the one file of a module that exports its table:
 *
 *     TFR_MODULE_EXPORT("gif", calls); */
#ifndef TFR_BASE_MODULE_EXPORT_H
#define TFR_BASE_MODULE_EXPORT_H

#include "base/module.h"
#include "module_build.h"

#define TFR_MODULE_EXPORT(NAME, TABLE)                                                             \
	TFR_API extern const struct tfr_module tfr_module;                                         \
	const struct tfr_module tfr_module = { TFR_MODULE_MAGIC, TFR_MODULE_BUILD, NAME, &(TABLE) }

#endif
