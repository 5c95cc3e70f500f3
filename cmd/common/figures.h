/* cmd/common/figures.h - prints numbers with three digits and a suitable unit. */
#ifndef TFR_CMD_COMMON_FIGURES_H
#define TFR_CMD_COMMON_FIGURES_H

enum { FIGURE_TEXT = 32 };

/* "31.4 ms" */
const char *figure_duration(double seconds, char text[FIGURE_TEXT]);
/* In powers of 1024, like all sizes: "1.41 GiB/s". */
const char *figure_bandwidth(double bytes, char text[FIGURE_TEXT]);
/* The remaining time: "0:12", "1 h 05". */
const char *figure_left(double seconds, char text[FIGURE_TEXT]);
/* "97%", and "0.4%" for a small share above 0. */
const char *figure_share(double share, char text[FIGURE_TEXT]);

#endif
