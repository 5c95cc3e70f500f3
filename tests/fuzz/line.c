/* tests/fuzz/line.c - any bytes before the cursor and behind it as a line that somebody types: what
 * the shell keeps of the current word is no more than there is of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/shell_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cut = size ? data[0] % size : 0;
	char *before = strndup((const char *)data, cut);
	char *after = strndup((const char *)data + cut, size - cut);
	struct line line = { 0 };

	if (before && after && line_split(&line, before, after, " \t\n\"'@><=;|&(:"))
		if (line.current >= line.n || line.kept > strlen(line.words[line.current]))
			abort();
	line_clear(&line);
	free(before);
	free(after);
	return 0;
}
