/* convert/archive/cp437.c - the upper half of code page 437, equal to Python's codec "cp437". */
#include "convert/archive/cp437.h"

#include <assert.h>

#include "base/utf8.h"

static const char upper[] = "ÇüéâäàåçêëèïîìÄÅ"
			    "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
			    "áíóúñÑªº¿⌐¬½¼¡«»"
			    "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
			    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
			    "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
			    "αßΓπΣσµτΦΘΩδ∞φε∩"
			    "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ";

bool tfr_cp437_append(struct tfr_buf *to, const char *text)
{
	for (; *text; text++) {
		const uint8_t *p = (const uint8_t *)text;

		if (*p >= 0x80) {
			p = (const uint8_t *)upper;
			for (int i = (uint8_t)*text; i > 0x80; i--)
				p += tfr_utf8_length(p, 4);
			assert(p < (const uint8_t *)upper + sizeof(upper) - 1);
		}
		if (!tfr_buf_append(to, p, tfr_utf8_length(p, 4)))
			return false;
	}
	return true;
}
