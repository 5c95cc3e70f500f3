/* tfr-private/text.h - numbers and JSON as text: what reports, manifests and the command line write
 * and read alike. */
#ifndef TFR_PRIVATE_TEXT_H
#define TFR_PRIVATE_TEXT_H

#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* strtod() and strtof() as the C locale has them, whatever the locale of the process or thread: the
 * decimal point is a point. */
double tfr_text_f64(const char *text, char **end);
float tfr_text_f32(const char *text, char **end);

/* Parses a size such as "65536", "64K", "64KiB", "1.5G" or "2GiB": the units are powers of 1024,
 * case does not matter, a "B" may follow.  TFR_EUSAGE for anything else, a negative number or one
 * past 2^63. */
enum tfr_status tfr_parse_size(const char *text, uint64_t *bytes, struct tfr_error *err);

/* Writes `bytes` for a person, in powers of 1024 with three digits: "66 KiB", "1.25 GiB", "17
 * bytes".  Returns `text`. */
#define TFR_SIZE_TEXT 32
char *tfr_format_size(uint64_t bytes, char text[TFR_SIZE_TEXT]);

/* Writes a number, rounded to a whole one, for a person: "12,345".  Returns `text`. */
char *tfr_format_count(double number, char text[TFR_SIZE_TEXT]);

/* The length of the character that `text` begins with, where it is harmless: valid UTF-8, and none
 * that moves a terminal's cursor, changes the direction of text, breaks the line or is invisible
 * (base/utf8.h lists them).  Otherwise 0, and the first byte is to be escaped. */
size_t tfr_text_harmless(const void *text, size_t size);
/* Whether all of them are. */
bool tfr_text_all_harmless(const void *text, size_t size);

/* Copies `raw` to `text` with every byte of harmful characters as \xNN, cut at `size` bytes
 * including the NUL (size > 0): what goes to a terminal stays one harmless line, whatever a file is
 * called.  Returns `text`. */
char *tfr_escape_line(char *text, size_t size, const char *raw);
/* The same of `n` bytes, which may be anything. */
char *tfr_escape_bytes(char *text, size_t size, const void *raw, size_t n);
/* The same as tfr_escape_line(), and a backslash as two, for files and tables that programs read:
 * `printf %b` of a shell gives the bytes of the name back. */
char *tfr_escape_name(char *text, size_t size, const char *raw);
/* A word of a command line as a shell reads it back: bare, in single quotes, or, where it is not
 * harmless, as $'...'.  To be freed; NULL: out of memory. */
char *tfr_escape_word(const char *word);

/* How many keystrokes (a character more, less or other, or two exchanged) lie between the word `a`
 * of `n` bytes and `b` of `m`: for "did you mean".  UINT32_MAX where they are too unlike for that:
 * half of `a`, or past 2 and a third of it; or where `a` is longer than 64 bytes. */
unsigned tfr_text_distance(const char *a, size_t n, const char *b, size_t m);

/* Which of several words was meant by one that is none of them: the only one that begins with it
 * (two of its bytes at least), otherwise the nearest by tfr_text_distance(), where what differs in
 * case only is one keystroke away, and so are the parts of a path in front of those that it names
 * ("label" of "image/class/label").  Of equally near ones the shortest, then the first by bytes:
 * the order in which they are offered does not matter.  Words of 256 bytes and more, and those with
 * a NUL, are nobody's. */
struct tfr_meant {
	const char *wanted; /* `size` bytes, which stay where they are */
	size_t size;
	unsigned distance;
	char nearest[256], begun[256];
	bool several; /* words that begin with it, so that it is none of them */
};

void tfr_meant_init(struct tfr_meant *m, const char *wanted, size_t size);
void tfr_meant_offer(struct tfr_meant *m, const char *word, size_t size);
/* As if what was offered to `from`, which wants the same, had been offered to `into`. */
void tfr_meant_merge(struct tfr_meant *into, const struct tfr_meant *from);
/* NULL: nothing is like it.  Lives as long as `m`, until the next offer. */
const char *tfr_meant_word(const struct tfr_meant *m);
/* The same as a hint: "Did you mean 'x'?".  Nothing where nothing is like it, or `err` is NULL. */
void tfr_meant_hint(const struct tfr_meant *m, struct tfr_error *err);

/* A JSON text under construction.  Strings are UTF-8; bytes that are not come out as U+FFFD.
 * Numbers are never rounded; a non-finite one becomes the string "NaN", "Infinity" or "-Infinity".
 * Out of memory is remembered and told once, by tfr_json_text().  `key` is NULL inside an array and
 * for the outermost value. */
struct tfr_json;

struct tfr_json *tfr_json_new(void); /* NULL: out of memory; every other function accepts NULL */
void tfr_json_free(struct tfr_json *j);
/* Puts each member on a line of its own, indented, down to `depth` levels (0, the default: all on
 * one line). */
void tfr_json_pretty(struct tfr_json *j, unsigned depth);
/* The key of the value that comes next (whose own `key` is then NULL), for keys that are not C
 * strings.  The bytes are looked at when that value comes. */
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
	double value); /* shortest that reads back as `value` */
void tfr_json_f32(struct tfr_json *j, const char *key, float value);
/* All values of an array, or some more of them: as one call for each of them. */
void tfr_json_i64s(struct tfr_json *j, const int64_t *values, size_t n);
/* The floats lie one behind the other, aligned or not. */
void tfr_json_f32s(struct tfr_json *j, const void *values, size_t n);
void tfr_json_bool(struct tfr_json *j, const char *key, bool value);
void tfr_json_null(struct tfr_json *j, const char *key);
/* The text so far, NUL-terminated, owned by `j`, valid until the next call on it.  NULL: memory ran
 * out. */
const char *tfr_json_text(struct tfr_json *j, size_t *size);
/* Forgets the text, keeps the memory: a `j` serves line after line. */
void tfr_json_reset(struct tfr_json *j);

/* Whether `size` bytes are well-formed UTF-8 (RFC 3629: no surrogates, nothing past U+10FFFF, no
 * overlong form). */
bool tfr_is_utf8(const void *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
