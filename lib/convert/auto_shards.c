/* convert/auto_shards.c - @auto: computes the number of shards from the sizes of the files, if
 * these are known before reading.
 *
 * A number known beforehand is worth one stat() per file: all shards are then written at once
 * and get equal sizes.  Filling one after another leaves a short one at the end. */
#include "convert/auto_shards.h"

#include <stdio.h>
#include <stdlib.h>

#include "convert/tfds/tfds.h"
#include "shard/set_name.h"

enum {
	AUTO_SIZE = 128 << 20,
	SHARDS_MOST = 1000000,
	FEATURES = 216,	    /* bytes of the other features */
	FEATURES_TFDS = 85, /* for a TFDS data set */
};

uint64_t tfr_sizes_of_record(struct tfr_input *in, const struct tfr_item *item)
{
	struct tfr_measure m = { .bytes = item->file.size };

	if (item->framed.data)
		return item->framed.size;
	if (in->ops->measure)
		in->ops->measure(in, item, &m);
	return m.bytes + item->name.size + (in->opts->tfds ? FEATURES_TFDS : FEATURES);
}

static enum tfr_status add_size(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_sizes *s = ctx;

	(void)err;
	if (item->placed && item->target != s->target)
		return TFR_OK;
	s->items++;
	s->bytes += tfr_sizes_of_record(s->in, item);
	return TFR_OK;
}

/* The share of all bytes that goes to a set. */
static double part_of(const struct tfr_convert_opts *o, size_t target)
{
	double left = 1;

	if (o->targets[target].folder)
		return 1;
	if (o->targets[target].fraction != 0)
		return o->targets[target].fraction;
	for (size_t t = 0; t < o->target_count; t++)
		left -= o->targets[t].fraction;
	return left;
}

/* Makes "out/train@auto.tfrecord" with a number in place of the word. */
static enum tfr_status number(struct tfr_sizes *s, size_t target, const struct tfr_set_name *name,
	char **out, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->in->opts;
	enum tfr_status status = TFR_OK;
	double wanted, part = part_of(o, target);
	uint64_t n;

	if (!s->known || o->targets[target].folder) {
		s->target = target;
		s->bytes = s->items = 0;
		status = tfr_input_walk(s->in, NULL, add_size, s, err);
	}
	if (status)
		return status;
	s->known = true;
	wanted = (double)s->bytes * part / AUTO_SIZE + 0.5;
	if (o->tfds)
		wanted = (double)tfr_tfds_shards(
			(uint64_t)((double)s->bytes * part), (uint64_t)((double)s->items * part));
	n = wanted < SHARDS_MOST ? (uint64_t)wanted : SHARDS_MOST;
	n = n > s->items ? s->items : n;
	if (asprintf(out, "%s@%llu%s", name->base, (unsigned long long)(n ? n : 1),
		    name->extension) < 0) {
		*out = NULL;
		return tfr_fail_nomem(err, "creating the sets");
	}
	return TFR_OK;
}

enum tfr_status tfr_sizes_of_set(struct tfr_sizes *s, size_t target, char **name,
	struct tfr_set_fill *fill, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->in->opts;
	struct tfr_set_name parsed;
	enum tfr_status status = tfr_set_name_parse(&parsed, o->targets[target].set, err);

	if (status != TFR_OK && status != TFR_END)
		return status;
	*fill = (struct tfr_set_fill){ o->shard_size, o->records_per_shard };
	status = TFR_OK;
	if (parsed.automatic && !fill->bytes && !fill->records) {
		if (s->in->ops->measure && s->in->items != TFR_STREAM)
			status = number(s, target, &parsed, name, err);
		else
			fill->bytes = AUTO_SIZE;
	}
	tfr_set_name_clear(&parsed);
	if (!status && !*name)
		*name = strdup(o->targets[target].set);
	return status || *name ? status : tfr_fail_nomem(err, "creating the sets");
}
