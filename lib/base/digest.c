/* convert/sha256.c - SHA-256 by libgcrypt, which uses the processor's instructions and costs
 * nothing at the start of a process.
 *
 * One thread must set it up before any other uses it; a program that uses libgcrypt may already
 * have done that, with other settings. */
#include "convert/sha256.h"

#include <stdint.h>

#include <gcrypt.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	/* There are no secrets here: no memory needs to be locked. */
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

char *tfr_sha256(const void *data, size_t size, char hex[TFR_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum[32];

	pthread_once(&once, set_up);
	gcry_md_hash_buffer(GCRY_MD_SHA256, sum, data, size);
	for (size_t i = 0; i < sizeof(sum); i++) {
		hex[2 * i] = digits[sum[i] >> 4];
		hex[2 * i + 1] = digits[sum[i] & 15];
	}
	hex[2 * sizeof(sum)] = '\0';
	return hex;
}
