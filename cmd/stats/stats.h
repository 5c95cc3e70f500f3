/* cmd/stats/stats.h - the output of tfr stats as text and as a page. */
#ifndef TFR_CMD_STATS_STATS_H
#define TFR_CMD_STATS_STATS_H

#include "common/cmd.h"
#include "show_html.h"

/* Formats a value of a feature for a line: numbers as in JSON without quotes, text in quotes with
 * escapes, other bytes by their number.  Returns `text`. */
enum { STATS_VALUE = 160 };
const char *stats_value(
	const struct tfr_feature_stats *f, const struct tfr_top_value *v, char text[STATS_VALUE]);
/* Formats a number with six digits, or as an integer. */
const char *stats_number(double v, char text[TFR_SIZE_TEXT]);

/* What is printed: the features of a survey, and then its feature lists, which have `steps`. */
struct stats {
	struct tfr_survey *survey;
	struct tfr_survey_totals totals;
	struct tfr_distribution sizes;
	struct tfr_feature_stats *features;
	size_t n;
};

enum tfr_status stats_print(const struct stats *s, struct tfr_error *err);
enum tfr_status stats_print_order(
	const char *label, const struct tfr_order_report *o, struct tfr_error *err);
void stats_json_order(struct tfr_json *j, const char *label, const struct tfr_order_report *o);

/* Writes the histogram, with an axis of integers or of floats.  Nothing if all values are equal. */
void stats_histogram(struct page *page, const struct tfr_distribution *d, bool whole);

/* One card per feature, then up to a few dozen records of `examples`, which may be NULL. */
enum tfr_status stats_html(const struct show_html_opts *opts, const struct stats *s,
	const struct tfr_sweep_opts *examples, struct tfr_error *err);

#endif
