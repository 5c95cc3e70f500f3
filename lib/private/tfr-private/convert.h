/* tfr-private/convert.h - other people's files into sets of records.
 *
 * A folder of images becomes one or more sets of tf.train.Examples that the usual readers take:
 * features image/encoded (the file's bytes, untouched unless `rework` says otherwise), image/format
 * ("jpeg", "png"), image/height, image/width, image/channels, image/filename (the path below the
 * folder), and with classes image/class/label and image/class/text (names and types as slim's and
 * object_detection's readers have them: tensorflow/models,
 * research/slim/datasets/dataset_utils.py). */
#ifndef TFR_PRIVATE_CONVERT_H
#define TFR_PRIVATE_CONVERT_H

#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/progress.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_on_error {
	TFR_ON_ERROR_DEFAULT,	 /* what suits the kind of input: skip, but of records fail */
	TFR_ON_ERROR_SKIP,	 /* warned of by name, counted */
	TFR_ON_ERROR_FAIL,	 /* the first one ends the run, nothing is written */
	TFR_ON_ERROR_QUARANTINE, /* skipped, and noted in a file: PATH TAB REASON */
};

/* The kind of a column's feature, where it is not to be found from its values. */
struct tfr_column_type {
	const char *name;
	enum tfr_kind kind; /* not UNSET */
};

/* A column of paths, below the folder of the list, whose files' bytes go into the records. */
struct tfr_embed {
	const char *column;
	/* That gets the bytes.  "image/encoded": the file is an image, and all features of an
	 * image are made of it as those of a folder's are; "audio/encoded": likewise a WAV file.
	 */
	const char *feature;
};

/* A shard as a dry run sees it. */
struct tfr_planned_shard {
	const char *file;
	uint64_t records; /* at most: of files it is not known whether each becomes one */
	uint64_t bytes;	  /* about, not compressed */
};

/* A split that an input has, where no set names one. */
struct tfr_found_split {
	const char *folder; /* "train" */
	uint64_t files;	    /* in it, at any depth */
	bool folders;	    /* some lie in folders of it, which are classes */
};

/* What is done to each image on its way into its record.  Zero is nothing: the file's bytes.
 *
 * An image that is already as it is to be keeps its bytes.  Any other is decoded, turned, scaled
 * and encoded, in this order: what comes out has 8 bits a sample, palettes and CMYK have become
 * colours by the laws of tfr_decode(), a JPEG has no alpha, and of all metadata only an EXIF
 * orientation that was not applied is kept.  image/format, height, width and channels speak of the
 * image in the record; image/filename stays. */
struct tfr_rework {
	/* The shorter side becomes this many pixels, the longer one as many as keep the shape,
	 * rounded down: longer * size / shorter, as torchvision's Resize(size) has it.  An image
	 * whose shorter side is not longer than that keeps its size unless `enlarge`.  0: no. */
	uint32_t shorter;
	uint32_t width, height; /* exactly these, larger or smaller; 0: no */
	bool enlarge;
	enum tfr_filter filter;
	/* What images are encoded as; those of another format are encoded anew, whatever else is
	 * asked for.  TFR_IMAGE_UNKNOWN: as what they were. */
	enum tfr_image_format format;
	unsigned quality; /* of JPEGs that are encoded [0: 95]; their chroma subsampling stays */
	bool orient;	  /* turn them as EXIF wants it */
	bool rgb8;	  /* make CMYK, and what has 16 bits a sample, RGB of 8 bits */
};

/* What is found of items while they are packed: what a trainer would rather know now. */
enum tfr_finding {
	/* Of items that became no record: */
	TFR_FOUND_UNREADABLE, /* the system would not give it */
	TFR_FOUND_EMPTY,
	TFR_FOUND_TRUNCATED,
	TFR_FOUND_DAMAGED,
	TFR_FOUND_NO_IMAGE, /* its content is none, or of a kind that is not decoded */
	TFR_FOUND_UNUSABLE, /* anything else */
	/* Of images that did, as they came: */
	TFR_FOUND_NAME,	       /* a PNG called .jpg, a JPEG called .png */
	TFR_FOUND_SIZE,	       /* not the size that the input says */
	TFR_FOUND_ORIENTATION, /* EXIF wants it turned, and it was not */
	TFR_FOUND_CMYK,
	TFR_FOUND_DEEP, /* 16 bits a sample */
	TFR_FOUND_PALETTE,
	TFR_FOUND_INDICES, /* of a BMP, which TensorFlow does not turn into colours */
	TFR_FOUND_ALPHA,
	TFR_FOUND_GRAY,	       /* where others are in colour */
	TFR_FOUND_PROGRESSIVE, /* or interlaced: slow to decode, and only whole */
	TFR_FOUND_TINY,	       /* a side of less than 8 pixels */
	TFR_FOUND_HUGE,	       /* more than 50 million pixels */
	TFR_FINDINGS,
};

/* A finding's word, as reports have it: "truncated", "16-bit". */
const char *tfr_finding_code(enum tfr_finding finding);
/* What it is of, in the plural: "images of 16 bits a sample". */
const char *tfr_finding_text(enum tfr_finding finding);

/* What becomes of a sound. */
enum tfr_audio_kind {
	TFR_SOUND_BYTES,  /* audio/encoded: the file's bytes */
	TFR_SOUND_FLOATS, /* audio/waveform: tfr_audio_samples()'s floats, sample by sample */
};

/* What tfr_convert() is to do.  Zero is a default everywhere but in `inputs` and `targets`. */
struct tfr_convert_opts {
	const char *const *inputs;
	size_t input_count; /* at least 1; most kinds take one */
	/* The kind of input: "folder", "audio", "pairs", "coco", "voc", "yolo", "archive",
	 * "webdataset", "npy", "hdf5", "csv", "tsv", "tsv-raw", "jsonl", "records"; NULL:
	 * detected from the contents. */
	const char *from;
	const char *masks; /* "pairs": the folder of masks; inputs[0] has the images */
	/* "coco": the file of annotations, and whether each of them gets a mask; inputs[0] has the
	 * images. */
	const char *annotations;
	bool instance_masks;
	/* "coco": files of captions and of panoptic, beside `annotations` or in their place; and
	 * the folder of the images of segments, NULL: that of panoptic's name without ".json". */
	const char *captions, *panoptic, *segments;
	/* "voc": inputs[0] has Annotations and JPEGImages, or `annotations` is a folder and
	 * inputs[0] has the images.  The name of a list in ImageSets/Main, "train", whose
	 * images are taken, in its order; NULL: all. */
	const char *image_set;
	bool allow_missing; /* records: sets that lack members are read with what is there */
	/* Records: read from this descriptor, which stays the caller's, up to its end; inputs[0] is
	 * what errors call it.  NULL: `inputs` are opened. */
	const int *descriptor;
	/* The sets it is divided into.  Which one an item falls to is decided by XXH3-64 of its
	 * name (of a file: its path below the folder): it stays where it is when others come or go.
	 */
	const struct tfr_share *targets;
	size_t target_count;
	/* Of a folder of images: the sets are the splits of a TFDS data set, called `set` each,
	 * in this folder, which is made where it is not there.  NULL: they are ordinary sets. */
	const char *tfds;
	/* Of lists: "csv", "tsv", "tsv-raw", "jsonl". */
	const struct tfr_column_type *types;
	size_t type_count;
	const struct tfr_embed *embeds;
	size_t embed_count;
	const char *root; /* the folder in which paths to embed begin; NULL: that of the list */
	/* Of a list with classes, the items of each class are divided, so that each set has its
	 * share of it, by the law of tfr_split() with a feature to stratify by. */
	bool stratify;
	unsigned threads;   /* 0: one a processor.  The records do not depend on it */
	uint64_t memory;    /* bytes of items in flight; 0: 256 MiB.  One alone may exceed it */
	int64_t label_base; /* the label of the first class */
	/* A folder: the classes and their labels, from a file of lines LABEL:NAME or NAME.  A class
	 * folder that is not in it is an error.  NULL: the folders, numbered from label_base. */
	const char *labels;
	/* A folder: a file of lines CLASS TAB TEXT (a space will do), by which image/class/text is
	 * TEXT and CLASS becomes image/class/synset, as ImageNet's scripts have it. */
	const char *synsets;
	/* A folder without folders in it: a file with the class of each file, a line each, in their
	 * order. */
	const char *class_list;
	/* A folder: patterns of paths below it (convert/folder/globs.h).  Only files are taken that
	 * are, or lie in, what one of `include` matches, all where there is none; what one of
	 * `exclude` matches is not looked at. */
	const char *const *include, *const *exclude;
	size_t include_count, exclude_count;
	/* A full permutation of the items, by `seed`, or their order kept: TFR_EUSAGE for both.
	 * Neither: items that only their paths order are shuffled (folders of images and sounds,
	 * pairs, VOC without an image set); what a file orders is kept. */
	bool shuffle, keep_order;
	/* Where arrays of an NPZ archive are unpacked that cannot be streamed: all where rows are
	 * shuffled, and those in Fortran order.  NULL: beside the first set. */
	const char *tmpdir;
	uint64_t seed;
	bool verify; /* decode each image whole, not only its header and end */
	struct tfr_rework rework;
	/* HDF5 is read by a process without a sandbox, for systems that have none. */
	bool no_sandbox;
	bool sha256; /* image/key/sha256: of image/encoded, 64 hex digits */
	enum tfr_audio_kind sound;
	/* Of sounds as floats: they become SequenceExamples, whose feature list audio/waveform has
	 * this many seconds a frame, rounded to samples, the last one filled up with zeros.  0:
	 * Examples. */
	double frame;
	enum tfr_on_error on_error;
	const char *quarantine; /* the file of TFR_ON_ERROR_QUARANTINE */
	/* Held to the records of all sets together; otherwise nothing is published, TFR_EDATA. */
	struct tfr_expect expect;
	/* The share of items that look like images, sounds or rows that may be skipped, of the
	 * first 1000 of them and of all; with more the run fails with TFR_EDATA and nothing is
	 * written.  1: all but one.  0: a half. */
	double max_skipped;
	/* A file that lists all findings in the order of the items, whole or absent; NULL: none.
	 * Lines PATH, code, detail, set, shard and record in that shard, tabs between them, "-" for
	 * what became no record; one JSON object where its name ends in ".json". */
	const char *findings;
	struct tfr_writer_opts writer; /* compression, level, force, temporaries, threads */
	const char *command;	       /* for the manifest; may be NULL */
	/* Of a set named BASE@auto[.EXT], when a shard is full: the next record would make it
	 * larger, framed and not compressed; or it has so many records.  Both 0: about 128 MiB,
	 * with the number of shards drawn from the sizes of the files, round-robin, where the input
	 * is files whose sizes can be asked; otherwise one shard fills after another.  TFR_EUSAGE
	 * where a set has another name. */
	uint64_t shard_size, records_per_shard;
	/* A run notes every `checkpoint` seconds (0: 10; below 0: never) in `.SET.resume`, beside
	 * the first set, how far it is, once that is on disk: so a kill -9 or a power cut loses
	 * little.  `resume` goes on from there, or begins where nothing was noted; the result has
	 * the bytes of an unbroken run.  TFR_EUSAGE: the inputs or a set are no files, or the
	 * options are others; TFR_EDATA: the input has changed, or the temporaries are not what was
	 * written.  Without `resume` a failure removes note and temporaries; with it they stay. */
	bool resume;
	double checkpoint;
	/* More that decides the bytes, as the caller has it, a line each; NULL: nothing.  A run is
	 * resumed only by one of which it is the same. */
	const char *options;
	/* Nothing is written; `planned` is told of each shard that would be, in order. */
	bool dry_run;
	void (*planned)(void *ctx, const struct tfr_planned_shard *shard);
	/* Called with each split of an input that is refused with TFR_EUSAGE, since no target names
	 * a folder. May be NULL. */
	void (*found_split)(void *ctx, const struct tfr_found_split *split);
	struct tfr_progress *progress; /* may be NULL; items are files found */
	/* One line, from any thread, one at a time.  Of skipped items of one finding, ten are
	 * named, then a line at the end says how many more there are. */
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

struct tfr_convert_report {
	uint64_t files;		/* items found: files, hidden ones not counted */
	uint64_t skipped;	/* of these: no images, or broken ones, or otherwise of no use */
	uint64_t left;		/* of these: in no set, as the fractions leave a part over */
	uint64_t records;	/* written */
	uint64_t bytes;		/* of items, as read */
	uint64_t payload_bytes; /* of records, as written, before compression */
	uint64_t sum;		/* content sum of the records */
	uint64_t classes;
	uint64_t resumed; /* items that an earlier run had done; the other numbers have them too */
	/* With `resume`: an earlier run with these options and inputs has written the sets, and
	 * nothing was done.  Of the numbers, `records` and `sum` are those of the sets, the others
	 * 0. */
	bool complete;
	uint64_t found[TFR_FINDINGS];
};

/* A list: each row is an item, each column a feature.  "csv" is RFC 4180 with a header line; "tsv"
 * is the same with tabs, "tsv-raw" has tabs and no quotes (IANA's text/tab-separated-values);
 * "jsonl" has one object per line: numbers, NaN, Infinity, -Infinity, texts, true and false, arrays
 * of these,
 * {"base64": TEXT}; members of an object within are features "NAME/MEMBER".  Lines that begin with
 * '#' before the header are comments.  A first column without a name is called "index".
 *
 * A column of integers without leading zeros is int64, one of other numbers float, any other bytes.
 * A column of numbers of which int64 or float32 cannot hold one is TFR_EDATA unless `types` has it.
 * The kind is one for all rows: a file is read twice to find it, on a pipe the first value decides.
 * An empty cell and null are absent; "" in quotes is an empty text.
 * A row that does not fit is skipped; broken quotes end the run, since nothing after them can be
 * trusted. Items are called by their line; which set a row falls to is decided by its bytes.
 *
 * An archive ("archive": tar, plain or compressed, zip) is read as if it had been unpacked; from a
 * pipe, which cannot be read twice, only where its members lie in no folders (TFR_EUSAGE), since
 * labels are numbers of all class names.  TFR_EUNAVAILABLE: it needs libarchive, which is not
 * there.  WebDataset archives ("webdataset"): members that follow each other and have one key are a
 * record of image/… features, image/class/label (cls), image/key and a feature of bytes for each
 * other field.
 *
 * A folder of images ("folder"): every file below it is an item; items are shuffled, or with
 * keep_order sorted bytewise, component by component of their paths.  A class is a sub-folder,
 * folders in it belong to it; links are followed, a link to a folder it lies in is skipped by name;
 * what begins with a dot is not looked at.  Images directly in the folder have no class: when all
 * lie there, records have no class features, otherwise those are skipped.
 *
 * A folder of sounds ("audio") is the same with WAV files in the place of images: a file whose
 * content tfr_audio_probe() takes.  Records have audio/encoded and audio/format ("wav"), or
 * audio/waveform; audio/sample_rate, audio/channels, audio/samples (of one channel),
 * audio/filename, audio/class/label and audio/class/text, and with frames audio/frame_samples.
 *
 * An image is a file whose content is a whole JPEG or PNG (tfr_image_probe()).  With classes, a
 * labels file of lines LABEL:NAME is written beside each set, train.16-tfrecord.labels.txt; one
 * that is there and says the same is kept.
 *
 * Records ("records"): what tfr_set_open() takes, as they lie, nothing decoded, every checksum
 * verified; record k goes to shard k mod N of the one set.  With TFR_ON_ERROR_SKIP damage is passed
 * over as tfr_reader_resync() does, each fault in one place; no quarantine.
 *
 * With `tfds`, records have the features of TFDS's own ImageFolder: image, the bytes,
 * image/filename and label, from 0 (tensorflow_datasets/folder_dataset/image_folder.py).  The
 * folder, whose last part names the data set, gets NAME-SPLIT.tfrecord-NNNNN-of-NNNNN, as many as
 * TFDS would make of the sizes of the files unless shard_size or records_per_shard says when one is
 * full; features.json, label.labels.txt, and last dataset_info.json.  TFR_EUSAGE: a name of the
 * data set or of a split that TFDS does not take, labels that are not 0 to n-1, digests or
 * compression asked for.
 *
 * Pairs ("pairs"): every file below the folder of images is an item, in the same order; its mask
 * is the file of the same path below `masks`, whatever both extensions are.  Records have
 * image/segmentation/class/encoded, a PNG whose gray values are class numbers, and
 * image/segmentation/class/format ("png"), as DeepLab's readers know them (tensorflow/models,
 * research/deeplab/datasets/build_data.py).  A PNG of gray up to 8 bits is kept byte for byte; a
 * palette becomes 8-bit gray of its indices, and so do 16 bits where no number is over 255.
 * Skipped: images without a mask and masks without an image (these are items too, after the
 * images), several of one name, masks of another kind or of another size than their image.
 *
 * COCO ("coco"): an image of the annotations is an item, in the order of the file, its image
 * `file_name` below the folder.  Records have image/source_id, the image's id, and where it has
 * annotations image/object/bbox/{xmin,xmax,ymin,ymax} (box over size, as double, rounded to float),
 * image/object/class/{label,text} (category_id as it is, and its name), image/object/area,
 * image/object/is_crowd and, with `instance_masks`, image/object/mask, an 8-bit gray PNG of 0 and 1
 * each, drawn as pycocotools draws polygons and runs (tensorflow/models, official/vision/data/
 * create_coco_tf_record.py); where categories name keypoints,
 * image/object/keypoint/{x,y,visibility, num,text}; with `captions` image/caption; with `panoptic`
 * image/panoptic/{category_mask, instance_mask}, 8-bit gray PNGs.  Boxes without an area or past
 * the image's edge are left out and counted, and so are annotations of images that are not there.
 * Skipped: images that are absent, of another size than the annotations say, or with a shape that
 * cannot be drawn, and names that leave the folder.
 *
 * VOC ("voc"): a file .xml below the folder of annotations is an item, its image the <filename>
 * below that of images.  Records have image/source_id, the filename, and where there are boxes
 * image/object/bbox/{xmin,xmax,ymin,ymax} over the size, as double, rounded to float,
 * image/object/class/{label,text}, the label from `labels` or of the names sorted, image/object/
 * {difficult,truncated} and image/object/view, the pose (tensorflow/models, research/
 * object_detection/dataset_tools/create_pascal_tf_record.py).  Boxes without an area or past the
 * image's edge are left out and counted.  Skipped: what is no annotation, and images that are
 * absent, of another size than it says, or of a class that `labels` has not.
 *
 * Item k of a set goes to shard k mod N, skipped or not, so that one bad file moves no other.
 * Nothing is visible until every set is whole and on disk; then one set after the other gets its
 * names, its manifest last.  A failure before that leaves nothing behind.
 *   TFR_EDATA   nothing became a record; with TFR_ON_ERROR_FAIL: the first item that is of no use
 *   TFR_EEXIST  a set, or a labels file of its name that says something else, is there
 *   TFR_EUSAGE  fractions that cannot be met, an input of no known kind
 *   TFR_ESYS    the input cannot be read, or the sets not written */
enum tfr_status tfr_convert(const struct tfr_convert_opts *opts, struct tfr_convert_report *report,
	struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
