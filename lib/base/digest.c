/* base/digest.c - libgcrypt uses the processor's instructions and costs nothing at the start of a
 * process.
 *
 * One thread must set it up before any other uses it; a program that uses libgcrypt may already
 * have done that, with other settings. */
#include "base/digest.h"

#include <stdint.h>

#include <gcrypt.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Keys of a signature are wiped after use; memory that is locked for them would need privileges. */
static void set_up(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

void tfr_digests_begin(void)
{
	pthread_once(&once, set_up);
}

char *tfr_hex(const void *bytes, size_t n, char *text)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[b[i] >> 4];
		text[2 * i + 1] = digits[b[i] & 15];
	}
	text[2 * n] = '\0';
	return text;
}

char *tfr_sha256(const void *data, size_t size, char hex[TFR_SHA256_HEX])
{
	uint8_t sum[32];

	tfr_digests_begin();
	gcry_md_hash_buffer(GCRY_MD_SHA256, sum, data, size);
	return tfr_hex(sum, sizeof(sum), hex);
}
