/* tfr/read_hdf5.c - the program tfr-read-hdf5: start, the groups of the file, requests.
 *
 * Everything that libraries open is opened first.  Then the program enters the sandbox and reads
 * the file. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read_hdf5.h"

enum { DEEPEST = 32 };

struct hdf5_walk {
	struct hdf5_run *run;
	char path[TFR_HDF5_NAME];
	unsigned depth;
	void *visited; /* addresses of groups, by tsearch() */
	bool failed;   /* the error has been sent */
};

/* --- requests --- */

/* Answers requests until one asks for the next data set.  `set` is the last one named, or none. */
static void serve_requests(const struct hdf5_run *run, hid_t set, const char *name)
{
	struct tfr_hdf5_request request;

	for (;;) {
		receive(&request, sizeof(request));
		if (request.op == TFR_HDF5_NEXT)
			break;
		if (request.op == TFR_HDF5_READ || request.op == TFR_HDF5_PICK) {
			sets_read(run, &request);
		} else if (request.op == TFR_HDF5_OPEN && set >= 0) {
			sets_open(set, name);
			set = -1;
		} else {
			_exit(2);
		}
	}
	if (set >= 0)
		H5Oclose(set);
}

/* --- the groups --- */

static int by_address(const void *a, const void *b)
{
	haddr_t x = *(const haddr_t *)a, y = *(const haddr_t *)b;

	return x < y ? -1 : x > y;
}

/* Whether a group was visited before; marks it as visited.  Many links of a file can lead to one
 * group, and from there to the next, so there can be far more paths than groups. */
static bool was_visited(struct hdf5_walk *w, haddr_t address)
{
	haddr_t *key = malloc(sizeof(*key)), **found;

	if (!key)
		_exit(2);
	*key = address;
	found = tsearch(key, &w->visited, by_address);
	if (!found)
		_exit(2);
	if (*found == key)
		return false;
	free(key);
	return true;
}

static herr_t fail_damaged(struct hdf5_walk *w, const char *path, const char *reason)
{
	reply_damaged(path, reason);
	w->failed = true;
	return -1;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link, void *walk);

static herr_t visit_group(struct hdf5_walk *w, hid_t group)
{
	herr_t status;

	if (w->depth > DEEPEST)
		return fail_damaged(w, "", "groups more than 32 deep");
	w->depth++;
	status = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, w);
	w->depth--;
	if (status < 0 && !w->failed) {
		reply_refused(w->path);
		w->failed = true;
	}
	return status;
}

/* Handles a link of a group, in the order of names.  Only links within the file are followed. */
static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link, void *walk)
{
	struct hdf5_walk *w = walk;
	size_t above = strlen(w->path), room = sizeof(w->path) - above;
	herr_t status = 0;
	H5I_type_t kind;
	hid_t object;

	if (link->type != H5L_TYPE_HARD)
		return 0;
	if (snprintf(w->path + above, room, "%s%s", above ? "/" : "", name) >= (int)room)
		return fail_damaged(w, "", "a path of over 4096 bytes");
	object = H5Oopen(group, name, H5P_DEFAULT);
	if (object < 0) {
		reply_refused(w->path);
		w->failed = true;
		return -1;
	}
	kind = H5Iget_type(object);
	if (kind == H5I_DATASET) {
		reply(TFR_HDF5_NAMED, 0, w->path, strlen(w->path));
		serve_requests(w->run, object, w->path);
	} else {
		if (kind == H5I_GROUP && !was_visited(w, link->u.address))
			status = visit_group(w, object);
		H5Oclose(object);
	}
	w->path[above] = '\0';
	return status;
}

/* --- the program --- */

/* Links may lead back to the root group. */
static void walk_file(struct hdf5_run *run)
{
	struct hdf5_walk w = { .run = run };
	hid_t root = H5Oopen(run->file, "/", H5P_DEFAULT);
	H5O_info_t info;

	serve_requests(run, -1, NULL);
	if (root < 0 || H5Oget_info(root, &info) < 0) {
		reply_refused("");
		return;
	}
	was_visited(&w, info.addr);
	if (visit_group(&w, root) >= 0)
		reply(TFR_HDF5_END, 0, NULL, 0);
}

static bool parse_choice(const char *arg, const char *yes, const char *no, bool *is)
{
	*is = !strcmp(arg, yes);
	return *is || !strcmp(arg, no);
}

static hid_t open_file(const struct hdf5_run *run, bool sandbox)
{
	hid_t access;
	int refusal;

	if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0 || !filters_load()) {
		reply_text(TFR_HDF5_FAILED, ENOMEM, "start libhdf5");
		_exit(0);
	}
	access = file_driver();
	if (access < 0) {
		reply_text(TFR_HDF5_FAILED, (uint32_t)errno, "look at");
		_exit(0);
	}
	sandbox_limit(run->memory);
	refusal = sandbox ? sandbox_enter() : 0;
	if (refusal) {
		reply(TFR_HDF5_REFUSED, (uint32_t)refusal, NULL, 0);
		_exit(0);
	}
	return access;
}

int main(int argc, char **argv)
{
	struct hdf5_run run = { 0 };
	bool sandbox;
	hid_t access;

	if (argc != 5 || atoi(argv[1]) != TFR_HDF5_PROTOCOL ||
		!parse_choice(argv[3], TFR_HDF5_SANDBOX, TFR_HDF5_NO_SANDBOX, &sandbox) ||
		!parse_choice(argv[4], TFR_HDF5_ANY_ORDER, TFR_HDF5_IN_ORDER, &run.any_order)) {
		fprintf(stderr, "tfr-read-hdf5 reads HDF5 files for tfr, which starts it\n");
		return 2;
	}
	run.memory = strtoull(argv[2], NULL, 10);
	access = open_file(&run, sandbox);
	reply(TFR_HDF5_READY, TFR_HDF5_PROTOCOL, NULL, 0);
	/* libhdf5 needs an absolute name; otherwise it asks for the current folder. */
	run.file = H5Fopen("/the file", H5F_ACC_RDONLY, access);
	if (run.file < 0) {
		serve_requests(&run, -1, NULL);
		reply_refused("");
	} else {
		walk_file(&run);
	}
	for (;;)
		serve_requests(&run, -1, NULL);
}
