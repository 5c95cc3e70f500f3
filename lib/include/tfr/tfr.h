/* tfr/tfr.h - everything: each header below stands alone and can be included by itself. */
#ifndef TFR_TFR_H
#define TFR_TFR_H

#include <tfr/batch.h>
#include <tfr/codec.h>
#include <tfr/device.h>
#include <tfr/dtype.h>
#include <tfr/error.h>
#include <tfr/example.h>
#include <tfr/lookup.h>
#include <tfr/pipeline.h>
#include <tfr/record.h>
#include <tfr/shard.h>
#include <tfr/tensor.h>

#endif
