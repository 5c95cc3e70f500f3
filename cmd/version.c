/* cmd/version.c - tfr version: the version, the features of this build, and for a program also what
 * of NVIDIA's driver would be used.  CUDA is not initialised. */
#include <stdio.h>
#include <string.h>

#include <tfr-private/device.h>
#include <tfr-private/error.h>

#include "common/cmd.h"

struct version_settings {
	bool json;
};

static const struct opt version_options[] = {
	OPT_JSON(struct version_settings, json),
	OPTIONS_END,
};

/* One of "zlib 1.2.13, no libyaml, cuda (driver)". */
static void put_feature(struct tfr_json *j, const char *text, size_t length)
{
	bool built = strncmp(text, "no ", 3) != 0;
	const char *name = built ? text : text + 3, *end = text + length;
	size_t size = (size_t)(end - name);
	const char *blank = memchr(name, ' ', size);
	struct tfr_error err;
	enum tfr_status status;
	char word[64];

	tfr_json_open_object(j, NULL);
	snprintf(word, sizeof(word), "%.*s", (int)(blank ? blank - name : end - name), name);
	tfr_json_string(j, "name", word);
	tfr_json_bool(j, "built", built);
	if (built && (status = tfr_feature_open(word, &err)) != TFR_END) {
		tfr_json_bool(j, "opens", !status);
		if (status)
			tfr_json_string(j, "error", err.message);
	}
	if (blank && blank[1] != '(') {
		snprintf(word, sizeof(word), "%.*s", (int)(end - blank - 1), blank + 1);
		tfr_json_string(j, "version", word);
	}
	tfr_json_close_object(j);
}

static void put_features(struct tfr_json *j, const char *features)
{
	tfr_json_open_array(j, "features");
	while (*features) {
		size_t length = strcspn(features, ",");

		put_feature(j, features, length);
		features += length;
		features += strspn(features, ", ");
	}
	tfr_json_close_array(j);
}

static void put_cuda(struct tfr_json *j, const char *features)
{
	char version[32], path[4096];

	tfr_json_open_object(j, "cuda");
	tfr_json_string(j, "through",
		strstr(features, "cuda (driver)")    ? "driver"
		: strstr(features, "cuda (runtime)") ? "runtime"
						     : "none");
	if (tfr_device_driver_version("/proc", version, sizeof(version)))
		tfr_json_string(j, "driver_version", version);
	if (tfr_device_driver_library(path, sizeof(path)))
		tfr_json_string(j, "library", path);
	tfr_json_close_object(j);
}

static int print_json(struct cmd *c)
{
	const char *features = tfr_build_features();
	struct tfr_json *j = cmd_json_open(2);

	tfr_json_string(j, "tfr", tfr_version());
	put_features(j, features);
	put_cuda(j, features);
	tfr_json_close_object(j);
	cmd_print_json(c, j, stdout);
	return c->exit;
}

static int version_main(struct cmd *c)
{
	const struct version_settings *s = c->settings;
	char driver[32];

	if (c->count)
		return cmd_usage(c, "version takes no operands");
	if (s->json)
		return print_json(c);
	printf("tfr %s\n", tfr_version());
	printf("built with: %s\n", tfr_build_features());
	if (tfr_device_driver_version("/proc", driver, sizeof(driver)))
		printf("NVIDIA driver: %s\n", driver);
	return 0;
}

const struct command cmd_version = {
	.name = "version",
	.operands = "",
	.summary = "print the version and the features of this build",
	.options = version_options,
	.settings_size = sizeof(struct version_settings),
	.main = version_main,
	.local = true,
};
