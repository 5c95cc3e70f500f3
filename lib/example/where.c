/* example/where.c - --where expressions: parses the text into nodes, by recursive descent, and
 * evaluates them for one Example.
 *
 *   or      = and { "||" and }            and     = not { "&&" not }
 *   not     = "!" not | "(" or ")" | "exists" "(" name ")" | compare
 *   compare = operand op operand
 *   operand = number | text | name [ "[" n "]" ] | ("len"|"size") "(" name ")"
 *
 * A quoted word is a name on the left of an operator and a text on the right of it.  A feature
 * without an index may be on one side only, and is moved to the left: "any value of this against
 * any value of that" would be a product.
 *
 * A comparison is true if any value of its left side satisfies it; != is the negation of ==, so
 * that "not a cat" also selects records without the feature.  A comparison of values that cannot
 * be compared (text with number, NaN with anything) is false. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/compare.h"
#include "base/decimal_read.h"
#include "base/error.h"

enum {
	MAX_NODES = 1000, /* bounds the recursion of parser and evaluation */
	MAX_DEPTH = 100,  /* parentheses and ! */
};

enum operand_kind {
	WHERE_INTEGER,
	WHERE_REAL,
	WHERE_TEXT,
	WHERE_FEATURE, /* all values of a feature; from here on the operand names a feature */
	WHERE_ITEM,    /* one value of a feature */
	WHERE_LEN,
	WHERE_SIZE,
};

/* One side of a comparison. */
struct operand {
	enum operand_kind what;
	unsigned name;	/* of the feature */
	uint64_t index; /* WHERE_ITEM */
	int64_t i;
	long double real;
	char *text; /* owned */
	size_t text_size;
};

enum where_op {
	WHERE_OR,
	WHERE_AND,
	WHERE_NOT,
	WHERE_EXISTS,
	WHERE_EQ, /* from here on: comparisons of a and b */
	WHERE_NE,
	WHERE_LT,
	WHERE_LE,
	WHERE_GT,
	WHERE_GE,
	WHERE_MATCH,
};

struct node {
	enum where_op op;
	unsigned left, right; /* nodes, of OR, AND, NOT (left) */
	struct operand a, b;  /* EXISTS: only a.name; only `a` can be WHERE_FEATURE */
	pcre2_code *pattern;
};

struct tfr_where {
	struct node *nodes;
	unsigned n_nodes, root;
	char **names; /* owned */
	unsigned n_names;
	struct tfr_feature_watch *watch; /* of the same names */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

struct parser {
	struct tfr_where *w;
	const char *start, *p;
	unsigned depth;
	enum tfr_status status;
	struct tfr_error *err;
};

static bool parse_chain(struct parser *s, enum where_op op, unsigned *node);

static void skip_blanks(struct parser *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

static bool refuse_expression(struct parser *s, const char *at, const char *what)
{
	if (!s->status)
		s->status = tfr_fail(s->err, TFR_EUSAGE, "%s at character %zu of '%s'", what,
			(size_t)(at - s->start) + 1, s->start);
	return false;
}

static bool no_memory(struct parser *s)
{
	s->status = tfr_fail_nomem(s->err, "compiling an expression");
	return false;
}

static bool accept(struct parser *s, const char *token)
{
	skip_blanks(s);
	if (strncmp(s->p, token, strlen(token)))
		return false;
	s->p += strlen(token);
	return true;
}

static bool expect(struct parser *s, const char *token, const char *what)
{
	return accept(s, token) || refuse_expression(s, s->p, what);
}

static bool add_node(struct parser *s, const struct node *node, unsigned *index)
{
	struct tfr_where *w = s->w;

	if (w->n_nodes == MAX_NODES)
		return refuse_expression(s, s->p, "expression too long");
	if (TFR_ARRAY_ONE_MORE(w->nodes, w->n_nodes))
		return no_memory(s);
	w->nodes[w->n_nodes] = *node;
	*index = w->n_nodes++;
	return true;
}

/* ---- Words ---- */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_/.-:@", c)) || (c & 0x80);
}

/* The word in quotes at s->p.  A backslash escapes the quote or another backslash; before any
 * other character it is literal, so that patterns need no double escaping. */
static char *quoted(struct parser *s, size_t *size)
{
	const char *open = s->p;
	char quote = *s->p++;
	char *text = malloc(strlen(s->p) + 1);
	size_t n = 0;

	if (!text) {
		no_memory(s);
		return NULL;
	}
	while (*s->p && *s->p != quote) {
		if (*s->p == '\\' && (s->p[1] == quote || s->p[1] == '\\'))
			s->p++;
		text[n++] = *s->p++;
	}
	if (!*s->p++) {
		s->p--;
		refuse_expression(s, open, "unclosed quote");
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*size = n;
	return text;
}

static bool is_number(const char *p)
{
	if (*p == '-' || *p == '+')
		p++;
	return isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]));
}

static bool parse_number(struct parser *s, struct operand *o)
{
	const char *at = s->p;
	char *end, *end_real;

	errno = 0;
	o->i = strtoll(at, &end, 10);
	o->what = errno ? WHERE_REAL : WHERE_INTEGER;
	o->real = tfr_number_long(at, &end_real);
	if (end_real > end)
		o->what = WHERE_REAL;
	s->p = end_real > end ? end_real : end;
	if (is_name_char(*s->p))
		return refuse_expression(s, at,
			"neither a number nor a name (names that begin like a number must be in "
			"quotes)");
	return true;
}

/* Takes ownership of `text`. */
static bool add_name(struct parser *s, char *text, unsigned *index)
{
	struct tfr_where *w = s->w;

	for (unsigned i = 0; i < w->n_names; i++) {
		if (!strcmp(w->names[i], text)) {
			*index = i;
			free(text);
			return true;
		}
	}
	if (TFR_ARRAY_ONE_MORE(w->names, w->n_names) || !tfr_feature_watch_add(w->watch, text)) {
		free(text);
		return no_memory(s);
	}
	w->names[w->n_names] = text;
	*index = w->n_names++;
	return true;
}

static bool parse_name(struct parser *s, unsigned *index)
{
	const char *at;
	char *text;
	size_t size;

	skip_blanks(s);
	at = s->p;
	if (*at == '"' || *at == '\'') {
		text = quoted(s, &size);
		return text && add_name(s, text, index);
	}
	while (is_name_char(*s->p))
		s->p++;
	if (s->p == at)
		return refuse_expression(s, at, "expected a feature's name");
	text = strndup(at, (size_t)(s->p - at));
	return text ? add_name(s, text, index) : no_memory(s);
}

/* "word(", with or without blanks before the parenthesis. */
static bool accept_call(struct parser *s, const char *word)
{
	const char *at;

	skip_blanks(s);
	at = s->p;
	if (strncmp(at, word, strlen(word)) || is_name_char(at[strlen(word)]))
		return false;
	s->p += strlen(word);
	if (accept(s, "("))
		return true;
	s->p = at;
	return false;
}

static bool parse_call(struct parser *s, unsigned *name)
{
	return parse_name(s, name) && expect(s, ")", "expected ')'");
}

/* ---- Comparisons ---- */

static bool parse_index(struct parser *s, struct operand *o)
{
	char *end;

	o->what = WHERE_FEATURE;
	if (!accept(s, "["))
		return true;
	skip_blanks(s);
	if (!isdigit((unsigned char)*s->p))
		return refuse_expression(s, s->p, "expected the number of a value, counted from 0");
	o->what = WHERE_ITEM;
	o->index = strtoull(s->p, &end, 10);
	s->p = end;
	return expect(s, "]", "expected ']'");
}

static bool parse_operand(struct parser *s, bool right, struct operand *o)
{
	skip_blanks(s);
	o->what = accept_call(s, "len")	   ? WHERE_LEN
		  : accept_call(s, "size") ? WHERE_SIZE
					   : WHERE_INTEGER;
	if (o->what)
		return parse_call(s, &o->name);
	if (is_number(s->p))
		return parse_number(s, o);
	if (right && (*s->p == '"' || *s->p == '\'')) {
		o->what = WHERE_TEXT;
		o->text = quoted(s, &o->text_size);
		return o->text;
	}
	return parse_name(s, &o->name) && parse_index(s, o);
}

static bool parse_operator(struct parser *s, enum where_op *op)
{
	static const struct {
		const char *token;
		enum where_op op;
	} operators[] = {
		{ "==", WHERE_EQ },
		{ "!=", WHERE_NE },
		{ "=~", WHERE_MATCH },
		{ "<=", WHERE_LE },
		{ ">=", WHERE_GE },
		{ "<", WHERE_LT },
		{ ">", WHERE_GT },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (accept(s, operators[i].token)) {
			*op = operators[i].op;
			return true;
		}
	}
	if (*s->p == '=')
		return refuse_expression(s, s->p, "'=' is written '=='");
	return refuse_expression(s, s->p, "expected an operator (== != < <= > >= =~)");
}

static bool compile_pattern(struct parser *s, struct node *n, const char *at)
{
	PCRE2_UCHAR text[128];
	char what[200];
	int code;
	size_t offset;

	if (n->b.what != WHERE_TEXT || (n->a.what != WHERE_FEATURE && n->a.what != WHERE_ITEM))
		return refuse_expression(s, at,
			"=~ takes a feature on its left and a pattern in quotes on its right");
	n->pattern = pcre2_compile((PCRE2_SPTR)n->b.text, n->b.text_size,
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset,
		NULL);
	if (n->pattern) {
		pcre2_jit_compile(n->pattern, PCRE2_JIT_COMPLETE);
		return true;
	}
	pcre2_get_error_message(code, text, sizeof(text));
	snprintf(what, sizeof(what), "bad pattern (%s at its character %zu)", (const char *)text,
		offset + 1);
	return refuse_expression(s, at, what);
}

/* Moves a feature without an index to the left and reverses the operator. */
static bool settle_sides(struct parser *s, struct node *n, const char *at)
{
	static const enum where_op turned[] = {
		[WHERE_EQ] = WHERE_EQ,
		[WHERE_NE] = WHERE_NE,
		[WHERE_LT] = WHERE_GT,
		[WHERE_LE] = WHERE_GE,
		[WHERE_GT] = WHERE_LT,
		[WHERE_GE] = WHERE_LE,
	};
	struct operand a = n->a;

	if (n->b.what != WHERE_FEATURE)
		return true;
	if (n->a.what == WHERE_FEATURE)
		return refuse_expression(
			s, at, "expected a number, a text in quotes or one value, as in name[0]");
	n->a = n->b;
	n->b = a;
	n->op = turned[n->op];
	return true;
}

static bool parse_compare(struct parser *s, unsigned *node)
{
	struct node n = { 0 };
	const char *at;
	bool ok;

	if (!parse_operand(s, false, &n.a) || !parse_operator(s, &n.op))
		return false;
	skip_blanks(s);
	at = s->p;
	ok = parse_operand(s, true, &n.b) &&
	     (n.op == WHERE_MATCH ? compile_pattern(s, &n, at) : settle_sides(s, &n, at)) &&
	     add_node(s, &n, node);
	if (!ok) {
		free(n.b.text);
		pcre2_code_free(n.pattern);
	}
	return ok;
}

/* ---- Logic ---- */

static bool parse_unary(struct parser *s, unsigned *node)
{
	struct node n = { 0 };

	skip_blanks(s);
	if (*s->p == '!') {
		s->p++;
		n.op = WHERE_NOT;
		return parse_unary(s, &n.left) && add_node(s, &n, node);
	}
	if (accept(s, "("))
		return parse_chain(s, WHERE_OR, node) && expect(s, ")", "expected ')'");
	if (accept_call(s, "exists")) {
		n.op = WHERE_EXISTS;
		return parse_call(s, &n.a.name) && add_node(s, &n, node);
	}
	return parse_compare(s, node);
}

static bool parse_not(struct parser *s, unsigned *node)
{
	const char *p;
	unsigned nots = 0;

	/* The recursion of parse_unary() is bounded before it starts, by the length of the run
	 * of '!' ahead. */
	for (p = s->p; *p == '!' || isspace((unsigned char)*p); p++)
		nots += *p == '!';
	if (s->depth + nots >= MAX_DEPTH)
		return refuse_expression(s, s->p, "expression nested too deeply");
	s->depth += nots + 1;
	if (!parse_unary(s, node))
		return false;
	s->depth -= nots + 1;
	return true;
}

/* One side of && or ||; those of || are chains of &&. */
static bool parse_side(struct parser *s, enum where_op op, unsigned *node)
{
	return op == WHERE_OR ? parse_chain(s, WHERE_AND, node) : parse_not(s, node);
}

static bool parse_chain(struct parser *s, enum where_op op, unsigned *node)
{
	struct node n = { .op = op };

	if (!parse_side(s, op, node))
		return false;
	while (accept(s, op == WHERE_OR ? "||" : "&&")) {
		n.left = *node;
		if (!parse_side(s, op, &n.right) || !add_node(s, &n, node))
			return false;
	}
	return true;
}

static bool parse_all(struct parser *s)
{
	if (!parse_chain(s, WHERE_OR, &s->w->root))
		return false;
	skip_blanks(s);
	return !*s->p || refuse_expression(s, s->p, "expected && or || or the end");
}

/* Marks the names whose absence the expression may select: exists(x), len(x), x != 3 and any
 * negated condition can select records without the feature.  For these an input without the
 * feature is not an error. */
static void allow_absence(struct tfr_where *w, unsigned node, bool negated)
{
	const struct node *n = &w->nodes[node];
	const struct operand *sides[] = { &n->a, &n->b };

	assert(node < w->n_nodes);
	switch (n->op) {
	case WHERE_OR:
	case WHERE_AND:
		allow_absence(w, n->left, negated);
		allow_absence(w, n->right, negated);
		return;
	case WHERE_NOT:
		allow_absence(w, n->left, true);
		return;
	case WHERE_EXISTS:
		tfr_feature_watch_allow(w->watch, n->a.name);
		return;
	default:
		break;
	}
	for (int i = 0; i < 2; i++)
		if (sides[i]->what == WHERE_LEN ||
			(sides[i]->what > WHERE_TEXT && (negated || n->op == WHERE_NE)))
			tfr_feature_watch_allow(w->watch, sides[i]->name);
}

enum tfr_status tfr_where_compile(struct tfr_where **out, const char *expr, struct tfr_error *err)
{
	struct tfr_where *w = calloc(1, sizeof(*w));
	struct parser s = { .w = w, .start = expr, .p = expr, .err = err };

	if (w) {
		w->match_data = pcre2_match_data_create(1, NULL);
		w->match_context = pcre2_match_context_create(NULL);
		w->watch = tfr_feature_watch_new();
	}
	if (!w || !w->match_data || !w->match_context || !w->watch) {
		no_memory(&s);
	} else if (parse_all(&s)) {
		allow_absence(w, w->root, false);
		pcre2_set_match_limit(w->match_context, 1000000);
		pcre2_set_heap_limit(w->match_context, 64 << 10);
		*out = w;
		return TFR_OK;
	}
	tfr_where_free(w);
	return s.status;
}

void tfr_where_free(struct tfr_where *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->n_nodes; i++) {
		free(w->nodes[i].a.text);
		free(w->nodes[i].b.text);
		pcre2_code_free(w->nodes[i].pattern);
	}
	for (unsigned i = 0; i < w->n_names; i++)
		free(w->names[i]);
	free(w->nodes);
	free(w->names);
	tfr_feature_watch_free(w->watch);
	pcre2_match_data_free(w->match_data);
	pcre2_match_context_free(w->match_context);
	free(w);
}

/* ---- Evaluating ---- */

enum scalar_kind { NOTHING, INTEGER, FLOAT, REAL, TEXT };

struct scalar {
	enum scalar_kind kind;
	bool literal; /* a number in the expression */
	int64_t i;
	float f;
	long double real;
	struct tfr_bytes text;
};

struct eval {
	struct tfr_where *w;
	const struct tfr_example *ex;
	enum tfr_status status;
	struct tfr_error *err;
};

struct tfr_feature_watch *tfr_where_lookout(struct tfr_where *w)
{
	return w->watch;
}

/* ---- Values ---- */

static const struct tfr_feature *feature_of(const struct eval *e, const struct operand *o)
{
	return tfr_example_get(e->ex, e->w->names[o->name]);
}

static bool next_scalar(struct tfr_cursor *c, struct scalar *s)
{
	switch (c->kind) {
	case TFR_KIND_INT64:
		s->kind = INTEGER;
		return tfr_cursor_int64(c, &s->i);
	case TFR_KIND_FLOAT:
		s->kind = FLOAT;
		return tfr_cursor_float(c, &s->f);
	case TFR_KIND_BYTES:
		s->kind = TEXT;
		return tfr_cursor_bytes(c, &s->text);
	default:
		return false;
	}
}

static struct scalar item_of(const struct tfr_feature *f, uint64_t index)
{
	struct scalar s = { .kind = NOTHING };

	if (tfr_feature_int64(f, index, &s.i))
		s.kind = INTEGER;
	else if (f && f->kind == TFR_KIND_FLOAT && tfr_feature_float(f, index, &s.f))
		s.kind = FLOAT;
	else if (f && f->kind == TFR_KIND_BYTES && tfr_feature_bytes(f, index, &s.text))
		s.kind = TEXT;
	return s;
}

/* The value of an operand other than a complete feature. */
static struct scalar scalar_of(const struct eval *e, const struct operand *o)
{
	const struct tfr_feature *f;
	struct scalar s = { .kind = NOTHING };

	switch (o->what) {
	case WHERE_INTEGER:
		return (struct scalar){ .kind = INTEGER, .literal = true, .i = o->i };
	case WHERE_REAL:
		return (struct scalar){ .kind = REAL, .literal = true, .real = o->real };
	case WHERE_TEXT:
		return (struct scalar){ .kind = TEXT,
			.text = { (const uint8_t *)o->text, o->text_size } };
	case WHERE_ITEM:
		return item_of(feature_of(e, o), o->index);
	case WHERE_LEN:
		f = feature_of(e, o);
		return (struct scalar){ .kind = INTEGER, .i = f ? (int64_t)f->count : 0 };
	case WHERE_SIZE:
		s = item_of(feature_of(e, o), 0);
		if (s.kind == TEXT)
			return (struct scalar){ .kind = INTEGER, .i = (int64_t)s.text.size };
		return (struct scalar){ .kind = NOTHING };
	case WHERE_FEATURE:
		break;
	}
	return s;
}

/* ---- Comparing ---- */

enum order { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 0 };

#define ORDER(a, b) ((a) < (b) ? LESS : (a) > (b) ? GREATER : (a) == (b) ? EQUAL : UNORDERED)

/* 64 bits of mantissa represent every int64 and every float exactly, and preserve the difference
 * between a number in an expression and any int64. */
static long double exact(const struct scalar *s)
{
	return s->kind == INTEGER ? (long double)s->i
	       : s->kind == FLOAT ? (long double)s->f
				  : s->real;
}

/* A number of the expression rounded to the float that a record would store.  Numbers outside
 * the range of float stay as they are. */
static long double rounded(const struct scalar *s)
{
	float f = s->kind == INTEGER ? (float)s->i : (float)(double)s->real;

	return isfinite(f) ? (long double)f : exact(s);
}

static enum order compare_text(struct tfr_bytes a, struct tfr_bytes b)
{
	return ORDER(tfr_compare_bytes(a.data, a.size, b.data, b.size), 0);
}

static enum order compare(const struct scalar *a, const struct scalar *b)
{
	long double x, y;

	if (a->kind == NOTHING || b->kind == NOTHING || (a->kind == TEXT) != (b->kind == TEXT))
		return UNORDERED;
	if (a->kind == TEXT)
		return compare_text(a->text, b->text);
	if (a->kind == INTEGER && b->kind == INTEGER)
		return ORDER(a->i, b->i);
	x = a->literal && b->kind == FLOAT ? rounded(a) : exact(a);
	y = b->literal && a->kind == FLOAT ? rounded(b) : exact(b);
	return ORDER(x, y);
}

static bool matches(struct eval *e, const struct node *n, struct tfr_bytes text)
{
	int rc = pcre2_match(n->pattern, (PCRE2_SPTR)text.data, text.size, 0, 0, e->w->match_data,
		e->w->match_context);

	if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
		return rc >= 0;
	e->status = tfr_fail(e->err, TFR_EDATA,
		"pattern '%s' needs too many steps on a value of %zu bytes of feature '%s'",
		n->b.text, text.size, e->w->names[n->a.name]);
	return false;
}

static bool compare_values(
	struct eval *e, const struct node *n, const struct scalar *a, const struct scalar *b)
{
	static const unsigned accepted[] = {
		[WHERE_EQ] = EQUAL,
		[WHERE_NE] = EQUAL,
		[WHERE_LT] = LESS,
		[WHERE_LE] = LESS | EQUAL,
		[WHERE_GT] = GREATER,
		[WHERE_GE] = GREATER | EQUAL,
	};

	if (n->op == WHERE_MATCH)
		return a->kind == TEXT && matches(e, n, a->text);
	return accepted[n->op] & compare(a, b);
}

static bool compare_any(struct eval *e, const struct node *n)
{
	struct scalar a = { .kind = NOTHING }, b = scalar_of(e, &n->b);
	struct tfr_cursor c;

	if (n->a.what != WHERE_FEATURE) {
		a = scalar_of(e, &n->a);
		return compare_values(e, n, &a, &b);
	}
	tfr_cursor_init(&c, feature_of(e, &n->a));
	while (!e->status && next_scalar(&c, &a))
		if (compare_values(e, n, &a, &b))
			return true;
	return false;
}

static bool eval(struct eval *e, unsigned node)
{
	const struct node *n = &e->w->nodes[node];
	const struct tfr_feature *f;

	switch (n->op) {
	case WHERE_OR:
		return eval(e, n->left) || eval(e, n->right);
	case WHERE_AND:
		return eval(e, n->left) && eval(e, n->right);
	case WHERE_NOT:
		return !eval(e, n->left);
	case WHERE_EXISTS:
		f = feature_of(e, &n->a);
		return f && f->kind != TFR_KIND_UNSET;
	case WHERE_NE:
		return !compare_any(e, n);
	default:
		return compare_any(e, n);
	}
}

enum tfr_status tfr_where_match(
	struct tfr_where *w, const struct tfr_example *ex, bool *selected, struct tfr_error *err)
{
	struct eval e = { .w = w, .ex = ex, .err = err };

	tfr_feature_watch_look(w->watch, ex);
	*selected = eval(&e, w->root);
	return e.status;
}
