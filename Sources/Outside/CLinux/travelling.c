// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "clinux.h"
#include "closing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

// ---- descriptors that outlive the process

int clinux_message_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
}

void clinux_widen(int socket) {
    int most = INT_MAX / 2;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
}

union descriptor_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * clinux_most_descriptors)];
};

int clinux_send_descriptors(int socket, const int *fds, size_t count, const void *bytes, size_t length) {
    if (count == 0 || count > clinux_most_descriptors) {
        errno = EINVAL;
        return -1;
    }
    union descriptor_room room;
    memset(&room, 0, sizeof room);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = room.bytes,
        .msg_controllen = CMSG_SPACE(sizeof(int) * count),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

bool clinux_can_travel(int fd) {
    int inner[2] = {-1, -1}, outer[2] = {-1, -1};
    char byte = 0;
    bool has = clinux_message_pair(inner) == 0 && clinux_message_pair(outer) == 0 &&
        clinux_send_descriptors(inner[0], &fd, 1, &byte, 1) == 0 &&
        clinux_send_descriptors(outer[0], &inner[1], 1, &byte, 1) == 0;
    // Want of anything else does not tell: it may still go.
    bool can = has || errno != ETOOMANYREFS;
    int error = errno;
    for (int i = 0; i < 2; i++) {
        if (inner[i] >= 0) close(inner[i]);
        if (outer[i] >= 0) close(outer[i]);
    }
    errno = error;
    return can;
}

ssize_t clinux_receive_descriptors(int socket, int *fds, size_t capacity, size_t *count, void *bytes, size_t length) {
    union descriptor_room room;
    struct iovec part = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    *count = 0;
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    bool fits = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < found; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            if (*count < capacity) {
                fds[(*count)++] = fd;
            } else {
                close(fd);
                fits = false;
            }
        }
    }
    if (fits) return received;
    while (*count > 0) close(fds[--*count]);
    errno = EMSGSIZE;
    return -1;
}

static const int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int clinux_sealed_memory(const char *name, const void *bytes, size_t length) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 do not know it; some later ones want it (vm.memfd_noexec=2).
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    for (size_t written = 0; written < length;) {
        ssize_t count = write(fd, (const char *)bytes + written, length - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return close_keeping_errno(fd);
        written += (size_t)count;
    }
    return fcntl(fd, F_ADD_SEALS, all_seals) < 0 ? close_keeping_errno(fd) : fd;
}

ssize_t clinux_sealed_length(int fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) return -1;
    struct stat status;
    if ((seals & all_seals) != all_seals) {
        errno = EPERM;
        return -1;
    }
    return fstat(fd, &status) < 0 ? -1 : (ssize_t)status.st_size;
}
