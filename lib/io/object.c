/* io/object.c - opens the module for objects. */
#include "io/object.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "base/module.h"

static atomic_bool
	used; /* without a use there is nothing to measure, and the module stays closed */

bool tfr_is_url(const char *path)
{
	static const char *const schemes[] = { "http://", "https://", "s3://", "gs://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (!strncasecmp(path, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

enum tfr_status tfr_objects(
	const struct tfr_object_module **calls, const char *url, struct tfr_error *err)
{
	const void *table = NULL;
	enum tfr_status status =
		tfr_module_open(&table, TFR_MODULE_REMOTE, err, "cannot open '%.200s'", url);

	*calls = table;
	if (!status)
		atomic_store(&used, true);
	return status;
}

/* Settings are for later uses: without the module there will be none. */
enum tfr_status tfr_remote_set(const struct tfr_remote_opts *opts, struct tfr_error *err)
{
	const void *table = NULL;
	enum tfr_status status =
		tfr_module_open(&table, TFR_MODULE_REMOTE, NULL, "cannot change settings");

	return status ? TFR_OK : ((const struct tfr_object_module *)table)->set(opts, err);
}

void tfr_remote_statistics(struct tfr_remote_statistics *s)
{
	const void *table = NULL;

	*s = (struct tfr_remote_statistics){ 0 };
	if (atomic_load(&used) &&
		!tfr_module_open(&table, TFR_MODULE_REMOTE, NULL, "cannot measure"))
		((const struct tfr_object_module *)table)->statistics(s);
}
