/* cmd/common/figures.c - numbers for a person: three digits and the unit that suits. */
#include <stdio.h>

#include "common/figures.h"

static int decimals(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

const char *figure_duration(double seconds, char text[FIGURE_TEXT])
{
	static const char *const units[] = { "s", "ms", "us", "ns" };
	unsigned unit = 0;

	while (seconds < 0.9995 && unit < 3) {
		seconds *= 1e3;
		unit++;
	}
	if (unit == 3 && seconds < 0.5)
		return "0 s";
	snprintf(text, FIGURE_TEXT, "%.*f %s", decimals(seconds), seconds, units[unit]);
	return text;
}

const char *figure_bandwidth(double bytes, char text[FIGURE_TEXT])
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	unsigned unit = 0;

	while (bytes >= 999.5 && unit < 4) {
		bytes /= 1e3;
		unit++;
	}
	snprintf(text, FIGURE_TEXT, "%.*f %s", decimals(bytes), bytes, units[unit]);
	return text;
}

const char *figure_share(double share, char text[FIGURE_TEXT])
{
	double percent = 100 * share;

	snprintf(text, FIGURE_TEXT, "%.*f%%", percent > 0.05 && percent < 0.95 ? 1 : 0, percent);
	return text;
}
