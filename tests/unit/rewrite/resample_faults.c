/* tfr_resample() where it cannot do what was asked: it says why and leaves nothing; and at the
 * edges of what it can do. */
#include <criterion/criterion.h>

#include "resample_set.h"
#include "rewrite/class_table.h"

TestSuite(resample_faults, .init = setup, .fini = teardown, .timeout = 120);

static int left_behind(void)
{
	return temp_count(".") - FILES;
}

Test(resample_faults, what_cannot_be_had_leaves_nothing)
{
	static struct result r;
	static const struct {
		struct tfr_resample_opts o;
		enum tfr_status status;
		const char *says;
	} rows[] = {
		{ { .by = "label", .target = "0=1,2=1" }, TFR_EDATA, "class '2' of --target" },
		{ { .by = "label", .target = "uniform", .size = 151 }, TFR_EDATA,
			"the largest that the target allows is 150, since class '1' has 50" },
		{ { .by = "label", .per_class = 51 }, TFR_EDATA, "class '1' has 50 records" },
		{ { .by = "weight", .target = "uniform" }, TFR_EDATA, "is float" },
		{ { .by = "lable", .target = "uniform" }, TFR_EDATA, "no feature 'lable'" },
		{ { .by = "label" }, TFR_EUSAGE, "no target" },
		{ { .target = "uniform" }, TFR_EUSAGE, "no classes" },
		{ { .by = "label", .per_class = UINT64_MAX, .method = TFR_RESAMPLE_OVERSAMPLE },
			TFR_EUSAGE, "more than 9007199254740992" },
		{ { .by = "label", .target = "0=1,1=1e-300", .method = TFR_RESAMPLE_OVERSAMPLE },
			TFR_EUSAGE, "more than 9007199254740992" },
		{ { .by = "label", .target = "uniform", .common.sweep.where = "label ==" },
			TFR_EUSAGE, "expected" },
	};

	make_set(1000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(run(rows[i].o, &r), rows[i].status, "row %zu: %s", i, r.err.message);
		cr_expect(strstr(r.err.message, rows[i].says), "row %zu: %s", i, r.err.message);
		cr_expect_eq(left_behind(), 0);
	}
}

struct caller {
	const char *in_phase; /* that ends it */
	int warnings;
	char last[512];
};

static bool note_progress(void *ctx, const char *phase, const struct tfr_progress *p)
{
	struct caller *c = ctx;

	(void)p;
	return !(c->in_phase && !strcmp(phase, c->in_phase));
}

static void note_warning(void *ctx, const char *text)
{
	struct caller *c = ctx;

	c->warnings++;
	snprintf(c->last, sizeof(c->last), "%s", text);
}

Test(resample_faults, an_existing_target_is_told_of_before_anything_is_read)
{
	static struct result r;
	struct caller caller = { .in_phase = "counting" };
	struct tfr_resample_opts o = { .by = "label",
		.target = "uniform",
		.output = "out",
		.common.sweep = { .progress = note_progress, .ctx = &caller } };

	make_set(30);
	o.common.sweep.input = input;
	temp_write("out", "x", 1);
	cr_assert_eq(tfr_resample(&o, &r.report, &r.err), TFR_EEXIST);
	cr_assert_eq(left_behind(), 1);
}

Test(resample_faults, a_file_of_zero_records_and_one_class)
{
	static struct result r;
	struct caller caller = { 0 };

	make_set(0);
	RUN(&r, .by = "label", .target = "uniform",
		.common = { .sweep = { .warn = note_warning, .ctx = &caller },
			.expect.allow_empty = true });
	cr_assert_eq(r.n, 0);
	cr_assert_str_eq(caller.last, "no record has a class: nothing is written");
	cr_assert_eq(
		run((struct tfr_resample_opts){ .by = "label", .target = "0=1" }, &r), TFR_EDATA);
	cr_assert_eq(
		run((struct tfr_resample_opts){ .by = "label", .target = "uniform", .size = 1 },
			&r),
		TFR_EDATA);
	for (enum tfr_resample_method m = 0; m <= TFR_RESAMPLE_OVERSAMPLE; m++)
		RUN(&r, .by = "label", .target = "uniform", .method = m,
			.common.expect.allow_empty = true);
	tfr_set_close(input);
	input = NULL;
	make_set(9);
	for (enum tfr_resample_method m = 0; m <= TFR_RESAMPLE_OVERSAMPLE; m++) {
		RUN(&r, .by = "label", .target = "uniform", .method = m,
			.common.sweep.where = "label == 0");
		cr_assert_eq(r.n, 8, "all of the one class");
	}
	tfr_resample_report_clear(&r.report);
}

Test(resample_faults, damage_stops_it_or_is_passed_over_the_same_in_both_passes)
{
	static struct result r;
	struct caller caller = { 0 };
	char data[1 << 16];
	size_t n;

	make_set(100);
	n = temp_read("in-00001-of-00003", data, sizeof(data));
	data[n / 2] ^= 1;
	temp_write("in-00001-of-00003", data, n);
	cr_assert_eq(run((struct tfr_resample_opts){ .by = "label", .target = "uniform" }, &r),
		TFR_EDATA);
	cr_assert(r.err.has_record && r.err.record == 16 &&
			  !strcmp(tfr_error_path(&r.err), "in-00001-of-00003"),
		"%s record %d", tfr_error_path(&r.err), (int)r.err.record);
	cr_assert_eq(left_behind(), 0);
	RUN(&r, .by = "label", .target = "proportional", .common.sweep.on_fault = TFR_ON_FAULT_SKIP,
		.common.sweep.warn = note_warning, .common.sweep.ctx = &caller);
	cr_assert_eq(r.n, 99);
	cr_assert_eq(r.report.common.bad, 1);
	cr_assert_eq(caller.warnings, 1, "told of once, though met twice: %s", caller.last);
	tfr_resample_report_clear(&r.report);
}

Test(resample_faults, cancelling_leaves_nothing)
{
	static struct result r;

	make_set(1000);
	for (int i = 0; i < 2; i++) {
		struct caller caller = { .in_phase = (const char *[]){ "counting", "writing" }[i] };
		enum tfr_status status = run((struct tfr_resample_opts){ .by = "label",
						     .target = "uniform",
						     .common.sweep = { .progress = note_progress,
							     .ctx = &caller,
							     .threads = 1 } },
			&r);

		cr_assert_eq(status, TFR_ECANCELLED);
		cr_assert_eq(left_behind(), 0);
	}
	tfr_resample_report_clear(&r.report);
}

struct meddler {
	bool done;
	const char *with;
};

/* After the counting, and before it is read again, another file takes the place of an input. */
static bool meddle(void *ctx, const char *phase, const struct tfr_progress *p)
{
	struct meddler *m = ctx;

	(void)p;
	if (!strcmp(phase, "writing") && !m->done) {
		m->done = true;
		cr_assert_eq(rename(m->with, "in-00002-of-00003"), 0);
	}
	return true;
}

Test(resample_faults, inputs_that_change_between_the_passes_are_noticed)
{
	static struct result r;
	static const struct tfr_resample_opts kinds[] = {
		{ .by = "label", .target = "uniform" },
		{ .by = "label", .target = "proportional", .method = TFR_RESAMPLE_OVERSAMPLE },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (int more = 0; more < 2; more++) {
			struct meddler m = { .with = "other" };
			struct tfr_resample_opts o = kinds[k];

			/* a set of more records or of fewer; what it has in place of file 2 */
			make_set(more ? 200 : 20);
			tfr_set_close(input);
			input = NULL;
			cr_assert_eq(rename("in-00002-of-00003", "other"), 0);
			make_set(100);
			o.common = (struct tfr_rewrite_opts){
				.sweep = { .progress = meddle, .ctx = &m, .threads = 1 }
			};
			cr_assert_eq(run(o, &r), TFR_EDATA, "kind %zu", k);
			cr_assert_str_eq(r.err.message, "the inputs changed while they were read");
			cr_assert_eq(left_behind(), 0);
			tfr_set_close(input);
			input = NULL;
		}
	}
}

Test(resample_faults, classes_by_rules)
{
	static struct result r;
	static const struct tfr_resample_rule rules[] = { { "rare", "label != 0" },
		{ "seven", "label == 7" }, { "early", "id < 500" } };

	make_set(1000);
	RUN(&r, .rules = rules, .n_rules = 3, .target = "rare=1,early=1,other=2,seven=0");
	cr_assert_eq(r.report.class_count, 3, "seven is all rare already");
	cr_assert_str_eq(r.report.classes[0].name, "rare");
	cr_assert_eq(r.report.classes[0].final, 100);
	cr_assert_eq(r.report.classes[1].final, 100);
	cr_assert_str_eq(r.report.classes[2].name, "other");
	cr_assert_eq(r.report.classes[2].final, 200);
	cr_assert_not(r.report.classes[0].has_label);
	tfr_resample_report_clear(&r.report);
}

Test(resample_faults, a_set_is_filled_in_turn)
{
	static struct result whole, r;
	int k = 0;

	make_set(1000);
	RUN(&whole, .by = "label", .target = "uniform");
	RUN(&r, .by = "label", .target = "uniform", .output = "set@4");
	for (int shard = 0; shard < 4; shard++) {
		struct tfr_example *ex = tfr_example_new();
		struct tfr_reader *reader;
		struct tfr_record rec;
		char name[32];
		int64_t id;

		sprintf(name, "set-%05d-of-00004", shard);
		cr_assert_eq(tfr_reader_open(&reader, name, NULL, NULL), TFR_OK);
		for (int i = shard; !tfr_reader_next(reader, &rec, NULL); i += 4, k++) {
			cr_assert_eq(tfr_example_parse(ex, rec.data, rec.size, NULL), TFR_OK);
			cr_assert(tfr_feature_int64(tfr_example_get(ex, "id"), 0, &id));
			cr_assert_eq(id, whole.ids[i]);
		}
		tfr_reader_close(reader);
		tfr_example_free(ex);
	}
	cr_assert_eq(k, 150);
	tfr_resample_report_clear(&whole.report);
	tfr_resample_report_clear(&r.report);
}

/* A feature that is different in every record is a mistake, and is called one wherever the threads
 * were when it was found. */
Test(resample_faults, more_than_a_million_classes_are_refused)
{
	static struct result r;
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w;
	const uint8_t *data;
	char text[80];
	size_t size;

	cr_assert_eq(tfr_writer_open(&w, "in-00000-of-00001", NULL, NULL), TFR_OK);
	for (int i = 0; i <= TFR_CLASSES_MAX; i++) {
		tfr_builder_reset(b);
		tfr_builder_int64(b, "id", i, NULL);
		sprintf(text, "%d is a name that is somewhat long for so many", i);
		tfr_builder_text(b, "text", text, NULL);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, data, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
	open_input("in@1");
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(run((struct tfr_resample_opts){ .by = i ? "text" : "id",
					 .target = "uniform",
					 .common.sweep.threads = 8 },
				     &r),
			TFR_EUSAGE);
		cr_assert_not(r.err.has_record);
		cr_assert_str_eq(r.err.message, i ? "the names of the classes are more than 32 MiB"
						  : "more than 1000000 classes");
		cr_assert(strstr(tfr_error_hint_text(&r.err), "--class"));
		cr_assert_eq(temp_count("."), 1);
	}
	RUN(&r, .rules = &(struct tfr_resample_rule){ "low", "id < 500000" }, .n_rules = 1,
		.target = "uniform", .size = 2000, .output = "2000");
	cr_assert_eq(r.report.classes[1].final, 1000);
	tfr_resample_report_clear(&r.report);
}
