// SPDX-License-Identifier: MIT
// Files that go over a Unix socket (unix(7), SCM_RIGHTS), which are macros of C. No logic.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __clang__
#define _Nonnull
#endif

/// Files that come with one read.
enum { NB_PASSED = 16 };

/// What linux/memfd.h and linux/fcntl.h name, which glibc shows to GNU programs only.
enum { NB_MFD_CLOEXEC = 1, NB_MFD_ALLOW_SEALING = 2, NB_F_ADD_SEALS = 1033, NB_F_GET_SEALS = 1034, NB_SEALS = 0xF };

/// A file in memory, which can be sealed; -1 with `errno` set.
static inline int nb_memory_file(void) {
  return (int)syscall(SYS_memfd_create, "nbridge", NB_MFD_CLOEXEC | NB_MFD_ALLOW_SEALING);
}

/// From here on nobody can write to it, cut it, or take the seals off. Answers 0, or -1 with `errno` set.
static inline int nb_seal(int file) { return fcntl(file, NB_F_ADD_SEALS, NB_SEALS); }

/// How long it is; -1 for what is no file.
static inline long nb_file_size(int file) {
  struct stat facts;
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? (long)facts.st_size : -1;
}

/// Whether that was done.
static inline _Bool nb_is_sealed(int file) {
  // Where there are no seals it is -1, which has all bits.
  int seals = fcntl(file, NB_F_GET_SEALS);
  return seals >= 0 && (seals & NB_SEALS) == NB_SEALS;
}

/// Sends bytes with a file, or with none (-1). Never waits.
static inline ssize_t nb_send_passing(int socket, const void *_Nonnull bytes, size_t count, int file) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } room;
  struct iovec piece = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (file >= 0) {
    memset(&room, 0, sizeof room);
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(control), &file, sizeof file);
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Reads bytes, and the files that came with them: NB_PASSED at the most, closed on exec. Never waits.
static inline ssize_t nb_receive_passed(int socket, void *_Nonnull bytes, size_t room, int *_Nonnull files, int *_Nonnull passed) {
  union {
    char bytes[CMSG_SPACE(NB_PASSED * sizeof(int))];
    struct cmsghdr aligned;
  } space;
  struct iovec piece = {bytes, room};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
  *passed = 0;
  ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  for (struct cmsghdr *control = CMSG_FIRSTHDR(&message); control != NULL; control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    int came = (int)((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int index = 0; index < came; index++) {
      int file;
      memcpy(&file, CMSG_DATA(control) + (size_t)index * sizeof file, sizeof file);
      if (*passed < NB_PASSED) files[(*passed)++] = file;
      else close(file);
    }
  }
  return count;
}
