/* forwarder - a link with delay, rate and loss between two network namespaces of its own.
 *
 * usage: forwarder RTT_MS MBIT_PER_S LOSS_PERCENT
 *
 * Prints "PID PID" when the link is up: processes in the namespaces of 10.9.0.1 and 10.9.0.2, which
 * `nsenter -t PID -n` enters.  Ends on end-of-file of its standard input, and its namespaces with
 * it.  Each direction is a queue of packets with the time at which they arrive.  A queue holds what
 * is on the way and 100 ms more; packets beyond that are dropped, as a router does. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 16000, BURST = 64 };

struct packet {
	struct packet *next;
	double due;
	size_t size;
	char data[];
};

struct direction {
	int from, to;
	struct packet *first, **last;
	double free_at; /* when the link has sent what is queued */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void set_address(int s, struct ifreq *r, unsigned long request, const char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	inet_pton(AF_INET, text, &address.sin_addr);
	memcpy(&r->ifr_addr, &address, sizeof(address));
	if (ioctl(s, request, r))
		err(1, "address %s", text);
}

static void bring_up(int s, struct ifreq *r)
{
	if (ioctl(s, SIOCGIFFLAGS, r))
		err(1, "flags");
	r->ifr_flags = (short)(r->ifr_flags | IFF_UP | IFF_RUNNING);
	if (ioctl(s, SIOCSIFFLAGS, r))
		err(1, "up");
}

/* The device of this namespace, up and with its address. */
static int open_device(const char *address)
{
	struct ifreq r = { .ifr_name = "link", .ifr_flags = IFF_TUN | IFF_NO_PI };
	struct ifreq lo = { .ifr_name = "lo" };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK), s = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, TUNSETIFF, &r))
		err(77, "cannot make a TUN device");
	set_address(s, &r, SIOCSIFADDR, address);
	set_address(s, &r, SIOCSIFNETMASK, "255.255.255.0");
	r.ifr_mtu = MTU;
	if (ioctl(s, SIOCSIFMTU, &r))
		err(1, "MTU");
	r.ifr_qlen = 10000;
	if (ioctl(s, SIOCSIFTXQLEN, &r))
		err(1, "queue");
	bring_up(s, &r);
	bring_up(s, &lo);
	close(s);
	return fd;
}

static void send_fd(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(socket, &m, 0) != 1)
		err(1, "sendmsg");
}

static int receive_fd(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* A child that keeps a namespace; its device is *fd here. */
static pid_t start_namespace(const char *address, int *fd)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		if (unshare(CLONE_NEWNET))
			err(77, "cannot make a network namespace");
		send_fd(pair[1], open_device(address));
		for (;;)
			pause();
	}
	close(pair[1]);
	*fd = receive_fd(pair[0]);
	close(pair[0]);
	if (*fd < 0)
		exit(77); /* the child said why */
	return pid;
}

/* Takes what has arrived at one end. */
static void take(struct direction *d, double delay, double rate, double loss)
{
	static char data[65536];

	for (int i = 0; i < BURST; i++) {
		ssize_t n = read(d->from, data, sizeof(data));
		double t = now();
		struct packet *p;

		if (n <= 0)
			return;
		if (d->free_at < t)
			d->free_at = t;
		if (d->free_at - t > .1 || drand48() < loss)
			continue;
		d->free_at += (double)n / rate;
		p = malloc(sizeof(*p) + (size_t)n);
		if (!p)
			continue;
		*p = (struct packet){ .due = d->free_at + delay, .size = (size_t)n };
		memcpy(p->data, data, (size_t)n);
		*d->last = p;
		d->last = &p->next;
	}
}

/* Delivers what is due, and returns the seconds until the next packet is. */
static double deliver(struct direction *d)
{
	double t = now();

	while (d->first && d->first->due <= t) {
		struct packet *p = d->first;

		if (write(d->to, p->data, p->size) < 0 && errno == EAGAIN)
			return .001;
		d->first = p->next;
		if (!d->first)
			d->last = &d->first;
		free(p);
	}
	return d->first ? d->first->due - t : 1;
}

int main(int argc, char **argv)
{
	struct direction d[2] = { { .from = -1 }, { .from = -1 } };
	double delay, rate, loss;
	pid_t here, there;

	if (argc != 4)
		errx(2, "usage: forwarder RTT_MS MBIT_PER_S LOSS_PERCENT");
	delay = strtod(argv[1], NULL) / 2e3;
	rate = strtod(argv[2], NULL) * 1e6 / 8;
	loss = strtod(argv[3], NULL) / 100;
	here = start_namespace("10.9.0.1", &d[0].from);
	there = start_namespace("10.9.0.2", &d[1].from);
	d[0].to = d[1].from;
	d[1].to = d[0].from;
	d[0].last = &d[0].first;
	d[1].last = &d[1].first;
	printf("%d %d\n", (int)here, (int)there);
	fflush(stdout);
	for (;;) {
		double a = deliver(&d[0]), b = deliver(&d[1]), wait = a < b ? a : b;
		struct timespec t = { .tv_sec = (time_t)wait };
		struct pollfd p[3] = { { .fd = d[0].from, .events = POLLIN },
			{ .fd = d[1].from, .events = POLLIN }, { .fd = 0, .events = POLLIN } };

		t.tv_nsec = (long)((wait - (double)t.tv_sec) * 1e9);
		if (ppoll(p, 3, &t, NULL) < 0 && errno != EINTR)
			err(1, "poll");
		if (p[2].revents)
			return 0;
		take(&d[0], delay, rate, loss);
		take(&d[1], delay, rate, loss);
	}
}
