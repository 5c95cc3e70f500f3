/* A program in C++ builds an Example and reads it: the names that it links are those of C. */
#include <tfr/tfr.h>

int main()
{
	tfr_builder *b = tfr_builder_new();
	tfr_example *ex = tfr_example_new();
	const uint8_t *data = NULL;
	size_t size = 0;
	int64_t label = 0;
	tfr_error err = tfr_error();
	bool ok = b && ex && !tfr_builder_int64(b, "label", 3, &err) &&
		  !tfr_builder_flatten(b, &data, &size, &err) &&
		  !tfr_example_parse(ex, data, size, &err) &&
		  tfr_feature_int64(tfr_example_get(ex, "label"), 0, &label) && label == 3;

	tfr_example_free(ex);
	tfr_builder_free(b);
	return ok && tfr_version()[0] ? 0 : 1;
}
