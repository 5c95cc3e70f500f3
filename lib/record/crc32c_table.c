/* record/crc32c_table.c - run at build time: prints the slicing-by-8 tables of CRC-32C (polynomial
 * 0x1EDC6F41, reflected 0x82F63B78; RFC 3720 appendix B.4). */
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	uint32_t table[8][256];

	for (uint32_t i = 0; i < 256; i++) {
		table[0][i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[0][i] = table[0][i] >> 1 ^ (0x82f63b78u & -(table[0][i] & 1));
	}
	for (int k = 1; k < 8; k++)
		for (int i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
	printf("static const uint32_t crc32c_table[8][256] = {\n");
	for (int k = 0; k < 8; k++) {
		printf("\t{");
		for (int i = 0; i < 256; i++)
			printf("%s0x%08xu,", i % 8 ? " " : "\n\t\t", table[k][i]);
		printf("\n\t},\n");
	}
	printf("};\n");
	return 0;
}
