/* tests/interop/feed.c - what a feed puts into the first tensor of its batches, for
 * tests/interop/run to hold against TensorFlow's.
 *
 * feed FILE WHERE STAGES   one epoch; the bytes of the batches go to stdout, one behind the other,
 * the shape of each, its type and its name to stderr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/pipeline.h>

static int fail(const struct tfr_error *err)
{
	char text[2048];

	fprintf(stderr, "%s\n", tfr_error_format(err, text, sizeof(text)));
	return 1;
}

static enum tfr_status put(
	struct tfr_device *device, const struct tfr_batch *b, struct tfr_error *err)
{
	const struct tfr_tensor *t = b->tensors;
	size_t size = (size_t)t->strides[0] * t->shape[0];
	uint8_t *bytes = malloc(size + 1);
	enum tfr_status status =
		bytes ? tfr_device_download(device, bytes, t->data, size, err) : TFR_ENOMEM;

	if (!status) {
		fwrite(bytes, 1, size, stdout);
		for (unsigned i = 0; i < t->rank; i++)
			fprintf(stderr, "%llu ", (unsigned long long)t->shape[i]);
		fprintf(stderr, "%s %s\n", tfr_dtype_name(t->dtype), t->name);
	}
	free(bytes);
	return status;
}

static enum tfr_status run(struct tfr_pipeline *p, struct tfr_device *device, struct tfr_error *err)
{
	struct tfr_batch b;
	enum tfr_status status = tfr_pipeline_next(p, &b, err);

	while (!status) {
		status = put(device, &b, err);
		tfr_pipeline_release(p, &b);
		if (!status)
			status = tfr_pipeline_next(p, &b, err);
	}
	return status == TFR_END ? TFR_OK : status;
}

int main(int argc, char **argv)
{
	struct tfr_device **devices = NULL;
	struct tfr_pipeline *p = NULL;
	struct tfr_set *set = NULL;
	struct tfr_error err = { 0 };
	unsigned count = 0;
	enum tfr_status status;

	if (argc != 4)
		return 2;
	status = tfr_set_open(&set,
		&(struct tfr_set_opts){ .inputs = (const char *const *)argv + 1, .count = 1 },
		&err);
	if (!status)
		status = tfr_devices_open(&devices, &count, "host", &err);
	if (!status) {
		const struct tfr_pipeline_opts opts = { .set = set,
			.devices = devices,
			.device_count = count,
			.where = argv[2],
			.stages = argv[3],
			.epochs = 1 };

		status = tfr_pipeline_open(&p, &opts, &err);
	}
	if (!status)
		status = run(p, devices[0], &err);
	tfr_pipeline_close(p);
	tfr_devices_close(devices, count);
	tfr_set_close(set);
	return status ? fail(&err) : 0;
}
