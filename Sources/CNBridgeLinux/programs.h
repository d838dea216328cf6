// SPDX-License-Identifier: MIT
// Starting programs: what posix_spawn has no wish for, or glibc shows to GNU programs only.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/// Has this process ended politely when the thread that started it ends, however that ends.
static inline void nb_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGTERM); }

/// Has the program that is to be started close what it has from `lowest` on.
static inline void nb_close_from(posix_spawn_file_actions_t *_Nonnull actions, int lowest) {
  // glibc shows it to GNU programs only.
  extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
  posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

/// Leaves the program that this process becomes none of its descriptors but the first three: what a library or this process's own
/// parent left open. Kernels before 5.11 don't know the call.
static inline void nb_keep_descriptors(void) {
  enum { ON_EXEC = 4 };
  if (syscall(SYS_close_range, 3u, ~0u, ON_EXEC) != 0)
    for (int file = 3; file < 1024; file++) fcntl(file, F_SETFD, FD_CLOEXEC);
}

/// Starts a program that gets a signal when the thread that started it ends, however that ends: `posix_spawn` has no such wish.
/// `streams` are its stdin, stdout and stderr, -1 for this process's own; a session of its own takes no ^C from a terminal.
/// Answers its number, or -1 with `errno` set.
__attribute__((noinline)) static pid_t nb_spawn_bound(const char *_Nonnull program, char *_Nullable const *_Nonnull arguments,
                                                      const int *_Nonnull streams, int signal, int inherits, int has_own_session) {
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
  if (!inherits) nb_keep_descriptors();
  if (is_ready) execvp(program, arguments);
  failure = errno;
  _exit(127);
}

/// A program that is to be started, every part of it made before: the child runs in the parent's memory.
struct nb_child {
  /// The folder that the program lies in, and its name there.
  int folder;
  const char *_Nonnull name;
  /// The same as a path, for programs that begin with `#!`: their interpreter is told a path.
  const char *_Nonnull path;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  /// Its stdin, stdout and stderr; each 3 or above.
  int streams[3];
  /// The folder that it starts in; -1 for this process's own.
  int working_folder;
  /// How much memory it may have, in bytes; 0 for as much as this process.
  uint64_t memory;
};

/// Starts a program as the leader of a session and a group of its own, with none of this process's descriptors but the three. It is
/// killed when the thread that started it ends, however that ends. Answers its number, or -1 with `errno` set.
__attribute__((noinline)) static pid_t nb_spawn_child(const struct nb_child *_Nonnull start) {
  enum { NO_LINKS = 0x100 };
  volatile int failure = 0;
  const pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  // A handler of the parent's must not run in the child, which has its memory.
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t child = vfork();
  if (child != 0) {
    const int error = child < 0 ? errno : failure;
    int status;
    if (child > 0 && failure != 0)
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    sigprocmask(SIG_SETMASK, &before, (sigset_t *)0);
    errno = error;
    return child < 0 || error != 0 ? -1 : child;
  }
  // Nothing that this process ignores or handles is the child's affair.
  struct sigaction usual = {.sa_handler = SIG_DFL};
  for (int number = 1; number <= 64; number++) sigaction(number, &usual, (struct sigaction *)0);
  sigset_t none;
  sigemptyset(&none);
  int is_ready = setsid() >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  if (is_ready && getppid() != parent) _exit(127);
  if (start->working_folder >= 0) is_ready = is_ready && fchdir(start->working_folder) == 0;
  if (start->memory > 0) {
    const struct rlimit limit = {start->memory, start->memory};
    is_ready = is_ready && setrlimit(RLIMIT_AS, &limit) == 0;
  }
  for (int target = 0; target < 3; target++) is_ready = is_ready && dup2(start->streams[target], target) >= 0;
  nb_keep_descriptors();
  if (is_ready) is_ready = sigprocmask(SIG_SETMASK, &none, (sigset_t *)0) == 0;
  if (is_ready) {
    syscall(SYS_execveat, start->folder, start->name, start->arguments, start->environment, NO_LINKS);
    // The kernel's word for a program that begins with `#!`, whose interpreter could not open the folder's descriptor.
    if (errno == ENOENT) execve(start->path, start->arguments, start->environment);
  }
  failure = errno;
  _exit(127);
}

/// A descriptor that is readable once a child has ended.
static inline int nb_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// `pipe2` is for _GNU_SOURCE. Both ends are closed on exec.
static inline int nb_pipe(int *_Nonnull ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
