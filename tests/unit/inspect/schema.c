/* Schemas: texts and JSON that are read or refused, records against them, the schema that a set
 * has, and files that drift from the others. */
#include <tfr-private/check.h>
#include <tfr-private/survey.h>

#include "inspect/schema/schema_rules.h"
#include "inspect/survey.h"
#include "support/examples.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(schema, .init = setup, .fini = teardown);

/* --- reading --- */

static enum tfr_status parse(const char *text, struct tfr_schema **s, struct tfr_error *err)
{
	*s = NULL;
	return tfr_schema_parse(s, "NAME", text, strlen(text), err);
}

Test(schema, lines_that_are_read)
{
	static const char *const texts[] = { "", "\n\n", "# a comment\n", "  \t# another\r\n",
		"only", "required int64 1 a", "optional float 0..3 a\nrequired bytes * b\n",
		"required int64 2x3x4 a", "required int64 1.. a", "\trequired  int64\t1   a b c",
		"required int64 1 \\x00\\\\", "required list 1.. float 3 frames",
		"required int64 1 a\nrequired list * int64 1 a", "required int64 0 a",
		"required int64 999999999999999999 a" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct tfr_error err = { 0 };
		struct tfr_schema *s;

		cr_assert_eq(parse(texts[i], &s, &err), TFR_OK, "%s: %s", texts[i], err.message);
		tfr_schema_close(s);
	}
}

/* Each is the second line; the error names it. */
Test(schema, lines_that_are_refused)
{
	static const char *const lines[] = { "need int64 1 a", "required int32 1 a",
		"required int64 one a", "required int64 -1 a", "required int64 2..1 a",
		"required int64 3x a", "required int64 1", "required", "only a",
		"required list 1 a", "required int64 1000000000000000000 a", "required int64 ..3 a",
		"required int64 1...3 a", "required int64 999999999x999999999x999999999 a",
		"required int64 1 a\\q", "required int64 1 a\\x4", "required int64 1 a\\",
		"required int64 1 \\xZZ", "required list x int64 1 a", "Required int64 1 a" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct tfr_error err = { 0 };
		struct tfr_schema *s;
		char text[200];

		snprintf(text, sizeof(text), "required int64 1 z\n%s\n", lines[i]);
		cr_assert_eq(parse(text, &s, &err), TFR_EUSAGE, "%s", lines[i]);
		cr_assert_null(s);
		cr_assert(strstr(err.message, "'NAME'") && strstr(err.message, "line 2"), "%s: %s",
			lines[i], err.message);
	}
}

Test(schema, a_name_that_is_given_twice)
{
	static const char *const texts[] = { "required int64 1 a\noptional float 1 a",
		"required int64 1 \\x61\nrequired int64 1 a",
		"required list 1 int64 1 a\nrequired list 1 int64 1 a",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\", \"presence\": "
		"\"required\"}, "
		"{\"name\": \"a\", \"kind\": \"int64\", \"presence\": \"required\"}]}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct tfr_error err = { 0 };
		struct tfr_schema *s;

		cr_assert_eq(parse(texts[i], &s, &err), TFR_EUSAGE, "%zu", i);
		cr_assert_not_null(strstr(err.message, "'a'"), "%s", err.message);
	}
}

Test(schema, json_that_is_refused)
{
	static const char *const texts[] = { "{", "{}", "{\"features\": 5}", "{\"features\": [5]}",
		"{\"features\": [{}]}", "{\"features\": [{\"name\": 5}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int32\", \"presence\": "
		"\"required\"}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": 5, \"presence\": \"required\"}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\"}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\", \"presence\": "
		"\"always\"}]}",
		"{\"features\": [{\"name\": \"a\", \"kinds\": {\"int64\": 1}}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\", \"presence\": "
		"\"required\", "
		"\"length\": 5}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\", \"presence\": "
		"\"required\", "
		"\"length\": {\"min\": 2, \"max\": 1}}]}",
		"{\"features\": [{\"name\": \"a\", \"kind\": \"int64\", \"presence\": "
		"\"required\", "
		"\"length\": {\"min\": -1, \"max\": 1}}]}",
		"{\"features\": [], \"feature_lists\": {}}", "{\"features\": []} more" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct tfr_schema *s;

		cr_assert_eq(parse(texts[i], &s, NULL), TFR_EUSAGE, "%s", texts[i]);
		cr_assert_null(s);
	}
}

/* --- records --- */

struct names {
	char text[500];
};

static enum tfr_status note(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	struct names *n = ctx;
	size_t at = strlen(n->text);

	(void)err;
	cr_assert_gt(strlen(what), 0);
	snprintf(n->text + at, sizeof(n->text) - at, "%.*s ", (int)name->size,
		(const char *)name->data);
	return TFR_OK;
}

/* The features that violate the schema, each with a blank after it. */
static struct names faults_of(const char *schema, struct tfr_builder *b)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_error err = { 0 };
	struct names n = { "" };
	struct tfr_schema *s;
	const uint8_t *data;
	size_t size;

	cr_assert_eq(parse(schema, &s, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
	cr_assert_eq(tfr_schema_check(s, ex, NULL, note, &n, NULL), TFR_OK);
	tfr_schema_close(s);
	tfr_example_free(ex);
	return n;
}

Test(schema, counts_of_values)
{
	static const struct {
		const char *count;
		unsigned fits; /* bit n: n values fit */
	} cases[] = { { "0", 1 }, { "1", 2 }, { "3", 8 }, { "0..", 31 }, { "1..", 30 },
		{ "2..", 28 }, { "0..0", 1 }, { "0..2", 7 }, { "1..3", 14 }, { "*", 31 },
		{ "1x1", 2 }, { "1x2", 4 }, { "2x2", 16 }, { "2x1x1", 4 }, { "0x5", 1 } };
	const int64_t values[5] = { 0 };
	struct tfr_builder *b = tfr_builder_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t n = 0; n < 5; n++) {
			char schema[64];

			snprintf(schema, sizeof(schema), "required int64 %s a", cases[i].count);
			cr_assert_eq(tfr_builder_int64s(b, "a", values, n, NULL), TFR_OK);
			cr_assert_str_eq(faults_of(schema, b).text,
				cases[i].fits >> n & 1 ? "" : "a ", "%s, %zu", cases[i].count, n);
		}
	tfr_builder_free(b);
}

Test(schema, kinds_presence_and_other_features)
{
	struct tfr_builder *b = tfr_builder_new();

	tfr_builder_int64(b, "b", 1, NULL);
	tfr_builder_text(b, "c", "x", NULL);
	tfr_builder_text(b, "d", "x", NULL);
	cr_assert_str_eq(faults_of("required int64 1 b\nrequired bytes 1 c", b).text, "");
	cr_assert_str_eq(faults_of("required float 1 b\nrequired bytes 1 c", b).text, "b ");
	cr_assert_str_eq(faults_of("required int64 1 a\nrequired int64 1 z", b).text, "a z ");
	cr_assert_str_eq(faults_of("optional int64 1 a\noptional int64 1 z", b).text, "");
	/* An optional feature that is there must fit. */
	cr_assert_str_eq(faults_of("optional int64 2 b", b).text, "b ");
	cr_assert_str_eq(faults_of("only\nrequired int64 1 b", b).text, "c d ");
	cr_assert_str_eq(
		faults_of("only\nrequired int64 1 a\nrequired bytes 1 c", b).text, "a b d ");
	cr_assert_str_eq(faults_of("only", b).text, "b c d ");
	cr_assert_str_eq(faults_of("", b).text, "");
	/* A list of features is not a feature. */
	cr_assert_str_eq(faults_of("required list 1 int64 1 b", b).text, "b ");
	cr_assert_str_eq(faults_of("optional list 1 int64 1 b", b).text, "");
	tfr_builder_free(b);
}

static enum tfr_status refuse(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	(void)name, (void)what, (void)err;
	++*(int *)ctx;
	return TFR_ENOMEM;
}

Test(schema, a_failure_of_the_receiver_ends_the_check)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_schema *s;
	int calls = 0;

	cr_assert_eq(parse("required int64 1 a\nrequired int64 1 b", &s, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, "", 0, NULL), TFR_OK);
	cr_assert_eq(tfr_schema_check(s, ex, NULL, refuse, &calls, NULL), TFR_ENOMEM);
	cr_assert_eq(calls, 1);
	tfr_schema_close(s);
	tfr_example_free(ex);
}

/* --- the schema of a set --- */

static struct tfr_survey *survey(const char *input, bool values)
{
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_survey_opts o = { .common.threads = 2, .values = values };
	struct tfr_sweep_report report;
	struct tfr_survey *s = NULL;
	struct tfr_error err = { 0 };
	struct tfr_set *set = NULL;

	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	o.common.input = set;
	cr_assert_eq(tfr_survey_run(&s, &o, &report, &err), TFR_OK, "%s", err.message);
	tfr_set_close(set);
	return s;
}

static void write_varied(const char *path, int n)
{
	struct examples x = examples_open(path);
	const int64_t ids[4] = { 1, 2, 3, 4 };

	for (int i = 0; i < n; i++) {
		examples_int64(&x, "label", i);
		cr_assert_eq(
			tfr_builder_int64s(x.b, "ids", ids, (size_t)(1 + i % 4), NULL), TFR_OK);
		if (i % 2)
			examples_float(&x, "score", 0.5f);
		examples_bytes(&x, "name\\\xff", "x", 1);
		examples_end(&x);
	}
	examples_close(&x);
}

static void count_fault(
	void *ctx, const char *path, const struct tfr_error *err, const struct tfr_check_kind *kind)
{
	(void)path, (void)err, (void)kind;
	++*(uint64_t *)ctx;
}

static uint64_t faults_by(const char *schema, const char *input)
{
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_set *set = NULL;
	uint64_t faults = 0;
	struct tfr_error err = { 0 };
	struct tfr_check_opts o = { .schema = schema, .fault = count_fault, .ctx = &faults };

	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	cr_assert_eq(tfr_check_set(set, &o, &err), TFR_OK, "%s", err.message);
	tfr_set_close(set);
	return faults;
}

/* A set satisfies its own schema, and no record that differs from it in one way does. */
Test(schema, a_set_satisfies_its_own)
{
	struct tfr_survey *s;
	struct tfr_error err = { 0 };
	char *text = NULL;
	size_t size;

	write_varied("in", 40);
	s = survey("in", false);
	cr_assert_eq(tfr_survey_schema(s, TFR_SCHEMA_JSON, &text, &size, &err), TFR_OK, "%s",
		err.message);
	temp_write("schema.json", text, size);
	free(text);
	tfr_survey_free(s);
	cr_assert_eq(faults_by("schema.json", "in"), 0);
	for (int form = 0; form < 5; form++) {
		struct examples x = examples_open("other");
		const int64_t ids[5] = { 0 };

		if (form != 0)
			examples_int64(&x, "label", 1);
		cr_assert_eq(tfr_builder_int64s(x.b, "ids", ids,
				     form == 1	 ? 5
				     : form == 2 ? 0
						 : 1,
				     NULL),
			TFR_OK);
		if (form == 3)
			examples_int64(&x, "score", 1);
		examples_bytes(&x, form == 4 ? "name\\" : "name\\\xff", "x", 1);
		examples_end(&x);
		examples_close(&x);
		cr_assert_eq(faults_by("schema.json", "other"), 1, "form %d", form);
	}
}

Test(schema, facts_of_a_feature)
{
	static const struct {
		const char *name;
		uint64_t records, min, max;
	} expected[] = { { "ids", 40, 1, 4 }, { "label", 40, 1, 1 }, { "name\\\xff", 40, 1, 1 },
		{ "score", 20, 1, 1 } };
	struct tfr_survey *s;

	write_varied("in", 40);
	s = survey("in", false);
	cr_assert_eq(s->n, 4);
	for (size_t i = 0; i < s->n; i++) {
		const struct tfr_surveyed *f = s->list[i];

		cr_assert_str_eq(f->name, expected[i].name);
		cr_assert_eq(f->facts.records, expected[i].records);
		cr_assert_eq(f->facts.length.min, expected[i].min);
		cr_assert_eq(f->facts.length.max, expected[i].max);
		cr_assert_eq(f->facts.first.record, i == 3, "%s", f->name);
	}
	tfr_survey_free(s);
}

Test(schema, every_form_names_every_feature)
{
	static const struct {
		enum tfr_schema_form form;
		const char *words[4];
	} cases[] = {
		{ TFR_SCHEMA_TEXT, { "label", "score", "ids", "1..4" } },
		{ TFR_SCHEMA_JSON, { "\"label\"", "\"score\"", "\"ids\"", "\"max\": 4" } },
		{ TFR_SCHEMA_PYTHON,
			{ "'label': tf.io.FixedLenFeature([], tf.int64)", "'score'",
				"'ids': tf.io.RaggedFeature(tf.int64)", "tensorflow" } },
		{ TFR_SCHEMA_DALI, { "label", "score", "ids", "dali" } },
		{ TFR_SCHEMA_TORCH, { "label", "score", "ids", "torch" } },
		{ TFR_SCHEMA_PBTXT,
			{ "name: \"label\"", "name: \"score\"", "name: \"ids\"", "INT" } },
	};
	struct examples x = examples_open("in");
	struct tfr_survey *s;

	for (int i = 0; i < 4; i++) {
		const int64_t ids[4] = { 0 };

		examples_int64(&x, "label", i);
		cr_assert_eq(tfr_builder_int64s(x.b, "ids", ids, (size_t)i + 1, NULL), TFR_OK);
		if (i)
			examples_float(&x, "score", 1);
		examples_end(&x);
	}
	examples_close(&x);
	s = survey("in", false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_error err = { 0 };
		char *text = NULL;
		size_t size;

		cr_assert_eq(tfr_survey_schema(s, cases[i].form, &text, &size, &err), TFR_OK, "%s",
			err.message);
		for (int w = 0; w < 4; w++)
			cr_assert_not_null(
				memmem(text, size, cases[i].words[w], strlen(cases[i].words[w])),
				"%zu: %s in\n%s", i, cases[i].words[w], text);
		free(text);
	}
	tfr_survey_free(s);
}

/* Two kinds of one feature, or a name that is not UTF-8, cannot be said in a program. */
Test(schema, forms_that_cannot_express_a_set)
{
	struct examples x = examples_open("in");
	struct tfr_survey *s;
	char *text = NULL;
	size_t size;

	examples_int64(&x, "a", 1);
	examples_end(&x);
	examples_float(&x, "a", 1);
	examples_end(&x);
	examples_close(&x);
	for (int names = 0; names < 2; names++) {
		if (names) {
			x = examples_open("in");
			examples_int64(&x, "caf\xe9", 1);
			examples_end(&x);
			examples_close(&x);
		}
		s = survey("in", false);
		for (int form = 0; form < TFR_SCHEMA_FORMS; form++) {
			bool fits = form == TFR_SCHEMA_TEXT || form == TFR_SCHEMA_JSON;
			enum tfr_status status = tfr_survey_schema(
				s, (enum tfr_schema_form)form, &text, &size, NULL);

			cr_assert_eq(status, fits ? TFR_OK : TFR_EDATA, "form %d", form);
			if (!status)
				free(text);
		}
		tfr_survey_free(s);
	}
}

/* --- features that vary --- */

struct tellings {
	char text[20][300];
	size_t n;
};

static void tell(void *ctx, const char *text)
{
	struct tellings *t = ctx;

	cr_assert_lt(t->n, 20);
	snprintf(t->text[t->n++], sizeof(*t->text), "%s", text);
}

/* Ten records in each of five files; file k has `values[k]` values of v in each record, 0: none at
 * all, and at times if it is above 10. */
static struct tellings drift_of(const int values[5])
{
	struct tellings t = { .n = 0 };
	struct tfr_survey *s;

	for (int k = 0; k < 5; k++) {
		const int64_t numbers[10] = { 0 };
		struct examples x;
		char path[32];

		snprintf(path, sizeof(path), "s-%05d-of-00005", k);
		x = examples_open(path);
		for (int i = 0; i < 10; i++) {
			examples_int64(&x, "id", i);
			if (values[k] && (values[k] < 10 || i % 2))
				cr_assert_eq(tfr_builder_int64s(x.b, "v", numbers,
						     (size_t)values[k] % 10, NULL),
					TFR_OK);
			examples_end(&x);
		}
		examples_close(&x);
	}
	s = survey("s@5", false);
	tfr_survey_drift(s, tell, &t);
	tfr_survey_free(s);
	return t;
}

Test(schema, files_that_drift_from_the_others)
{
	static const struct {
		int values[5];
		size_t tellings;
		const char *first; /* the file named */
	} cases[] = {
		{ { 1, 1, 1, 1, 1 }, 0, NULL },
		{ { 1, 1, 0, 1, 1 }, 1, "s-00002-of-00005" },
		{ { 2, 1, 1, 1, 1 }, 1, "s-00000-of-00005" },
		{ { 1, 1, 3, 3, 3 }, 1, "s-00000-of-00005" },
		{ { 1, 2, 3, 3, 3 }, 2, "s-00000-of-00005" },
		/* Optional in some files: files in which every record has it are so by chance. */
		{ { 11, 11, 1, 11, 11 }, 0, NULL },
		{ { 11, 11, 0, 11, 11 }, 1, "s-00002-of-00005" },
		/* Equally many: the first state is the reference. */
		{ { 1, 1, 2, 2, 0 }, 2, "s-00002-of-00005" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tellings t = drift_of(cases[i].values);

		cr_assert_eq(t.n, cases[i].tellings, "%zu: %zu, %s", i, t.n, t.text[0]);
		if (t.n)
			cr_assert(strstr(t.text[0], "'v'") && strstr(t.text[0], cases[i].first),
				"%zu: %s", i, t.text[0]);
	}
}

/* Lengths that vary within a file say nothing about the others. */
Test(schema, lengths_that_vary_everywhere)
{
	struct tellings t = { .n = 0 };
	struct tfr_survey *s;
	char path[32];

	for (int k = 0; k < 3; k++) {
		snprintf(path, sizeof(path), "s-%05d-of-00003", k);
		write_varied(path, k ? 40 : 1); /* in the first file there is one record alone */
	}
	s = survey("s@3", false);
	tfr_survey_drift(s, tell, &t);
	tfr_survey_contradictions(s, tell, &t);
	cr_assert_eq(t.n, 1, "%s", t.text[1]);
	/* score is absent from the only record of the first file. */
	cr_assert(strstr(t.text[0], "'score'") && strstr(t.text[0], "s-00000-of-00003"), "%s",
		t.text[0]);
	tfr_survey_free(s);
}

Test(schema, kinds_that_contradict)
{
	struct examples x = examples_open("in");
	struct tellings t = { .n = 0 };
	struct tfr_survey *s;

	for (int i = 0; i < 10; i++) {
		if (i == 4)
			examples_float(&x, "a", 1);
		else if (i == 7)
			examples_text(&x, "a", "x");
		else
			examples_int64(&x, "a", 1);
		examples_int64(&x, "b", 1);
		examples_end(&x);
	}
	examples_close(&x);
	s = survey("in", false);
	tfr_survey_contradictions(s, tell, &t);
	cr_assert_eq(t.n, 1);
	cr_assert(strstr(t.text[0], "'a'") && strstr(t.text[0], "record 0") &&
			  strstr(t.text[0], "record 4") && strstr(t.text[0], "record 7"),
		"%s", t.text[0]);
	tfr_survey_free(s);
}
