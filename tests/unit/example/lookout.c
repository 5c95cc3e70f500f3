/* Names that no record had: what one pass over all records says, parts of it merged say too. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/example.h>

enum { RECORDS = 300, PARTS = 3 };

static const char *const wanted[] = { "weigth", "label", "rare/nmae", "nothing", "unset", "f1" };

static struct tfr_feature_watch *make(void)
{
	struct tfr_feature_watch *l = tfr_feature_watch_new();

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		cr_assert(tfr_feature_watch_add(l, wanted[i]));
	return l;
}

/* Thousands of names, so that the table of those seen forgets; one that is rare; one unset. */
static void look(struct tfr_feature_watch *a, struct tfr_feature_watch *b, unsigned record)
{
	struct tfr_builder *builder = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	const uint8_t *data;
	char name[32];
	size_t size;

	tfr_builder_text(builder, "weight", "x", NULL);
	tfr_builder_text(builder, "class/label", "x", NULL);
	tfr_builder_feature(builder, &(struct tfr_feature){ .key = "unset", .key_size = 5 }, NULL);
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "of/%u/name/%u", record, i);
		tfr_builder_text(builder, name, "x", NULL);
	}
	if (record == RECORDS - 1)
		tfr_builder_text(builder, "rare/name", "x", NULL);
	tfr_builder_flatten(builder, &data, &size, NULL);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
	tfr_feature_watch_look(a, ex);
	tfr_feature_watch_look(b, ex);
	tfr_example_free(ex);
	tfr_builder_free(builder);
}

static void check(const struct tfr_feature_watch *l)
{
	static const char *const missing[] = { "weigth", "label", "rare/nmae", "nothing", "f1" };
	static const char *const meant[] = { "weight", "class/label", "rare/name", NULL, NULL };
	const char *name, *word;

	for (size_t i = 0; i < 5; i++) {
		cr_assert(tfr_feature_watch_missing(l, i, &name, &word));
		cr_expect_str_eq(name, missing[i]);
		cr_expect_eq(!word, !meant[i]);
		if (word)
			cr_expect_str_eq(word, meant[i]);
	}
	cr_expect_not(tfr_feature_watch_missing(l, 5, &name, &word));
}

Test(watch, parts_merge)
{
	struct tfr_feature_watch *whole = make(), *parts[PARTS];

	for (unsigned k = 0; k < PARTS; k++)
		parts[k] = make();
	for (unsigned i = 0; i < RECORDS; i++)
		look(whole, parts[i % PARTS], i);
	for (unsigned k = 1; k < PARTS; k++)
		tfr_feature_watch_merge(parts[0], parts[k]);
	check(whole);
	check(parts[0]);
	tfr_feature_watch_free(whole);
	for (unsigned k = 0; k < PARTS; k++)
		tfr_feature_watch_free(parts[k]);
}

static void append(void *ctx, const char *text)
{
	strcat(strcat(ctx, text), "\n");
}

Test(watch, says_nothing_of_no_records)
{
	struct tfr_feature_watch *l = make(), *other = make();
	char said[1000] = "";

	tfr_feature_watch_warn(l, append, said);
	cr_expect_str_eq(said, "");
	look(l, other, 1);
	tfr_feature_watch_warn(l, append, said);
	cr_expect_str_eq(said, "no record has 'weigth'; did you mean 'weight'?\n"
			       "no record has 'label'; did you mean 'class/label'?\n"
			       "no record has 'rare/nmae'\n"
			       "no record has 'nothing'\n"
			       "no record has 'f1'\n");
	tfr_feature_watch_warn(l, NULL, NULL);
	tfr_feature_watch_free(l);
	tfr_feature_watch_free(other);
	tfr_feature_watch_free(NULL);
}

static void append_error(void *ctx, const struct tfr_error *err)
{
	char *text = ctx;

	cr_expect_eq(err->status, TFR_EDATA);
	sprintf(text + strlen(text), "error: %s; %s\n", err->message,
			tfr_error_hint_text(err));
}

Test(watch, reports_errors_and_warns_of_what_may_be_missing)
{
	struct tfr_feature_watch *l = make(), *other = make();
	char said[1000] = "";

	look(l, other, 1);
	tfr_feature_watch_allow(l, 1);
	tfr_feature_watch_look_at(l, "f1", 2);
	tfr_feature_watch_look_at(l, "nothinq", 7);
	tfr_feature_watch_report(l, append_error, append, said);
	cr_expect_str_eq(said, "error: no record has 'weigth'; Did you mean 'weight'?\n"
			       "no record has 'label'; did you mean 'class/label'?\n"
			       "error: no record has 'rare/nmae'; \n"
			       "error: no record has 'nothing'; Did you mean 'nothinq'?\n");
	tfr_feature_watch_free(l);
	tfr_feature_watch_free(other);
}
