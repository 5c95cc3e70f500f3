/* inspect/schema/emit_torch.c - writes the schema as an input function for PyTorch, with PyPI's
 * tfrecord.
 *
 * Of that package, only the reader of the framing and the Example classes are used.  Its parsed
 * records raise for a feature that a record lacks or has without a kind.  They also turn lists of
 * strings into arrays that lose trailing NULs. */
#include "inspect/schema/emit.h"

static void torch_field(struct tfr_emit *e, const struct tfr_field *field)
{
	static const char *const lists[] = { "", "bytes_list", "float_list", "int64_list" };

	if (!field->kinds) {
		tfr_emit(e, "    # ");
		tfr_emit_name(e, field->f);
		tfr_emit(e, ": without a kind in every record\n");
		return;
	}
	tfr_emit(e, "    ");
	tfr_emit_name(e, field->f);
	tfr_emit(e, ": ('%s', ", lists[field->f->kind]);
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
		"import collections\n"
		"import glob\n"
		"%simport itertools\n"
		"import random\n"
		"\n"
		"%simport torch\n"
		"%sfrom tfrecord import example_pb2, reader\n"
		"\n",
		images ? "import io\n" : "", images ? "import numpy\n" : "",
		images ? "from PIL import Image\n" : "");
}

static const char parse_start[] =
	"\n\ndef parse(record):\n"
	"    \"\"\"A serialized Example as a dict: tensors, and bytes or lists of bytes.\"\"\"\n"
	"    found = example_pb2.Example.FromString(record).features.feature\n"
	"    out = {}\n"
	"    for name, (kind, shape) in FEATURES.items():\n"
	"        values = list(getattr(found[name], kind).value) if name in found else []\n"
	"        if kind == 'bytes_list':\n"
	"            out[name] = values[0] if shape == () else values\n"
	"        else:\n"
	"            tensor = torch.tensor(values, dtype=torch.int64 if kind == 'int64_list' else "
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

static const char streams[] =
	"\n\ndef interleave(files, cycle_length):\n"
	"    \"\"\"One record from each of `cycle_length` open files in turn.\"\"\"\n"
	"    rest = (map(bytes, reader.tfrecord_iterator(f, compression_type=COMPRESSION)) for f "
	"in files)\n"
	"    streams = collections.deque(itertools.islice(rest, cycle_length))\n"
	"    while streams:\n"
	"        stream = streams.popleft()\n"
	"        record = next(stream, None)\n"
	"        if record is None:\n"
	"            streams.extend(itertools.islice(rest, 1))\n"
	"        else:\n"
	"            streams.append(stream)\n"
	"            yield record\n"
	"\n\ndef shuffled(records, size, rng):\n"
	"    buffer = []\n"
	"    for record in records:\n"
	"        if len(buffer) < size:\n"
	"            buffer.append(record)\n"
	"            continue\n"
	"        k = rng.randrange(size)\n"
	"        yield buffer[k]\n"
	"        buffer[k] = record\n"
	"    rng.shuffle(buffer)\n"
	"    yield from buffer\n";

static const char dataset[] =
	"\n\nclass Records(torch.utils.data.IterableDataset):\n"
	"    \"\"\"The parsed records of some files; each worker of a DataLoader reads its own "
	"files.\"\"\"\n\n"
	"    def __init__(self, files, shuffle_buffer, cycle_length):\n"
	"        self.files, self.shuffle_buffer, self.cycle_length = files, shuffle_buffer, "
	"cycle_length\n\n"
	"    def __iter__(self):\n"
	"        worker = torch.utils.data.get_worker_info()\n"
	"        files = self.files[worker.id::worker.num_workers] if worker else "
	"list(self.files)\n"
	"        rng = random.Random(torch.randint(2 ** 62, ()).item())  # torch.manual_seed() "
	"repeats it\n"
	"        if self.shuffle_buffer:\n"
	"            rng.shuffle(files)\n"
	"        records = interleave(files, self.cycle_length)\n"
	"        if self.shuffle_buffer:\n"
	"            records = shuffled(records, self.shuffle_buffer, rng)\n"
	"        return map(parse, records)\n"
	"\n\ndef batches(pattern, batch_size=32, shuffle_buffer=2048, cycle_length=16, "
	"workers=0):\n"
	"    \"\"\"One epoch of the records in the files that match `pattern`, as a DataLoader.\n\n"
	"    shuffle_buffer=0 keeps one order for all epochs.  Each worker prefetches two "
	"batches.\n"
	"    \"\"\"\n"
	"    files = sorted(f for f in glob.glob(pattern) if not f.endswith(('.idx', '.gzi')))\n"
	"    if not files:\n"
	"        raise FileNotFoundError(pattern)\n"
	"    return torch.utils.data.DataLoader(Records(files, shuffle_buffer, cycle_length), "
	"batch_size=batch_size,\n"
	"                                       collate_fn=collate, num_workers=min(workers, "
	"len(files)))\n";

void tfr_emit_torch(struct tfr_emit *e)
{
	bool gzip = tfr_emit_compression(e->s) == TFR_COMPRESSION_GZIP;
	bool images = tfr_emit_has_images(e->s);
	struct tfr_field field;

	tfr_emit_origin(e);
	torch_imports(e, images);
	tfr_emit(e, "# The list of each feature and its shape; None where records differ in it.\n"
		    "FEATURES = {\n");
	for (size_t i = 0; tfr_field_next(e->s, &i, &field);)
		torch_field(e, &field);
	tfr_emit(e, "}\n");
	tfr_emit_images(e);
	tfr_emit(e, "COMPRESSION = %s\n%s", gzip ? "'gzip'" : "None", images ? decode : "");
	tfr_emit(e, "%s%s    return out\n", parse_start, images ? parse_images : "");
	tfr_emit(e, "%s%s%s", collate, streams, dataset);
}
