/* convert/list/list_ahead.c - objects that the next rows name.
 *
 * The rows are read twice: here for their paths, and later for their values. */
#include "convert/list/list.h"

/* The paths of a row into l->announced.  What is wrong with a row is said when it is its turn. */
static void read_paths(struct tfr_list *l, uint64_t row)
{
	struct tfr_list_item *own = l->announced;

	l->announced_row = row + 1;
	own->text.size = 0;
	for (size_t i = 0; i < own->n; i++)
		own->paths[i].size = 0;
	if (!tfr_list_read_again(l, own, row, NULL) &&
		!tfr_row_reader_read(&own->reader, &l->columns, (const char *)own->text.data,
			own->text.size, NULL))
		tfr_list_build_row(l, own, &own->reader, NULL, NULL);
}

/* Of embedded column `i` % n of the row at place `i` / n. */
static bool path_of(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	struct tfr_list *l = ctx;
	const struct tfr_list_item *own = l->announced;
	uint64_t place = i / own->n, row = l->in.order ? l->in.order[place] : place;
	const struct tfr_buf *found = &own->paths[i % own->n];

	*size = 0;
	if (l->announced_row != row + 1)
		read_paths(l, row);
	return found->size && tfr_buf_append(path, found->data, found->size);
}

/* Lists of URLs have them in every row. */
static bool names_urls(struct tfr_list *l)
{
	bool found = false;

	read_paths(l, 0);
	for (size_t i = 0; i < l->announced->n; i++) {
		const struct tfr_buf *path = &l->announced->paths[i];

		found = found || (path->size && tfr_is_url((const char *)path->data));
	}
	return found;
}

void tfr_list_announce(struct tfr_list *l, uint64_t place)
{
	if (!l->announced) {
		if (tfr_list_item_new(l, &l->announced, NULL))
			return;
		l->ahead.addresses = names_urls(l);
	}
	tfr_fetch_ahead_of(&l->ahead, l->folder, place * l->announced->n,
		l->in.ahead * l->announced->n, path_of, l);
}
