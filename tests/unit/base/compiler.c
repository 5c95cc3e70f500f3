/* What the flags of the build must not break. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct part {
	void *input;
	const char *text;
	bool skip;
	void *output;
	unsigned threads;
	void *pointers[4];
};

struct whole {
	struct part parts[2];
	const char *key;
	bool flags[4];
	uint64_t size, count;
};

__attribute__((noinline)) static void equal(const struct whole *w, const struct part *parts)
{
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(w->parts[i].input, parts[i].input);
		cr_assert_eq(w->parts[i].text, parts[i].text);
		cr_assert_eq(w->parts[i].skip, parts[i].skip);
		cr_assert_eq(w->parts[i].output, parts[i].output);
		cr_assert_eq(w->parts[i].threads, parts[i].threads);
		cr_assert(!memcmp(w->parts[i].pointers, parts[i].pointers, sizeof(parts[i].pointers)));
	}
}

__attribute__((noinline)) static void copy(const struct part *parts, uint64_t size)
{
	struct whole w = { .parts = { parts[0], parts[1] },
		.key = parts->text,
		.flags = { parts->skip, !parts->text, parts->text != NULL, parts->skip },
		.size = size ? size : 1,
		.count = 5 };

	equal(&w, parts);
}

/* gcc 12.2 with -ftrivial-auto-var-init=zero clears half of parts[0].text. */
Test(compiler, an_initializer_copies_structs)
{
	struct part parts[2];

	memset(parts, 0x5a, sizeof(parts));
	parts[0].skip = parts[1].skip = true;
	copy(parts, 0);
}
