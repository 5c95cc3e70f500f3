/* cmd/common/figures.c - prints numbers with three digits and a suitable unit. */
#include "common/figures.h"

#include <stdint.h>
#include <stdio.h>

#include <tfr-private/text.h>

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
	char size[TFR_SIZE_TEXT];

	snprintf(text, FIGURE_TEXT, "%s/s",
		tfr_format_size(bytes > 0 ? (uint64_t)(bytes + 0.5) : 0, size));
	return text;
}

const char *figure_left(double seconds, char text[FIGURE_TEXT])
{
	unsigned long long s = seconds > 0 ? (unsigned long long)(seconds + 0.5) : 0;

	if (s < 3600)
		snprintf(text, FIGURE_TEXT, "%llu:%02llu", s / 60, s % 60);
	else
		snprintf(text, FIGURE_TEXT, "%llu h %02llu", s / 3600, s / 60 % 60);
	return text;
}

const char *figure_share(double share, char text[FIGURE_TEXT])
{
	double percent = 100 * share;

	snprintf(text, FIGURE_TEXT, "%.*f%%", percent > 0.05 && percent < 0.95 ? 1 : 0, percent);
	return text;
}
