/* cmd/common/opt.h - one table a command: it is the parser, the help and the completion.
 *
 * Long options are not abbreviated.  An option that a command's table lacks is refused; none is
 * accepted and ignored. */
#ifndef TFR_CMD_OPT_H
#define TFR_CMD_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr/error.h>

enum { OPT_JOBS_MAX = 1024 };

enum opt_type {
	OPT_END,
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char * */
	OPT_LIST,     /* struct opt_list: may be given several times */
	OPT_COUNT,    /* uint64_t, decimal */
	OPT_POSITIVE, /* likewise, from 1: a setting of 0 is an option that was not given */
	OPT_JOB,      /* uint64_t, decimal, at most OPT_JOBS_MAX */
	OPT_SIZE,     /* uint64_t, 64K, 1GiB */
	OPT_REAL,     /* double */
	OPT_LEVEL,    /* int: -1 to -9 */
	OPT_CHOICE,   /* int: the index of the word in `values` */
};

struct opt_list {
	const char **values;
	size_t count;
};

struct opt {
	enum opt_type type;
	char letter;	    /* 0: none */
	const char *name;   /* NULL: none */
	const char *arg;    /* what help calls the argument */
	const char *values; /* words an argument can be, separated by '|': checked for OPT_CHOICE,
			       completed for all; or, or at their end, one of the marks below */
	const char *help;
	size_t offset; /* in the command's settings */
};

/* In `values`: the argument names features, and completion finds them in the inputs on the line. */
#define OPT_FEATURE ":feature"	     /* one, and nothing else */
#define OPT_FEATURES ":features"     /* some, separated by commas */
#define OPT_EXPRESSION ":expression" /* in an expression, as --where has it */
#define OPT_CLASS ":class"	     /* in NAME=EXPRESSION */
#define OPT_COLUMN ":column"	     /* in NAME:KIND[SHAPE] */

/* A row: OPT(FLAG, 'q', "quiet", NULL, NULL, "say nothing", struct count_settings, quiet) */
#define OPT(type_, letter_, name_, arg_, values_, help_, settings_, field_)                        \
	{                                                                                          \
		OPT_##type_, letter_, name_, arg_, values_, help_, offsetof(settings_, field_)     \
	}
#define OPTIONS_END                                                                                \
	{                                                                                          \
		OPT_END, 0, NULL, NULL, NULL, NULL, 0                                              \
	}

struct opt_result {
	const char **operands; /* freed with opt_result_clear(), with the lists in the settings */
	size_t count;
	bool help, version;
};

/* Reads argv[0] to argv[argc - 1] into `settings`.  TFR_EUSAGE: something is wrong with them. */
enum tfr_status opt_parse(const struct opt *table, int argc, char **argv, void *settings,
	struct opt_result *result, struct tfr_error *err);
void opt_result_clear(struct opt_result *result, const struct opt *table, void *settings);

/* The settings as a text, a line "--NAME VALUE" an option that has a name, in the table's order,
 * whatever way they were given; without those whose names are in `except`, which ends in NULL.  The
 * caller frees it.  NULL: out of memory. */
char *opt_describe(const struct opt *table, const void *settings, const char *const *except);

/* The one of `words`, separated by '|', that was meant by `value`, as a hint. */
void opt_hint_word(const char *words, const char *value, struct tfr_error *err);

/* The option that `word` is, if it is one that takes an argument; *value: that, where it stands in
 * the same word, otherwise NULL.  NULL: it is none. */
const struct opt *opt_find(const struct opt *table, const char *word, const char **value);

/* Prints the table, a row an option, wrapped at 80 columns. */
void opt_print(const struct opt *table);

#endif
