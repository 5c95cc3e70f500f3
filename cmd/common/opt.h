/* cmd/common/opt.h - each command has one table of options; parser, help and completion use it.
 *
 * Long options cannot be abbreviated.  An option that is not in the table is refused; no option is
 * accepted and ignored.  A table can also hold headings for the help and old names of options: a
 * row OPT_ALIAS still works, a row OPT_GONE is refused with a hint.  Help and completion show
 * neither. */
#ifndef TFR_CMD_COMMON_OPT_H
#define TFR_CMD_COMMON_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr-private/error.h>

enum { OPT_JOBS_MAX = 1024 };

enum opt_type {
	OPT_END,
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char * */
	OPT_SECRET,   /* char *, a copy; the word on the command line becomes *** */
	OPT_LIST,     /* struct opt_list: can be repeated */
	OPT_COUNT,    /* uint64_t, decimal */
	OPT_POSITIVE, /* likewise, from 1; 0 in the settings means that the option is absent */
	OPT_JOB,      /* uint64_t, decimal, at most OPT_JOBS_MAX */
	OPT_SIZE,     /* uint64_t, 64K, 1GiB */
	OPT_REAL,     /* double */
	OPT_LEVEL,    /* int: -1 to -9 */
	OPT_CHOICE,   /* int: the index of the word in `values` */
	/* Rows that are not options.  opt_is_option() is false for them. */
	OPT_HEADING, /* `help` is the heading of the rows that follow, in -h */
	OPT_ALIAS,   /* `name` is an old name of the option `values`, or of NAME=VALUE */
	OPT_GONE,    /* `name` is refused; `help` is the hint */
};

struct opt_list {
	const char **values;
	size_t count;
};

struct opt {
	enum opt_type type;
	char letter;	  /* 0: none */
	const char *name; /* NULL: none */
	const char *arg;  /* the argument's name in the help */
	/* words for the argument, separated by '|': checked for OPT_CHOICE and completed for all
	 * types */
	const char *values;
	const char *help;
	size_t offset; /* in the command's settings */
};

/* A row: OPT(FLAG, 'q', "quiet", NULL, NULL, "say nothing", struct count_settings, quiet) */
#define OPT(type_, letter_, name_, arg_, values_, help_, settings_, field_)                        \
	{                                                                                          \
		OPT_##type_, letter_, name_, arg_, values_, help_, offsetof(settings_, field_)     \
	}
/* OPT_HEADING("Input"): -h prints it above the rows that follow, up to the next heading. */
#define OPT_HEADING(text_)                                                                         \
	{                                                                                          \
		OPT_HEADING, 0, NULL, NULL, NULL, text_, 0                                         \
	}
/* OPT_ALIAS("verify", "verify-images"): --verify still works and means --verify-images.  An old
 * name of one character is a letter: OPT_ALIAS("s", "skip").  OPT_ALIAS("json", "format=json"):
 * --json is a flag and means --format json. */
#define OPT_ALIAS(old_, name_)                                                                     \
	{                                                                                          \
		OPT_ALIAS, 0, old_, NULL, name_, NULL, 0                                           \
	}
/* OPT_GONE("logdir", "Use --json."): --logdir is refused, status 2, with this hint, a
 * whole sentence.  A name of one character is a letter.  OPT_GONE("as=event", "..."): the word
 * 'event' of --as is refused. */
#define OPT_GONE(old_, hint_)                                                                      \
	{                                                                                          \
		OPT_GONE, 0, old_, NULL, NULL, hint_, 0                                            \
	}
#define OPTIONS_END                                                                                \
	{                                                                                          \
		OPT_END, 0, NULL, NULL, NULL, NULL, 0                                              \
	}

/* The options of objects, which every command with inputs takes (opt.c). */
struct opt_remote_settings {
	bool anonymous;
	char *header;			 /* NULL: not given; freed with opt_result_clear() */
	uint64_t connections, part_size; /* 0: not given */
	double timeout;			 /* likewise */
};
extern const struct opt opt_remote[];

struct cmd;

/* A subcommand: its words, its table of options and its function. */
struct command {
	const char *name, *alias; /* alias may be NULL */
	const char *operands;	  /* as in the synopsis: "FILE..." */
	const char *summary;	  /* one line in the list of commands */
	const struct opt *options;
	size_t settings_size;
	const void *defaults; /* copied to the settings; NULL: zeros */
	int (*main)(struct cmd *c);
	bool local; /* has no inputs, and so none of the options of objects */
};

/* To walk through all options of a command, those of objects last:
 *	for (o = command->options; (o = opt_or_remote(o, command))->type; o++) */
const struct opt *opt_or_remote(const struct opt *o, const struct command *command);

struct opt_result {
	struct opt_remote_settings remote;
	const char **operands; /* freed with opt_result_clear(), with the lists in the settings */
	size_t count;
	bool help, version;
};

/* Whether the row is an option, not a heading or an old name. */
static inline bool opt_is_option(const struct opt *o)
{
	return o->type != OPT_HEADING && o->type != OPT_ALIAS && o->type != OPT_GONE;
}

/* Reads argv[0] to argv[argc - 1] into `settings`.  TFR_EUSAGE: they are wrong. */
enum tfr_status opt_parse(const struct command *command, int argc, char **argv, void *settings,
	struct opt_result *result, struct tfr_error *err);
void opt_result_clear(struct opt_result *result, const struct opt *table, void *settings);

/* The settings as text: one line "--NAME VALUE" per option that has a name, in the table's order,
 * whatever the order on the command line.  Omits the names in `except`, which ends in NULL.  The
 * caller frees the text.  NULL: out of memory. */
char *opt_describe(const struct opt *table, const void *settings, const char *const *except);

/* The option of this name, without those of objects.  NULL: there is none. */
const struct opt *opt_of_name(const struct opt *table, const char *name);

/* Sets a hint: the word in `words`, separated by '|', that `value` most likely means. */
void opt_hint_word(const char *words, const char *value, struct tfr_error *err);

/* Finds the option in `word` that takes an argument; an old name finds the current option.  *value:
 * the argument if it is in the same word, else NULL.  Returns NULL for any other word. */
const struct opt *opt_find(const struct opt *table, const char *word, const char **value);

/* Prints the options under their headings, wrapped at 80 columns. */
void opt_print(const struct command *command);

#endif
