/* tests/fuzz/yolo.c - any bytes as labels of YOLO: boxes that are kept have an area in the image,
 * and a text that is refused leaves nothing. */
#include <stdlib.h>
#include <string.h>

#include "convert/yolo/yolo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t keypoints = 0; keypoints <= 6; keypoints += 3) {
		struct tfr_buf boxes = { 0 }, corners = { 0 };
		struct tfr_yolo_tally t = { 0 };
		struct tfr_error err = { 0 };
		enum tfr_status status =
			tfr_yolo_parse(&boxes, &corners, data, size, keypoints, &t, &err);
		const struct tfr_yolo_box *b = (const void *)boxes.data;
		size_t n = boxes.size / sizeof(*b), all = 0;

		if (status && (status != TFR_EDATA || !err.message[0] || n || t.boxes))
			abort();
		if (!status && (t.boxes != n || t.clipped > n || t.polygons > n + t.empty))
			abort();
		for (size_t i = 0; i < n; i++)
			if (!(b[i].xmin >= 0 && b[i].xmin < b[i].xmax && b[i].xmax <= 1 &&
				    b[i].ymin >= 0 && b[i].ymin < b[i].ymax && b[i].ymax <= 1))
				abort();
		for (size_t i = 0; i < n; i++)
			all += b[i].corners;
		if (corners.size != all * 2 * sizeof(float))
			abort();
		tfr_buf_clear(&corners);
		tfr_buf_clear(&boxes);
	}
	return 0;
}
