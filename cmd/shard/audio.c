/* cmd/shard/audio.c - frames are of floats: --frame says both. */
#include "shard/audio.h"

#include <string.h>

int sounds_parse(struct cmd *c, const struct sound_settings *s, struct tfr_convert_opts *o)
{
	bool floats = s->audio && !strcmp(s->audio, "floats");

	if (s->audio && !floats && strcmp(s->audio, "bytes"))
		return cmd_usage_word(c, "audio", "bytes or floats", s->audio);
	if (s->frame != -1 && !(s->frame > 0))
		return cmd_usage(c, "--frame takes seconds, more than 0");
	if (s->frame > 0 && s->audio && !floats)
		return cmd_usage(c, "--frame cuts floats, and --audio says bytes");
	o->sound = floats || s->frame > 0 ? TFR_SOUND_FLOATS : TFR_SOUND_BYTES;
	o->frame = s->frame > 0 ? s->frame : 0;
	return 0;
}
