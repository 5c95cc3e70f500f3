/* cmd/shard/options.c - the option table of tfr shard, in the order of its page. */
#include "shard/options.h"

const struct shard_settings shard_defaults = {
	.memory = 1 << 30,
	.checkpoint = 10,
	.max_skipped = 50,
	.frame = -1,
};

/* A row: NAME and MEMBER are those of struct shard_settings. */
#define ROW(type_, letter_, name_, arg_, values_, member_, help_)                                  \
	OPT(type_, letter_, name_, arg_, values_, help_, struct shard_settings, member_)

static const char FOLLOW_GONE[] =
	"Run tfr shard when the writer has finished; it reads a FIFO to its end.  tfr cat --follow "
	"reads a file that grows.";

const struct opt shard_options[] = {
	OPT_HEADING("Input"),
	ROW(STRING, 0, "from", "KIND",
		"folder|audio|pairs|coco|voc|yolo|metadata|archive|webdataset|npy|hdf5|csv|tsv|"
		"jsonl|records",
		from,
		"the kind of input: folder, audio, pairs, coco, voc, yolo, metadata, archive, "
		"webdataset, npy, hdf5, csv, tsv, jsonl or records [auto: detected from "
		"the contents]"),
	ROW(STRING, 0, "mask", "DIR", NULL, mask,
		"pair each image of INPUT with the mask of the same name in DIR"),
	ROW(STRING, 0, "annotations", "FILE", NULL, annotations,
		"add boxes, classes and keypoints from COCO's annotations; a folder holds VOC's"),
	ROW(STRING, 0, "captions", "FILE", NULL, captions, "add COCO's captions"),
	ROW(STRING, 0, "panoptic", "FILE", NULL, panoptic, "add COCO's panoptic segments"),
	ROW(STRING, 0, "panoptic-masks", "DIR", NULL, panoptic_masks,
		"the folder with the images of --panoptic [its name without .json]"),
	ROW(FLAG, 0, "draw-masks", NULL, NULL, draw_masks,
		"draw a mask for each annotation from its polygons or runs"),
	ROW(STRING, 0, "image-set", "NAME", NULL, image_set,
		"VOC: take only the images listed in ImageSets/Main/NAME.txt, such as train"),
	ROW(LIST, 0, "include", "GLOB", NULL, include,
		"take only files whose name, path or folder matches GLOB, such as '*.jpg' or "
		"'cats/**'"),
	ROW(LIST, 0, "exclude", "GLOB", NULL, exclude,
		"leave out files and folders that match GLOB"),
	ROW(FLAG, 0, "ignore-annotations", NULL, NULL, ignore_annotations,
		"leave out files that look like annotations but are in no layout that is read"),
	OPT_MISSING(struct shard_settings, allow_missing),
	ROW(FLAG, 0, "no-sandbox", NULL, NULL, no_sandbox,
		"HDF5: read a trusted file without the sandbox, on systems that have none"),

	OPT_HEADING("Classes"),
	ROW(STRING, 0, "labels", "FILE", NULL, labels,
		"take the labels of class folders from FILE, one line LABEL:NAME or NAME per "
		"class"),
	ROW(COUNT, 0, "label-base", "N", NULL, label_base, "the label of the first class [0]"),
	ROW(STRING, 0, "synsets", "FILE", NULL, synsets,
		"take the text of each class from FILE, one line CLASS TAB TEXT per class, as for "
		"ImageNet's synsets"),
	ROW(STRING, 0, "class-list", "FILE", NULL, class_list,
		"take the class of each image from FILE, one line per image, not from folders"),
	ROW(FLAG, 0, "no-classes", NULL, NULL, no_classes,
		"take all files of a folder or an archive, at any depth, and ignore classes and "
		"splits"),

	OPT_HEADING("Images"),
	ROW(STRING, 0, "resize", "SIZE", NULL, resize,
		"make the shorter side SIZE pixels and keep the shape, or with WxH set both "
		"sides; SIZE leaves smaller images as they are"),
	ROW(STRING, 0, "filter", "NAME", "triangle|area|cubic|lanczos|bilinear|nearest", filter,
		"how to resize: triangle, area, cubic or lanczos as Pillow does, bilinear or "
		"nearest as TensorFlow does [triangle]"),
	ROW(FLAG, 0, "enlarge", NULL, NULL, enlarge,
		"with --resize SIZE: enlarge smaller images too"),
	ROW(CHOICE, 0, "reencode", "KIND", "keep|jpeg|png", reencode,
		"encode images of other formats as jpeg or png [keep]"),
	ROW(POSITIVE, 0, "quality", "N", NULL, quality,
		"the quality of encoded JPEGs, from 1 to 100 [95]"),
	ROW(FLAG, 0, "orient", NULL, NULL, orient, "turn images by their EXIF orientation"),
	ROW(FLAG, 0, "rgb8", NULL, NULL, rgb8,
		"convert images in CMYK or with 16 bits per sample to RGB of 8 bits"),
	ROW(FLAG, 0, "sha256", NULL, NULL, sha256,
		"add image/key/sha256, the digest of image/encoded"),
	ROW(FLAG, 0, "verify-images", NULL, NULL, verify,
		"decode every image completely, not only its header and end"),

	OPT_HEADING("Audio"),
	ROW(STRING, 0, "audio", "KIND", "bytes|floats", audio,
		"store WAV files as bytes in audio/encoded, or decoded as floats in "
		"audio/waveform [bytes]"),
	ROW(REAL, 0, "frame", "SECONDS", NULL, frame,
		"cut the floats into frames of SECONDS, as SequenceExamples"),

	OPT_HEADING("Lists and arrays"),
	ROW(LIST, 0, "types", "NAME=TYPE,...", NULL, types,
		"columns that are int, float or bytes, whatever their values look like"),
	ROW(STRING, 0, "delimiter", "CHAR", NULL, delimiter,
		"CSV and TSV: the character between cells, or the word tab [detected]"),
	ROW(STRING, 0, "na", "TEXT,...", NULL, na,
		"CSV and TSV: treat cells with one of these texts as empty"),
	ROW(LIST, 0, "embed", "COLUMN[=FEATURE]", NULL, embeds,
		"COLUMN holds paths: store the files' bytes as FEATURE; image/encoded adds all "
		"features of an image [COLUMN]"),
	ROW(STRING, 0, "root", "DIR", NULL, root,
		"the folder of the paths that --embed reads [that of the list]"),
	ROW(STRING, 0, "tmpdir", "DIR", NULL, tmpdir,
		"archives of arrays, compressed lists: unpack in DIR what cannot be streamed "
		"[beside the set]"),

	OPT_HEADING("Order and division"),
	ROW(FLAG, 0, "shuffle", NULL, NULL, shuffle,
		"shuffle the items by --seed, the default for folders, which have no order"),
	ROW(FLAG, 0, "no-shuffle", NULL, NULL, keep_order,
		"take the files of a folder in the order of their paths"),
	ROW(COUNT, 0, "seed", "N", NULL, seed, "the seed of the shuffle [0]"),
	ROW(FLAG, 0, "stratify-classes", NULL, NULL, stratify,
		"divide each class by the fractions of -o, not all images together"),

	OPT_HEADING("Output"),
	ROW(LIST, 'o', "output", "SET[=FRACTION]", NULL, outputs,
		"write SET, such as 'out/train@16.tfrecord'; may be repeated with fractions, such "
		"as 'val@2.tfrecord=0.1', or with folders of INPUT, such as "
		"'train@16.tfrecord=train/'; one SET without a fraction takes the rest"),
	ROW(STRING, 0, "tfds", "DIR", NULL, tfds,
		"make DIR a data set for TensorFlow Datasets from a folder of images; -o then "
		"names its splits, such as -o train=0.9 -o test [train]"),
	ROW(SIZE, 0, "shard-size", "SIZE", NULL, shard_size,
		"for a set named 'train@auto.tfrecord': fill one shard after another with at most "
		"SIZE [128M]"),
	ROW(POSITIVE, 0, "records-per-shard", "N", NULL, records_per_shard,
		"for a set named 'train@auto.tfrecord': put N records into each shard but the "
		"last"),
	ROW(FLAG, 0, "dry-run", NULL, NULL, dry_run,
		"write nothing; print the shards with their records and approximate sizes"),
	OPT_EXPECT_OUTPUT(struct shard_settings, expect),
	OPT_FORCE(struct shard_settings, force),
	OPT_COMPRESS(struct shard_settings, compress),
	OPT_LEVEL(struct shard_settings, level),

	OPT_HEADING("Running"),
	ROW(STRING, 0, "on-error", "HOW", "skip|fail|quarantine=", on_error,
		"unusable items, such as broken images: skip them with a warning, fail (the "
		"default for records), or quarantine=FILE: skip them and write PATH TAB REASON to "
		"FILE [skip]"),
	ROW(REAL, 0, "max-skipped", "PERCENT", NULL, max_skipped,
		"fail and write nothing if more than PERCENT of the items are skipped [50]"),
	ROW(STRING, 0, "report", "FILE", NULL, report,
		"list skipped items and unusual images in FILE, as lines of PATH, code, detail, "
		"set, shard and record, or as JSON in FILE.json"),
	ROW(STRING, 0, "part", "I/N", NULL, part,
		"write the shards I, I + N, ... only, counted from 0; auto: ask the scheduler; "
		"'tfr finish' completes the set (tfr-cluster(7))"),
	ROW(FLAG, 0, "resume", NULL, NULL, resume,
		"continue a run with the same options that was killed or failed, or begin one"),
	ROW(REAL, 0, "checkpoint", "SECONDS", NULL, checkpoint,
		"how often to save the position for --resume; 0: never [10]"),
	ROW(SIZE, 'm', "memory", "SIZE", NULL, memory, "use at most SIZE of memory for items [1G]"),
	OPT_JOBS(struct shard_settings, jobs),
	ROW(FLAG, 0, "json", NULL, NULL, json,
		"one JSON object in place of the closing line, or of the output of --dry-run"),
	OPT_PROGRESS(struct shard_settings, progress),
	OPT_QUIET(struct shard_settings, quiet),

	OPT_ALIAS("masks", "draw-masks"),
	OPT_ALIAS("stratify", "stratify-classes"),
	OPT_ALIAS("verify", "verify-images"),
	OPT_GONE("image", "Name the folder of images as INPUT: tfr shard DIR --mask MASKS."),
	OPT_GONE("images", "Name the folder of images as INPUT: tfr shard DIR --annotations FILE."),
	OPT_GONE("per-epoch", FOLLOW_GONE),
	OPT_GONE("follow", FOLLOW_GONE),
	OPTIONS_END,
};
