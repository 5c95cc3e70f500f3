/* example/where.c - evaluates an expression for one Example.
 *
 * A comparison is true if any value of its left side satisfies it; != is the negation of ==, so
 * that "not a cat" also selects records without the feature.  A comparison of values that cannot
 * be compared (text with number, NaN with anything) is false. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/compare.h"
#include "base/error.h"
#include "example/where.h"

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

static const struct tfr_feature *feature_of(const struct eval *e, const struct tfr_where_operand *o)
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
static struct scalar scalar_of(const struct eval *e, const struct tfr_where_operand *o)
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

static bool matches(struct eval *e, const struct tfr_where_node *n, struct tfr_bytes text)
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

static bool holds(struct eval *e, const struct tfr_where_node *n, const struct scalar *a,
	const struct scalar *b)
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

static bool compare_any(struct eval *e, const struct tfr_where_node *n)
{
	struct scalar a = { .kind = NOTHING }, b = scalar_of(e, &n->b);
	struct tfr_cursor c;

	if (n->a.what != WHERE_FEATURE) {
		a = scalar_of(e, &n->a);
		return holds(e, n, &a, &b);
	}
	tfr_cursor_init(&c, feature_of(e, &n->a));
	while (!e->status && next_scalar(&c, &a))
		if (holds(e, n, &a, &b))
			return true;
	return false;
}

static bool eval(struct eval *e, unsigned node)
{
	const struct tfr_where_node *n = &e->w->nodes[node];
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
