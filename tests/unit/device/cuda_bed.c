#include "unit/device/cuda_bed.h"

#include <string.h>

enum tfr_status make_bed(struct bed *b, const char *spec, struct tfr_error *err)
{
	enum tfr_status status;

	*b = (struct bed){ 0 };
	status = tfr_device_open(&b->dev, spec, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_STAGING, SIZE, &b->staging, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_PAGEABLE, SIZE, &b->pageable, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, SIZE, &b->bytes, err);
	if (!status)
		status = tfr_device_alloc(
			b->dev, TFR_MEMORY_DEVICE, SIZE * sizeof(float), &b->floats, err);
	if (!status)
		status = tfr_event_new(&b->event, b->dev, err);
	if (!status)
		memset(b->staging, 7, SIZE);
	return status;
}

void clear_bed(struct bed *b)
{
	if (!b->dev)
		return;
	tfr_event_free(b->event);
	tfr_device_free(b->dev, TFR_MEMORY_STAGING, b->staging);
	tfr_device_free(b->dev, TFR_MEMORY_PAGEABLE, b->pageable);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->bytes);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->floats);
	tfr_device_close(b->dev);
}

enum tfr_status work(struct bed *b, struct tfr_error *err)
{
	char back[SIZE];
	double seconds;
	enum tfr_status status =
		tfr_device_upload(b->dev, b->bytes, b->staging, SIZE, b->event, err);

	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_normalise(
			b->dev, b->floats, b->bytes, SIZE, 3, NULL, NULL, b->event, err);
	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_compute(b->dev, 1e-4, b->event, err);
	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_download(b->dev, back, b->bytes, SIZE, err);
	return status;
}

enum tfr_status work_once(struct tfr_error *err)
{
	struct bed b;
	enum tfr_status status = make_bed(&b, "cuda:0", err);

	if (!status)
		status = work(&b, err);
	clear_bed(&b);
	return status;
}
