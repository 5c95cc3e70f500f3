/* example/print/printer.h - what rooms of the library use of a printer beside <tfr/example.h>. */
#ifndef TFR_EXAMPLE_PRINT_PRINTER_H
#define TFR_EXAMPLE_PRINT_PRINTER_H

#include <tfr-private/example.h>

/* The values of a feature as a JSON array, a view until the next call; NULL: out of memory. */
const char *tfr_printer_values(
	struct tfr_printer *p, const struct tfr_feature *f, size_t *size);
/* Whether the types of later records no longer depend on those before: enough were printed. */
bool tfr_printer_has_learned(const struct tfr_printer *p);
/* Takes records for what `from` has learned. */
void tfr_printer_learn(struct tfr_printer *p, const struct tfr_printer *from);

#endif
