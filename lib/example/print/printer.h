/* example/print/printer.h - functions of the printer for other rooms of the library, in addition
 * to <tfr-private/example.h>. */
#ifndef TFR_EXAMPLE_PRINT_PRINTER_H
#define TFR_EXAMPLE_PRINT_PRINTER_H

#include <tfr-private/example.h>

/* The values of a feature as a JSON array, a view until the next call; NULL: out of memory. */
const char *tfr_printer_values(struct tfr_printer *p, const struct tfr_feature *f, size_t *size);
/* Whether enough records were printed that the types of later ones no longer depend on earlier
 * ones. */
bool tfr_printer_has_learned(const struct tfr_printer *p);
/* Copies what `from` has learned about the types of records. */
void tfr_printer_learn(struct tfr_printer *p, const struct tfr_printer *from);

#endif
