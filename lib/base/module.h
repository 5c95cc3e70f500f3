/* base/module.h - modules: shared objects of ours, each linked against a library that only some
 * inputs need.
 *
 * A module is opened at first use and stays open, so that its library costs nothing at start and
 * may be missing.  It exports one name, tfr_module (module_export.h), with a table of functions
 * that its user declares.  A module of another build is refused: the table and the structs have no
 * stable layout. */
#ifndef TFR_BASE_MODULE_H
#define TFR_BASE_MODULE_H

#include "base/error.h"

enum tfr_module_name {
	TFR_MODULE_ARCHIVE, /* struct tfr_archive_module */
	TFR_MODULE_AUDIO,   /* struct tfr_audio_module */
	TFR_MODULE_GIF,	    /* struct tfr_image_module */
	TFR_MODULE_REMOTE,  /* struct tfr_object_module */
	TFR_MODULE_WEBP,    /* struct tfr_image_module */
	TFR_MODULE_YAML,    /* struct tfr_yaml_module */
	TFR_MODULE_COUNT,
};

#define TFR_MODULE_MAGIC "tfr module 1\r\n"

/* The layout of the first three members never changes. */
struct tfr_module {
	char magic[16];
	char build[48]; /* the version, and a hash of the headers */
	char name[16];
	const void *calls;
};

/* Opens a module once; later calls return the same result, also of a failure.  `format` says what
 * fails without it: "cannot read 'a.zip'".  Any thread may call it, and any may fork meanwhile.
 *
 * TFR_EUNAVAILABLE: it is not built, it or its library is not installed, or it is refused. */
enum tfr_status tfr_module_open(const void **calls, enum tfr_module_name name,
	struct tfr_error *err, const char *format, ...) TFR_PRINTF(4, 5);

/* Opens the file `path`, which must be the module `name`.  `library` is for messages. */
enum tfr_status tfr_module_load(const void **calls, const char *path, const char *name,
	const char *library, struct tfr_error *err);

#endif
