/* inspect/check/manifest_check.c - compares a file with its manifest entry: records, bytes, content
 * sum, and the CRC-32C of the raw file.
 *
 * The modification time is not compared: a copy has another one, and the CRC is stronger evidence.
 */
#include "inspect/check/manifest_check.h"

#include <stdlib.h>

#include "base/buf.h"
#include "io/source.h"
#include "base/crc32c.h"

enum { BLOCK = 512 << 10 };

static enum tfr_status crc_of_file(
	const char *path, uint32_t *crc, uint64_t *bytes, struct tfr_error *err)
{
	struct tfr_source *source = NULL;
	enum tfr_status status = tfr_source_open(&source, path, err);
	uint8_t *block = status ? NULL : malloc(BLOCK);
	size_t got = 1;

	*crc = 0;
	*bytes = 0;
	if (!status && !block)
		status = tfr_fail_nomem(err, "checking");
	while (!status && got) {
		status = tfr_source_read_some(source, block, BLOCK, &got, err);
		if (status)
			break;
		*crc = tfr_crc32c(*crc, block, got);
		*bytes += got;
	}
	free(block);
	tfr_source_close(source);
	return status;
}

static enum tfr_status size_of_file(const char *path, uint64_t *bytes, struct tfr_error *err)
{
	struct tfr_source *source = NULL;
	enum tfr_status status = tfr_source_open(&source, path, err);

	if (!status)
		*bytes = tfr_source_left(source);
	tfr_source_close(source);
	return status;
}

enum tfr_status tfr_prove(const struct tfr_manifest_shard *shard, const char *path,
	const struct tfr_proof *found, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	uint64_t bytes = 0;
	uint32_t crc = 0;
	enum tfr_status status = found->quick ? size_of_file(path, &bytes, err)
					      : crc_of_file(path, &crc, &bytes, err);
	bool good = true;

	if (status)
		return status;
	if (found->records != shard->records)
		good &= tfr_buf_printf(&text, ", %llu records where it has %llu",
			(unsigned long long)found->records, (unsigned long long)shard->records);
	if (bytes != shard->bytes)
		good &= tfr_buf_printf(&text, ", %llu bytes where it has %llu",
			(unsigned long long)bytes, (unsigned long long)shard->bytes);
	if (!found->quick && found->sum != shard->sum)
		good &= tfr_buf_printf(&text, ", content sum %016llx where it has %016llx",
			(unsigned long long)found->sum, (unsigned long long)shard->sum);
	if (!found->quick && crc != shard->crc)
		good &= tfr_buf_printf(&text, ", CRC-32C %08x where it has %08x", crc, shard->crc);
	if (!good)
		return tfr_fail_nomem(err, "checking");
	if (!text.size)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "not what the manifest says: %.*s", (int)text.size - 2,
		(const char *)text.data + 2);
}
