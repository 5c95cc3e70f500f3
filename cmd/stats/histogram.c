/* cmd/stats/histogram.c - the histogram of a distribution as SVG, over an axis with ticks.
 *
 * An integer n fills the axis from n to n + 1, and each bar of integers covers the same number of
 * them. Otherwise 10 classes in 32 bars would have gaps that are not in the data.  Values of many
 * magnitudes are drawn over a logarithmic axis. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "stats/stats.h"

enum { BARS = 32, BARS_OF_ONE = 64, WIDTH = 320, HEIGHT = 120, TICKS = 5 };

struct axis {
	double low, high; /* ends, also of the bars */
	double shift;	  /* added before the logarithm, so that 0 has a place */
	bool logarithmic, whole;
	bool trimmed; /* values beyond the ends are in the outer bars */
	int bars;
};

/* From 0 to 1. */
static double place_of(const struct axis *a, double v)
{
	double x;

	if (a->logarithmic)
		x = log((v + a->shift) / (a->low + a->shift)) /
		    log((a->high + a->shift) / (a->low + a->shift));
	else
		x = (v - a->low) / (a->high - a->low);
	return fmin(fmax(x, 0), 1);
}

/* More than two magnitudes, with half of the values in a twentieth of the range. */
static bool is_skewed(const struct tfr_distribution *d, bool whole)
{
	double least = whole ? fmax(d->min, 1) : d->min, median = d->quantiles[TFR_QUANTILES / 2];

	return d->min >= 0 && least > 0 && d->max > 100 * least &&
	       median - d->min < (d->max - d->min) / 20;
}

/* Without the outermost hundredths, if they would squeeze all other values into a few bars. */
static void trim_axis(struct axis *a, const struct tfr_distribution *d)
{
	double first = d->quantiles[0], last = d->quantiles[TFR_QUANTILES - 1];

	if (!(last > first) || d->max - d->min <= 8 * (last - first))
		return;
	a->trimmed = true;
	a->low = a->whole ? floor(first) : first;
	a->high = a->whole ? floor(last) + 1 : last;
}

static struct axis choose_axis(const struct tfr_distribution *d, bool whole)
{
	struct axis a = { .low = d->min, .high = d->max + whole, .whole = whole, .bars = BARS };

	a.logarithmic = is_skewed(d, whole);
	a.shift = a.logarithmic && d->min < 1 && whole;
	if (a.logarithmic)
		return a;
	trim_axis(&a, d);
	if (whole && a.high - a.low <= BARS_OF_ONE)
		a.bars = (int)(a.high - a.low);
	return a;
}

/* A bin's count, spread evenly over the bars that it covers. */
static void spread_bin(double *bars, const struct axis *a, const struct tfr_distribution *d,
	const struct tfr_bin *bin)
{
	double low = fmax(bin->low, d->min), high = fmin(bin->high, d->max);
	double from = place_of(a, a->whole ? floor(low) : low) * a->bars;
	double to = place_of(a, a->whole ? floor(high) + 1 : high) * a->bars;
	int first = (int)fmin(from, a->bars - 1), last = (int)fmin(to, a->bars - 1);

	assert(first >= 0 && last < a->bars);
	if (to - from < 1e-9 || first == last) {
		bars[first] += (double)bin->count;
		return;
	}
	for (int i = first; i <= last; i++) {
		double begin = i == first ? from : i, end = i == last ? to : i + 1;

		bars[i] += (double)bin->count * (end - begin) / (to - from);
	}
}

/* 1, 2 or 5 times a power of 10, so that there are a few ticks. */
static double tick_step(const struct axis *a)
{
	double rough = (a->high - a->low) / TICKS, power = pow(10, floor(log10(rough)));
	double step = rough <= power	   ? power
		      : rough <= 2 * power ? 2 * power
		      : rough <= 5 * power ? 5 * power
					   : 10 * power;

	return a->whole ? fmax(step, 1) : step;
}

static void put_tick(struct page *page, const struct axis *a, double v, bool one_per_bar)
{
	double x = place_of(a, v) * WIDTH + (one_per_bar ? (double)WIDTH / a->bars / 2 : 0);
	char text[TFR_SIZE_TEXT];

	if (fabs(v) >= 1e5)
		snprintf(text, sizeof(text), "%.3g", v);
	else
		snprintf(text, sizeof(text), "%.6g", fabs(v) < 1e-12 * a->high ? 0 : v);
	page_format(page,
		"<path class=\"tick\" d=\"M%.4g %dv4\"/><text x=\"%.4g\" y=\"%d\" "
		"text-anchor=\"%s\">%s</text>\n",
		x, HEIGHT, x, HEIGHT + 16,
		x < 16		 ? "start"
		: x > WIDTH - 16 ? "end"
				 : "middle",
		text);
}

static void put_ticks(struct page *page, const struct axis *a)
{
	bool one_per_bar = a->whole && !a->logarithmic && a->bars == a->high - a->low;
	double step, first, last;

	if (!a->logarithmic) {
		step = tick_step(a);
		last = a->high - (one_per_bar ? 1 : 0);
		first = ceil(a->low / step);
		for (int i = 0; i <= 2 * TICKS && (first + i) * step <= last * (1 + 1e-12); i++)
			put_tick(page, a, (first + i) * step, one_per_bar);
		return;
	}
	if (a->low + a->shift > a->low) /* 0, which has no power */
		put_tick(page, a, 0, false);
	first = ceil(log10(a->shift > 0 ? 1 : a->low));
	last = floor(log10(a->high));
	step = ceil((last - first + 1) / TICKS);
	for (double power = first; power <= last; power += step)
		put_tick(page, a, pow(10, power), false);
}

void stats_histogram(struct page *page, const struct tfr_distribution *d, bool whole)
{
	double bars[BARS_OF_ONE] = { 0 }, most = 0, width;
	struct axis a;

	if (!d->count || !(d->max > d->min) || !isfinite(d->max - d->min))
		return;
	a = choose_axis(d, whole);
	assert(a.bars > 0 && a.bars <= BARS_OF_ONE && a.high > a.low);
	for (size_t i = 0; i < d->bin_count; i++)
		spread_bin(bars, &a, d, &d->bins[i]);
	for (int i = 0; i < a.bars; i++)
		most = fmax(most, bars[i]);
	if (!(most > 0))
		return;
	page_format(page,
		"<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\">\n<path class=\"bars\" "
		"d=\"",
		WIDTH, HEIGHT + 20);
	width = (double)WIDTH / a.bars;
	for (int i = 0; i < a.bars; i++)
		if (bars[i] > 0)
			page_format(page, "M%.4g %dv%.4gh%.4gV%dz", i * width, HEIGHT,
				-HEIGHT * bars[i] / most, fmax(width - 1, 1), HEIGHT);
	page_format(page, "\"/>\n<path class=\"tick\" d=\"M0 %dh%d\"/>\n", HEIGHT, WIDTH);
	put_ticks(page, &a);
	page_text(page, "</svg>\n");
	if (a.logarithmic)
		page_text(page, "<p>logarithmic axis</p>\n");
	else if (a.trimmed)
		page_text(page, "<p>values beyond the axis are in the outer bars</p>\n");
}
