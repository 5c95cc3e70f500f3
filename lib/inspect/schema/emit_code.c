/* inspect/schema/emit_code.c - writes the schema as code for TensorFlow, DALI and PyTorch, and as
 * a Schema of TensorFlow Metadata.
 *
 * The code runs unchanged and parses every record that was examined.  A feature has a fixed length
 * only if each record has it with that many values.  Every other feature is ragged, which loses
 * nothing.  Names are UTF-8 here, and a feature has at most one kind. */
#include "inspect/schema/emit.h"

#include <assert.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/utf8.h"

enum { PYTHON = '\'', PBTXT = '"' };

enum { IMAGE_SIZE = 224 };

/* Escapes a character that must not reach a terminal or an editor.  In protobuf's text form an
 * escape is a byte, in a Python string a character. */
static void put_escape(struct tfr_emit *e, const uint8_t *p, size_t len, char quote)
{
	uint32_t code = tfr_utf8_code_point(p, len);

	if (quote == PYTHON && len > 1)
		TFR_EMIT(e, code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
	for (size_t i = 0; i < len && (quote == PBTXT || len == 1); i++)
		TFR_EMIT(e, "\\%03o", p[i]);
}

/* A name in quotes. */
static void put_quoted(struct tfr_emit *e, const struct tfr_surveyed *f, char quote)
{
	const uint8_t *p = (const uint8_t *)f->name;
	size_t len;

	TFR_EMIT(e, "%c", quote);
	for (size_t i = 0; i < f->size; i += len) {
		len = tfr_utf8_length(p + i, f->size - i);
		len = len ? len : 1;
		if (p[i] == (uint8_t)quote || p[i] == '\\')
			TFR_EMIT(e, "\\%c", p[i]);
		else if (tfr_text_harmless(p + i, f->size - i))
			TFR_EMIT(e, "%.*s", (int)len, (const char *)p + i);
		else
			put_escape(e, p + i, len, quote);
	}
	TFR_EMIT(e, "%c", quote);
}

/* The first line: a comment with the number of records and files read. */
static void put_origin(struct tfr_emit *e)
{
	char records[TFR_COUNTED_TEXT], files[TFR_COUNTED_TEXT];

	TFR_EMIT(e, "# tfr schema: %s in %s\n",
		tfr_format_counted(e->s->records, "record", records),
		tfr_format_counted(e->s->files, "file", files));
}

/* --- images and compression, shared by all code --- */

/* Whether the feature is one image in every record, so that batches of it can be decoded. */
static bool is_image(const struct tfr_field *field)
{
	return field->required && field->fixed && field->length == 1 &&
	       field->f->kind == TFR_KIND_BYTES && field->content == TFR_VALUE_IMAGE;
}

static bool has_images(const struct tfr_survey *s)
{
	struct tfr_field field;

	for (size_t i = 0; tfr_field_next(s, &i, &field);)
		if (is_image(&field))
			return true;
	return false;
}

/* IMAGES, the features that are one image in every record, and IMAGE_SIZE: their common size, or a
 * usual one if sizes differ.  False: there are no such features. */
static bool put_images(struct tfr_emit *e)
{
	uint64_t width = 0, height = 0;
	struct tfr_field field;
	bool uniform = true;
	size_t images = 0;

	for (size_t i = 0; tfr_field_next(e->s, &i, &field);) {
		const struct tfr_facts *f = &field.f->facts;

		if (!is_image(&field))
			continue;
		TFR_EMIT(e, images++ ? ", " : "IMAGES = [");
		put_quoted(e, field.f, PYTHON);
		uniform = uniform && f->width.min == f->width.max &&
			  f->height.min == f->height.max && f->width.min && f->height.min &&
			  (images == 1 || (width == f->width.min && height == f->height.min));
		width = f->width.min;
		height = f->height.min;
	}
	if (!images)
		return false;
	if (!uniform)
		width = height = IMAGE_SIZE;
	TFR_EMIT(e, "]\nIMAGE_SIZE = (%llu, %llu)  # height and width%s\n",
		(unsigned long long)height, (unsigned long long)width,
		uniform ? " of all images" : ", to which images are resized");
	return true;
}

/* Writes the name of a field, or, as a comment, why it is left out.  True: its type follows. */
static bool begin_field(struct tfr_emit *e, const struct tfr_field *field, const char *why)
{
	TFR_EMIT(e, why ? "    # " : "    ");
	put_quoted(e, field->f, PYTHON);
	if (why)
		TFR_EMIT(e, ": %s\n", why);
	return !why;
}

static const char no_kind[] = "without a kind in every record";

/* --- TensorFlow --- */

static const char *const tf_types[] = { "", "tf.string", "tf.float32", "tf.int64" };

static void put_shape(struct tfr_emit *e, const struct tfr_field *field, const char *scalar)
{
	if (field->length == 1)
		TFR_EMIT(e, "%s", scalar);
	else
		TFR_EMIT(e, "[%llu]", (unsigned long long)field->length);
}

static void python_field(struct tfr_emit *e, const struct tfr_field *field, bool list)
{
	const char *why = field->kinds ? NULL : list ? "without a value" : no_kind;

	if (!begin_field(e, field, why))
		return;
	if (field->required && field->fixed) {
		TFR_EMIT(e, ": tf.io.FixedLen%sFeature(", list ? "Sequence" : "");
		put_shape(e, field, "[]");
		TFR_EMIT(e, ", %s),\n", tf_types[field->f->kind]);
	} else {
		TFR_EMIT(e, ": tf.io.RaggedFeature(%s),%s\n", tf_types[field->f->kind],
			field->required ? "" : "  # empty where it is absent");
	}
}

/* False: no feature can be parsed.  One that was always empty has no kind. */
static bool python_dict(struct tfr_emit *e, const char *name, const struct tfr_survey *s)
{
	struct tfr_field field;
	bool any = false;
	size_t i = 0;

	TFR_EMIT(e, "\n%s = {\n", name);
	while (tfr_field_next(s, &i, &field)) {
		any |= field.kinds > 0;
		python_field(e, &field, s->of_lists);
	}
	TFR_EMIT(e, "}\n");
	return any;
}

static const char python_batches[] =
	"\n\ndef batches(pattern, batch_size=32, shuffle_buffer=2048, cycle_length=16, "
	"seed=None):\n"
	"    \"\"\"One epoch of the records in the files that match `pattern`, as a "
	"tf.data.Dataset of batches.\n\n"
	"    shuffle_buffer=0 keeps one order for all epochs.\n"
	"    \"\"\"\n"
	"    files = sorted(f for f in tf.io.gfile.glob(pattern) if not f.endswith(('.idx', "
	"'.gzi')))\n"
	"    if not files:\n"
	"        raise FileNotFoundError(pattern)\n"
	"    data = tf.data.Dataset.from_tensor_slices(files)\n"
	"    if shuffle_buffer:\n"
	"        data = data.shuffle(len(files), seed)\n"
	"    data = data.interleave(lambda f: tf.data.TFRecordDataset(f, COMPRESSION), "
	"cycle_length=min(cycle_length, len(files)),\n"
	"                           num_parallel_calls=tf.data.AUTOTUNE, "
	"deterministic=not shuffle_buffer or seed is not None)\n"
	"    if shuffle_buffer:\n"
	"        data = data.shuffle(shuffle_buffer, seed)\n"
	"    data = data.batch(batch_size).map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n";

static const char python_decode[] =
	"\n\ndef decode(features):\n"
	"    \"\"\"The images of a batch as float32 pixels, [batch, height, width, 3].\"\"\"\n"
	"    def pixels(data):\n"
	"        return tf.image.resize(tf.io.decode_image(data, channels=3, "
	"expand_animations=False), IMAGE_SIZE)\n\n"
	"    shape = tf.TensorSpec([*IMAGE_SIZE, 3], tf.float32)\n"
	"    return {name: tf.map_fn(pixels, value, fn_output_signature=shape) if name in IMAGES "
	"else value\n"
	"            for name, value in features.items()}\n";

static void python_constants(struct tfr_emit *e)
{
	static const char *const names[] = { [TFR_COMPRESSION_NONE] = "",
		[TFR_COMPRESSION_GZIP] = "GZIP",
		[TFR_COMPRESSION_ZLIB] = "ZLIB" };
	enum tfr_compression c = e->compression;

	assert(c < sizeof(names) / sizeof(*names) && names[c]);
	TFR_EMIT(e, "\nCOMPRESSION = '%s'\n", names[c]);
}

static const char python_of_examples[] =
	"A batch of serialized Examples, a vector of strings, into tensors.";
static const char python_of_sequences[] =
	"A batch of serialized SequenceExamples, a vector of strings, into three dicts of "
	"tensors:\n"
	"    the context, the lists, and how many steps each record has of those that are "
	"padded.";

void tfr_emit_python(struct tfr_emit *e)
{
	bool lists = e->s->lists, any, images;
	const char *parse = lists ? "tf.io.parse_sequence_example(records, CONTEXT, FEATURE_LISTS)"
				  : "tf.io.parse_example(records, FEATURES)";

	put_origin(e);
	TFR_EMIT(e, "import tensorflow as tf\n");
	any = python_dict(e, lists ? "CONTEXT" : "FEATURES", e->s);
	images = any && !lists && put_images(e);
	if (lists)
		any |= python_dict(e, "FEATURE_LISTS", e->s->lists);
	if (any)
		python_constants(e);
	else
		parse = lists ? "{}, {}, {}  # no record has a feature, and the parser refuses that"
			      : "{}  # no record has a feature, and parse_example refuses that";
	TFR_EMIT(e, "\n\ndef parse(records):\n    \"\"\"%s\"\"\"\n    return %s\n",
		lists ? python_of_sequences : python_of_examples, parse);
	if (any)
		TFR_EMIT(e, "%s%s%s    return data.prefetch(tf.data.AUTOTUNE)\n",
			images ? python_decode : "", python_batches,
			images ? "    data = data.map(decode, "
				 "num_parallel_calls=tf.data.AUTOTUNE)\n"
			       : "");
}

/* --- DALI --- */

/* If a record lacks a feature, DALI 2.4 returns a scalar of uninitialised memory, whatever the
 * default, and refuses a batch that mixes scalars and vectors.  So it can read only features that
 * every record has. */
static bool dali_field(struct tfr_emit *e, const struct tfr_field *field)
{
	static const char *const types[] = { "", "tfrec.string, ''", "tfrec.float32, 0.0",
		"tfrec.int64, 0" };
	enum tfr_kind kind = field->f->kind;
	bool one = field->required && field->fixed && field->length == 1;
	const char *why = NULL;

	if (!field->kinds)
		why = no_kind;
	else if (kind == TFR_KIND_BYTES && !one) /* whatever the shape says */
		why = "not one text in every record, and DALI reads one text of a feature";
	else if (!field->required)
		why = "not in every record, and DALI reads no defined value where it is absent";
	if (!begin_field(e, field, why))
		return false;
	if (field->fixed) {
		TFR_EMIT(e, ": tfrec.FixedLenFeature(");
		put_shape(e, field, kind == TFR_KIND_BYTES ? "()" : "[1]");
		TFR_EMIT(e, ", %s),\n", types[kind]);
	} else {
		TFR_EMIT(e, ": tfrec.VarLenFeature(%s),\n", types[kind]);
	}
	return true;
}

static const char dali_decode[] =
	"    for name in IMAGES:\n"
	"        pixels = fn.decoders.image(features[name], device=decoder, "
	"output_type=types.RGB)\n"
	"        features[name] = fn.resize(pixels, size=IMAGE_SIZE)\n";

/* DALI reads one file after another, so its shuffle buffer alone does what tf.data does by
 * interleaving, too. */
static void dali_batches(struct tfr_emit *e, bool images)
{
	TFR_EMIT(e,
		"\n\n@pipeline_def\n"
		"def pipeline(files, shuffle_buffer, decoder):\n"
		"    features = fn.readers.tfrecord(path=files, index_path=[f + '.idx' for f in "
		"files], features=FEATURES, name='reader',\n"
		"                                   random_shuffle=shuffle_buffer > 0, "
		"initial_fill=shuffle_buffer or 1)\n"
		"%s"
		"    return tuple(features[name] for name in FEATURES)\n"
		"\n\ndef batches(pattern, batch_size=32, shuffle_buffer=2048, num_threads=4, "
		"device_id=None, seed=0):\n"
		"    \"\"\"One epoch of the records in the files that match `pattern`, as dicts of "
		"TensorLists.\n\n"
		"    Each file needs its index: tfr index FILE...  With device_id, images are "
		"decoded "
		"on that GPU.\n"
		"    A batch is valid until the next; the last one is filled from the start of the "
		"next epoch.\n"
		"    \"\"\"\n"
		"    files = sorted(f for f in glob.glob(pattern) if not f.endswith(('.idx', "
		"'.gzi')))\n"
		"    if not files:\n"
		"        raise FileNotFoundError(pattern)\n"
		"    pipe = pipeline(files, shuffle_buffer, 'cpu' if device_id is None else "
		"'mixed', "
		"batch_size=batch_size,\n"
		"                    num_threads=num_threads, device_id=device_id, seed=seed, "
		"prefetch_queue_depth=2)\n"
		"    pipe.build()\n"
		"    for _ in range(-(-pipe.epoch_size('reader') // batch_size)):\n"
		"        yield dict(zip(FEATURES, pipe.run()))\n",
		images ? dali_decode : "");
}

void tfr_emit_dali(struct tfr_emit *e)
{
	struct tfr_field field;
	bool any = false;
	size_t i = 0;

	put_origin(e);
	TFR_EMIT(e, "import glob\n\n"
		    "import nvidia.dali.tfrecord as tfrec\n"
		    "from nvidia.dali import fn, pipeline_def, types\n\nFEATURES = {\n");
	while (tfr_field_next(e->s, &i, &field))
		any |= dali_field(e, &field);
	TFR_EMIT(e, "}\n");
	e->useless = !any; /* a pipeline without outputs cannot be built */
	dali_batches(e, any && put_images(e));
}

/* --- PyTorch, with the module tfrkit --- */

/* tfrkit finds the files, detects their compression, verifies checksums and divides the records
 * among the workers of a DataLoader.  What is written here is the shape of each feature. */

static void torch_field(struct tfr_emit *e, const struct tfr_field *field)
{
	if (!begin_field(e, field, field->kinds ? NULL : no_kind))
		return;
	TFR_EMIT(e, ": ('%s', ", tfr_kind_name(field->f->kind));
	if (!field->required || !field->fixed)
		TFR_EMIT(e, "None),\n");
	else if (field->length == 1)
		TFR_EMIT(e, "()),\n");
	else
		TFR_EMIT(e, "(%llu,)),\n", (unsigned long long)field->length);
}

static const char torch_parse[] =
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

static const char torch_decode[] =
	"\n\ndef pixels(data):\n"
	"    \"\"\"An encoded image as uint8 pixels, [3, height, width].\"\"\"\n"
	"    image = Image.open(io.BytesIO(data)).convert('RGB').resize(IMAGE_SIZE[::-1], "
	"Image.BILINEAR)\n"
	"    return torch.from_numpy(numpy.array(image)).permute(2, 0, 1)\n";

static const char torch_images[] = "    for name in IMAGES:\n"
				   "        out[name] = pixels(out[name])\n";

static const char torch_collate[] =
	"\n\ndef collate(rows):\n"
	"    \"\"\"A batch: tensors of one shape are stacked, all else is a list with one entry "
	"per record.\"\"\"\n"
	"    out = {name: [row[name] for row in rows] for name in FEATURES}\n"
	"    for name, (_, shape) in FEATURES.items():\n"
	"        if shape is not None and isinstance(out[name][0], torch.Tensor):\n"
	"            out[name] = torch.stack(out[name])\n"
	"    return out\n";

static const char torch_batches[] =
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
	bool images = has_images(e->s);
	struct tfr_field field;

	put_origin(e);
	TFR_EMIT(e, "%simport tfrkit.torch\nimport torch\n%s\n",
		images ? "import io\n\nimport numpy\n" : "",
		images ? "from PIL import Image\n" : "");
	TFR_EMIT(e, "# The kind of each feature and its shape; None where records differ in it.\n"
		    "FEATURES = {\n");
	for (size_t i = 0; tfr_field_next(e->s, &i, &field);)
		torch_field(e, &field);
	TFR_EMIT(e, "}\n");
	put_images(e);
	TFR_EMIT(e, "%s", images ? torch_decode : "");
	TFR_EMIT(e, "%s%s    return out\n", torch_parse, images ? torch_images : "");
	TFR_EMIT(e, "%s%s", torch_collate, torch_batches);
}

/* --- tensorflow.metadata.v0.Schema --- */

static void pbtxt_field(struct tfr_emit *e, const struct tfr_field *field)
{
	static const char *const types[] = { "", "BYTES", "FLOAT", "INT" };
	const struct tfr_range *length = &field->f->facts.length, *steps = &field->steps;
	unsigned long long least = length->min, most = length->max;

	if (!field->kinds)
		return;
	TFR_EMIT(e, "feature {\n  name: ");
	put_quoted(e, field->f, PBTXT);
	TFR_EMIT(e, "\n  type: %s\n  presence {\n%s    min_count: 1\n  }\n", types[field->f->kind],
		field->required ? "    min_fraction: 1\n" : "");
	if (e->s->of_lists) /* the steps per record, and the values per step */
		TFR_EMIT(e,
			"  value_counts {\n"
			"    value_count {\n      min: %llu\n      max: %llu\n    }\n"
			"    value_count {\n      min: %llu\n      max: %llu\n    }\n"
			"  }\n",
			(unsigned long long)steps->min, (unsigned long long)steps->max, least,
			most);
	else if (field->required && field->fixed)
		TFR_EMIT(e, "  shape {\n    dim {\n      size: %llu\n    }\n  }\n", least);
	else
		TFR_EMIT(e, "  value_count {\n    min: %llu\n    max: %llu\n  }\n", least, most);
	if (field->f->kind == TFR_KIND_BYTES && field->content == TFR_VALUE_IMAGE)
		TFR_EMIT(e, "  image_domain {\n  }\n");
	TFR_EMIT(e, "}\n");
}

/* TensorFlow Data Validation represents the feature lists as one feature of that name, a struct of
 * them (tfx_bsl/tfxio/tf_sequence_example_record.py). */
void tfr_emit_pbtxt(struct tfr_emit *e)
{
	struct tfr_emit lists = { .s = e->s->lists };
	struct tfr_field field;

	put_origin(e);
	for (size_t i = 0; tfr_field_next(e->s, &i, &field);)
		pbtxt_field(e, &field);
	if (!lists.s)
		return;
	TFR_EMIT(e, "feature {\n  name: \"##SEQUENCE##\"\n  type: STRUCT\n  struct_domain {\n");
	for (size_t i = 0; tfr_field_next(lists.s, &i, &field);)
		pbtxt_field(&lists, &field);
	for (size_t at = 0, size; !lists.failed && at < lists.out.size; at += size) {
		const char *line = (const char *)lists.out.data + at;

		size = (size_t)((const char *)memchr(line, '\n', lists.out.size - at) + 1 - line);
		TFR_EMIT(e, "    %.*s", (int)size, line);
	}
	TFR_EMIT(e, "  }\n}\n");
	e->failed |= lists.failed;
	tfr_buf_clear(&lists.out);
}
