/* tfr-private/text.h - numbers and JSON as text, in the form that reports, manifests and the
 * command line share. */
#ifndef TFR_PRIVATE_TEXT_H
#define TFR_PRIVATE_TEXT_H

#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* strtod() and strtof() in the C locale, whatever the locale of the process or thread: the
 * decimal point is always a point. */
double tfr_text_f64(const char *text, char **end);
float tfr_text_f32(const char *text, char **end);

/* Parses a size such as "65536", "64K", "64KiB", "1.5G" or "2GiB".  The units are powers of 1024
 * in upper or lower case, optionally followed by "B".  TFR_EUSAGE for anything else, a negative
 * number or one past 2^63. */
enum tfr_status tfr_parse_size(const char *text, uint64_t *bytes, struct tfr_error *err);

/* Writes `bytes` for a person, in powers of 1024 with three digits: "66 KiB", "1.25 GiB", "17
 * bytes".  Returns `text`. */
#define TFR_SIZE_TEXT 32
char *tfr_format_size(uint64_t bytes, char text[TFR_SIZE_TEXT]);

/* Writes "1 record" or "2 records".  Returns `text`. */
#define TFR_COUNTED_TEXT 64
char *tfr_format_counted(uint64_t n, const char *noun, char text[TFR_COUNTED_TEXT]);
/* The same with "1,234,567 records". */
char *tfr_format_grouped(uint64_t n, const char *noun, char text[TFR_COUNTED_TEXT]);

/* Writes a number, rounded to an integer, for a person: "12,345".  Returns `text`. */
char *tfr_format_count(double number, char text[TFR_SIZE_TEXT]);

/* The length of the first character of `text` if it is harmless; otherwise 0: escape the first
 * byte.  A harmless character is valid UTF-8.  It does not move a terminal's cursor, change the
 * direction of text or break the line, and it is visible (base/utf8.h lists the others). */
size_t tfr_text_harmless(const void *text, size_t size);
/* Whether all characters are harmless. */
bool tfr_text_all_harmless(const void *text, size_t size);

/* Copies `raw` to `text` with every byte of harmful characters as \xNN, cut at `size` bytes
 * including the NUL (size > 0).  Text for a terminal stays one harmless line, whatever the name
 * of a file.  Returns `text`. */
char *tfr_escape_line(char *text, size_t size, const char *raw);
/* The same for `n` arbitrary bytes. */
char *tfr_escape_bytes(char *text, size_t size, const void *raw, size_t n);
/* The same as tfr_escape_line(), with a backslash doubled, for files and tables that programs
 * read: a shell's `printf %b` restores the bytes of the name. */
char *tfr_escape_name(char *text, size_t size, const char *raw);
/* Writes the digits of bytes in base64 (RFC 4648, section 4) with padding: (size + 2) / 3 * 4 of
 * them, without a NUL. */
void tfr_base64_digits(char *text, const void *bytes, size_t size);
/* Quotes a word for a shell's command line: bare, in single quotes, or as $'...' if it is not
 * harmless.  The caller frees it; NULL: out of memory. */
char *tfr_escape_word(const char *word);

/* The number of typing errors (a character inserted, deleted or replaced, or two exchanged)
 * between the word `a` of `n` bytes and `b` of `m`, for "did you mean".  UINT32_MAX if they are
 * too different: half of `a`, or more than 2 errors and a third of it.  The same if `a` is
 * longer than 64 bytes. */
unsigned tfr_text_distance(const char *a, size_t n, const char *b, size_t m);

/* Finds the word that the user probably meant by an unknown one.  It is the only word that
 * begins with the unknown one (of at least two bytes), otherwise the nearest by
 * tfr_text_distance().  A difference in case only counts as one typing error.  So does a path
 * whose leading components are omitted ("label" for "image/class/label").  Of equally near words
 * it is the shortest, then the first bytewise: the order of the offers does not matter.  Words
 * of 256 bytes or more, and words with a NUL, are ignored. */
struct tfr_suggestion {
	const char *wanted; /* `size` bytes, which must not move */
	size_t size;
	unsigned distance;
	char nearest[256], begun[256];
	bool several; /* several words begin with it, so that none is chosen for that */
};

void tfr_suggestion_init(struct tfr_suggestion *m, const char *wanted, size_t size);
void tfr_suggestion_offer(struct tfr_suggestion *m, const char *word, size_t size);
/* Offers to `into` every word that was offered to `from`, which wants the same word. */
void tfr_suggestion_merge(struct tfr_suggestion *into, const struct tfr_suggestion *from);
/* NULL: no similar word.  Valid until the next offer, and as long as `m`. */
const char *tfr_suggestion_word(const struct tfr_suggestion *m);
/* Sets the hint "Did you mean 'x'?".  Does nothing if no word is similar or `err` is NULL. */
void tfr_suggestion_hint(const struct tfr_suggestion *m, struct tfr_error *err);

/* A JSON text under construction.  Strings are UTF-8; invalid bytes become U+FFFD.  Numbers are
 * never rounded; a non-finite one becomes the string "NaN", "Infinity" or "-Infinity".
 * tfr_json_text() reports whether memory ran out.  `key` is NULL inside an array and for the
 * outermost value. */
struct tfr_json;

struct tfr_json *tfr_json_new(void); /* NULL: out of memory; every other function accepts NULL */
void tfr_json_free(struct tfr_json *j);
/* Writes each member on its own line, indented, down to `depth` levels (0, the default: all on
 * one line). */
void tfr_json_pretty(struct tfr_json *j, unsigned depth);
/* From now on, a byte 0xNN of a string that is not UTF-8 becomes the escape \udcNN, as in Python's
 * 'surrogateescape', and not U+FFFD: names survive. */
void tfr_json_keep_bytes(struct tfr_json *j);
/* Sets the key of the next value (whose own `key` is then NULL), for keys that are not C
 * strings.  The bytes are read when that value is written. */
void tfr_json_key(struct tfr_json *j, const void *key, size_t size);
void tfr_json_open_object(struct tfr_json *j, const char *key);
void tfr_json_close_object(struct tfr_json *j);
void tfr_json_open_array(struct tfr_json *j, const char *key);
void tfr_json_close_array(struct tfr_json *j);
void tfr_json_string(struct tfr_json *j, const char *key, const char *text);
void tfr_json_bytes(struct tfr_json *j, const char *key, const void *text, size_t size);
void tfr_json_u64(struct tfr_json *j, const char *key, uint64_t value);
void tfr_json_i64(struct tfr_json *j, const char *key, int64_t value);
void tfr_json_f64(struct tfr_json *j, const char *key,
	double value); /* shortest decimal that reads back as `value` */
void tfr_json_f32(struct tfr_json *j, const char *key, float value);
/* Writes values of an array, as one call for each of them would. */
void tfr_json_i64s(struct tfr_json *j, const int64_t *values, size_t n);
/* The floats are contiguous, aligned or not. */
void tfr_json_f32s(struct tfr_json *j, const void *values, size_t n);
void tfr_json_bool(struct tfr_json *j, const char *key, bool value);
void tfr_json_null(struct tfr_json *j, const char *key);
/* The text so far, NUL-terminated, owned by `j`, valid until the next call on it.  NULL: memory
 * ran out. */
const char *tfr_json_text(struct tfr_json *j, size_t *size);
/* Removes the text and keeps the memory, so that one `j` can write many lines. */
void tfr_json_reset(struct tfr_json *j);

/* Whether `size` bytes are well-formed UTF-8 (RFC 3629: no surrogates, nothing past U+10FFFF, no
 * overlong form). */
bool tfr_is_utf8(const void *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
