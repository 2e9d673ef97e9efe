// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network interfaces: up, carrier, an echo from the gateway that QEMU's user network is, counters, down; CAN
 * interfaces: up with loopback, a frame that comes back.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/can.h>
#include <linux/can/netlink.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define OWN_ADDRESS "10.0.2.15"
#define GATEWAY	    "10.0.2.2"
#define ECHO_TRIES  45
#define ECHO_MS	    100

static long net_number(const char *name, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	return read_number(path, -1);
}

static bool takes_net(const char *item, char *target, size_t size)
{
	return takes_class(item, "net", "", target, size) && net_number(target, "type") != ARPHRD_CAN;
}

static bool takes_can(const char *item, char *target, size_t size)
{
	return takes_class(item, "net", "", target, size) && net_number(target, "type") == ARPHRD_CAN;
}

static struct ifreq request(const char *name)
{
	struct ifreq r;

	memset(&r, 0, sizeof(r));
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	return r;
}

static int set_up(int fd, const char *name, bool up)
{
	struct ifreq r = request(name);

	if (ioctl(fd, SIOCGIFFLAGS, &r) < 0)
		return errno;
	r.ifr_flags = up ? r.ifr_flags | IFF_UP : r.ifr_flags & ~IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &r) < 0 ? errno : 0;
}

static int set_address(int fd, const char *name)
{
	struct ifreq r = request(name);
	struct sockaddr_in *a = (struct sockaddr_in *)&r.ifr_addr;

	a->sin_family = AF_INET;
	a->sin_addr.s_addr = inet_addr(OWN_ADDRESS);
	if (ioctl(fd, SIOCSIFADDR, &r) < 0)
		return errno;
	a->sin_addr.s_addr = inet_addr("255.255.255.0");
	return ioctl(fd, SIOCSIFNETMASK, &r) < 0 ? errno : 0;
}

static bool await_carrier(const char *name, double seconds)
{
	double end = now() + seconds;

	while (net_number(name, "carrier") != 1 && now() < end)
		sleep_ms(20);
	return net_number(name, "carrier") == 1;
}

static void say_driver(int fd, const char *name)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq r = request(name);

	r.ifr_data = (void *)&info;
	if (ioctl(fd, SIOCETHTOOL, &r) == 0)
		got("driver", "%.32s", info.driver);
	got("mtu", "%ld", net_number(name, "mtu"));
	got("type", "%ld", net_number(name, "type"));
}

/* ---- echo --------------------------------------------------------------------------- */

static uint16_t checksum(const void *data, size_t len)
{
	const uint16_t *p = data;
	uint32_t sum = 0;

	for (; len > 1; len -= 2)
		sum += *p++;
	if (len)
		sum += *(const uint8_t *)p;
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

struct echo {
	struct icmphdr head;
	unsigned char data[1400];
};

static int send_echo(int fd, const struct echo *e, size_t len)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr(GATEWAY) };

	return sendto(fd, e, sizeof(e->head) + len, 0, (struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
}

/* 1: it came back as it was; 0: nothing within the time; -1: something else. */
static int await_echo(int fd, const struct echo *sent, size_t len, int ms)
{
	unsigned char buf[2048];
	double end = now() + ms / 1000.0;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (now() < end && poll(&p, 1, (int)((end - now()) * 1000) + 1) > 0) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);
		const struct iphdr *ip = (const void *)buf;
		const struct icmphdr *h = (const void *)(buf + ip->ihl * 4);

		if (n < (ssize_t)(ip->ihl * 4 + sizeof(*h)) || h->type != ICMP_ECHOREPLY ||
		    h->un.echo.id != sent->head.un.echo.id ||
		    ntohs(h->un.echo.sequence) / 100 != ntohs(sent->head.un.echo.sequence) / 100)
			continue;
		/* Of this try or a late one before. */
		n -= ip->ihl * 4 + sizeof(*h);
		return n == (ssize_t)len && !memcmp(h + 1, sent->data, len) ? 1 : -1;
	}
	return 0;
}

static int echo_once(int fd, int sequence, size_t len, int *code)
{
	struct echo e;

	memset(&e, 0, sizeof(e));
	e.head.type = ICMP_ECHO;
	e.head.un.echo.id = htons(0x6b70);
	e.head.un.echo.sequence = htons(sequence);
	for (size_t i = 0; i < len; i++)
		e.data[i] = (unsigned char)(i * 7 + len);
	e.head.checksum = checksum(&e, sizeof(e.head) + len);
	*code = send_echo(fd, &e, len);
	return *code ? 0 : await_echo(fd, &e, len, ECHO_MS);
}

static int icmp_socket(const char *name)
{
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, strlen(name) + 1) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Small, then nearly a whole frame. */
static enum exercise_result traffic(const char *name)
{
	static const size_t sizes[] = { 56, 1400 };
	int fd = icmp_socket(name), code = 0, answer;

	if (fd < 0)
		return result(EXERCISE_FAIL, "no socket: %s", strerror(errno));
	for (size_t i = 0; i < 2; i++) {
		answer = 0;
		for (int t = 0; t < ECHO_TRIES && !answer; t++)
			answer = echo_once(fd, (int)i * 100 + t, sizes[i], &code);
		if (answer < 0)
			return result(EXERCISE_FAIL, "an echo of %zu bytes came back damaged", sizes[i]);
		if (!answer && exercise_peer)
			return result(EXERCISE_FAIL, "no answer to %d echo requests of %zu bytes%s%s",
				      ECHO_TRIES, sizes[i], code ? ": " : "", code ? strerror(code) : "");
		if (!answer)
			break;
	}
	close(fd);
	return EXERCISE_OK;
}

static enum exercise_result check_counters(const char *name, long tx, long rx)
{
	double end = now() + 4; /* some drivers collect them from the hardware now and then */
	long t, r;

	do {
		t = net_number(name, "statistics/tx_packets") - tx;
		r = net_number(name, "statistics/rx_packets") - rx;
		if ((t > 0 && (r > 0 || !exercise_peer)) || !exercise_first)
			return EXERCISE_OK;
		sleep_ms(100);
	} while (now() < end);
	return result(EXERCISE_FAIL, "the counters say %ld packets sent, %ld received", t, r);
}

static enum exercise_result use_net(int fd, const char *name)
{
	long tx = net_number(name, "statistics/tx_packets");
	long rx = net_number(name, "statistics/rx_packets"), t, r;
	int code = set_up(fd, name, true);

	if (code)
		return result(EXERCISE_FAIL, "does not come up: %s", strerror(code));
	if (!await_carrier(name, 6))
		return result(exercise_peer ? EXERCISE_FAIL : EXERCISE_OK, "up; no carrier");
	if (net_number(name, "type") != ARPHRD_ETHER)
		return result(EXERCISE_OK, "up, carrier, down; not Ethernet");
	code = set_address(fd, name);
	if (code)
		return result(EXERCISE_FAIL, "no address: %s", strerror(code));
	if (traffic(name) != EXERCISE_OK || check_counters(name, tx, rx) != EXERCISE_OK)
		return EXERCISE_FAIL;
	t = net_number(name, "statistics/tx_packets") - tx;
	r = net_number(name, "statistics/rx_packets") - rx;
	return result(EXERCISE_OK, "up, carrier, %s, %ld sent, %ld received, down",
		      exercise_peer ? "echo of 56 and 1400 bytes" : "nobody there to answer", t, r);
}

static enum exercise_result run_net(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), code;
	enum exercise_result r;

	if (fd < 0)
		return result(EXERCISE_SKIP, "no sockets: %s", strerror(errno));
	say_driver(fd, name);
	r = use_net(fd, name);
	code = set_up(fd, name, false);
	if (code || net_number(name, "flags") & IFF_UP)
		return result(EXERCISE_FAIL, "does not go down: %s", strerror(code));
	return r;
}

/* ---- CAN ------------------------------------------------------------------------------ */

static struct rtattr *add_attribute(struct nlmsghdr *h, int type, const void *data, size_t len)
{
	struct rtattr *a = (void *)((char *)h + NLMSG_ALIGN(h->nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), data, len);
	h->nlmsg_len = NLMSG_ALIGN(h->nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static void end_attribute(struct nlmsghdr *h, struct rtattr *a)
{
	a->rta_len = (char *)h + h->nlmsg_len - (char *)a;
}

/* Bit rate and mode of an interface that is down: 0 or an errno. */
static int can_configure(const char *name, bool loopback)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
		char room[512];
	} m;
	struct can_bittiming timing = { .bitrate = 500000 };
	struct can_ctrlmode mode = { CAN_CTRLMODE_LOOPBACK, loopback ? CAN_CTRLMODE_LOOPBACK : 0 };
	struct rtattr *info, *data;
	struct nlmsgerr *answer;
	char buf[1024];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), code = EIO;

	memset(&m, 0, sizeof(m));
	m.h = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(sizeof(m.i)), .nlmsg_type = RTM_NEWLINK,
				 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK };
	m.i.ifi_index = (int)if_nametoindex(name);
	info = add_attribute(&m.h, IFLA_LINKINFO, NULL, 0);
	add_attribute(&m.h, IFLA_INFO_KIND, "can", 3);
	data = add_attribute(&m.h, IFLA_INFO_DATA, NULL, 0);
	add_attribute(&m.h, IFLA_CAN_BITTIMING, &timing, sizeof(timing));
	add_attribute(&m.h, IFLA_CAN_CTRLMODE, &mode, sizeof(mode));
	end_attribute(&m.h, data);
	end_attribute(&m.h, info);
	if (fd >= 0 && send(fd, &m, m.h.nlmsg_len, 0) > 0 && recv(fd, buf, sizeof(buf), 0) > 0) {
		answer = NLMSG_DATA((struct nlmsghdr *)buf);
		code = -answer->error;
	}
	if (fd >= 0)
		close(fd);
	return code;
}

static int can_send(const char *name)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_CAN),
				  .sll_ifindex = (int)if_nametoindex(name) };
	struct can_frame f = { .can_id = 0x123, .can_dlc = 8, .data = "kport!\1\2" };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_CAN)), code = 0;

	if (fd < 0)
		return errno;
	if (sendto(fd, &f, sizeof(f), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		code = errno;
	close(fd);
	return code;
}

static enum exercise_result use_can(int fd, const char *name, const char *how)
{
	long tx = net_number(name, "statistics/tx_packets");
	double end = now() + 1.5;
	int code = set_up(fd, name, true);

	if (code)
		return result(EXERCISE_FAIL, "does not come up (%s): %s", how, strerror(code));
	code = can_send(name);
	if (code)
		return result(EXERCISE_FAIL, "a frame cannot be sent: %s", strerror(code));
	while (net_number(name, "statistics/tx_packets") <= tx && now() < end)
		sleep_ms(20);
	if (net_number(name, "statistics/tx_packets") <= tx)
		return result(EXERCISE_FAIL, "up (%s), a frame is never sent", how);
	return result(EXERCISE_OK, "up (%s), a frame sent, down", how);
}

/* Virtual ones have no bit rate; what does not loop back has a bus that takes frames. */
static enum exercise_result run_can(const char *name)
{
	static const char *const hows[] = { "500 kbit/s, loopback", "500 kbit/s" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), code;
	enum exercise_result r = EXERCISE_FAIL;

	if (fd < 0)
		return result(EXERCISE_SKIP, "no sockets: %s", strerror(errno));
	say_driver(fd, name);
	for (int i = 0; i < 2 && r != EXERCISE_OK; i++) {
		code = can_configure(name, i == 0);
		got("configure", "%s: %s", hows[i], code ? strerrorname_np(code) : "0");
		r = use_can(fd, name, code && code != EOPNOTSUPP ? "no bit rate" : hows[i]);
		if (set_up(fd, name, false))
			return result(EXERCISE_FAIL, "does not go down");
	}
	return r;
}

const struct exercise exercise_net = { "net", 25, takes_net, run_net };
const struct exercise exercise_can = { "can", 10, takes_can, run_can };
