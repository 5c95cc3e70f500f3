/* io/remote/address.h - where the buckets of AWS, of Google and of servers like theirs are. */
#ifndef TFR_IO_REMOTE_ADDRESS_H
#define TFR_IO_REMOTE_ADDRESS_H

#include "base/error.h"
#include "io/remote/config_file.h"

enum { TFR_REGION = 64, TFR_ENDPOINT = 512 };

struct tfr_address {
	char *base; /* "https://host[:port][/bucket]", without a default port; the caller's to free
		     */
	char region[TFR_REGION]; /* what requests are signed for */
	bool fixed;		 /* an endpoint was given: the region is not in the address */
	bool path;		 /* the bucket is the first part of the path */
};

/* TFR_EUSAGE: no bucket has this name, or it is of a kind that is not supported. */
enum tfr_status tfr_bucket_check(const char *name, struct tfr_error *err);
/* Addresses of a bucket from the environment and the configuration files. */
enum tfr_status tfr_address_s3(struct tfr_address *a, const char *bucket, struct tfr_error *err);
enum tfr_status tfr_address_gcs(struct tfr_address *a, const char *bucket, struct tfr_error *err);
/* Moves the bucket to another region.  False: it has it already, or it is not a region. */
bool tfr_address_move(struct tfr_address *a, const char *bucket, const char *region);

/* The region of the environment or of the profile, else us-east-1. */
enum tfr_status tfr_aws_region(
	const struct tfr_aws_config *c, char region[TFR_REGION], struct tfr_error *err);
/* The endpoint that was configured for a service, "S3" or "STS", without a slash at its end; ""
 * if there is none.  TFR_EUSAGE: it is not a web address, or has a user, query or fragment. */
enum tfr_status tfr_aws_endpoint(const struct tfr_aws_config *c, const char *service,
	char url[TFR_ENDPOINT], struct tfr_error *err);

/* The file of certificates that servers are verified against; NULL: libcurl's own. */
const char *tfr_ca_file(void);

#endif
