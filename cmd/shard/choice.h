/* cmd/shard/choice.h - the options of tfr shard that say which files are taken, what their classes
 * are called, and how they are divided. */
#ifndef TFR_CMD_SHARD_CHOICE_H
#define TFR_CMD_SHARD_CHOICE_H

#include "common/cmd.h"

struct choice_settings {
	struct opt_list include, exclude;
	const char *labels, *synsets, *class_list;
	bool stratify;
};

#define OPT_CHOICES(settings, f)                                                                   \
	OPT(LIST, 0, "include", "GLOB", NULL,                                                      \
		"take only files whose name, path or folder GLOB matches, such as '*.jpg' or "     \
		"'cats/**'",                                                                       \
		settings, f.include),                                                              \
		OPT(LIST, 0, "exclude", "GLOB", NULL,                                              \
			"leave out files and folders that GLOB matches", settings, f.exclude),     \
		OPT(STRING, 0, "labels", "FILE", NULL,                                             \
			"take the labels of class folders from FILE, lines LABEL:NAME or NAME",    \
			settings, f.labels),                                                       \
		OPT(STRING, 0, "synsets", "FILE", NULL,                                            \
			"call the classes as FILE does, lines CLASS TAB TEXT: ImageNet's synsets", \
			settings, f.synsets),                                                      \
		OPT(STRING, 0, "class-list", "FILE", NULL,                                         \
			"take the class of each image from FILE, a line each, not of folders",   \
			settings, f.class_list),                                                   \
		OPT(FLAG, 0, "stratify", NULL, NULL,                                               \
			"divide each class by the fractions, not all images together", settings, \
			f.stratify)

/* Puts them into `o`.  On failure the error is printed and the status returned; 0 is success. */
int choice_parse(struct cmd *c, const struct choice_settings *s, struct tfr_convert_opts *o);

#endif
