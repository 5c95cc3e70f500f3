#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "remote_support.h"

extern char **environ;

void clean_environment(const char *home)
{
	static const char *const prefixes[] = { "AWS_", "GOOGLE_", "GS_", "GCE_", "CLOUDSDK_",
		"STORAGE_", "TFR_GS_", "SSL_", "CURL_", "http", "HTTP", "all_proxy", "ALL_PROXY" };
	char name[256];

	for (char **at = environ; *at;) {
		size_t n = strcspn(*at, "=");
		bool drop = false;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
			drop = drop || !strncmp(*at, prefixes[i], strlen(prefixes[i]));
		if (!drop || n >= sizeof(name)) {
			at++;
			continue;
		}
		memcpy(name, *at, n);
		name[n] = '\0';
		unsetenv(name);
		at = environ;
	}
	setenv("HOME", home, 1);
}

void environment_with_keys(const char *home)
{
	clean_environment(home);
	setenv("AWS_ACCESS_KEY_ID", "AKID", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	setenv("GS_ACCESS_KEY_ID", "GOOG", 1);
	setenv("GS_SECRET_ACCESS_KEY", "secret", 1);
}

enum { ROWS = 16, HEAD = 8192 };

static const struct reply *rows;
static int listening, answered, counts[ROWS];
static pthread_t thread;

/* Reads the head of a request and the start of its body into `text`, and the rest of it nowhere. */
static void read_request(int c, char text[HEAD])
{
	size_t size = 0, left;
	const char *end = NULL, *length;
	char drop[65536];
	ssize_t n = 1;

	while (n > 0 && !end && size < HEAD - 1) {
		n = recv(c, text + size, HEAD - 1 - size, 0);
		size += n > 0 ? (size_t)n : 0;
		text[size] = '\0';
		end = strstr(text, "\r\n\r\n");
	}
	length = strcasestr(text, "\r\nContent-Length: ");
	left = end && length ? strtoul(length + 18, NULL, 10) - (size_t)(text + size - end - 4) : 0;
	while (left && n > 0) {
		bool fits = size + left < HEAD;

		n = recv(c, fits ? text + size : drop, fits ? left : sizeof(drop), 0);
		left -= n > 0 ? (size_t)n : 0;
		size += n > 0 && fits ? (size_t)n : 0;
		text[size] = '\0';
	}
}

static const struct reply *choose(const char *text)
{
	static const struct reply nothing = { "", NULL, 404, "", "", 0 };

	for (size_t i = 0; rows[i].request; i++) {
		const struct reply *r = &rows[i];

		if (strncmp(text, r->request, strlen(r->request)) != 0 ||
			(r->needs && !strstr(text, r->needs)) ||
			(r->times && counts[i] == r->times))
			continue;
		counts[i]++;
		return r;
	}
	return &nothing;
}

static void answer(int c)
{
	static char text[HEAD];
	const struct reply *r;
	char head[512];

	read_request(c, text);
	r = choose(text);
	answered++;
	if (!r->status)
		return;
	snprintf(head, sizeof(head),
		"HTTP/1.1 %d x\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n", r->status,
		r->header, strlen(r->body));
	if (send(c, head, strlen(head), MSG_NOSIGNAL) > 0)
		(void)!send(c, r->body, strlen(r->body), MSG_NOSIGNAL);
}

int served(size_t i)
{
	return counts[i];
}

static void *run(void *unused)
{
	int c;

	(void)unused;
	while ((c = accept(listening, NULL, NULL)) >= 0) {
		answer(c);
		close(c);
	}
	return NULL;
}

int serve(const struct reply *replies)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(to);

	rows = replies;
	answered = 0;
	memset(counts, 0, sizeof(counts));
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(listening, (struct sockaddr *)&to, sizeof(to)), 0);
	cr_assert_eq(listen(listening, 8), 0);
	cr_assert_eq(getsockname(listening, (struct sockaddr *)&to, &size), 0);
	cr_assert_eq(pthread_create(&thread, NULL, run, NULL), 0);
	return ntohs(to.sin_port);
}

int stop_serving(void)
{
	shutdown(listening, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(listening);
	return answered;
}
