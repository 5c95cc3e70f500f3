/* The list of stages: the lists accepted, their normal form, and the messages for the others. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/stages.h"

/* Parsed, it reads `normal`, and that read again is the same. */
static struct tfr_stage_list expect(const char *list, const char *normal)
{
	struct tfr_stage_list s, again;
	struct tfr_error err = { 0 };
	char *text, *text_again;

	cr_assert_eq(tfr_stage_list_parse(&s, list, &err), TFR_OK, "%s: %s", list, err.message);
	text = tfr_stage_list_text(&s);
	cr_expect_str_eq(text, normal);
	cr_assert_eq(tfr_stage_list_parse(&again, text, &err), TFR_OK, "%s: %s", text, err.message);
	text_again = tfr_stage_list_text(&again);
	cr_expect_str_eq(text_again, text);
	free(text);
	free(text_again);
	tfr_stage_list_free(&again);
	return s;
}

static void accepted(const char *list, const char *normal)
{
	struct tfr_stage_list s = expect(list, normal);

	tfr_stage_list_free(&s);
}

static void refused(const char *list, const char *message, const char *hint)
{
	struct tfr_stage_list s;
	struct tfr_error err = { 0 };

	cr_expect_eq(tfr_stage_list_parse(&s, list, &err), TFR_EUSAGE, "%s", list);
	cr_expect_str_eq(err.message, message, "%s: '%s'", list, err.message);
	if (hint)
		cr_expect_str_eq(tfr_error_hint_text(&err), hint, "%s: '%s'", list,
			tfr_error_hint_text(&err));
	cr_expect_null(s.at);
	cr_expect_eq(s.count, 0);
}

Test(stages, what_is_left_out_is_filled_in)
{
	accepted("read", "read=4:1");
	accepted("read=16", "read=16:1");
	accepted("read=16:8,inflate,shuffle=5", "read=16:8,inflate,shuffle=5");
	accepted(
		"read,parse,filter,cache,decode=masks", "read=4:1,parse,filter,cache,decode=masks");
	accepted(" read ,\tparse, decode ", "read=4:1,parse,decode");
	accepted("read,parse,decode,resize=32x16:area,flip,flip-vertical,cast=uint8,chw,batch=3",
		"read=4:1,parse,decode,resize=32x16:area,flip,flip-vertical,cast=uint8,chw,batch="
		"3");
	accepted("read,parse,decode,resize=224x224", "read=4:1,parse,decode,resize=224");
	accepted("read,parse,decode,random-crop=224*1", "read=4:1,parse,decode,random-crop=224");
	accepted("read,parse,decode,normalise=0.485/0.456/0.406:0.229/0.224/0.225",
		"read=4:1,parse,decode,normalise=0.485/0.456/0.406:0.229/0.224/0.225");
	accepted("read,parse,decode,normalise=.50:5e-1", "read=4:1,parse,decode,normalise=0.5:0.5");
	accepted("read,parse,decode,rotate=12.50", "read=4:1,parse,decode,rotate=12.5");
}

Test(stages, are_taken_apart)
{
	struct tfr_stage_list s =
		expect("read=2:3, parse, cache, decode, reflect-pad=4, "
		       "random-crop=224x112*5, mirror, normalise=0.5/0.25/0.125:1/2/4, "
		       "shuffle=10000, batch=128, prefetch=4, upload",
			"read=2:3,parse,cache,decode,reflect-pad=4,random-crop=224x112*5,mirror,"
			"normalise=0.5/0.25/0.125:1/2/4,shuffle=10000,batch=128,prefetch=4,upload");
	const struct tfr_stage *at = s.at;

	cr_assert_eq(s.count, 12);
	cr_expect(at[0].kind == STAGE_READ && at[0].n == 2 && at[0].min == 3);
	cr_expect_eq(at[1].kind, STAGE_PARSE);
	cr_expect_eq(at[2].kind, STAGE_CACHE);
	cr_expect(at[3].kind == STAGE_DECODE && !at[3].masks);
	cr_expect(at[4].kind == STAGE_IMAGE && at[4].n == 4);
	cr_expect(at[5].width == 224 && at[5].height == 112 && at[5].copies == 5);
	cr_expect_eq(at[6].copies, 2);
	cr_expect(at[7].channels == 3 && at[7].mean[1] == 0.25f && at[7].std[2] == 4);
	cr_expect(at[8].kind == STAGE_SHUFFLE && at[8].n == 10000);
	cr_expect(at[9].kind == STAGE_BATCH && at[9].n == 128);
	cr_expect(at[10].kind == STAGE_PREFETCH && at[10].n == 4);
	cr_expect_eq(at[11].kind, STAGE_UPLOAD);
	cr_expect_eq(tfr_stage_list_copies(&s), 10);
	cr_expect_eq(tfr_stage_list_find(&s, STAGE_DECODE), 3);
	cr_expect_eq(tfr_stage_list_find(&s, STAGE_FILTER), s.count);
	tfr_stage_list_free(&s);
}

Test(stages, a_list_may_end_anywhere)
{
	const char *whole =
		"read,parse,filter,decode,random-crop=8,flip,cutout=2,chw,shuffle=9,batch=2,"
		"prefetch=1,upload";

	for (const char *comma = whole; (comma = strchr(comma, ',')); comma++) {
		char *part = strndup(whole, (size_t)(comma - whole));
		struct tfr_stage_list s;

		cr_expect_eq(tfr_stage_list_parse(&s, part, NULL), TFR_OK, "%s", part);
		tfr_stage_list_free(&s);
		free(part);
	}
}

Test(stages, unknown_names)
{
	refused("read,parse,decoed", "no such stage 'decoed'", "Did you mean 'decode'?");
	refused("read,parse,decode,five-corp=3", "no such stage 'five-corp'",
		"Did you mean 'five-crop'?");
	refused("read,xyzzy", "no such stage 'xyzzy'",
		"There are read, inflate, parse, filter, cache, decode, resize, "
		"random-resized-crop, "
		"random-crop, centre-crop, five-crop, mirror, flip, flip-vertical, reflect-pad, "
		"pad, "
		"rotate, cutout, normalise, standardise, cast, chw, hwc, crop, mono, channels, "
		"channels-first, shuffle, batch, prefetch, "
		"upload.");
	refused("", "an empty stage in the list of stages", NULL);
	refused("read,,parse", "an empty stage in the list of stages", NULL);
	refused("read,parse,", "an empty stage in the list of stages", NULL);
	refused("=3", "no such stage ''", NULL);
}

Test(stages, wrong_arguments)
{
	static const char *const wrong[] = { "read=0", "read=1025", "read=4:", "read=4:1:1",
		"read=-4", "read= 4", "read=0x4", "read=18446744073709551617" };
	static const char *const images[] = { "resize=0", "resize=16385", "resize=3x",
		"resize=3:aera", "random-crop=3*", "random-crop=3*0", "five-crop=3*2", "rotate=0",
		"rotate=nan", "rotate=-3", "rotate=361", "rotate=1e99", "cutout=", "normalise=1",
		"normalise=1:2/3/4", "normalise=1/2:3/4", "normalise=1/2/3/4:1/2/3/4",
		"normalise=1/2/:1/2/3", "normalise=1/2/3:1/2/3/", "normalise=:", "cast=int64",
		"cast=float64", "pad=3x4x5" };
	struct tfr_error err;
	struct tfr_stage_list s;
	char list[100];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		cr_expect_eq(tfr_stage_list_parse(&s, wrong[i], &err), TFR_EUSAGE, "%s", wrong[i]);
		cr_expect(strstr(err.message, "is not what stage 'read' takes"), "%s", err.message);
	}
	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
		snprintf(list, sizeof(list), "read,parse,decode,%s", images[i]);
		cr_expect_eq(tfr_stage_list_parse(&s, list, &err), TFR_EUSAGE, "%s", list);
		cr_expect(strstr(err.message, "is not what stage '"), "%s: %s", list, err.message);
	}
	refused("read,parse=3", "stage 'parse' takes no argument", "It is written 'parse'.");
	refused("read,batch", "stage 'batch' needs an argument", "It is written 'batch=N'.");
	refused("read,batch=x", "'x' is not what stage 'batch' takes", "It is written 'batch=N'.");
	refused("read,shuffle=5:6", "'5:6' is not what stage 'shuffle' takes",
		"It is written 'shuffle=N'.");
	refused("read,parse,decode,normalise=1:0", "stage 'normalise' would divide by 0", NULL);
	refused("read,parse,decode=mask", "'mask' is not what stage 'decode' takes",
		"It is written 'decode[=masks|audio[:RATE]]'.");
	refused("read,cache=a/b", "stage 'cache' takes no argument", "It is written 'cache'.");
}

Test(stages, order)
{
	refused("parse", "stage 'parse' needs 'read' before it", NULL);
	refused("read,read", "stage 'read' must come first", NULL);
	refused("read,parse,inflate", "stage 'inflate' must come directly after 'read'", NULL);
	refused("read,parse,parse", "stage 'parse' given twice", NULL);
	refused("read,cache,cache", "stage 'cache' given twice", NULL);
	refused("read,filter", "stage 'filter' needs 'parse' before it", NULL);
	refused("read,decode", "stage 'decode' needs 'parse' before it", NULL);
	refused("read,parse,flip", "stage 'flip' needs 'decode' before it", NULL);
	refused("read,parse,decode,filter", "stage 'filter' must come before 'decode'", NULL);
	refused("read,batch=2,shuffle=3", "stage 'shuffle' must come before 'batch'", NULL);
	refused("read,upload", "stage 'upload' needs 'batch' before it", NULL);
	refused("read,batch=2,upload,prefetch=2", "stage 'prefetch' must come before 'upload'",
		NULL);
	refused("read,batch=2,batch=2", "stage 'batch' given twice", NULL);
	refused("read,parse,decode,resize=8,batch=2,flip", "stage 'flip' must come before 'batch'",
		NULL);
	refused("read,parse,decode,flip,batch=2", "stage 'batch' needs images of one size",
		"Put resize=W, random-resized-crop=W, random-crop=W, centre-crop=W, five-crop=W or "
		"pad=W between 'decode' and it.");
	accepted("read,batch=2,parse,upload", "read=4:1,batch=2,parse,upload");
}

Test(stages, finished_images_are_left_alone)
{
	const char *hint = "Transforms of images end with chw or hwc and cast=float16, "
			   "directly after one another.";

	refused("read,parse,decode,chw,flip", "stage 'flip' must come before 'chw'", hint);
	refused("read,parse,decode,cast=float16,resize=9",
		"stage 'resize=9' must come before 'cast=float16'", hint);
	refused("read,parse,decode,cast=float16,cast=uint8",
		"stage 'cast=uint8' must come before 'cast=float16'", hint);
	refused("read,parse,decode,chw,cast=float16,hwc,cast=float16",
		"stage 'cast=float16' must come before 'cast=float16'", hint);
	refused("read,parse,decode,chw,shuffle=9,cast=uint8",
		"stage 'cast=uint8' must come before 'chw'", hint);
	accepted("read,parse,decode,cast=float32,flip,chw,cast=uint8,cast=float16,hwc,shuffle=9",
		"read=4:1,parse,decode,cast=float32,flip,chw,cast=uint8,cast=float16,hwc,"
		"shuffle=9");
}

Test(stages, copies_are_limited)
{
	accepted(
		"read,parse,decode,random-crop=8*1000", "read=4:1,parse,decode,random-crop=8*1000");
	refused("read,parse,decode,random-crop=8*201,five-crop=4",
		"stage 'five-crop=4' makes 1005 images of one: at most 1000", NULL);
}
