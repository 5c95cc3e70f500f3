/* example/batch_spec.c - parses a wanted feature as written on a command line. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr/batch.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Values per record: must fit in a row of a tensor. */
#define COUNT_MAX (1u << 30)

static enum tfr_status wrong(const char *spec, const char *what, struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EUSAGE,
		"A feature is written 'NAME:KIND[N]', 'NAME:KIND[*]' or 'NAME:KIND[]', "
		"where KIND is int64, float or bytes: N values in every record, rows "
		"padded to the longest, or values and row splits.",
		"feature '%.100s' %s", spec, what);
}

/* Copies the name in quotes at `p`, where a backslash escapes a quote or a backslash.  Returns
 * the text after the closing quote; NULL: it is missing. */
static const char *unquote(const char *p, char *name)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (*p == '\\' && (p[1] == quote || p[1] == '\\'))
			p++;
		*name++ = *p;
	}
	*name = '\0';
	return *p ? p + 1 : NULL;
}

/* "[17]", "[*]", "[]", or nothing, which is "[1]". */
static bool parse_layout(const char *p, struct tfr_batch_feature *f)
{
	uint64_t count = 0;

	f->layout = !strcmp(p, "[]") ? TFR_RAGGED : !strcmp(p, "[*]") ? TFR_PADDED : TFR_DENSE;
	f->count = 1;
	if (f->layout != TFR_DENSE || !*p)
		return true;
	if (*p++ != '[')
		return false;
	for (; *p >= '0' && *p <= '9' && count < COUNT_MAX; p++)
		count = 10 * count + (unsigned)(*p - '0');
	f->count = count;
	return count >= 1 && count <= COUNT_MAX && !strcmp(p, "]");
}

enum tfr_status tfr_batch_feature_parse(
	struct tfr_batch_feature *f, const char *spec, struct tfr_error *err)
{
	TFR_AUTO_FREE char *name = malloc(strlen(spec) + 1);
	const char *colon = strrchr(spec, ':'), *bracket;

	*f = (struct tfr_batch_feature){ 0 };
	TFR_NEED_MEMORY(name, err, "reading the name of a feature");
	if (*spec == '"' || *spec == '\'') {
		colon = unquote(spec, name);
		if (!colon || *colon != ':')
			return wrong(spec, "has a quote that does not end before a colon", err);
	} else if (!colon) {
		return wrong(spec, "has no kind", err);
	} else {
		memcpy(name, spec, (size_t)(colon - spec));
		name[colon - spec] = '\0';
	}
	if (!name[0])
		return wrong(spec, "has no name", err);
	bracket = strchrnul(colon, '[');
	f->kind = tfr_kind_named(colon + 1, (size_t)(bracket - colon - 1));
	if (!f->kind)
		return wrong(spec, "has a kind other than int64, float and bytes", err);
	if (!parse_layout(bracket, f))
		return wrong(spec, "has a shape other than [N], [*] and []", err);
	f->name = TFR_STEAL(name);
	f->copy = f->kind == TFR_KIND_BYTES;
	return TFR_OK;
}

void tfr_batch_feature_clear(struct tfr_batch_feature *f)
{
	free((char *)(uintptr_t)f->name);
	*f = (struct tfr_batch_feature){ 0 };
}
