// SPDX-License-Identifier: MIT
// Linux's own calls on files, which glibc hides from Swift or lacks. No logic.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// glibc declares these for _GNU_SOURCE only, which Swift's Glibc module does not set.
extern int renameat2(int from_folder, const char *_Nonnull from, int to_folder, const char *_Nonnull to, unsigned int flags);
extern ssize_t copy_file_range(int from, int64_t *_Nullable from_offset, int to, int64_t *_Nullable to_offset, size_t size,
                               unsigned int flags);
extern int syncfs(int file);
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *_Nonnull attributes);
extern int fallocate(int file, int mode, int64_t offset, int64_t size);

/// `renameat2`'s flags (linux/fs.h, which can't be included beside stdio.h's).
enum { NB_RENAME_NOREPLACE = 1, NB_RENAME_EXCHANGE = 2 };
/// `open`'s flags that fcntl.h gives for _GNU_SOURCE only, with the kernel's values for this machine.
#if defined(__aarch64__)
enum { NB_O_DIRECTORY = 040000, NB_O_NOFOLLOW = 0100000 };
#else
enum { NB_O_DIRECTORY = 0200000, NB_O_NOFOLLOW = 0400000 };
#endif
enum { NB_O_PATH = 010000000, NB_O_TMPFILE = 020000000 | NB_O_DIRECTORY };
enum { NB_AT_EMPTY_PATH = 0x1000, NB_FALLOC_FL_KEEP_SIZE = 1 };

// `syscall` is variadic, which Swift can't call; glibc 2.36 has no openat2.
static inline int nb_openat2(int folder, const char *_Nonnull path, const struct open_how *_Nonnull how) {
  return (int)syscall(SYS_openat2, folder, path, how, sizeof *how);
}

/// The mount that an open file lies on: names can be moved within one only, also when two are of the same disk.
/// 0 when the kernel does not tell.
static inline uint64_t nb_mount_id(int file) {
  // The kernel's struct statx (linux/stat.h, which can't stand beside sys/stat.h): stx_mask at 0, stx_mnt_id at 0x90.
  enum { MNT_ID = 0x1000 };
  uint64_t facts[32] = {0};
  if (syscall(SYS_statx, file, "", NB_AT_EMPTY_PATH, MNT_ID, facts) != 0) return 0;
  return (uint32_t)facts[0] & MNT_ID ? facts[0x90 / 8] : 0;
}

// `openat` is variadic.
static inline int nb_openat(int folder, const char *_Nonnull path, int flags, mode_t mode) {
  return openat(folder, path, flags, mode);
}

// `accept4` is for _GNU_SOURCE; the socket is closed on exec and never waits.
static inline int nb_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, O_CLOEXEC | O_NONBLOCK);
}

/// Has this process ended politely when the thread that started it ends, however that ends.
static inline void nb_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGTERM); }

/// Starts a program that gets a signal when the thread that started it ends, however that ends: `posix_spawn` has no such wish.
/// `streams` are its stdin, stdout and stderr, -1 for this process's own; a session of its own takes no ^C from a terminal.
/// Answers its number, or -1 with `errno` set.
__attribute__((noinline)) static pid_t nb_spawn_bound(const char *_Nonnull program, char *_Nullable const *_Nonnull arguments,
                                                      const int *_Nonnull streams, int signal, int has_own_session) {
  volatile int failure = 0;
  const pid_t parent = getpid();
  // The child runs in the parent's memory, which waits, until it becomes the other program: it touches nothing but `failure`.
  const pid_t child = vfork();
  if (child != 0) {
    if (child > 0 && failure != 0) errno = failure;
    return child > 0 && failure != 0 ? -1 : child;
  }
  sigset_t none;
  sigemptyset(&none);
  if (has_own_session) setsid();
  // What this process ignores is its own affair.
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(SIGPIPE, &usual, (struct sigaction *)0);
  sigaction(SIGXFSZ, &usual, (struct sigaction *)0);
  int is_ready = prctl(PR_SET_PDEATHSIG, signal) == 0 && getppid() == parent && sigprocmask(SIG_SETMASK, &none, (sigset_t *)0) == 0;
  for (int target = 0; target < 3; target++)
    if (streams[target] >= 0) is_ready = is_ready && dup2(streams[target], target) >= 0;
  if (is_ready) execvp(program, arguments);
  failure = errno;
  _exit(127);
}

/// A number that another process may write at any time; what is read afterwards is no older.
static inline unsigned long long nb_load_acquire(const unsigned long long *_Nonnull number) {
  return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

/// Writes such a number: what is written afterwards is seen no earlier.
static inline void nb_store(unsigned long long *_Nonnull number, unsigned long long value) {
  __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}
