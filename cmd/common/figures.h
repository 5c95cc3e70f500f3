/* cmd/common/figures.h - numbers for a person: three digits and the unit that suits. */
#ifndef TFR_CMD_FIGURES_H
#define TFR_CMD_FIGURES_H

enum { FIGURE_TEXT = 32 };

/* "31.4 ms" */
const char *figure_duration(double seconds, char text[FIGURE_TEXT]);
/* Decimal, as links and disks are sold: "1.41 GB/s". */
const char *figure_bandwidth(double bytes, char text[FIGURE_TEXT]);
/* "97%", and "0.4%" where that is more than nothing. */
const char *figure_share(double share, char text[FIGURE_TEXT]);

#endif
