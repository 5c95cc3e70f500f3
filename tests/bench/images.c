/* tests/bench/images.c - files that are no images are passed over, in a folder or a list. */
#include "images.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/media.h>

static void die(const char *what, const char *path)
{
	fprintf(stderr, "%s '%s'\n", what, path);
	exit(3);
}

static void load(struct images *all, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct image p = { 0 };
	struct stat st;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) ||
		!(p.data = malloc((size_t)st.st_size + 1)) ||
		(p.size = fread(p.data, 1, (size_t)st.st_size, f)) != (size_t)st.st_size)
		die("cannot read", path);
	fclose(f);
	if (tfr_image_sniff(p.data, p.size) == TFR_IMAGE_UNKNOWN) {
		free(p.data);
		return;
	}
	if (all->count == all->capacity) {
		all->capacity = all->capacity ? all->capacity * 2 : 64;
		all->list = realloc(all->list, all->capacity * sizeof(p));
		if (!all->list)
			abort();
	}
	all->list[all->count++] = p;
}

static void load_directory(struct images *all, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char file[4096];
		struct stat st;

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
			load(all, file);
		free(names[i]);
	}
	free(names);
}

static void load_list(struct images *all, const char *path)
{
	char line[4096];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			load(all, line);
	}
	if (f)
		fclose(f);
}

void images_load(struct images *all, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		die("cannot read", path);
	if (S_ISDIR(st.st_mode))
		load_directory(all, path);
	else if (strstr(path, ".jp") || strstr(path, ".png"))
		load(all, path);
	else
		load_list(all, path);
	if (!all->count)
		die("no images in", path);
}
