/* tfr/tfr.h - everything: each header below stands alone and can be included by itself. */
#ifndef TFR_TFR_H
#define TFR_TFR_H

#include <tfr/error.h>
#include <tfr/text.h>

#endif
