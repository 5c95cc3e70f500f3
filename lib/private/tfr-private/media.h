/* tfr-private/media.h - detects, measures, decodes, crops, resizes, rotates and encodes images.
 *
 * Pixels equal those of TensorFlow's ops, to the bit: tf.io.decode_jpeg with
 * dct_method='INTEGER_ACCURATE', tf.io.decode_png with dtype uint8, tf.image.resize (v2, bilinear,
 * antialias=False).  Pillow decodes to the same bytes.  GIF, BMP and WebP equal
 * those of tf.io.decode_image with expand_animations=False: the first frame of a GIF and of an
 * animated WebP.
 *
 * An image is rows of interleaved 8-bit samples, top row first ("HWC"); sizes are in pixels,
 * strides in bytes.  Decoding does not apply EXIF orientation, as TensorFlow does not apply it.
 *
 * Objects belong to one thread at a time; two threads need two decoders.  Functions without an
 * object are pure. */
#ifndef TFR_PRIVATE_MEDIA_H
#define TFR_PRIVATE_MEDIA_H

#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Formats ---- */

enum tfr_image_format {
	TFR_IMAGE_UNKNOWN = 0, /* not an image of any kind listed here */
	TFR_IMAGE_JPEG,	       /* decoded */
	TFR_IMAGE_PNG,	       /* decoded */
	TFR_IMAGE_GIF,	       /* its first frame is decoded, with giflib */
	TFR_IMAGE_BMP,	       /* decoded: 8, 24 and 32 bits per pixel */
	TFR_IMAGE_WEBP,	       /* decoded, with libwebp; the first frame of an animation */
	/* The formats below are detected, so that a message can name them, and not decoded. */
	TFR_IMAGE_TIFF,
	TFR_IMAGE_JXL,
	TFR_IMAGE_AVIF,
	TFR_IMAGE_HEIC,
	TFR_IMAGE_JP2,
};

/* The format, by the first bytes alone.  Nothing else is verified. */
enum tfr_image_format tfr_image_sniff(const void *data, size_t size);

/* "jpeg", "png", "gif", … as `image/format` spells it; "unknown" for TFR_IMAGE_UNKNOWN. */
const char *tfr_image_format_name(enum tfr_image_format format);

/* Whether tfr_image_probe() measures the format and tfr_decode() decodes it.  For GIF and WebP the
 * pixels need a module, which is opened at first use: without it, decoding returns
 * TFR_EUNAVAILABLE. */
bool tfr_image_is_decoded(enum tfr_image_format format);

/* Whether tfr_encode() writes the format: JPEG and PNG. */
bool tfr_image_is_encoded(enum tfr_image_format format);

struct tfr_image_info {
	enum tfr_image_format format;
	uint32_t width, height;
	/* The channels of decoding with channels = 0.  JPEG: gray 1, otherwise 3 (CMYK and YCCK
	 * become RGB, as in TensorFlow).  PNG: gray 1, gray and alpha 2, RGB and palette 3, RGBA
	 * and a palette with tRNS 4; tRNS of gray and RGB is ignored, as in TensorFlow, and so is
	 * one longer than the palette.  GIF 3.  BMP 1, 3 or 4; with 8 bits the index, not the
	 * colour.  WebP 3, or 4 with alpha and for an animation. */
	unsigned channels;
	unsigned components; /* as stored: 4 for a CMYK JPEG, 1 for a palette PNG */
	unsigned bit_depth;  /* of one stored sample: JPEG 8; PNG 1, 2, 4, 8, 16 */
	bool progressive;    /* a progressive JPEG or an interlaced PNG */
	/* A JPEG's chroma subsampling, "4:2:0"; "4:4:4" when no component is subsampled, the first
	 * component's factors as "HxV" if no such name exists, "" for one component and for PNG.
	 */
	char subsampling[8];
	/* The transform before display, in EXIF's numbers (CIPA DC-008, tag 0x0112, in a JPEG's
	 * APP1 segment or a PNG's eXIf chunk): 1 none, 2 mirrored, 3 rotated by half a turn, 4
	 * upside down, 5 transposed, 6 rotated clockwise, 7 transposed along the other diagonal, 8
	 * rotated anticlockwise.  A missing or invalid number is 1.  No pixel or size here is
	 * transformed: see tfr_image_turn(). */
	unsigned orientation;
	bool palette;	/* a PNG of palette indices; a BMP of indices to colours */
	bool truncated; /* the fault is a missing end */
	uint32_t frames; /* GIF only */
	/* A sequential JPEG of one scan without an end marker, which may be all that is missing. */
	bool no_end;
};

/* Measures an image without decoding it, and verifies that it has an end.
 *
 * JPEG (ITU-T T.81 annex B): the markers up to the first scan are read, so that the end of a
 * thumbnail inside EXIF is not taken for the end of the image.  Then EOI is the last two bytes, or
 * is searched in the entropy-coded data.  Bytes after EOI are allowed.  PNG (ISO/IEC 15948): every
 * chunk's bounds, IHDR and its CRC, IEND; the decoder checks the CRCs of the other chunks, which
 * would cost more here than reading the file.
 *
 * GIF: the blocks of all frames; the size is that of the largest frame.  BMP: as many bytes as its
 * header says, as TensorFlow requires.  WebP: the chunks within the size in the RIFF header.
 *
 * TFR_EFORMAT: empty, not an image, or one in a format that is not decoded (info->format says
 * which; the rest is zero). TFR_EDATA: damaged or cut short: "truncated JPEG: no end marker",
 * "truncated PNG: no IEND chunk", "zero width". On failure, `info` has the values found before
 * the fault; it is cleared first. */
enum tfr_status tfr_image_probe(
	const void *data, size_t size, struct tfr_image_info *info, struct tfr_error *err);

/* ---- Pixels ---- */

/* A view of pixels: `height` rows of `width * channels` bytes, `stride` bytes apart.
 */
struct tfr_image {
	const uint8_t *data;
	size_t stride;
	uint32_t width, height;
	unsigned channels;
};

/* A window of an image.  It must be inside the image and must not be empty. */
struct tfr_crop {
	uint32_t x, y, width, height;
};

struct tfr_decoder;

struct tfr_decoder_opts {
	/* The limit for bytes of pixels in memory, because a small file can claim any size [0: 1
	 * GiB]: width * channels * the rows of the window, or all rows if an image comes in
	 * passes (progressive, interlaced).  More is TFR_EDATA, by the header alone. */
	uint64_t max_bytes;
	/* The limit for the pixels of an image, because a file of a few KiB can take minutes
	 * [0: no limit].  More is TFR_EDATA, by the header alone. */
	uint64_t max_pixels;
	/* JPEG only: the fast integer DCT and plain upsampling.  Not exact [false]. */
	bool fast;
	/* JPEG only: libjpeg alone, without our own Huffman decoder: the same pixels and errors,
	 * for tests [false]. */
	bool plain;
};

/* `opts` may be NULL: the defaults.  NULL: out of memory. */
struct tfr_decoder *tfr_decoder_new(const struct tfr_decoder_opts *opts);
void tfr_decoder_free(struct tfr_decoder *d);

/* Decodes an image, or the part of it inside `window` (NULL: all of it), into the decoder's own
 * memory.
 *
 * `channels`: 0 as tfr_image_probe() says; 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA (alpha: PNG
 * only, 255 if there is none).  With 3, alpha is dropped, not blended, palettes are looked up,
 * gray is repeated.  16-bit samples keep their high byte (>> 8), 1-bit ones become 0 and 255.  Gray
 * from a colour JPEG is its Y plane; a CMYK JPEG has no gray: TFR_EUSAGE.  CMYK to RGB is (255-C) *
 * (255-K) / 255, truncated, with the inverted inks of Adobe's files, as in
 * TensorFlow.
 *
 * With a window the pixels equal decode-then-crop to the bit; only what they depend on is decoded.
 * Truncation is detected with any window; other damage outside the window may not be.  Decoding an
 * entire image verifies it: warnings about damaged data are TFR_EDATA, harmless warnings (stray
 * bytes between markers) are ignored.
 *
 * `*image` is valid until the next call with `d` or its end.  The decoder's memory grows to the
 * largest image seen and is then reused.  Statuses are those of tfr_image_probe(), TFR_EUSAGE
 * (impossible channels or window), TFR_ENOMEM. */
enum tfr_status tfr_decode(struct tfr_decoder *d, const void *data, size_t size,
	const struct tfr_crop *window, unsigned channels, struct tfr_image *image,
	struct tfr_error *err);

/* Verifies an image by decoding all of it, and all frames of a GIF, which together may have
 * max_pixels.  Of an image larger than max_bytes, only the last row is
 * kept: decoding it reads every row before it.  A large image in passes remains TFR_EDATA.  Other
 * statuses as tfr_decode(). */
enum tfr_status tfr_decode_verify(
	struct tfr_decoder *d, const void *data, size_t size, struct tfr_error *err);

/* Decodes a PNG with one number per pixel to one channel of bytes: the indices of a palette, not
 * its colours, and gray samples as stored (1 bit is 0 and 1 here).  These are the values of a
 * segmentation mask (ISO/IEC 15948, 11.2.2: colour types 0 and 3).
 * Otherwise as tfr_decode() without a window.  TFR_EFORMAT: not a PNG, or one of several channels.
 * TFR_EDATA also: 16 bits with a number over 255, which the message names. */
enum tfr_status tfr_decode_numbers(struct tfr_decoder *d, const void *data, size_t size,
	struct tfr_image *image, struct tfr_error *err);

/* ---- Resizing ---- */

/* Keeps the coefficients and two rows between calls.  NULL: out of memory. */
struct tfr_resizer;

struct tfr_resizer *tfr_resizer_new(void);
void tfr_resizer_free(struct tfr_resizer *r);

enum tfr_resize_flags {
	/* Left and right exchanged: equals mirroring the result. */
	TFR_RESIZE_MIRROR = 1,
	/* Then (x - 127.5) / 127.5 in float32: -1 … 1. */
	TFR_RESIZE_NORMALISE = 2,
	/* This processor will not read `out` soon: bypass its caches if possible (if `out` and each
	 * of its rows begin at a multiple of 64 bytes).  A third faster at 224 x 224. */
	TFR_RESIZE_STREAM = 4,
	/* The plain C code on any processor: the same bits, for tests. */
	TFR_RESIZE_PLAIN = 8,
};

/* Resizes 8-bit `image` (1 to 4 channels) to `width` x `height` float32 pixels at `out`, dense HWC:
 * width * height * channels floats, any alignment of a float (64 bytes is best).  Both axes change
 * freely; the same size converts only.
 *
 * Bilinear, half-pixel centres, no antialiasing: the arithmetic of tf.image.resize in the same
 * order, so the same bits.  For output index i of an axis: src = (i + 0.5f) * (in / (float)out) -
 * 0.5f; the neighbours are max(floor(src), 0) and min(ceil(src), in - 1), the weight src -
 * floor(src); x is interpolated first, then y, each as a + (b - a) * weight, every step rounded to
 * float32 (tensorflow/core/kernels/image/resize_bilinear_op.cc).
 *
 * TFR_EUSAGE: no pixels, a size over 2^24, or channels out of range.  TFR_ENOMEM. */
enum tfr_status tfr_resize_bilinear(struct tfr_resizer *r, const struct tfr_image *image,
	uint32_t width, uint32_t height, unsigned flags, float *out, struct tfr_error *err);

/* Filters for resizing 8-bit pixels.  Each channel is independent, including alpha. */
enum tfr_filter {
	/* Pillow's Image.resize() to the bit (13.0, src/libImaging/Resample.c), with its filters
	 * BILINEAR, BOX, BICUBIC and LANCZOS.  When an image shrinks, every pixel counts.  Rows
	 * come first, then columns, with 8 bits in between; columns come first if the height
	 * shrinks by more than twice as many pixels as the width. */
	TFR_FILTER_TRIANGLE = 0,
	TFR_FILTER_AREA,
	TFR_FILTER_CUBIC,
	TFR_FILTER_LANCZOS,
	/* TensorFlow's tf.image.resize() with antialias=False: when an image shrinks, most
	 * pixels do not count.  BILINEAR is tfr_resize_bilinear(), rounded to the nearest,
	 * halves to even: tf.cast(tf.round(…), tf.uint8).  NEAREST takes the pixel at
	 * floor((i + 0.5f) * (in / (float)out)). */
	TFR_FILTER_BILINEAR,
	TFR_FILTER_NEAREST,
};

/* "triangle", "area", "cubic", "lanczos", "bilinear", "nearest"; false: none of these. */
bool tfr_filter_parse(const char *name, enum tfr_filter *filter);

/* Keeps weights and pixels between calls.  NULL: out of memory. */
struct tfr_scaler;

struct tfr_scaler *tfr_scaler_new(void);
void tfr_scaler_free(struct tfr_scaler *s);

/* Resizes `image` (1 to 4 channels) to `width` x `height`.  `flags`: 0 or TFR_RESIZE_PLAIN. *scaled
 * is dense and valid until the next call with `s` or its end.  TFR_EUSAGE: no pixels, a size over
 * 2^24, or channels out of range.  TFR_ENOMEM. */
enum tfr_status tfr_scale(struct tfr_scaler *s, const struct tfr_image *image, uint32_t width,
	uint32_t height, enum tfr_filter filter, unsigned flags, struct tfr_image *scaled,
	struct tfr_error *err);

/* Applies an orientation (struct tfr_image_info) to an image, as Pillow's
 * ImageOps.exif_transpose() does.  `out` has room for as many pixels, dense; *turned describes
 * them.  TFR_EUSAGE: not 1 to 8. */
enum tfr_status tfr_image_turn(const struct tfr_image *image, unsigned orientation, uint8_t *out,
	struct tfr_image *turned, struct tfr_error *err);

/* Whether the orientation exchanges width and height. */
bool tfr_orientation_swaps(unsigned orientation);

/* ---- Encoding ---- */

struct tfr_encode_opts {
	enum tfr_image_format format; /* TFR_IMAGE_JPEG or TFR_IMAGE_PNG */
	unsigned quality;	      /* JPEG: 1 to 100 [0: 95, as in TensorFlow's encode_jpeg] */
	/* JPEG: the chroma subsampling, by the names of struct tfr_image_info; NULL, "" and other
	 * texts: "4:2:0". */
	const char *subsampling;
	/* PNG: for few values in long runs, as in masks: no filter, and zlib searches runs only. */
	bool runs;
	unsigned orientation; /* 2 to 8: written to EXIF; else: no EXIF */
};

struct tfr_encoder;

/* NULL: out of memory. */
struct tfr_encoder *tfr_encoder_new(void);
void tfr_encoder_free(struct tfr_encoder *e);

/* Encodes an image.  JPEG: gray or RGB; baseline, the exact integer DCT, the tables of T.81's
 * annex K.  PNG: any number of channels from 1 to 4; 8 bits, all filters, zlib's level 6, or as
 * `runs` says.  The same pixels give the same bytes.  *data is valid until the next call with `e`
 * or its end.  TFR_EUSAGE: another format, channels that the format does not have, a JPEG with a
 * side of more than 65500 pixels. TFR_ENOMEM. */
enum tfr_status tfr_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, const void **data, size_t *size, struct tfr_error *err);

/* ---- Random windows, mirroring, angles ---- */

/* A draw is a pure function of these four values and of its kind: the same on any thread and in any
 * order.  Mirroring does not depend on an earlier crop. */
struct tfr_draw {
	uint64_t seed;
	uint64_t epoch;	 /* from 0 */
	uint64_t record; /* the record's position in the unshuffled stream */
	uint32_t copy;	 /* the number of the image, if one record makes several: each has its own
			    draw */
};

/* A window of 8 to 100 % of the area and of a shape between 3:4 and 4:3 (log-uniform), anywhere in
 * the image: the crop of Inception (Szegedy et al. 2014), with the distribution of torchvision's
 * RandomResizedCrop: ten tries, then the largest centred window whose shape is allowed.  Width and
 * height must not be 0. */
void tfr_random_resized_crop(
	const struct tfr_draw *draw, uint32_t width, uint32_t height, struct tfr_crop *crop);

/* A window of `to_width` x `to_height`, anywhere in the image; an axis with too few
 * pixels is taken completely. */
void tfr_random_crop(const struct tfr_draw *draw, uint32_t width, uint32_t height,
	uint32_t to_width, uint32_t to_height, struct tfr_crop *crop);

/* True with a probability of one half: exchange left and right, or top and bottom.  The two are
 * independent of each other. */
bool tfr_random_flip(const struct tfr_draw *draw);
bool tfr_random_flip_vertical(const struct tfr_draw *draw);

/* Uniform in [-degrees, degrees): the angle of torchvision's RandomRotation(degrees). */
double tfr_random_angle(const struct tfr_draw *draw, double degrees);

/* The square of DeVries and Taylor's Cutout (2017), as in their code: its centre is any pixel of
 * the image, it extends size / 2 (rounded down) to either side, and it is clipped to the image.  So
 * an odd size covers the same as the even size below it, and size 1 covers nothing: the window is
 * then empty. */
void tfr_random_cutout(const struct tfr_draw *draw, uint32_t width, uint32_t height, uint32_t size,
	struct tfr_crop *window);

/* The windows of torchvision's five_crop(): top left, top right, bottom left, bottom right and the
 * centre, which begins at round((height - to_height) / 2), halves to even.  TFR_EUSAGE: an empty
 * window, or one larger than the image. */
enum tfr_status tfr_five_crop(uint32_t width, uint32_t height, uint32_t to_width,
	uint32_t to_height, struct tfr_crop crops[5], struct tfr_error *err);

/* The largest centred window of the shape shape_width : shape_height; 1, 1 is the largest centred
 * square.  An odd pixel goes to the right and the bottom: offsets are floor(difference / 2). */
void tfr_centre_shape(uint32_t width, uint32_t height, uint32_t shape_width, uint32_t shape_height,
	struct tfr_crop *crop);

#ifdef __cplusplus
}
#endif

#endif
