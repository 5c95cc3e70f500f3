/* Lists as inputs: the kinds of their columns, and rows across the blocks in which a file is read. */
#include "support/temp.h"

#include "base/rng.h"
#include "convert/list/list.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter();
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(lists, .init = set_up, .fini = tear_down, .timeout = 120);

static enum tfr_status open_list(struct tfr_input **in, struct tfr_convert_opts *o, const char *path,
	const struct tfr_input_ops *ops, struct tfr_error *err)
{
	static const char *inputs[1];

	inputs[0] = path;
	o->input.paths = inputs;
	o->input.count = 1;
	*in = NULL;
	return ops->open(in, o, err);
}

/* ---- kinds ---- */

/* "a:int64 b:bytes c:?", or the error. */
static void kinds_of(const struct tfr_input_ops *ops, struct tfr_convert_opts *o, const char *text,
	char *kinds, size_t size)
{
	struct tfr_input *in;
	struct tfr_error err = { 0 };

	temp_write("list", text, strlen(text));
	*kinds = '\0';
	if (open_list(&in, o, "list", ops, &err)) {
		snprintf(kinds, size, "%.500s", err.message);
	} else {
		const struct tfr_columns *c = &((struct tfr_list *)in)->columns;

		for (size_t i = 0; i < c->n; i++)
			snprintf(kinds + strlen(kinds), size - strlen(kinds), "%s%s:%s",
				i ? " " : "", c->list[i].name,
				c->list[i].kind ? tfr_kind_name(c->list[i].kind) : "?");
	}
	if (in)
		in->ops->close(in);
}

static void expect_kinds(const struct tfr_input_ops *ops, const char *text, const char *expected)
{
	struct tfr_convert_opts o = { .run.threads = 1 };
	char kinds[600];

	kinds_of(ops, &o, text, kinds, sizeof(kinds));
	cr_expect_str_eq(kinds, expected, "%s\nis: %s\nnot: %s", text, kinds, expected);
}

Test(lists, kinds_of_cells)
{
	expect_kinds(&tfr_input_csv, "a,b,c,d\n1,2,x,\n3,4.5,7,\n", "a:int64 b:float c:bytes d:?");
	expect_kinds(&tfr_input_csv, "a,b\n1,nan\n,inf\n", "a:int64 b:float");
	expect_kinds(&tfr_input_csv, "a\n007\n1\n", "a:bytes");
	/* Empty quotes are an empty text; an empty cell is no value. */
	expect_kinds(&tfr_input_csv, "a,b\n1,2\n\"\",\n", "a:bytes b:int64");
	expect_kinds(&tfr_input_csv, "a,b\n\"1\",\"x,\"\"y\"\"\"\n", "a:int64 b:bytes");
	/* A row with another number of cells says nothing. */
	expect_kinds(&tfr_input_csv, "a,b\n1,2\nx\nx,y,z\n", "a:int64 b:int64");
	expect_kinds(&tfr_input_csv, "a\n1\n9223372036854775808\n",
		"'a' is 9223372036854775808 in line 3 of 'list', which int64 cannot hold");
	expect_kinds(&tfr_input_csv, "a\n1.5\n9223372036854775808\n", "a:float");
	expect_kinds(&tfr_input_csv, "a\n1\n\n1e39\n",
		"'a' is 1e39 in line 4 of 'list', which float cannot hold");
	expect_kinds(&tfr_input_csv, "a\n1e39\nx\n", "a:bytes");
	expect_kinds(&tfr_input_tsv, "a\tb\n1\t\"x\ty\"\n", "a:int64 b:bytes");
}

Test(lists, kinds_of_members)
{
	expect_kinds(&tfr_input_jsonl, "{\"a\":1}\n{\"b\":[1,2.5],\"a\":2}\n", "a:int64 b:float");
	expect_kinds(&tfr_input_jsonl, "{\"a\":{\"b\":true,\"c\":\"x\"}}\n", "a/b:int64 a/c:bytes");
	expect_kinds(&tfr_input_jsonl, "{\"a\":null}\n{\"b\":[]}\n", "b:?");
	expect_kinds(&tfr_input_jsonl, "{\"a\":\"nan\"}\n", "a:bytes");
	expect_kinds(&tfr_input_jsonl, "{\"a\":\"nan\"}\n{\"a\":1}\n", "a:float");
	/* A line with a fault says nothing. */
	expect_kinds(&tfr_input_jsonl, "{\"a\":1}\n{\"a\":\"x\"\n", "a:int64");
	expect_kinds(&tfr_input_jsonl, "{\"a\":1}\n\n{\"a\":\"x\"}\n",
		"'a' is a number in line 1 of 'list' and a text in line 3");
	expect_kinds(&tfr_input_jsonl, "{\"a\":[1,9223372036854775808]}\n",
		"'a' is 9223372036854775808 in line 1 of 'list', which int64 cannot hold");
}

Test(lists, kinds_that_are_given)
{
	static const struct tfr_column_type types[] = { { "a", TFR_KIND_BYTES }, { "b", TFR_KIND_FLOAT } };
	struct tfr_convert_opts o = {
		.run.threads = 1, .tables.types = types, .tables.type_count = 2
	};
	char kinds[600];

	kinds_of(&tfr_input_csv, &o, "a,b,c\n1,2,3\n", kinds, sizeof(kinds));
	cr_expect_str_eq(kinds, "a:bytes b:float c:int64");
	kinds_of(&tfr_input_jsonl, &o, "{\"a\":1,\"b\":\"x\"}\n{\"a\":\"y\"}\n", kinds, sizeof(kinds));
	cr_expect_str_eq(kinds, "a:bytes b:float");
	kinds_of(&tfr_input_csv, &o, "a,c\n1,2\n", kinds, sizeof(kinds));
	cr_expect_str_eq(kinds, "no column 'b' in 'list'");
}

Test(lists, headers)
{
	expect_kinds(&tfr_input_csv, "", "no header line in 'list'");
	expect_kinds(&tfr_input_csv, ",b\n1,2\n", "index:int64 b:int64");
	expect_kinds(&tfr_input_csv, "a,\n1,2\n", "column 2 of 'list' has no name");
	expect_kinds(&tfr_input_csv, "a,b,a\n1,2,3\n", "two columns of 'list' are called 'a'");
	expect_kinds(&tfr_input_csv, "\xef\xbb\xbf" "a\r\n1\r\n", "a:int64");
	expect_kinds(&tfr_input_csv, "# text\na,b\n1,2\n", "a:int64 b:int64");
	/* A comment has the names if it has as many cells, none of them a number. */
	expect_kinds(&tfr_input_csv, "# a,b\n1,2\n", "a:int64 b:int64");
	expect_kinds(&tfr_input_csv, "# a,b\nx,y\n", "x:? y:?");
	expect_kinds(&tfr_input_csv, "\"a\nb\",c\n1,2\n", "a\nb:int64 c:int64");
	expect_kinds(&tfr_input_csv, "a\n\"1\n", "a quote is never closed in 'list', line 2");
}

/* ---- blocks ---- */

/* A text of `n` bytes with commas, quotes and line breaks, as a cell. */
static void put_cell(struct tfr_buf *b, size_t n, struct tfr_rng *rng, uint64_t *lines)
{
	cr_assert(tfr_buf_append(b, "\"", 1));
	for (size_t i = 0; i < n; i++) {
		const char *part = tfr_rng_below(rng, 100) ? "x" : "\n";

		part = tfr_rng_below(rng, 50) ? part : "\"\",";
		*lines += *part == '\n';
		cr_assert(tfr_buf_append(b, part, strlen(part)));
	}
	cr_assert(tfr_buf_append(b, "\"", 1));
}

/* Rows of 1 byte to 2 MiB: blocks have 1 MiB, so that some borders are in quotes, some rows are
 * longer than a block, and some blocks have many rows. */
static void make_rows(struct tfr_buf *text, struct tfr_buf *rows, uint64_t seed)
{
	struct tfr_rng rng;
	uint64_t line = 2;

	tfr_rng_init(&rng, seed, 0);
	cr_assert(tfr_buf_append(text, "a,b\n", 4));
	while (text->size < (6 << 20)) {
		struct tfr_row row = { text->size, 0, (uint32_t)line };
		uint64_t size = tfr_rng_below(&rng, 40) ? tfr_rng_below(&rng, 3000)
				: tfr_rng_below(&rng, 4) ? tfr_rng_below(&rng, 200000)
							 : tfr_rng_below(&rng, 2 << 20);

		cr_assert(tfr_buf_append(text, "1,", 2));
		put_cell(text, (size_t)size, &rng, &line);
		cr_assert(tfr_buf_append(text, "\n", 1));
		line++;
		row.size = (uint32_t)(text->size - row.offset);
		cr_assert(tfr_buf_append(rows, &row, sizeof(row)));
		if (!tfr_rng_below(&rng, 5)) {
			cr_assert(tfr_buf_append(text, "\r\n", 2));
			line++;
		}
	}
}

Test(lists, rows_across_blocks)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			struct tfr_convert_opts o = { .run.threads = threads };
			TFR_AUTO_BUF text = { 0 }, rows = { 0 };
			struct tfr_input *in;
			struct tfr_error err = { 0 };
			const struct tfr_list *l;

			make_rows(&text, &rows, seed);
			temp_write("t.csv", text.data, text.size);
			cr_assert_eq(open_list(&in, &o, "t.csv", &tfr_input_csv, &err), TFR_OK, "%s",
				err.message);
			l = (struct tfr_list *)in;
			cr_assert_eq(in->items, rows.size / sizeof(struct tfr_row));
			cr_assert_eq(l->rows_.size, rows.size);
			for (size_t i = 0; i < in->items; i++) {
				const struct tfr_row *x = (struct tfr_row *)(void *)l->rows_.data + i;
				const struct tfr_row *y = (struct tfr_row *)(void *)rows.data + i;

				cr_assert(x->offset == y->offset && x->size == y->size &&
						  x->line == y->line,
					"row %zu", i);
			}
			in->ops->close(in);
		}
}

/* The first fault in the order of the file is reported, with its line, for any number of threads. */
Test(lists, faults_across_blocks)
{
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct tfr_convert_opts o = { .run.threads = threads };
		TFR_AUTO_BUF text = { 0 };
		struct tfr_input *in;
		struct tfr_error err = { 0 };
		unsigned line = 1;

		cr_assert(tfr_buf_append(&text, "a,b\n", 4));
		while (text.size < (3 << 20)) {
			cr_assert(tfr_buf_append(&text, "1,text of a row\n", 16));
			line++;
		}
		cr_assert(tfr_buf_append(&text, "1,x\ry\n2,x\ry\n", 12));
		while (text.size < (6 << 20))
			cr_assert(tfr_buf_append(&text, "1,text of a row\n", 16));
		temp_write("t.csv", text.data, text.size);
		cr_assert_eq(open_list(&in, &o, "t.csv", &tfr_input_csv, &err), TFR_EDATA);
		if (in)
			in->ops->close(in);
		snprintf((char *)text.data, text.cap,
			"a line break of another kind in the middle of the line in 't.csv', line "
			"%u",
			line + 1);
		cr_expect_str_eq(err.message, (char *)text.data);
	}
}
