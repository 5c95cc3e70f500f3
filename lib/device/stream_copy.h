/* device/stream_copy.h - memcpy for data that this processor does not read again soon. */
#ifndef TFR_DEVICE_STREAM_COPY_H
#define TFR_DEVICE_STREAM_COPY_H

#include <stddef.h>

/* As memcpy. */
void tfr_device_stream_copy(void *to, const void *from, size_t size);
/* As memcpy, of any size, from data that is in a cache: no line of the target enters one. */
void tfr_device_stream_store(void *to, const void *from, size_t size);

#endif
