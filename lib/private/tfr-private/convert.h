/* tfr-private/convert.h - converts files of other formats to sets of records.
 *
 * A folder of images becomes one or more sets of tf.train.Examples that the usual readers accept.
 * The features are image/encoded (the file's bytes, untouched unless `rework` says otherwise),
 * image/format ("jpeg", "png"), image/height, image/width, image/channels, image/filename (the path
 * below the folder).  With classes, there are also image/class/label and image/class/text.  Names
 * and types are those of slim's and object_detection's readers (tensorflow/models,
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
	TFR_ON_ERROR_DEFAULT,	 /* the kind of input decides: skip, but fail for records */
	TFR_ON_ERROR_SKIP,	 /* named in a warning, and counted */
	TFR_ON_ERROR_FAIL,	 /* the first one ends the run; nothing is written */
	TFR_ON_ERROR_QUARANTINE, /* skipped, and listed in a file: PATH TAB REASON */
};

/* The kind of a column's feature, where the values must not decide it. */
struct tfr_column_type {
	const char *name;
	enum tfr_kind kind; /* not UNSET */
};

/* A column of paths below the folder of the list.  The bytes of these files go into the records. */
struct tfr_embed {
	const char *column;
	/* The feature for the bytes.  "image/encoded": the file is an image, and the record gets
	 * all features of an image, as in a folder of images; "audio/encoded": likewise for a WAV
	 * file. */
	const char *feature;
};

/* A shard, as a dry run predicts it. */
struct tfr_planned_shard {
	const char *file;
	uint64_t records; /* an upper bound if it is not known which files become records */
	uint64_t bytes;	  /* an estimate, before compression */
};

/* A split that the input contains.  Reported when no set names one. */
struct tfr_found_split {
	const char *folder; /* "train" */
	uint64_t files;	    /* below it, at any depth */
	bool folders;	    /* some are in sub-folders, which are classes */
};

/* How each image is changed on its way into its record.  Zero: not at all; the file's bytes are
 * kept.
 *
 * An image that already meets the settings keeps its bytes.  Any other is decoded, rotated, scaled
 * and encoded, in this order.  The result has 8 bits per sample; palettes and CMYK are converted to
 * colours as tfr_decode() converts them; a JPEG has no alpha.  Of all metadata, only an EXIF
 * orientation that was not applied is kept.  image/format, height, width and channels describe the
 * image in the record; image/filename is unchanged. */
struct tfr_rework {
	/* The length of the shorter side in pixels.  The longer side keeps the aspect ratio,
	 * rounded down: longer * size / shorter, as in torchvision's Resize(size).  An image whose
	 * shorter side is not longer than that keeps its size unless `enlarge`.  0: no change. */
	uint32_t shorter;
	uint32_t width, height; /* exactly this size, larger or smaller; 0: no change */
	bool enlarge;
	enum tfr_filter filter;
	/* The format of the result.  Images of another format are encoded again, whatever the other
	 * settings.  TFR_IMAGE_UNKNOWN: the format of the file. */
	enum tfr_image_format format;
	unsigned quality; /* of JPEGs that are encoded [0: 95]; chroma subsampling is kept */
	bool orient;	  /* apply the EXIF orientation */
	bool rgb8;	  /* convert CMYK and 16 bits per sample to RGB of 8 bits */
};

/* Findings about items, collected while they are packed, that may disturb training. */
enum tfr_finding {
	/* Items that became no record: */
	TFR_FOUND_UNREADABLE, /* the system could not read it */
	TFR_FOUND_EMPTY,
	TFR_FOUND_TRUNCATED,
	TFR_FOUND_DAMAGED,
	TFR_FOUND_NO_IMAGE, /* the content is not an image, or of a format that is not decoded */
	TFR_FOUND_UNUSABLE, /* any other reason */
	/* Images that became records, as read: */
	TFR_FOUND_NAME,	       /* such as a PNG called .jpg, or a JPEG called .png */
	TFR_FOUND_SIZE,	       /* the size differs from the one in the input */
	TFR_FOUND_ORIENTATION, /* an EXIF orientation that was not applied */
	TFR_FOUND_CMYK,
	TFR_FOUND_DEEP, /* 16 bits per sample */
	TFR_FOUND_PALETTE,
	TFR_FOUND_INDICES, /* of a BMP; TensorFlow does not convert it to colours */
	TFR_FOUND_ALPHA,
	TFR_FOUND_GRAY,	       /* while other images are in colour */
	TFR_FOUND_PROGRESSIVE, /* or interlaced: slow to decode, and only as a whole */
	TFR_FOUND_TINY,	       /* one side is shorter than 8 pixels */
	TFR_FOUND_HUGE,	       /* more than 50 million pixels */
	TFR_FINDINGS,
};

/* The code of a finding in reports: "truncated", "16-bit". */
const char *tfr_finding_code(enum tfr_finding finding);
/* A description in the plural: "images of 16 bits per sample". */
const char *tfr_finding_text(enum tfr_finding finding);

/* How a WAV file is stored. */
enum tfr_audio_kind {
	TFR_AUDIO_BYTES,  /* audio/encoded: the file's bytes */
	TFR_AUDIO_FLOATS, /* audio/waveform: the floats of tfr_audio_samples(), interleaved */
};

/* The settings of tfr_convert(), one struct per concern.  Zero is a default for everything but
 * `input.paths` and `output.targets`. */

struct tfr_convert_input {
	const char *const *paths;
	size_t count; /* at least 1; most kinds accept only one */
	/* The kind of input: "folder", "audio", "pairs", "coco", "voc", "yolo", "metadata",
	 * "csv-boxes", "csv-classes", "createml", "archive", "webdataset", "npy", "hdf5", "csv",
	 * "tsv", "jsonl", "records"; NULL: detected from the contents.  The kinds of annotated
	 * images, "pairs" to "createml", need a folder or an archive. */
	const char *from;
	const char *masks; /* "pairs": the folder of masks; paths[0] has the images */
	/* "coco": the file of annotations; paths[0] has the images.  NULL: annotations in one of
	 * the layouts of COCO. */
	const char *annotations;
	bool draw_masks; /* "coco" and "yolo": each object gets a mask of its polygons or runs */
	/* "coco": files of captions and of panoptic annotations, with or without `annotations`; and
	 * the folder of segment images, NULL: the name of `panoptic` without ".json". */
	const char *captions, *panoptic, *segments;
	/* "voc": paths[0] has Annotations and JPEGImages, or `annotations` is a folder and
	 * paths[0] has the images.  The name of a list in ImageSets/Main, such as "train": only
	 * its images are converted, in its order; NULL: all images. */
	const char *image_set;
	/* A folder: patterns of paths below it (convert/folder/globs.h).  Only files that match one
	 * of `include`, or are in a folder that does, are converted; all if there is none.  Paths
	 * that match one of `exclude` are ignored. */
	const char *const *include, *const *exclude;
	size_t include_count, exclude_count;
	/* Without this, a folder or archive with files that look like annotations of its images,
	 * and that its kind does not read, is TFR_EUSAGE.  So are annotations of two kinds, unless
	 * `from` is one of them. */
	bool ignore_annotations;
	bool allow_missing; /* records: read incomplete sets, without their missing members */
	/* Read HDF5 in a process without a sandbox, for systems that have none. */
	bool no_sandbox;
};

struct tfr_convert_classes {
	int64_t base; /* the label of the first class */
	/* A folder: a file of lines LABEL:NAME or NAME, which assigns the labels.  A class folder
	 * that is not listed is an error.  NULL: the folders, numbered from `base`. */
	const char *labels;
	/* A folder: a file of lines CLASS TAB TEXT (or a space).  image/class/text is then TEXT,
	 * and CLASS becomes image/class/synset, as in ImageNet's scripts. */
	const char *synsets;
	/* A folder without sub-folders: a file with one line per file, in their order: its class.
	 */
	const char *list;
	bool none; /* of a folder or an archive: sub-folders are neither classes nor splits */
};

struct tfr_convert_images {
	struct tfr_rework rework;
	bool sha256; /* image/key/sha256: the digest of image/encoded, 64 hex digits */
	bool verify; /* decode each image completely, not only its header and end */
};

struct tfr_convert_audio {
	enum tfr_audio_kind kind;
	/* For audio as floats: records are SequenceExamples, whose feature list audio/waveform has
	 * this many seconds per frame, rounded to samples; the last frame is padded with zeros.  0:
	 * Examples. */
	double frame;
};

/* Of lists ("csv", "tsv", "jsonl") and of arrays. */
struct tfr_convert_tables {
	const struct tfr_column_type *types;
	size_t type_count;
	const struct tfr_embed *embeds;
	size_t embed_count;
	/* CSV and TSV: what separates the cells; 0: a comma, or a semicolon if the header has no
	 * comma, and a tab in TSV.  The texts of cells that have no value, with commas between
	 * them; NULL: only empty cells have none. */
	char delimiter;
	const char *na;
	const char *root; /* where embedded paths begin; NULL: the list's folder */
	/* Where inputs are unpacked that cannot be read as a stream: arrays of an NPZ archive (all
	 * if rows are shuffled, otherwise those in Fortran order), compressed lists, and compressed
	 * archives of images with annotations.  NULL: beside the first set. */
	const char *tmpdir;
};

struct tfr_convert_order {
	/* A permutation of all items, by `seed`, or their own order; TFR_EUSAGE for both.  Neither:
	 * items without an order of their own are shuffled (folders of images and audio, pairs, VOC
	 * without an image set, YOLO, metadata); the order in a file is kept. */
	bool shuffle, keep;
	uint64_t seed;
	/* An input with classes: the items of each class are divided, so that each set has its
	 * share of every class, as tfr_split() does with a feature to stratify by. */
	bool stratify;
};

struct tfr_convert_output {
	/* The sets to write.  XXH3-64 of an item's name (of a file: its path below the folder)
	 * selects its set, so an item stays in its set when others are added or removed. */
	const struct tfr_share *targets;
	size_t target_count;
	/* A folder of images: the sets become splits of a TFDS data set in this folder, each named
	 * after its `set`.  The folder is created if necessary.  NULL: ordinary sets. */
	const char *tfds;
	struct tfr_writer_opts writer; /* compression, level, force, temporaries, threads */
	/* For a set named BASE@auto[.EXT]: a shard is complete when the next record would exceed
	 * this size, framed and not compressed, or when it has so many records.  Both 0: about 128
	 * MiB.  The number of shards is then computed from the sizes of the input files, and shards
	 * are filled round-robin; if the sizes are unknown, one shard is filled after another.
	 * TFR_EUSAGE if a set has another name. */
	uint64_t shard_size, records_per_shard;
	/* Applied to the records of all sets together.  If they do not conform, nothing is
	 * published: TFR_EDATA. */
	struct tfr_expect expect;
	const char *command; /* for the manifest; may be NULL */
	/* Other settings of the caller that decide the bytes, one per line; NULL: none.  A run can
	 * only be resumed with the same text. */
	const char *options;
	bool dry_run; /* writes nothing; run.planned receives each shard that a run would write */
};

struct tfr_convert_run {
	unsigned threads; /* 0: one per processor.  The records do not depend on it */
	uint64_t memory;  /* bytes of items in progress; 0: 256 MiB.  A single item may exceed it */
	enum tfr_on_error on_error;
	const char *quarantine; /* the file for TFR_ON_ERROR_QUARANTINE */
	/* The greatest share of items that look like images, audio or rows and may be skipped: of
	 * the first 1000 and of all.  If more are skipped, the run fails with TFR_EDATA and nothing
	 * is written.  1: all but one.  0: one half. */
	double max_skipped;
	/* A file that lists all findings in the order of the items, written completely or not at
	 * all; NULL: none.  Lines are PATH, code, detail, set, shard and record in that shard,
	 * separated by tabs; "-" if there is no record.  If its name ends in ".json", it is one
	 * JSON object. */
	const char *report;
	/* Every `checkpoint` seconds (0: 10; below 0: never) a run saves its progress on disk in
	 * `.SET.resume`, beside the first set, so a kill -9 or a power cut loses little.  `resume`
	 * continues from there, or starts from the beginning without such a file.  The result has
	 * the bytes of an uninterrupted run.  TFR_EUSAGE: the inputs or a set are not files, or the
	 * options differ; TFR_EDATA: the input has changed, or the temporary files are not as
	 * written. Without `resume` a failure removes the progress file and the temporary files;
	 * with it they are kept. */
	bool resume;
	double checkpoint;
	/* Of a dry run: each shard, in order. */
	void (*planned)(void *ctx, const struct tfr_planned_shard *shard);
	/* Called with each split of an input that is refused with TFR_EUSAGE, because no target
	 * names a folder. May be NULL. */
	void (*found_split)(void *ctx, const struct tfr_found_split *split);
	struct tfr_progress *progress; /* may be NULL; items are the files found */
	/* One line, from any thread, one at a time.  Of skipped items with the same finding, ten
	 * are named; a line at the end has the number of others. */
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

struct tfr_convert_opts {
	struct tfr_convert_input input;
	struct tfr_convert_classes classes;
	struct tfr_convert_images images;
	struct tfr_convert_audio audio;
	struct tfr_convert_tables tables;
	struct tfr_convert_order order;
	struct tfr_convert_output output;
	struct tfr_convert_run run;
};

struct tfr_convert_report {
	uint64_t files;		/* items found: files, hidden ones not counted */
	uint64_t skipped;	/* skipped: not images, damaged, or otherwise unusable */
	uint64_t left;		/* in no set, because the fractions add up to less than 1 */
	uint64_t records;	/* written */
	uint64_t bytes;		/* done by an earlier run; included above */
	uint64_t payload_bytes; /* of records, as written, before compression */
	uint64_t sum;		/* content sum of the records */
	uint64_t classes;
	/* The kind of input as for `from`, and in words: "a folder of images". */
	const char *kind, *kind_text;
	uint32_t shards; /* of a part: those of the set that has most */
	uint64_t
		resumed; /* items that an earlier run had done; also counted in the other numbers */
	/* With `resume`: an earlier run with these options and inputs has written the sets, and
	 * nothing was done.  `records` and `sum` are those of the sets, the other numbers are 0. */
	bool complete;
	uint64_t found[TFR_FINDINGS];
};

/* A list: each row is an item, each column a feature.  "csv" is RFC 4180 with a header line.  "tsv"
 * is the same with tabs.
 * "jsonl" has one object per line: numbers, NaN, Infinity, -Infinity, strings, true and false,
 * arrays of these, {"base64": TEXT}.  Members of a nested object are features "NAME/MEMBER".  Lines
 * that begin with '#' before the header are comments. A first column without a name is called
 * "index".
 *
 * A column of integers without leading zeros is int64, one of other numbers is float, any other is
 * bytes.  A number that fits neither int64 nor float32 is TFR_EDATA unless `types` lists the
 * column.  All rows have the same kind: a file is read twice to find it; on a pipe the first value
 * decides. An empty cell and null are absent; "" in quotes is an empty string.  A row that does not
 * fit is skipped; unbalanced quotes end the run, because nothing after them can be trusted.  Items
 * are named by their line; the bytes of a row select its set.
 *
 * An archive ("archive": tar, plain or compressed, zip) is read as if it had been unpacked.  A pipe
 * cannot be read twice, so its members must not be in folders (TFR_EUSAGE): labels are numbers in
 * the sorted list of all class names.  TFR_EUNAVAILABLE: the archive needs libarchive, which is not
 * installed.  An archive of images with annotations is of the kind of these annotations, and gives
 * the records of the folder.  A plain tar archive is read in place; another one is unpacked first.
 * WebDataset archives ("webdataset"): consecutive members with the same key are one record of
 * image/… features, image/class/label (cls), image/key and a bytes feature for each other field.
 *
 * A folder of images ("folder"): every file below it is an item.  Items are shuffled, or with
 * keep_order sorted bytewise by the components of their paths.  Each sub-folder is a class,
 * including the folders in it.  Links are followed; a link to a folder that contains it is skipped
 * with a warning; names that begin with a dot are ignored.  Images directly in the folder have no
 * class: if all are there, records have no class features, otherwise these images are skipped.
 *
 * A folder of WAV files ("audio") is read in the same way: an item is a file whose content
 * tfr_audio_probe() accepts.  Records have audio/encoded and audio/format ("wav"), or
 * audio/waveform; audio/sample_rate, audio/channels, audio/samples (of one channel),
 * audio/filename, audio/class/label and audio/class/text, and with frames audio/frame_samples.
 *
 * An image is a file whose content is a complete image (tfr_image_probe()).  With classes, a labels
 * file of lines LABEL:NAME is written beside each set, train.16-tfrecord.labels.txt; an existing
 * one with the same contents is kept.
 *
 * Records ("records"): any input of tfr_set_open().  Payloads are copied without decoding, and
 * every checksum is verified; record k goes to shard k mod N of the only set.  With
 * TFR_ON_ERROR_SKIP damage is skipped as tfr_reader_resync() skips it; there is no quarantine.
 *
 * With `tfds`, records have the features of TFDS's own ImageFolder: image, the bytes,
 * image/filename and label, from 0 (tensorflow_datasets/folder_dataset/image_folder.py).  The last
 * part of the folder's path is the name of the data set.  The files are
 * NAME-SPLIT.tfrecord-NNNNN-of-NNNNN, features.json, label.labels.txt and, last,
 * dataset_info.json.  The number of shards is the one TFDS computes from the sizes of the files,
 * unless shard_size or records_per_shard limits a shard.  TFR_EUSAGE: TFDS does not accept the name
 * of the data set or of a split, labels are not 0 to n-1, or digests or compression are requested.
 *
 * Pairs ("pairs"): every file below the folder of images is an item, in the order of a folder; its
 * mask is the file with the same path below `masks`, whatever the two extensions.  Records have
 * image/segmentation/class/encoded, a PNG whose gray values are class numbers, and
 * image/segmentation/class/format ("png"), as DeepLab's readers expect them (tensorflow/models,
 * research/deeplab/datasets/build_data.py).  A gray PNG of up to 8 bits is kept byte for byte; a
 * palette PNG is converted to 8-bit gray of its indices, and a 16-bit PNG if no number exceeds
 * 255.  Skipped: images without a mask, masks without an image (also items, after the images),
 * several files of the same name, and masks of another format or of another size than their image.
 *
 * COCO ("coco"): each image in the annotations is an item, in the order of the file; its file is
 * `file_name` below the folder.  Records have image/source_id, the image's id (tensorflow/models,
 * official/vision/data/create_coco_tf_record.py).  If the image has annotations, they also have
 * image/object/bbox/{xmin,xmax,ymin,ymax} (box / size in double, rounded to float),
 * image/object/class/{label,text} (category_id unchanged, and its name), image/object/area and
 * image/object/is_crowd.  With `draw_masks`, each annotation has an image/object/mask, an 8-bit
 * gray PNG of 0 and 1, drawn as pycocotools draws polygons and runs.  If categories name keypoints,
 * there is image/object/keypoint/{x,y,visibility,num,text}; with `captions`, or if the only
 * annotations found are captions, image/caption; with `panoptic`,
 * image/panoptic/{category_mask,instance_mask}, 8-bit gray PNGs.  Boxes without an area or past the
 * image's edge are omitted and counted, and so are annotations of images that are not listed.
 * Skipped: images that are missing, differ in size from the annotations, or have a shape that
 * cannot be drawn, and names that lead out of the folder.
 *
 * VOC ("voc"): each .xml file below the folder of annotations is an item; its image is <filename>
 * below the folder of images.  Records have image/source_id, the filename (tensorflow/models,
 * research/object_detection/dataset_tools/create_pascal_tf_record.py).  If there are boxes, they
 * also have image/object/bbox/{xmin,xmax,ymin,ymax} (box / size in double, rounded to float),
 * image/object/class/{label,text}, image/object/{difficult,truncated} and image/object/view, the
 * pose.  Labels come from `labels`, or are numbers of the sorted names.  Boxes up to one pixel past
 * the image's edge are clipped; others past it or without an area are omitted.  Both are counted.
 * Skipped: files that are not annotations, and images that are missing, differ in size from the
 * annotation, or have a class that is not in `labels`.
 *
 * YOLO ("yolo"): each image is an item; its labels are lines in a text file of the same name.
 * Records have image/source_id, and with boxes image/object/bbox/{xmin,xmax,ymin,ymax} and
 * image/object/class/{label,text}.  A line of more than four numbers is a polygon, a segment or an
 * oriented box: its box is the bounding box.  If the data set has any, records with boxes have
 * image/object/polygon/{x,y}, the corners of all polygons as fractions of the image's size, and
 * image/object/polygon/num, the corners of each object, 0 for a box.  With `draw_masks`, there is
 * image/object/mask as for COCO, of zeros for a box.
 *
 * A table of files ("metadata"): the rows of metadata.csv or metadata.jsonl are items, whose other
 * columns are features as those of a list; `objects` are boxes.
 *
 * Boxes in a CSV file ("csv-boxes") and Create ML ("createml"): each image in the file is an item,
 * in its order.  Records have image/source_id, and with boxes the features of YOLO's boxes.  Classes
 * are numbered, and boxes clipped and omitted, as those of VOC.
 *
 * Classes in a CSV file ("csv-classes"): each row is an item.  image/class/label and
 * image/class/text have any number of values.
 *
 * Item k of a set goes to shard k mod N, skipped or not, so that one bad file moves no other.
 * With writer.parts, only the items of the shards that this process owns are read, and the sets are
 * completed by tfr_set_finish().  TFR_EUSAGE: the places of items are not known before reading.
 *
 * Nothing is visible until every set is complete and on disk.  Then the sets are published one
 * after another, each with its manifest last.  A failure before that leaves no files. TFR_EDATA
 * there is no record; with TFR_ON_ERROR_FAIL: the first unusable item TFR_EEXIST  a set exists, or
 * a labels file with other contents TFR_EUSAGE  the fractions are impossible, or the kind of input
 * is unknown TFR_ESYS    the input cannot be read, or the sets cannot be written */
enum tfr_status tfr_convert(const struct tfr_convert_opts *opts, struct tfr_convert_report *report,
	struct tfr_error *err);
/* Whether a conversion in parts has skipped too many items, for struct tfr_finish_opts. */
enum tfr_status tfr_convert_judge(const struct tfr_part_tally *all, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
