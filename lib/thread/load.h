/* thread/load.h - measures how busy the processors of this process are, and with whose work.
 *
 * The difference of two snapshots shows what other programs and, on a virtual machine, the host
 * used in between.  The kernel counts hundredths of a second, so intervals below half a second say
 * little. */
#ifndef TFR_THREAD_LOAD_H
#define TFR_THREAD_LOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct tfr_load {
	bool known;
	unsigned processors; /* of the allowed processors in /proc/stat */
	double busy;	     /* seconds of them since boot, with steal */
	double steal;	     /* that the host of a virtual machine used */
	double own;	     /* of this process */
	uint64_t at_ns;
};

/* Reads /proc/stat.  Without it, nothing is known. */
void tfr_load_read(struct tfr_load *load);
/* Parses the text of /proc/stat for the processors in `allowed`. */
void tfr_load_parse(struct tfr_load *load, const char *text, const cpu_set_t *allowed, double tick);

/* The share of processor time that others used between two snapshots, from 0 to 1, and the host's
 * part of it.  False: not known. */
bool tfr_load_between(
	const struct tfr_load *from, const struct tfr_load *to, double *others, double *steal);

#endif
