/* base/c_locale.h - strtold() in the C locale; tfr_text_f64() and tfr_text_f32() are in
 * <tfr-private/text.h>. */
#ifndef TFR_BASE_C_LOCALE_H
#define TFR_BASE_C_LOCALE_H

long double tfr_number_long(const char *text, char **end);

#endif
