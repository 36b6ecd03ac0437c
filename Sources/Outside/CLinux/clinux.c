// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "clinux.h"
#include "closing.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

// ---- epoll

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int epoll_change(int epoll, int operation, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = 0, .data.u64 = key};
    if (events & clinux_readable) event.events |= EPOLLIN;
    if (events & clinux_writable) event.events |= EPOLLOUT;
    if (events & clinux_half_closed) event.events |= EPOLLRDHUP;
    return epoll_ctl(epoll, operation, fd, &event);
}

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t key) {
    return epoll_change(epoll, EPOLL_CTL_ADD, fd, events, key);
}

int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t key) {
    return epoll_change(epoll, EPOLL_CTL_MOD, fd, events, key);
}

int clinux_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); }

int clinux_epoll_wait(int epoll, struct clinux_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    if (capacity > 64) capacity = 64;
    int count;
    do count = epoll_wait(epoll, events, capacity, milliseconds);
    while (count < 0 && errno == EINTR);
    for (int i = 0; i < count; i++) {
        uint32_t seen = 0;
        if (events[i].events & EPOLLIN) seen |= clinux_readable;
        if (events[i].events & EPOLLOUT) seen |= clinux_writable;
        if (events[i].events & EPOLLRDHUP) seen |= clinux_half_closed;
        if (events[i].events & (EPOLLHUP | EPOLLERR)) seen |= clinux_hung_up;
        ready[i] = (struct clinux_ready){.key = events[i].data.u64, .events = seen};
    }
    return count;
}

// ---- sockets

int clinux_accept(int listener) {
    int fd;
    do fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int unix_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

static int connect_unix(const char *path, int type) {
    struct sockaddr_un address;
    if (unix_address(path, &address) < 0) return -1;
    int fd = socket(AF_UNIX, type, 0);
    if (fd < 0) return -1;
    int result;
    do result = connect(fd, (struct sockaddr *)&address, sizeof address);
    while (result < 0 && errno == EINTR);
    if (result < 0) return close_keeping_errno(fd);
    return fd;
}

int clinux_connect_unix(const char *path) { return connect_unix(path, SOCK_STREAM | SOCK_CLOEXEC); }

int clinux_connect_unix_nonblocking(const char *path) {
    return connect_unix(path, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_listen_unix(const char *path, unsigned mode, int backlog) {
    struct sockaddr_un address;
    if (unix_address(path, &address) < 0) return -1;
    int probe = clinux_connect_unix_nonblocking(path);
    if (probe >= 0 || errno == EAGAIN) {
        if (probe >= 0) close(probe);
        errno = EADDRINUSE;
        return -1;
    }
    struct stat status;
    bool stale = lstat(path, &status) == 0;
    if (stale && !S_ISSOCK(status.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    // Made under another name and renamed, so that who sees the socket is served and not refused.
    struct sockaddr_un final = address;
    size_t length = strlen(path);
    bool renamed = length + 1 < sizeof address.sun_path;
    if (renamed) strcpy(address.sun_path + length, "~");
    if (stale || renamed) unlink(address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(address.sun_path, (mode_t)mode) < 0
        || listen(fd, backlog) < 0 || (renamed && rename(address.sun_path, final.sun_path) < 0))
        return close_keeping_errno(fd);
    return fd;
}

int clinux_connect_tcp(const char *host, const char *port, int *resolver_error) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *addresses = NULL;
    // "localhost" may resolve to ::1 first, where gpsd often does not listen.
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1";
    *resolver_error = getaddrinfo(host, port, &hints, &addresses);
    if (*resolver_error != 0) return -1;
    int fd = -1;
    for (struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) continue;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (connect(fd, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS) break;
        fd = close_keeping_errno(fd);
    }
    int saved = errno;
    freeaddrinfo(addresses);
    errno = saved;
    return fd;
}

int clinux_socket_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return errno;
    return error;
}

int clinux_listen_loopback(uint16_t port, uint16_t *actual_port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 8) < 0
        || getsockname(fd, (struct sockaddr *)&address, &length) < 0)
        return close_keeping_errno(fd);
    *actual_port = ntohs(address.sin_port);
    return fd;
}

// ---- peers

int clinux_peer_credentials(int fd, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *peer = (struct clinux_peer){.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
    return 0;
}

bool clinux_peer_has_group(int fd, gid_t group) {
    struct clinux_peer peer;
    if (clinux_peer_credentials(fd, &peer) == 0 && peer.gid == group) return true;
    gid_t *groups = NULL;
    socklen_t length = 0;
    // Asked with no room, the kernel says how much is needed.
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &length) == 0 || errno != ERANGE) return false;
    groups = malloc(length);
    if (groups == NULL) return false;
    bool found = false;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) == 0)
        for (size_t i = 0; i < length / sizeof *groups; i++) found = found || groups[i] == group;
    free(groups);
    return found;
}

int clinux_peer_pidfd(int fd, pid_t pid) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0) return pidfd;
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool clinux_pidfd_is_alive(int pidfd) {
    struct pollfd waiting = {.fd = pidfd, .events = POLLIN};
    return poll(&waiting, 1, 0) == 0;
}

static bool network_cookie(int fd, uint64_t *cookie) {
    socklen_t length = sizeof *cookie;
    return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &length) == 0;
}

bool clinux_is_of_another_network(int fd) {
    int own = clinux_unix_socket();
    if (own < 0) return false;
    uint64_t here, there;
    bool isKnown = network_cookie(own, &here) && network_cookie(fd, &there);
    close(own);
    return isKnown && here != there;
}

int clinux_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// ---- memory that outlives the process

void *clinux_map_file(int fd, size_t length) {
    int error = posix_fallocate(fd, 0, (off_t)length);
    if (error != 0) {
        errno = error;
        return NULL;
    }
    void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return address == MAP_FAILED ? NULL : address;
}

void clinux_store_release(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

void clinux_release_fence(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

// ---- process

uint64_t clinux_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 0;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

int64_t clinux_boottime_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clinux_boottime_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_boottime_timer_set(int timer, int64_t nanoseconds) {
    struct itimerspec setting = {0};
    if (nanoseconds >= 0) {
        setting.it_value.tv_sec = nanoseconds / 1000000000;
        setting.it_value.tv_nsec = nanoseconds % 1000000000;
        // All zero would mean never.
        if (nanoseconds == 0) setting.it_value.tv_nsec = 1;
    }
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

int64_t clinux_realtime_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Of an entry of /proc/self/pagemap: the page is there, or swapped out, and is not the file's. Debuggers and probes make such pages
// of a program's code; they would be lost.
static bool is_own_copy(uint64_t entry) { return (entry >> 62 & 3) != 0 && (entry >> 61 & 1) == 0; }

// What cannot be released (the kernel's own pages) stays.
static void release_unchanged(int pagemap, uintptr_t start, uintptr_t end, uintptr_t page) {
    uint64_t entries[512];
    uintptr_t kept = start;
    for (uintptr_t next = start; next < end;) {
        size_t wanted = (end - next) / page;
        if (wanted > 512) wanted = 512;
        ssize_t count = pread(pagemap, entries, wanted * sizeof *entries, (off_t)(next / page * sizeof *entries));
        if (count < (ssize_t)sizeof *entries) return;
        for (size_t i = 0; i < (size_t)count / sizeof *entries; i++, next += page) {
            if (!is_own_copy(entries[i])) continue;
            if (kept < next) madvise((void *)kept, next - kept, MADV_DONTNEED);
            kept = next + page;
        }
    }
    if (kept < end) madvise((void *)kept, end - kept, MADV_DONTNEED);
}

static int release_segments(struct dl_phdr_info *object, size_t size, void *pagemap) {
    (void)size;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) / page * page;
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) / page * page;
        if (start < end) release_unchanged(*(int *)pagemap, start, end, page);
    }
    return 0;
}

void clinux_release_startup_pages(void) {
    malloc_trim(0);
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) return;
    dl_iterate_phdr(release_segments, &pagemap);
    close(pagemap);
}

void clinux_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

// ---- getopt_long, whose state is the process's

static pthread_mutex_t option_lock = PTHREAD_MUTEX_INITIALIZER;

struct clinux_option_result clinux_next_option(
    int argc, char *const *argv, const char *short_options, const struct clinux_option *options, size_t count, int index) {
    struct option *table = calloc(count + 1, sizeof *table);
    for (size_t i = 0; i < count; i++)
        table[i] = (struct option){
            .name = options[i].name,
            .has_arg = options[i].takes_argument ? required_argument : no_argument,
            .val = options[i].value,
        };
    pthread_mutex_lock(&option_lock);
    // A word's start: forget what an earlier parse left half done.
    if (index <= 1) optind = 0;
    else optind = index;
    opterr = 0;
    int before = index <= 1 ? 1 : index;
    int value = getopt_long(argc, argv, short_options, table, NULL);
    struct clinux_option_result result = {
        .value = value, .argument = NULL, .offending = NULL, .next_index = optind};
    if (value == '?' || value == ':') result.offending = argv[before < argc ? before : argc - 1];
    else if (value != -1) result.argument = optarg;
    pthread_mutex_unlock(&option_lock);
    free(table);
    return result;
}
