/* shard/expectation.c - the conditions for publishing outputs.
 *
 * A producer that fails leaves an empty stream, or one that ends between two records.  Both are
 * valid; only a number that the user knows beforehand tells them from a complete stream. */
#include <tfr-private/shard.h>

#include "base/error.h"

enum tfr_status tfr_expect_check(
	const struct tfr_expect *e, uint64_t records, uint64_t sum, struct tfr_error *err)
{
	if (e->has_records && records != e->records)
		tfr_fail(err, TFR_EDATA, "%llu record%s where %llu %s expected",
			(unsigned long long)records, records == 1 ? "" : "s",
			(unsigned long long)e->records, e->records == 1 ? "is" : "are");
	else if (e->has_sum && sum != e->sum)
		tfr_fail(err, TFR_EDATA, "content sum %016llx where %016llx is expected",
			(unsigned long long)sum, (unsigned long long)e->sum);
	else
		return TFR_OK;
	return TFR_EDATA;
}

enum tfr_status tfr_expect_some(
	const struct tfr_expect *e, uint64_t read, uint64_t written, struct tfr_error *err)
{
	if (written || e->allow_empty || (e->has_records && !e->records))
		return TFR_OK;
	if (read)
		tfr_fail(err, TFR_EDATA, "no record to write: none of %llu is selected",
			(unsigned long long)read);
	else
		tfr_fail(err, TFR_EDATA, "no record to write: none was read");
	tfr_error_hint(err, "Nothing is written.  An output without records needs --allow-empty.");
	return TFR_EDATA;
}
