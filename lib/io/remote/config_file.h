/* io/remote/config_file.h - the configuration files of AWS's tools, ~/.aws/config and
 * ~/.aws/credentials.
 *
 * Source: docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html.  Sections in brackets,
 * "name = value" lines, comments from '#' or ';' at the start of a line (or after a space), and
 * nested values indented below a name without a value. */
#ifndef TFR_IO_REMOTE_CONFIG_FILE_H
#define TFR_IO_REMOTE_CONFIG_FILE_H

#include "base/buf.h"
#include "base/error.h"

/* The value of `name` in a section, or of `nested` below `name`; in `value`, without the spaces
 * around it.  False: it is not there, or longer than `size`.  A later one wins. */
bool tfr_config_find(const struct tfr_buf *text, const char *section, const char *name,
	const char *nested, char *value, size_t size);

struct tfr_aws_config {
	char profile[128];
	bool named;			    /* by AWS_PROFILE */
	struct tfr_buf config, credentials; /* the two files; empty if they do not exist */
};

/* Reads the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE or the home folder name.
 * TFR_EUSAGE: AWS_PROFILE names a profile that neither has. */
enum tfr_status tfr_aws_config_read(struct tfr_aws_config *c, struct tfr_error *err);
void tfr_aws_config_clear(struct tfr_aws_config *c);
/* A value of the profile, from the file of credentials, else from the other. */
bool tfr_aws_setting(const struct tfr_aws_config *c, const char *name, const char *nested,
	char *value, size_t size);

/* The value of an environment variable; NULL if it is not set or empty. */
const char *tfr_environment(const char *name);
/* Whether it is "true". */
bool tfr_environment_true(const char *name);
/* A file that is named so as to have none. */
bool tfr_is_null_device(const char *path);

#endif
