/* io/remote/http/measurements.h - measurements of all requests of the process.  Any thread. */
#ifndef TFR_IO_REMOTE_HTTP_MEASUREMENTS_H
#define TFR_IO_REMOTE_HTTP_MEASUREMENTS_H

#include <tfr/remote.h>

void tfr_measure_request(bool again);
void tfr_measure_throttled(void);
void tfr_measure_bytes(uint64_t in, uint64_t out);
void tfr_measure_connection(double seconds);
void tfr_measure_active(int more); /* one more or one fewer at once */
void tfr_measure_first_byte(double seconds);
/* The median so far; 0: none. */
double tfr_measured_first_byte(void);

void tfr_measured(struct tfr_remote_statistics *s);

#endif
