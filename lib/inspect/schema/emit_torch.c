/* inspect/schema/emit_torch.c - writes the schema as an input function for PyTorch, with the module
 * tfrkit.
 *
 * tfrkit finds the files, detects their compression, verifies checksums and divides the records
 * among the workers of a DataLoader.  What is written here is the shape of each feature. */
#include "inspect/schema/emit.h"

static void torch_field(struct tfr_emit *e, const struct tfr_field *field)
{
	if (!field->kinds) {
		tfr_emit(e, "    # ");
		tfr_emit_name(e, field->f);
		tfr_emit(e, ": without a kind in every record\n");
		return;
	}
	tfr_emit(e, "    ");
	tfr_emit_name(e, field->f);
	tfr_emit(e, ": ('%s', ", tfr_kind_name(field->f->kind));
	if (!field->required || !field->fixed)
		tfr_emit(e, "None),\n");
	else if (field->length == 1)
		tfr_emit(e, "()),\n");
	else
		tfr_emit(e, "(%llu,)),\n", (unsigned long long)field->length);
}

static void torch_imports(struct tfr_emit *e, bool images)
{
	tfr_emit(e,
		"%s"
		"%simport tfrkit.torch\n"
		"import torch\n"
		"%s"
		"\n",
		images ? "import io\n\n" : "", images ? "import numpy\n" : "",
		images ? "from PIL import Image\n" : "");
}

static const char parse_start[] =
	"\n\ndef parse(record):\n"
	"    \"\"\"A serialized Example as a dict: tensors, and bytes or lists of bytes.\"\"\"\n"
	"    found = tfrkit.Example(record)\n"
	"    out = {}\n"
	"    for name, (kind, shape) in FEATURES.items():\n"
	"        values = found.get(name)\n"
	"        if kind == 'bytes':\n"
	"            out[name] = values[0] if shape == () else values or []\n"
	"        else:\n"
	"            tensor = torch.tensor([] if values is None else values, dtype=torch.int64 if "
	"kind == 'int64' else "
	"torch.float32)\n"
	"            out[name] = tensor if shape is None else tensor.reshape(shape)\n";

static const char decode[] =
	"\n\ndef pixels(data):\n"
	"    \"\"\"An encoded image as uint8 pixels, [3, height, width].\"\"\"\n"
	"    image = Image.open(io.BytesIO(data)).convert('RGB').resize(IMAGE_SIZE[::-1], "
	"Image.BILINEAR)\n"
	"    return torch.from_numpy(numpy.array(image)).permute(2, 0, 1)\n";

static const char parse_images[] = "    for name in IMAGES:\n"
				   "        out[name] = pixels(out[name])\n";

static const char collate[] =
	"\n\ndef collate(rows):\n"
	"    \"\"\"A batch: tensors of one shape are stacked, all else is a list with one entry "
	"per record.\"\"\"\n"
	"    out = {name: [row[name] for row in rows] for name in FEATURES}\n"
	"    for name, (_, shape) in FEATURES.items():\n"
	"        if shape is not None and isinstance(out[name][0], torch.Tensor):\n"
	"            out[name] = torch.stack(out[name])\n"
	"    return out\n";

static const char batches[] =
	"\n\ndef batches(inputs, batch_size=32, shuffle_buffer=2048, workers=0):\n"
	"    \"\"\"One epoch of the records in `inputs` (files, a set, a glob), as a "
	"DataLoader.\n\n"
	"    Each worker reads a range of records.  shuffle_buffer=0 keeps one order for all "
	"epochs; "
	"torch.manual_seed()\n"
	"    repeats the others.\n"
	"    \"\"\"\n"
	"    data = tfrkit.torch.IterableDataset(inputs, parse, shuffle=shuffle_buffer)\n"
	"    return torch.utils.data.DataLoader(data, batch_size=batch_size, collate_fn=collate, "
	"num_workers=workers)\n";

void tfr_emit_torch(struct tfr_emit *e)
{
	bool images = tfr_emit_has_images(e->s);
	struct tfr_field field;

	tfr_emit_origin(e);
	torch_imports(e, images);
	tfr_emit(e, "# The kind of each feature and its shape; None where records differ in it.\n"
		    "FEATURES = {\n");
	for (size_t i = 0; tfr_field_next(e->s, &i, &field);)
		torch_field(e, &field);
	tfr_emit(e, "}\n");
	tfr_emit_images(e);
	tfr_emit(e, "%s", images ? decode : "");
	tfr_emit(e, "%s%s    return out\n", parse_start, images ? parse_images : "");
	tfr_emit(e, "%s%s", collate, batches);
}
