/* cmd/shard/annotations.c - a folder of images may be an operand or an option's: there are two ways to
 * say it, and one folder. */
#include "shard/annotations.h"

int shard_beside_set(struct cmd *c, const struct shard_beside *b, struct tfr_convert_opts *o)
{
	const char *const *folder = b->image ? &b->image : b->images ? &b->images : NULL;
	bool annotated = b->annotations || b->captions || b->panoptic;

	if (b->image && !b->mask)
		return cmd_usage(c, "--image goes with --mask, which names the folder of masks");
	if (b->images && !annotated)
		return cmd_usage(c, "--images goes with --annotations, --captions or --panoptic, "
				    "which say what "
				    "is on them");
	if (b->masks && !b->annotations)
		return cmd_usage(c, "--masks draws what --annotations has, and there are none");
	if (b->segments && !b->panoptic)
		return cmd_usage(c, "--panoptic-masks goes with --panoptic, which names them");
	if (b->image && b->images)
		return cmd_usage(c, "one input at a time");
	if (folder && c->count)
		return cmd_usage(c, "one input at a time");
	o->inputs = folder;
	o->input_count = folder != NULL;
	o->masks = b->mask;
	o->annotations = b->annotations;
	o->captions = b->captions;
	o->panoptic = b->panoptic;
	o->segments = b->segments;
	o->image_set = b->image_set;
	o->instance_masks = b->masks;
	return 0;
}
