/* tfr-private/tfr.h - everything that the commands use: the public headers and the private ones. */
#ifndef TFR_PRIVATE_TFR_H
#define TFR_PRIVATE_TFR_H

#include <tfr/tfr.h>

#include <tfr-private/audio.h>
#include <tfr-private/check.h>
#include <tfr-private/codec.h>
#include <tfr-private/convert.h>
#include <tfr-private/device.h>
#include <tfr-private/diff.h>
#include <tfr-private/doctor.h>
#include <tfr-private/dtype.h>
#include <tfr-private/error.h>
#include <tfr-private/example.h>
#include <tfr-private/export.h>
#include <tfr-private/gzi.h>
#include <tfr-private/io.h>
#include <tfr-private/media.h>
#include <tfr-private/pipeline.h>
#include <tfr-private/pixels.h>
#include <tfr-private/progress.h>
#include <tfr-private/record.h>
#include <tfr-private/rewrite.h>
#include <tfr-private/select.h>
#include <tfr-private/shard.h>
#include <tfr-private/survey.h>
#include <tfr-private/sweep.h>
#include <tfr-private/text.h>

#endif
