/* cmd/bench_feed/report_html.c - the report as one page without external files: charts, and images
 * of a batch.
 *
 * Charts are SVG in the colours of the page, which follow the light or dark scheme of the reader's
 * system.  The page has no script and loads nothing.  Every figure in a chart is also text.  Charts
 * shrink with the window, so their text is larger in a narrow one. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"

/* A bucket of the waits, from its lower bound to the next. */
#define BUCKET 1.035

enum { CHART_WIDTH = 720, CHART_HEIGHT = 180, CHART_TOP = 30, SPANS = 120 };

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"img-src data:; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n<title>tfr bench-feed</title>\n"
	"<style>\n"
	":root { color-scheme: light dark; --busy: #0a6cd6; --blocked: #d97706; --starved: #8885; "
	"--line: #8884; }\n"
	"@media (prefers-color-scheme: dark) { :root { --busy: #4aa3ff; --blocked: #ffb454; } }\n"
	"body { font: 14px/1.45 system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; "
	"padding: 0 1rem; }\n"
	"h1 { font-size: 1.3rem; margin: .5rem 0; }\nh2 { font-size: 1rem; margin: 1.6rem 0 .4rem; "
	"}\n"
	".verdict { border-left: 4px solid var(--busy); padding: .3rem .8rem; margin: .8rem 0; }\n"
	"dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; "
	"margin: .5rem 0; }\n"
	"dt { opacity: .7; }\ndd { margin: 0; overflow-wrap: anywhere; }\n"
	"svg { display: block; width: 100%; height: auto; }\n"
	"svg text { fill: currentColor; font-size: 13px; }\n"
	".grid { stroke: var(--line); }\n.area { fill: var(--busy); opacity: .25; }\n"
	".curve { fill: none; stroke: var(--busy); stroke-width: 1.5; }\n"
	".bar { fill: var(--busy); }\n"
	"table { border-collapse: collapse; width: 100%; }\n"
	"th, td { text-align: right; padding: .15rem .4rem; border-top: 1px solid var(--line); "
	"font-variant-numeric: tabular-nums; font-weight: normal; white-space: nowrap; }\n"
	"th:first-child, td:first-child { text-align: left; }\nthead th { border: 0; opacity: .7; "
	"}\n"
	"tr.limit td:first-child { font-weight: bold; }\n"
	".stack { display: flex; width: 10rem; height: .9rem; border: 1px solid var(--line); }\n"
	".stack i { display: block; height: 100%; }\n"
	".busy { background: var(--busy); }\n.blocked { background: var(--blocked); }\n"
	".starved { background: var(--starved); }\n"
	".key i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; "
	"vertical-align: -1px; border: 1px solid var(--line); }\n"
	".images { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); "
	"gap: .5rem; }\n"
	".images img { width: 100%; height: auto; display: block; border-radius: 4px; }\n"
	"pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; "
	"border: 1px solid var(--line); border-radius: 4px; padding: .5rem; }\n"
	".wide { overflow-x: auto; }\n.small { font-size: 12px; opacity: .75; }\n"
	"@media (max-width: 34rem) { svg text { font-size: 22px; } svg .minor { display: none; }\n"
	"dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }\n"
	".stack { width: 5rem; } .key i { margin-left: .5rem; }\n"
	".wide th:first-child, .wide td:first-child { position: sticky; left: 0; "
	"background: Canvas; }\n"
	"body { margin: .5rem auto; padding: 0 .6rem; } }\n"
	"</style>\n</head>\n<body>\n";

static void put_plain(struct page *p, const char *text)
{
	page_escaped(p, text, strlen(text));
}

static void put_row(void *page, const char *name, const char *text)
{
	page_format(page, "<dt>%s</dt><dd>", name);
	put_plain(page, text);
	page_text(page, "</dd>\n");
}

static void put_facts(struct page *p, const struct feed *f)
{
	char text[FEED_LOAD_TEXT];

	page_text(p, "<h2>Summary</h2>\n<dl>\n");
	feed_facts(f, put_row, p);
	if (feed_load_text(f, text))
		put_row(p, "warning", text);
	feed_peak_memory(f, put_row, p);
	page_text(p, "</dl>\n");
}

static void put_line(struct page *p, double x1, double y1, double x2, double y2)
{
	page_format(p, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1,
		y1, x2, y2);
}

/* A text above or below the plot, at `x`. */
static void put_label(struct page *p, const char *class, double x, bool above, const char *anchor,
	const char *text)
{
	page_format(p, "<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
		class, x, above ? CHART_TOP - 8 : CHART_TOP + CHART_HEIGHT + 24, anchor, text);
}

/* The frame of a chart: `top` is the value of the upper line, `title` describes the chart. */
static void open_chart(struct page *p, const char *title, const char *top)
{
	page_format(p, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", CHART_WIDTH,
		CHART_TOP + CHART_HEIGHT + 32, title);
	put_line(p, 0, CHART_TOP, CHART_WIDTH, CHART_TOP);
	put_line(p, 0, CHART_TOP + CHART_HEIGHT, CHART_WIDTH, CHART_TOP + CHART_HEIGHT);
	put_label(p, "top", 0, true, "start", top);
}

/* A tick of the horizontal axis, with a text that stays within the chart. */
static void put_tick(struct page *p, const char *class, double x, const char *text)
{
	const char *anchor = x < 50 ? "start" : x > CHART_WIDTH - 50 ? "end" : "middle";

	assert(x >= 0 && x <= CHART_WIDTH);
	put_line(p, x, CHART_TOP + CHART_HEIGHT, x, CHART_TOP + CHART_HEIGHT + 6);
	put_label(p, class, x, false, anchor, text);
}

static void put_curve(struct page *page, const double *rates, unsigned spans, double most)
{
	for (int area = 1; area >= 0; area--) {
		page_format(page, "<path class=\"%s\" d=\"M", area ? "area" : "curve");
		if (area)
			page_format(page, "0 %d L", CHART_TOP + CHART_HEIGHT);
		for (unsigned i = 0; i < spans; i++) {
			double y = CHART_TOP + CHART_HEIGHT * (1 - rates[i] / most);

			page_format(page, "%.1f %.1f L%.1f %.1f%s", (double)i * CHART_WIDTH / spans,
				y, (double)(i + 1) * CHART_WIDTH / spans, y,
				i + 1 < spans ? " L" : "");
		}
		if (area)
			page_format(page, " L%d %d Z", CHART_WIDTH, CHART_TOP + CHART_HEIGHT);
		page_text(page, "\"/>\n");
	}
}

/* Ticks at round seconds, at most five. */
static void put_time_ticks(struct page *p, double seconds)
{
	double step = pow(10, floor(log10(seconds)));

	step = seconds / step > 5 ? 2 * step : seconds / step > 2 ? step : step / 2;
	put_tick(p, "major", 0, "0 s");
	for (double at = step; at <= seconds; at += step)
		put_tick(p, "major", at / seconds * CHART_WIDTH, FEED_DURATION(at));
}

static void put_over_time(struct page *page, const struct feed *f)
{
	double rates[SPANS], most = 0;
	unsigned spans = feed_history_rates(f->history, rates, SPANS);
	char top[64];

	for (unsigned i = 0; i < spans; i++)
		most = fmax(most, rates[i]);
	if (most <= 0)
		return;
	page_text(page, "<h2>Rate over time</h2>\n");
	snprintf(top, sizeof(top), "%s records/s", FEED_COUNT(most));
	open_chart(page, "Records per second over time", top);
	put_curve(page, rates, spans, most);
	put_time_ticks(page, f->stats.seconds);
	page_text(page, "</svg>\n");
}

static void put_share(struct page *p, const char *class, double share)
{
	page_format(p, "<i class=\"%s\" style=\"width:%.1f%%\"></i>", class,
		100 * (share < 0	  ? 0
			      : share > 1 ? 1
					  : share));
}

static void put_stage(struct page *p, const struct feed *f, const struct tfr_stage_stats *s)
{
	double seconds = f->stats.seconds, busy = feed_share(s, seconds, s->busy),
	       starved = feed_share(s, seconds, s->starved),
	       blocked = feed_share(s, seconds, s->blocked);
	double all = fmax(busy + starved + blocked, 1);

	page_format(
		p, "<tr%s><td>", !strcmp(s->name, f->stats.bottleneck) ? " class=\"limit\"" : "");
	put_plain(p, s->text ? s->text : s->name);
	page_text(p, "</td><td><span class=\"stack\">");
	put_share(p, "busy", busy / all);
	put_share(p, "blocked", blocked / all);
	put_share(p, "starved", starved / all);
	page_format(p,
		"</span></td><td>%u</td><td>%.1f%%</td><td>%.1f%%</td><td>%.1f%%</td><td>%s</td>"
		"<td>%s</td>",
		s->threads, 100 * busy, 100 * starved, 100 * blocked, FEED_COUNT(s->items),
		FEED_SIZE(s->bytes));
	if (s->queue_capacity)
		page_format(p, "<td>%s of %llu</td></tr>\n", FEED_COUNT(s->queue_mean),
			(unsigned long long)s->queue_capacity);
	else
		page_text(p, "<td></td></tr>\n");
}

static void put_stages(struct page *p, const struct feed *f)
{
	page_text(p, "<h2>Stages</h2>\n<p class=\"small key\">Time of a stage's threads:"
		     "<i class=\"busy\"></i>busy<i class=\"blocked\"></i>blocked by the next stage"
		     "<i class=\"starved\"></i>starved of input</p>\n"
		     "<div class=\"wide\"><table>\n<thead><tr><th>stage</th><th></th>"
		     "<th>threads</th><th>busy</th><th>starved</th><th>blocked</th><th>items</th>"
		     "<th>bytes</th><th>queue</th></tr></thead>\n<tbody>\n");
	for (unsigned i = 0; i < f->stats.stage_count; i++)
		put_stage(p, f, &f->stats.stages[i]);
	page_text(p, "</tbody></table></div>\n");
}

/* Ticks of a logarithmic axis at 1, 2 and 5 times each power of ten; those at 2 and 5 are left out
 * of narrow windows and where they would crowd. */
static void put_log_ticks(struct page *p, double least, double most)
{
	static const int digits[] = { 1, 2, 5 };
	double span = log(most / least);
	bool few = most / least < 1e3, any = false;

	for (double power = pow(10, floor(log10(least))); power <= most; power *= 10)
		for (unsigned i = 0; i < (few ? 3 : 1); i++) {
			double x = log(power * digits[i] / least) / span * CHART_WIDTH;

			if (x < 0 || x > CHART_WIDTH)
				continue;
			any = true;
			put_tick(p, i ? "minor" : "major", x, FEED_DURATION(power * digits[i]));
		}
	/* Without a tick to read a value by, the ends help. */
	if (any)
		return;
	put_tick(p, "major", 0, FEED_DURATION(least));
	put_tick(p, "major", CHART_WIDTH, FEED_DURATION(most));
}

/* The waits on a logarithmic axis.  A bar is at least as wide as a bucket of the measurement;
 * otherwise there would be gaps that the waits do not have. */
static void put_bars(struct page *p, const struct feed *f, double least, double most)
{
	enum { CLASSES = 48 };
	uint64_t counts[CLASSES] = { 0 }, highest = 0;
	double span = log(most / least), fit = floor(span / log(BUCKET));
	int classes = fit < 1 ? 1 : fit < CLASSES ? (int)fit : CLASSES;
	char top[64];

	assert(least > 0 && most > least);
	for (size_t i = 0; i < f->wait_count; i++) {
		int at = (int)(log(fmax(f->waits[i].seconds, least) / least) / span * classes);

		counts[at < classes ? at : classes - 1] += f->waits[i].count;
	}
	for (int i = 0; i < classes; i++)
		highest = counts[i] > highest ? counts[i] : highest;
	snprintf(top, sizeof(top), "%s batches", FEED_COUNT(highest));
	open_chart(p, "Histogram of the waits, on a logarithmic axis", top);
	for (int i = 0; i < classes; i++) {
		double height = CHART_HEIGHT * (double)counts[i] / (double)highest;

		if (counts[i])
			page_format(p,
				"<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				"height=\"%.1f\"><title>%llu</title></rect>\n",
				(double)i * CHART_WIDTH / classes,
				CHART_TOP + CHART_HEIGHT - height,
				(double)CHART_WIDTH / classes - 1, height,
				(unsigned long long)counts[i]);
	}
	put_log_ticks(p, least, most);
	page_text(p, "</svg>\n");
}

static void put_waits(struct page *p, const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;

	page_text(p, "<h2>Waits for a batch</h2>\n");
	page_format(p, "<p>The first batch came after %s.", FEED_DURATION(st->first_batch_seconds));
	if (!f->wait_count) {
		page_text(p, " There is no other batch.</p>\n");
		return;
	}
	page_format(p, " Then: p50 %s, p95 %s, p99 %s, at most %s.</p>\n",
		FEED_DURATION(st->wait_p50), FEED_DURATION(st->wait_p95),
		FEED_DURATION(st->wait_p99), FEED_DURATION(st->wait_max));
	put_bars(p, f, fmax(f->waits[0].seconds, 1e-7),
		fmax(f->waits[f->wait_count - 1].seconds, 1e-7) * BUCKET);
}

static void put_compute(struct page *p, const struct feed *f)
{
	const struct feed_compute *k = &f->compute;

	if (k->mean <= 0)
		return;
	page_text(p, "<h2>Idle time of the device</h2>\n<div class=\"wide\"><table><thead><tr>"
		     "<th>device</th><th>steps</th><th>computing</th><th>idle</th><th>share"
		     "</th></tr></thead><tbody>\n");
	for (unsigned i = 0; i < f->device_count; i++) {
		const struct feed_device_use *d = &k->devices[i];
		double whole = d->computing + d->idle;

		page_text(p, "<tr><td>");
		put_plain(p, tfr_device_name(f->devices[i]));
		page_format(p, "</td><td>%llu</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			(unsigned long long)d->steps, FEED_DURATION(d->computing),
			FEED_DURATION(d->idle), FEED_SHARE(whole > 0 ? d->idle / whole : 0));
	}
	page_text(p, "</tbody></table></div>\n");
	if (k->idle_steps)
		page_format(p, "<p>%llu of %llu steps were delayed, from step %llu on.</p>\n",
			(unsigned long long)k->idle_steps, (unsigned long long)k->steps,
			(unsigned long long)k->first_idle_step);
}

static void put_images(struct page *p, const struct feed *f)
{
	const struct feed_gallery *g = &f->gallery;

	if (!g->count)
		return;
	page_format(p,
		"<h2>First batch</h2>\n<p class=\"small\">The first records of the first batch, "
		"copied back from the device: %s%s.</p>\n<div class=\"images\">\n",
		g->range, g->reduced ? "; large images are reduced" : "");
	for (unsigned i = 0; i < g->count; i++) {
		page_format(p,
			"<img alt=\"record %u\" width=\"%u\" height=\"%u\" "
			"src=\"data:image/png;base64,",
			i, g->at[i].width, g->at[i].height);
		page_base64(p, g->at[i].png, g->at[i].size);
		page_text(p, "\">\n");
	}
	page_text(p, "</div>\n");
}

enum tfr_status feed_html(struct page *p, const struct feed *f, struct tfr_error *err)
{
	page_text(p, head);
	page_text(p, "<h1>tfr bench-feed</h1>\n");
	if (f->stats.batches) {
		page_text(p, "<p class=\"verdict\"><b>");
		put_plain(p, f->stats.bottleneck);
		page_text(p, "</b>: ");
		put_plain(p, f->stats.finding);
		page_text(p, ".<br>What would change it: ");
		put_plain(p, f->stats.advice);
		page_text(p, ".</p>\n");
	}
	put_facts(p, f);
	put_over_time(p, f);
	put_stages(p, f);
	put_waits(p, f);
	put_compute(p, f);
	put_images(p, f);
	page_text(p, "<h2>Command</h2>\n<pre>");
	put_plain(p, f->c->line);
	page_text(p, "</pre>\n</body>\n</html>\n");
	return page_publish(p, err);
}
