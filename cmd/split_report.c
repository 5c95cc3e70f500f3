/* cmd/split_report.c - how many records each set received, and of each class. */
#include "split_report.h"

#include <stdlib.h>
#include <string.h>

#include "common/rewrite_options.h"

/* Of the tables.  Four sets and the class with its records are 80 columns. */
enum { SET_WIDTH = 32, CLASS_WIDTH = 20, COLUMN = 12, COLUMNS_MAX = 4, ROWS_MAX = 20 };

/* --- for a person --- */

static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

enum { MOST_CELL = 512 }; /* bytes that no cell shows all of: its columns have four at most */

/* Prints `text`, harmless, in `width` columns; what is too long loses its beginning, since names
 * differ at their ends.  A negative width: on the right. */
static void print_cell(const char *text, size_t n, int width)
{
	size_t room = (size_t)abs(width), columns;
	char line[4 * MOST_CELL + 1];
	const char *p = line;

	for (; n > MOST_CELL || (n == MOST_CELL && ((unsigned char)*text & 0xc0) == 0x80); n--)
		text++;
	tfr_escape_bytes(line, sizeof(line), text, n);
	columns = columns_of(line);
	for (bool cut = columns > room; cut && columns > room - 2;) {
		p++;
		columns = columns_of(p);
		while (((unsigned char)*p & 0xc0) == 0x80)
			p++;
	}
	if (p != line)
		columns += 2;
	if (width < 0)
		fprintf(stderr, "%*s", (int)(room - columns), "");
	fprintf(stderr, "%s%s", p != line ? ".." : "", p);
	if (width > 0)
		fprintf(stderr, "%*s", (int)(room - columns), "");
}

static void print_text(const char *text, int width)
{
	print_cell(text, strlen(text), width);
}

static void print_number(uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	fprintf(stderr, " %*s", COLUMN - 1, text);
}

static double part(uint64_t records, uint64_t of)
{
	return of ? (double)records / (double)of : 0;
}

static void print_sets(const struct tfr_split_report *r)
{
	print_text("set", SET_WIDTH);
	fprintf(stderr, " %*s %*s %*s\n", COLUMN - 1, "wanted", COLUMN - 1, "records", COLUMN - 1,
		"actual");
	for (size_t i = 0; i < r->set_count; i++) {
		const struct tfr_split_set *set = &r->sets[i];
		char wanted[24] = "the rest";

		if (set->fraction > 0)
			snprintf(wanted, sizeof(wanted), "%.6g", set->fraction);
		print_text(set->set, SET_WIDTH);
		fprintf(stderr, " %*s", COLUMN - 1, wanted);
		print_number(set->records);
		fprintf(stderr, " %*.4f\n", COLUMN - 1, part(set->records, r->common.taken));
	}
	if (r->left) {
		print_text("(none)", SET_WIDTH);
		fprintf(stderr, " %*s", COLUMN - 1, "");
		print_number(r->left);
		fprintf(stderr, " %*.4f\n", COLUMN - 1, part(r->left, r->common.taken));
	}
}

/* "out/train@8.tfrecord" is train, and so is "out/train.tfrecord". */
static char *short_name(const char *set)
{
	const char *slash = strrchr(set, '/'), *name = slash && slash[1] ? slash + 1 : set;
	struct tfr_set_name parsed;
	size_t n;

	if (tfr_set_name_parse(&parsed, name, NULL) == TFR_OK) {
		n = strlen(parsed.base);
		tfr_set_name_clear(&parsed);
	} else {
		n = 1 + strcspn(name + 1, ".");
	}
	return strndup(name, n);
}

static void print_class_name(const struct tfr_split_class *class)
{
	char label[24];

	if (class->kind == TFR_KIND_INT64) {
		snprintf(label, sizeof(label), "%lld", (long long)class->label);
		print_text(label, CLASS_WIDTH);
		return;
	}
	if (class->text.size)
		print_cell((const char *)class->text.data, class->text.size, CLASS_WIDTH);
	else
		print_text("\"\"", CLASS_WIDTH);
}

static void print_more(size_t n, const char *one, const char *many)
{
	fprintf(stderr, "… and %zu more %s\n", n, n == 1 ? one : many);
}

static void print_classes(const struct tfr_split_report *r)
{
	size_t columns = r->set_count < COLUMNS_MAX ? r->set_count : COLUMNS_MAX;
	size_t rows = r->class_count < ROWS_MAX ? r->class_count : ROWS_MAX;

	fprintf(stderr, "\n");
	print_text("class", CLASS_WIDTH);
	print_text("records", -COLUMN);
	for (size_t i = 0; i < columns; i++) {
		char *name = short_name(r->sets[i].set);

		fprintf(stderr, " ");
		print_text(name ? name : "", -(COLUMN - 1));
		free(name);
	}
	fprintf(stderr, "\n");
	for (size_t k = 0; k < rows; k++) {
		struct tfr_split_class class = tfr_split_report_class(r, k);

		print_class_name(&class);
		print_number(class.records);
		for (size_t i = 0; i < columns; i++)
			print_number(class.received[i]);
		fprintf(stderr, "\n");
	}
	if (r->class_count > rows)
		print_more(r->class_count - rows, "class", "classes");
	if (r->set_count > columns)
		print_more(r->set_count - columns, "set", "sets");
}

void split_report_text(const struct tfr_split_report *r)
{
	print_sets(r);
	if (r->class_count)
		print_classes(r);
}

/* --- for a program --- */

static void put_sum(struct tfr_json *j, uint64_t sum)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
	tfr_json_string(j, "sum", text);
}

static void put_sets(struct tfr_json *j, const struct tfr_split_report *r)
{
	tfr_json_open_array(j, "sets");
	for (size_t i = 0; i < r->set_count; i++) {
		const struct tfr_split_set *set = &r->sets[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "set", set->set);
		if (set->fraction > 0)
			tfr_json_f64(j, "fraction", set->fraction);
		tfr_json_u64(j, "records", set->records);
		tfr_json_f64(j, "actual", part(set->records, r->common.taken));
		tfr_json_u64(j, "bytes", set->bytes);
		put_sum(j, set->sum);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void put_base64(struct tfr_json *j, const char *key, struct tfr_bytes b)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((b.size + 2) / 3 * 4 + 1), *p = text;

	if (!text)
		return;
	for (size_t i = 0; i < b.size; i += 3) {
		uint32_t word = (uint32_t)b.data[i] << 16;

		word |= i + 1 < b.size ? (uint32_t)b.data[i + 1] << 8 : 0;
		word |= i + 2 < b.size ? b.data[i + 2] : 0;
		for (unsigned k = 0; k < 4; k++)
			*p++ = i + k <= b.size ? digits[word >> (18 - 6 * k) & 63] : '=';
	}
	tfr_json_bytes(j, key, text, (size_t)(p - text));
	free(text);
}

static void put_counts(struct tfr_json *j, const char *key, const uint64_t *counts, size_t n)
{
	tfr_json_open_array(j, key);
	for (size_t i = 0; i < n; i++)
		tfr_json_u64(j, NULL, counts[i]);
	tfr_json_close_array(j);
}

/* Bytes that are no text would all come out alike, so they come in base64 as well. */
static void put_classes(struct tfr_json *j, const struct tfr_split_report *r)
{
	tfr_json_open_array(j, "classes");
	for (size_t k = 0; k < r->class_count; k++) {
		struct tfr_split_class class = tfr_split_report_class(r, k);

		tfr_json_open_object(j, NULL);
		if (class.kind == TFR_KIND_INT64) {
			tfr_json_i64(j, "class", class.label);
		} else {
			tfr_json_bytes(j, "class", class.text.data, class.text.size);
			put_base64(j, "base64", class.text);
		}
		tfr_json_u64(j, "records", class.records);
		put_counts(j, "received", class.received, r->set_count);
		put_counts(j, "wanted", class.wanted, r->set_count);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

void split_report_json(
	struct cmd *c, const struct tfr_split_report *r, const char *stratify, FILE *f)
{
	struct tfr_json *j = tfr_json_new();

	tfr_json_pretty(j, 2);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", 1);
	rewriting_json(j, &r->common);
	tfr_json_u64(j, "left", r->left);
	put_sets(j, r);
	if (stratify) {
		tfr_json_string(j, "stratify", stratify);
		tfr_json_u64(j, "off", r->off);
		tfr_json_u64(j, "temp_bytes", r->temp_bytes);
		put_classes(j, r);
	}
	tfr_json_close_object(j);
	cmd_print_json(c, j, f);
}
