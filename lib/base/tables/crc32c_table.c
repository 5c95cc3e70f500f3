/* base/tables/crc32c_table.c - prints the slicing-by-8 tables of CRC-32C and the constants for folding,
 * at build time (polynomial 0x1EDC6F41, reflected 0x82F63B78; RFC 3720 appendix B.4). */
#include <stdint.h>
#include <stdio.h>

/* Returns x to the power of `n` modulo the polynomial, reflected, and shifted left by one, because
 * the product of two reflected 64-bit numbers has 127 bits. */
static uint64_t power(int n)
{
	uint32_t v = 0x80000000u; /* 1 */

	while (n--)
		v = v >> 1 ^ (0x82f63b78u & -(v & 1));
	return (uint64_t)v << 1;
}

/* The factors that move the two halves of 128 bits over the `bits` bits that follow them (Gopal and
 * others, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009). */
static void print_fold(int bits)
{
	printf("\t0x%09llx, 0x%09llx,\n", (unsigned long long)power(bits + 32),
		(unsigned long long)power(bits - 32));
}

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
	printf("#pragma once\n\nstatic const uint32_t crc32c_table[8][256] = {\n");
	for (int k = 0; k < 8; k++) {
		printf("\t{");
		for (int i = 0; i < 256; i++)
			printf("%s0x%08xu,", i % 8 ? " " : "\n\t\t", table[k][i]);
		printf("\n\t},\n");
	}
	printf("};\n");
	printf("static const uint64_t crc32c_step[8] = {\n");
	for (int lane = 0; lane < 4; lane++)
		print_fold(512);
	printf("};\nstatic const uint64_t crc32c_last[8] = {\n");
	for (int lane = 0; lane < 3; lane++)
		print_fold(384 - 128 * lane);
	printf("\t0, 0,\n};\n");
	return 0;
}
