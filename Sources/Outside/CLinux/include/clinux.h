// SPDX-License-Identifier: Apache-2.0
//
// The system calls that Swift's Glibc module hides (missing headers, macros, variadics, _GNU_SOURCE), and nothing else.
// Functions return -1 and set errno as their system calls do, unless they say otherwise.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- epoll, level-triggered

enum {
    clinux_readable = 1 << 0,  // EPOLLIN
    clinux_writable = 1 << 1,  // EPOLLOUT
    clinux_half_closed = 1 << 2,  // EPOLLRDHUP: the peer will send no more
    clinux_hung_up = 1 << 3,  // EPOLLHUP or EPOLLERR: reported whether asked for or not
};

struct clinux_ready {
    uint64_t key;
    uint32_t events;
};

int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t key);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t key);
int clinux_epoll_remove(int epoll, int fd);
// Waits at most `milliseconds` (-1: for ever), retrying after signals. At most 64 at a time.
int clinux_epoll_wait(int epoll, struct clinux_ready *ready, int capacity, int milliseconds);

// ---- sockets

// Close-on-exec and non-blocking.
int clinux_accept(int listener);
// A listening Unix socket at `path` with `mode`; a stale socket file there is replaced, a live one is EADDRINUSE.
int clinux_listen_unix(const char *path, unsigned mode, int backlog);
// Blocking connect; close-on-exec.
int clinux_connect_unix(const char *path);
// Starts a non-blocking connect to a numeric or resolvable host; numeric IPv4 and IPv6 addresses and localhost never block.
// Returns the socket, whose connect may still be in progress. On failure *resolver_error holds getaddrinfo's code or 0.
int clinux_connect_tcp(const char *host, const char *port, int *resolver_error);
// The same for a Unix stream socket.
int clinux_connect_unix_nonblocking(const char *path);
// A descriptor that is readable when 8 bytes that are no zero were written to it; -1: errno says why there is none.
int clinux_event(void);
// The pending error of a socket (SO_ERROR), 0 when connected.
int clinux_socket_error(int fd);
// A listening TCP socket on 127.0.0.1; port 0 lets the kernel choose. *actual_port gets the port.
int clinux_listen_loopback(uint16_t port, uint16_t *actual_port);

// ---- peers

struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};
int clinux_peer_credentials(int fd, struct clinux_peer *peer);
// Whether the peer had the group, as its own or a supplementary one, when it connected.
bool clinux_peer_has_group(int fd, gid_t group);
// A descriptor for the very process that connected (SO_PEERPIDFD, kernel >= 6.5), else pidfd_open of the recorded pid.
int clinux_peer_pidfd(int fd, pid_t pid);
// Whether the socket was made in another network namespace than that of the calling thread (SO_NETNS_COOKIE); false before kernel 5.14.
bool clinux_is_of_another_network(int fd);
// A Unix stream socket of the calling thread's network; -1 with errno.
int clinux_unix_socket(void);
// Whether the process behind the pidfd still runs.
bool clinux_pidfd_is_alive(int pidfd);

// ---- descriptors that outlive the process

// Two connected sockets that keep messages apart, close-on-exec and non-blocking.
int clinux_message_pair(int ends[2]);
// Lets as much wait in the socket's peer as the system allows (net.core.wmem_max).
void clinux_widen(int socket);
// Sends one message of at most 253 descriptors (SCM_MAX_FD) and `length` bytes, all of it or nothing.
int clinux_send_descriptors(int socket, const int *fds, size_t count, const void *bytes, size_t length);
// Whether the descriptor can be sent over a socket that is then sent itself. Kernels before 6.10 refuse sockets in sockets in sockets
// ... five deep, and who has the other end can make them so. Sends nothing to anybody; on false errno says why.
bool clinux_can_travel(int fd);
// Takes one message; the descriptors are close-on-exec. Returns the number of bytes, 0 at the end. More than `capacity`
// descriptors, or more bytes than `length`: EMSGSIZE, and none is left open.
ssize_t clinux_receive_descriptors(int socket, int *fds, size_t capacity, size_t *count, void *bytes, size_t length);
enum { clinux_most_descriptors = 253 };
// Memory with these bytes that nobody can change or resize any more; close-on-exec.
int clinux_sealed_memory(const char *name, const void *bytes, size_t length);
// The length of sealed memory; -1 and EPERM for anything that somebody may still change.
ssize_t clinux_sealed_length(int fd);

// ---- memory that outlives the process

// Reserves room first: a full file system is ENOSPC here and not SIGBUS later. NULL and errno on failure.
void *clinux_map_file(int fd, size_t length);
void clinux_store_release(uint64_t *word, uint64_t value);
void clinux_release_fence(void);

// ---- process

// Raises the soft limit of open files to the hard limit; returns the limit now in force.
uint64_t clinux_raise_file_limit(void);
int64_t clinux_boottime_nanoseconds(void);
// A timer descriptor on that clock, which goes on while the system sleeps; close-on-exec, non-blocking. -1: errno says why.
int clinux_boottime_timer(void);
// Lets the timer become readable at a moment of that clock, at once if it is past; a negative one: never.
int clinux_boottime_timer_set(int timer, int64_t nanoseconds);
int64_t clinux_realtime_milliseconds(void);
void clinux_ignore_sigpipe(void);
// Lets go of memory that was freed, and of the program's and its libraries' read-only pages: what only the start needed (relocations, constructors) is not
// resident any more, and what is needed comes back from the page cache when it is touched. Pages that somebody has written to, as
// debuggers do, stay; without /proc all do.
void clinux_release_startup_pages(void);

// ---- getopt_long without its globals

struct clinux_option {
    const char *name;
    bool takes_argument;
    int value;
};
struct clinux_option_result {
    int value;  // the option's value; -1: no more options; '?' unknown; ':' argument missing
    const char *argument;
    const char *offending;  // for '?' and ':', the word as it was typed
    int next_index;
};
// Long options only (with abbreviations, as glibc has it) plus `short_options` in getopt's syntax. `index` starts at 1. From any
// thread, but for words that hold several short options.
struct clinux_option_result clinux_next_option(
    int argc, char *const *argv, const char *short_options, const struct clinux_option *options, size_t count, int index);
