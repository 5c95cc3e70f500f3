/* example/content_counts.c - decides the types of many records together, and describes them in
 * messages. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "example/content.h"

void tfr_content_merge(struct tfr_content_counts *into, const struct tfr_content_counts *from)
{
	for (int i = 0; i < TFR_LIKENESSES; i++)
		into->records[i] += from->records[i];
}

static enum tfr_content most_of(const struct tfr_content_result *r)
{
	enum tfr_content most = TFR_CONTENT_EXAMPLE;

	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		if (r->records[i] > r->records[most])
			most = (enum tfr_content)i;
	return most;
}

/* Some bytes parse as a message by chance.  A few such records among many raw ones are raw too. */
static void settle_others(struct tfr_content_result *r)
{
	enum { BY_CHANCE = 8 };
	uint64_t *message = &r->records[TFR_CONTENT_MESSAGE], *raw = &r->records[TFR_CONTENT_RAW];

	if (*raw && *raw >= *message / BY_CHANCE) {
		*raw += *message;
		*message = 0;
	}
}

struct tfr_content_result tfr_content_settle(const struct tfr_content_counts *counts)
{
	const uint64_t *n = counts->records;
	struct tfr_content_result r = { 0 };

	for (enum tfr_likeness like = TFR_IS_EXAMPLE; like < TFR_LIKENESSES; like++)
		r.records[tfr_content_alone(like)] = n[like];
	settle_others(&r);
	if (n[TFR_LIKE_EXAMPLE])
		r.records[n[TFR_IS_EXAMPLE] ? TFR_CONTENT_EXAMPLE : most_of(&r)] +=
			n[TFR_LIKE_EXAMPLE];
	r.records[r.records[TFR_CONTENT_EXAMPLE] ? TFR_CONTENT_EXAMPLE : most_of(&r)] +=
		n[TFR_LIKE_ANY];
	r.most = most_of(&r);
	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		r.all += r.records[i];
	return r;
}

enum tfr_content tfr_content_alone(enum tfr_likeness like)
{
	static const enum tfr_content contents[TFR_LIKENESSES] = {
		[TFR_LIKE_ANY] = TFR_CONTENT_EXAMPLE,
		[TFR_LIKE_EXAMPLE] = TFR_CONTENT_EXAMPLE,
		[TFR_IS_EXAMPLE] = TFR_CONTENT_EXAMPLE,
		[TFR_IS_ELWC] = TFR_CONTENT_ELWC,
		[TFR_IS_TENSOR] = TFR_CONTENT_TENSOR,
		[TFR_IS_MESSAGE] = TFR_CONTENT_MESSAGE,
		[TFR_IS_RAW] = TFR_CONTENT_RAW,
	};

	return contents[like];
}

enum tfr_content tfr_content_of(const void *data, size_t size)
{
	return tfr_content_alone(tfr_likeness_of(data, size));
}

/* ---- In words ---- */

struct words {
	const char *one, *many;
	const char *held; /* after "holds" */
	const char *hint;
};

static const struct words words[TFR_CONTENT_TYPES] = {
	[TFR_CONTENT_EXAMPLE] = { "Example", "Examples", "Examples", "" },
	[TFR_CONTENT_ELWC] = { "ExampleListWithContext", "ExampleListWithContexts",
		"ExampleListWithContexts (ELWC), not Examples", "'tfr show' prints them." },
	[TFR_CONTENT_TENSOR] = { "TensorProto", "TensorProtos", "TensorProtos, not Examples",
		"'tfr show' prints them." },
	[TFR_CONTENT_MESSAGE] = { "protobuf message of another type",
		"protobuf messages of another type",
		"protobuf messages of another type, not Examples",
		"'tfr show' prints their first bytes." },
	[TFR_CONTENT_RAW] = { "record that is not a protobuf message",
		"records that are not protobuf messages",
		"no Examples: the records are not protobuf messages",
		"'tfr show' prints their first bytes." },
};

const char *tfr_content_one(enum tfr_content content)
{
	static const char *const texts[TFR_CONTENT_TYPES] = {
		[TFR_CONTENT_EXAMPLE] = "an Example",
		[TFR_CONTENT_ELWC] = "an ExampleListWithContext",
		[TFR_CONTENT_TENSOR] = "a TensorProto",
		[TFR_CONTENT_MESSAGE] = "a protobuf message of another type",
		[TFR_CONTENT_RAW] = "not a protobuf message",
	};

	return texts[content];
}

/* "3 ExampleListWithContexts and 2 TensorProtos": the records that are no Examples. */
static char *list_others(char text[TFR_CONTENT_TEXT], const struct tfr_content_result *r)
{
	size_t used = 0;
	unsigned left = 0;

	text[0] = '\0';
	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		left += r->records[i] && i != TFR_CONTENT_EXAMPLE;
	for (int i = 0; i < TFR_CONTENT_TYPES; i++) {
		unsigned long long n = r->records[i];

		if (!n || i == TFR_CONTENT_EXAMPLE)
			continue;
		used += (size_t)snprintf(text + used, TFR_CONTENT_TEXT - used, "%s%llu %s",
			!used	    ? ""
			: left == 1 ? " and "
				    : ", ",
			n, n == 1 ? words[i].one : words[i].many);
		left--;
	}
	return text;
}

enum tfr_status tfr_content_refuse(
	const struct tfr_content_result *r, const char *path, struct tfr_error *err)
{
	char list[TFR_CONTENT_TEXT], subject[420] = "the inputs hold";
	const struct words *w = &words[r->most];

	if (!r->all || r->records[TFR_CONTENT_EXAMPLE])
		return TFR_OK;
	if (path && *path)
		snprintf(subject, sizeof(subject), "'%.400s' holds", path);
	else if (path)
		snprintf(subject, sizeof(subject), "holds");
	if (r->records[r->most] == r->all)
		tfr_fail(err, TFR_EDATA, "%s %s", subject, w->held);
	else
		tfr_fail(err, TFR_EDATA, "%s no Examples: %s", subject, list_others(list, r));
	tfr_error_hint(err, "%s", w->hint);
	return TFR_EDATA;
}

bool tfr_content_mixture(char text[TFR_CONTENT_TEXT], const struct tfr_content_result *r)
{
	uint64_t others = r->all - r->records[TFR_CONTENT_EXAMPLE];
	char list[TFR_CONTENT_TEXT];

	if (!others || others == r->all)
		return false;
	snprintf(text, TFR_CONTENT_TEXT, "%llu of %llu records %s not %s: %.300s",
		(unsigned long long)others, (unsigned long long)r->all, others == 1 ? "is" : "are",
		others == 1 ? "an Example" : "Examples", list_others(list, r));
	return true;
}
