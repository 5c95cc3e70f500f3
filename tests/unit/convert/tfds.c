/* How many shards a split of a TFDS data set gets: what ShardConfig.calculate_number_shards() of
 * tensorflow_datasets/core/utils/shard_utils.py said of these. */
#include <criterion/criterion.h>

#include "convert/outputs.h"

Test(tfds, as_many_shards_as_tfds_makes)
{
	static const uint64_t MiB = 1 << 20, GiB = 1 << 30;
	const struct {
		uint64_t bytes, records, shards;
	} rows[] = { { 0, 1, 1 }, { 64 * MiB, 1000, 1 }, { 128 * MiB - 1, 1000, 1 },
		{ 128 * MiB, 1000, 2 }, { 128 * MiB, 1, 1 }, { 255 * MiB, 1000, 2 },
		{ 256 * MiB, 1000, 4 }, { 256 * MiB, 3, 2 }, { 10 * GiB, 1 << 20, 128 },
		{ 10 * GiB, 100, 64 }, { 64 * GiB - 1, 1 << 20, 512 }, { 64 * GiB, 1 << 20, 1024 },
		{ 1024 * GiB, 1 << 20, 1024 }, { 1025 * GiB, 1 << 20, 2048 },
		{ 2049 * GiB, 1 << 20, 3072 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(tfr_tfds_shards(rows[i].bytes, rows[i].records), rows[i].shards,
			"%llu bytes, %llu records", (unsigned long long)rows[i].bytes,
			(unsigned long long)rows[i].records);
}
