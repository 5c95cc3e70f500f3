/* doctor/class_map_check.c - checks that the classes of two sets have the same numbers.
 *
 * If a class is 2 in the training set and 1 in the other, examining one set alone cannot reveal it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "doctor/doctor.h"
#include "inspect/find_class_map.h"

/* A file with faults is not read again: they are findings, and here a fault ends the command. */
static void find_map(struct tfr_doctor *d, const struct tfr_dset *s, struct tfr_class_map *m)
{
	TFR_AUTO_FREE const char **files = calloc(s->files + 1, sizeof(*files));
	struct tfr_error err = { 0 };
	size_t n = 0;

	for (size_t i = 0; files && i < s->files; i++) {
		const struct tfr_dlook *l = &d->files[s->first + i].look;

		if (l->opened && !l->faults)
			files[n++] = d->files[s->first + i].path;
	}
	d->no_memory |= !files;
	if (n && tfr_class_map_find(m, files, n, &err))
		d->failure = err;
}

static void compare(struct tfr_doctor *d, size_t i, size_t k, const struct tfr_class_map *maps)
{
	const struct tfr_class_entry *a, *b;
	char text[256], more[80] = "";
	size_t n = tfr_class_map_conflicts(&maps[i], &maps[k], &a, &b);

	if (!n)
		return;
	if (n > 1)
		snprintf(more, sizeof(more), ", and %zu more class%s differ%s", n - 1,
			n == 2 ? "" : "es", n == 2 ? "s" : "");
	tfr_escape_line(text, sizeof(text), a->text);
	tfr_doctor_tell(d, d->sets[i].name, NULL,
		"'%s' is %lld here and %lld in '%s'%s: a model learns one of them", text,
		(long long)a->label, (long long)b->label, d->sets[k].name, more);
}

void tfr_doctor_class_numbers(struct tfr_doctor *d)
{
	struct tfr_class_map *maps = calloc(d->set_count + 1, sizeof(*maps));

	if (!maps) {
		d->no_memory = true;
		return;
	}
	for (size_t i = 0; d->set_count > 1 && i < d->set_count && !d->failure.status; i++)
		find_map(d, &d->sets[i], &maps[i]);
	for (size_t i = 0; i < d->set_count; i++)
		for (size_t k = i + 1; k < d->set_count; k++)
			compare(d, i, k, maps);
	for (size_t i = 0; i < d->set_count; i++)
		tfr_class_map_clear(&maps[i]);
	free(maps);
}
