/* cmd/shard/images.c - sizes and filters read, and options refused that would mean nothing. */
#include "shard/images.h"

#include <ctype.h>
#include <stdlib.h>

enum { SIZE_MAX_PIXELS = 65500 /* a JPEG has no more */ };

/* A number of pixels at *text, which comes to lie behind it; 0: none that can be. */
static uint32_t parse_pixels(const char **text)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	n = strtoul(*text, &end, 10);
	*text = end;
	return n <= SIZE_MAX_PIXELS ? (uint32_t)n : 0;
}

static int parse_resize(struct cmd *c, const char *text, struct tfr_rework *w)
{
	const char *at = text;
	uint32_t width = parse_pixels(&at), height = 0;
	bool both = width && *at == 'x';

	if (both) {
		at++;
		height = parse_pixels(&at);
	}
	if (!width || (both && !height) || *at)
		return cmd_usage(c,
			"--resize takes a size such as 256 or 320x240, of 1 to %d pixels, not '%s'",
			SIZE_MAX_PIXELS, text);
	if (both) {
		w->width = width;
		w->height = height;
	} else {
		w->shorter = width;
	}
	return 0;
}

int images_parse(struct cmd *c, const struct image_settings *s, struct tfr_convert_opts *o)
{
	static const enum tfr_image_format formats[] = { TFR_IMAGE_UNKNOWN, TFR_IMAGE_JPEG,
		TFR_IMAGE_PNG };
	struct tfr_rework *w = &o->rework;

	if (s->resize && parse_resize(c, s->resize, w))
		return c->exit;
	if (s->filter && !s->resize)
		return cmd_usage(c, "--filter says how to resize: it needs --resize");
	if (s->filter && !tfr_filter_parse(s->filter, &w->filter))
		return cmd_usage_word(c, "filter",
			"triangle, area, cubic, lanczos, bilinear or nearest", s->filter);
	if (s->enlarge && !w->shorter)
		return cmd_usage(c, "--enlarge belongs to --resize with the shorter side's size");
	if (s->quality > 100)
		return cmd_usage(c, "--quality is from 1 to 100");
	w->format = formats[s->reencode];
	w->quality = (unsigned)s->quality;
	w->enlarge = s->enlarge;
	w->orient = s->orient;
	w->rgb8 = s->rgb8;
	if (s->quality &&
		(w->format == TFR_IMAGE_PNG || !(s->resize || w->format || s->orient || s->rgb8)))
		return cmd_usage(c, "--quality is of JPEGs that are encoded, and none will be");
	o->sha256 = s->sha256;
	o->findings = s->report;
	return 0;
}

void images_print(struct cmd *c, const struct tfr_convert_report *report)
{
	for (unsigned i = TFR_FOUND_UNUSABLE + 1; i < TFR_FINDINGS; i++)
		if (report->found[i])
			cmd_warn(c, "%s: %llu (%s)", tfr_finding_text((enum tfr_finding)i),
				(unsigned long long)report->found[i],
				tfr_finding_code((enum tfr_finding)i));
}
