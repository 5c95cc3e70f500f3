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

static const struct reply *rows;
static int listening, answered;
static pthread_t thread;

static void answer(int c)
{
	static const struct reply nothing = { "", NULL, 404, "", "" };
	const struct reply *r = rows;
	char text[8192], head[512];
	size_t size = 0;
	ssize_t n;

	do {
		n = recv(c, text + size, sizeof(text) - 1 - size, 0);
		size += n > 0 ? (size_t)n : 0;
		text[size] = '\0';
	} while (n > 0 && !strstr(text, "\r\n\r\n"));
	if (!strncmp(text, "POST", 4) && strstr(text, "\r\n\r\n") + 4 == text + size) {
		n = recv(c, text + size, sizeof(text) - 1 - size, 0);
		text[size + (n > 0 ? (size_t)n : 0)] = '\0';
	}
	while (r->request && (strncmp(text, r->request, strlen(r->request)) != 0 ||
				     (r->needs && !strstr(text, r->needs))))
		r++;
	r = r->request ? r : &nothing;
	snprintf(head, sizeof(head),
		"HTTP/1.1 %d x\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n", r->status,
		r->header, strlen(r->body));
	if (send(c, head, strlen(head), MSG_NOSIGNAL) > 0)
		(void)!send(c, r->body, strlen(r->body), MSG_NOSIGNAL);
	answered++;
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
