/* io/remote/credentials_gcs.c - the sources for Google Cloud Storage.
 *
 * Sources: cloud.google.com/storage/docs/authentication/hmackeys,
 * cloud.google.com/compute/docs/access/authenticate-workloads (the metadata server) and
 * cloud.google.com/sdk/docs/properties (CLOUDSDK_AUTH_ACCESS_TOKEN). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/remote/config_file.h"
#include "io/remote/credentials.h"
#include "io/remote/service.h"

static enum tfr_status from_token(struct tfr_keys *k, struct tfr_error *err)
{
	const char *token = tfr_environment("CLOUDSDK_AUTH_ACCESS_TOKEN");

	return token ? tfr_keys_set(k, NULL, NULL, token, err) : TFR_END;
}

/* The names of boto and of django-storages. */
static enum tfr_status from_hmac(struct tfr_keys *k, struct tfr_error *err)
{
	const char *id = tfr_environment("GS_ACCESS_KEY_ID");
	const char *secret = tfr_environment("GS_SECRET_ACCESS_KEY");

	if (!id && !secret)
		return TFR_END;
	if (!id || !secret)
		return tfr_fail(err, TFR_EUSAGE, "%s is set, but %s is not",
			id ? "GS_ACCESS_KEY_ID" : "GS_SECRET_ACCESS_KEY",
			id ? "GS_SECRET_ACCESS_KEY" : "GS_ACCESS_KEY_ID");
	return tfr_keys_set(k, id, secret, NULL, err);
}

/* A token of Google is valid for an hour; one that the command has cached, for less. */
static enum tfr_status from_command(struct tfr_keys *k, struct tfr_error *err)
{
	const char *command = tfr_environment("TFR_GS_TOKEN_COMMAND");
	TFR_AUTO_BUF output = { 0 };
	enum tfr_status status;
	char *text;

	if (!command)
		return TFR_END;
	TFR_TRY(tfr_run_command(command, "TFR_GS_TOKEN_COMMAND", &output, err));
	text = (char *)output.data;
	text[strcspn(text, "\r\n")] = '\0';
	status = *text ? tfr_keys_set(k, NULL, NULL, text, err)
		       : tfr_fail(err, TFR_ESYS, "TFR_GS_TOKEN_COMMAND prints no token");
	if (!status)
		k->expires = time(NULL) + 1800;
	tfr_keys_wipe(&output);
	return status;
}

static enum tfr_status from_file(struct tfr_keys *k, struct tfr_error *err)
{
	(void)k;
	if (!tfr_environment("GOOGLE_APPLICATION_CREDENTIALS"))
		return TFR_END;
	tfr_fail(err, TFR_EUSAGE, "GOOGLE_APPLICATION_CREDENTIALS is not supported");
	tfr_error_hint(err,
		"Let Google's tool print tokens: export TFR_GS_TOKEN_COMMAND='gcloud auth "
		"application-default print-access-token'");
	return TFR_EUSAGE;
}

static enum tfr_status from_metadata(struct tfr_keys *k, struct tfr_error *err)
{
	static const char *const flavor[] = { "Metadata-Flavor: Google", NULL };
	const char *host = tfr_environment("GCE_METADATA_HOST");
	const char *off = tfr_environment("NO_GCE_CHECK");
	TFR_AUTO_BUF answer = { 0 };
	char url[512];
	struct tfr_service_call call = { .method = "GET",
		.url = url,
		.headers = flavor,
		.milliseconds = 1000,
		.local = true,
		.expect = "metadata-flavor: google" };
	enum tfr_status status;

	if (off && !strcasecmp(off, "true"))
		return TFR_END;
	snprintf(url, sizeof(url),
		"http://%s/computeMetadata/v1/instance/service-accounts/default/token",
		host ?: "metadata.google.internal");
	status = tfr_service_ask(&call, "the metadata server", &answer, host ? err : NULL);
	if (status)
		return host && status != TFR_END ? status : TFR_END;
	status = tfr_token_from_json(k, &answer, "the metadata server", err);
	tfr_keys_wipe(&answer);
	return status;
}

const struct tfr_key_source tfr_gcs_sources[] = {
	{ "the environment", from_token },
	{ "the environment", from_hmac },
	{ "TFR_GS_TOKEN_COMMAND", from_command },
	{ "GOOGLE_APPLICATION_CREDENTIALS", from_file },
	{ "the metadata server", from_metadata },
	{ NULL, NULL },
};
