/* thread/load.c - parses the lines of /proc/stat, one per processor, with the times since boot.
 *
 * They are user, nice, system, idle, iowait, irq, softirq and steal, in ticks (proc_stat(5)).
 * Guests are part of user and nice. */
#include "thread/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

enum { IDLE = 3, IOWAIT = 4, STEAL = 7, FIELDS = 8, STAT_MOST = 1 << 18 };

void tfr_load_parse(struct tfr_load *load, const char *text, const cpu_set_t *allowed, double tick)
{
	*load = (struct tfr_load){ .known = false };
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		unsigned number;
		int at = 0;
		char *end;

		line += *line == '\n';
		/* The line "cpu " is the sum of all. */
		if (strncmp(line, "cpu ", 4) == 0 || sscanf(line, "cpu%u%n", &number, &at) != 1 ||
			number >= CPU_SETSIZE || !CPU_ISSET(number, allowed))
			continue;
		end = (char *)(uintptr_t)line + at;
		for (int i = 0; i < FIELDS && *end == ' '; i++) {
			double ticks = (double)strtoull(end, &end, 10);

			if (i != IDLE && i != IOWAIT)
				load->busy += ticks * tick;
			if (i == STEAL)
				load->steal += ticks * tick;
		}
		load->processors++;
	}
	load->known = load->processors > 0;
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

void tfr_load_read(struct tfr_load *load)
{
	FILE *in = fopen("/proc/stat", "re");
	char *text = in ? calloc(1, STAT_MOST) : NULL;
	struct rusage usage;
	cpu_set_t allowed;

	*load = (struct tfr_load){ .known = false };
	if (text && sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
		size_t n = fread(text, 1, STAT_MOST - 1, in);

		text[n] = '\0';
		tfr_load_parse(load, text, &allowed, 1 / (double)sysconf(_SC_CLK_TCK));
	}
	getrusage(RUSAGE_SELF, &usage);
	load->own = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	load->at_ns = tfr_clock_ns();
	free(text);
	if (in)
		fclose(in);
}

static double clamp_share(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

bool tfr_load_between(
	const struct tfr_load *from, const struct tfr_load *to, double *others, double *steal)
{
	double all = (double)(to->at_ns - from->at_ns) * 1e-9 * to->processors;

	*others = *steal = 0;
	if (!from->known || !to->known || from->processors != to->processors || all <= 0)
		return false;
	*others = clamp_share((to->busy - from->busy - (to->own - from->own)) / all);
	*steal = clamp_share((to->steal - from->steal) / all);
	return true;
}
