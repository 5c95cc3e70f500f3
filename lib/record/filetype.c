/* record/filetype.c - a table of first bytes, for messages such as "not a TFRecord file but a zip
 * archive". */
#include "record/filetype.h"

#include <ctype.h>
#include <string.h>

struct magic {
	size_t at;
	const char *bytes;
	size_t size;
	const char *name;
	const char *hint;
};

#define M(at, bytes, name, hint)                                                                   \
	{                                                                                          \
		at, bytes, sizeof(bytes) - 1, name, hint                                           \
	}

static const struct magic magics[] = {
	M(0, "version https://git-lfs", "a git-lfs pointer",
		"Fetch the file itself with 'git lfs pull'."),
	M(0, "PK\x03\x04", "a zip archive",
		"Images and arrays in archives become records with 'tfr shard'."),
	M(0, "PK\x05\x06", "an empty zip archive", NULL),
	M(257, "ustar", "a tar archive",
		"Images and samples in archives become records with 'tfr shard'."),
	M(0, "\x28\xb5\x2f\xfd", "a zstd file", "Unpack it first: zstd -d."),
	M(0, "BZh", "a bzip2 file", "Unpack it first: bzip2 -d."),
	M(0,
		"\xfd"
		"7zXZ\0",
		"an xz file", "Unpack it first: xz -d."),
	M(0, "\x04\x22\x4d\x18", "an lz4 file", "Unpack it first: lz4 -d."),
	M(0, "\x1f\x8b", "a gzip file without records", NULL),
	M(0, "\xff\xd8\xff", "a JPEG image",
		"'tfr shard' reads images from a folder, an archive or a list."),
	M(0, "\x89PNG\r\n\x1a\n", "a PNG image",
		"'tfr shard' reads images from a folder, an archive or a list."),
	M(0, "GIF8", "a GIF image", NULL),
	M(8, "WEBP", "a WebP image", NULL),
	M(8, "WAVE", "a WAV file", "WAV files become records with 'tfr shard'."),
	M(0, "fLaC", "a FLAC file", NULL),
	M(0, "OggS", "an Ogg file", NULL),
	M(0, "P5\n", "a PGM image", NULL),
	M(0, "P6\n", "a PPM image", NULL),
	M(0, "\x89HDF\r\n\x1a\n", "an HDF5 file", "Its arrays become records with 'tfr shard'."),
	M(0, "\x93NUMPY", "a NumPy array", "Its rows become records with 'tfr shard'."),
	M(0, "PAR1", "a Parquet file",
		"Make JSON lines of it, which 'tfr shard' reads: python3 -c \"import pandas; "
		"pandas.read_parquet('FILE').to_json('FILE.jsonl', orient='records', "
		"lines=True)\""),
	M(0, "%PDF", "a PDF document", NULL),
	M(0,
		"\x7f"
		"ELF",
		"a program", NULL),
	M(0, "SQLite format 3", "an SQLite database", NULL),
};

static const char *text_name(const uint8_t *head, size_t size, const char **hint)
{
	size_t at = 0;

	while (at < size && isspace(head[at]))
		at++;
	if (size - at >= 5 && (!strncasecmp((const char *)head + at, "<!doc", 5) ||
				      !strncasecmp((const char *)head + at, "<html", 5))) {
		*hint = "A download failed: this is the page that a server sent instead.";
		return "an HTML page";
	}
	if (size - at >= 5 && !memcmp(head + at, "<?xml", 5))
		return "an XML document";
	for (size_t i = 0; i < size; i++)
		if (!isprint(head[i]) && !isspace(head[i]) && head[i] < 0x80)
			return NULL;
	if (size > at && head[at] == '[')
		*hint = "Make JSON lines of an array of objects, which 'tfr shard' reads: python3 "
			"-c "
			"\"import json; [print(json.dumps(x)) for x in json.load(open('FILE'))]\" "
			"> "
			"FILE.jsonl";
	if (size > at && (head[at] == '{' || head[at] == '['))
		return "a JSON text";
	return size ? "a text file" : NULL;
}

const char *tfr_filetype_name(const uint8_t *head, size_t size, const char **hint)
{
	*hint = NULL;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		const struct magic *m = &magics[i];

		if (size >= m->at + m->size && !memcmp(head + m->at, m->bytes, m->size)) {
			*hint = m->hint;
			return m->name;
		}
	}
	return text_name(head, size, hint);
}
