/* io/remote/object_reader.h - objects that are read: reader.c in order, look.c by name. */
#ifndef TFR_IO_REMOTE_OBJECT_READER_H
#define TFR_IO_REMOTE_OBJECT_READER_H

#include "io/object.h"
#include "io/remote/http/engine.h"

enum tfr_status tfr_object_open(struct tfr_object **o, const char *url, struct tfr_error *err);
void tfr_object_close(struct tfr_object *o);
const struct stat *tfr_object_stat(const struct tfr_object *o);
bool tfr_object_seekable(const struct tfr_object *o);
enum tfr_status tfr_object_read(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err);
enum tfr_status tfr_object_read_at(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err);
bool tfr_object_reads_on(const struct tfr_object *o, uint64_t position, uint64_t ahead);

enum tfr_status tfr_object_look(const char *url, struct stat *st, struct tfr_error *err);
/* Notes that the object exists, as a listing has said. */
void tfr_object_remember(const char *url, const struct stat *st);
/* Forgets what tfr_object_look() remembers of an object, because this process changes it. */
void tfr_object_changed(const char *url);
/* Fills what an answer says of an object: its size is `size`. */
void tfr_object_identity(
	struct stat *st, const struct tfr_store *s, const struct tfr_answer *a, uint64_t size);

bool tfr_object_prefetch(const char *url, uint64_t size);
enum tfr_status tfr_object_fetch(const char *url, size_t most, void **data, size_t *size,
	struct stat *st, struct tfr_error *err);

#endif
