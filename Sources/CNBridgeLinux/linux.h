// SPDX-License-Identifier: MIT
// Linux's own calls on files, which glibc hides from Swift or lacks. No logic.
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

// glibc declares these for _GNU_SOURCE only, which Swift's Glibc module does not set.
extern int renameat2(int from_folder, const char *_Nonnull from, int to_folder, const char *_Nonnull to, unsigned int flags);
extern ssize_t copy_file_range(int from, int64_t *_Nullable from_offset, int to, int64_t *_Nullable to_offset, size_t size,
                               unsigned int flags);
extern int syncfs(int file);
extern int sched_getcpu(void);
extern void *_Nullable memmem(const void *_Nonnull text, size_t length, const void *_Nonnull part, size_t part_length);
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

/// Reads what the kernel has in memory, without waiting for a disk: fails with EAGAIN when there is nothing of what is asked
/// for, with EOPNOTSUPP where the file system does not know. (`preadv2` of glibc is for _GNU_SOURCE.)
static inline ssize_t nb_read_cached(int file, void *_Nonnull room, size_t size, int64_t offset) {
  enum { NOWAIT = 8 };  // RWF_NOWAIT (linux/fs.h)
  struct iovec part = {room, size};
  return syscall(SYS_preadv2, file, &part, 1UL, (unsigned long)offset, 0UL, NOWAIT);
}

/// How many processors this process may use; `sched_getaffinity` is for _GNU_SOURCE.
static inline int nb_processors(void) {
  unsigned long words[128];
  const long size = syscall(SYS_sched_getaffinity, 0, sizeof words, words);
  int count = 0;
  for (long at = 0; at < size / (long)sizeof *words; at++) count += __builtin_popcountl(words[at]);
  return count;
}

// The kernel counts them for each thread; RUSAGE_THREAD is for _GNU_SOURCE.
static inline long nb_thread_waits(void) {
  enum { THREAD = 1 };
  struct rusage usage;
  return syscall(SYS_getrusage, THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/// The microseconds of processors that this process has had, in the kernel or outside; `getrusage` takes an enum for GNU
/// programs only.
static inline double nb_processor_time(int in_kernel) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const struct timeval time = in_kernel ? usage.ru_stime : usage.ru_utime;
  return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

// `openat` is variadic.
static inline int nb_openat(int folder, const char *_Nonnull path, int flags, mode_t mode) {
  return openat(folder, path, flags, mode);
}

// link.h shows `dl_iterate_phdr` to GNU programs only: a program or a library as the loader knows it.
struct nb_loaded {
  Elf64_Addr address;
  const char *_Nullable name;
  const Elf64_Phdr *_Nonnull segments;
  Elf64_Half segment_count;
};
extern int dl_iterate_phdr(int (*_Nonnull)(struct nb_loaded *_Nonnull, size_t, void *_Nullable), void *_Nullable);

static int nb_give_back_segments(struct nb_loaded *_Nonnull loaded, size_t size, void *_Nullable page) {
  (void)size;
  const Elf64_Addr mask = *(const Elf64_Addr *)page - 1;
  for (int index = 0; index < loaded->segment_count; index++) {
    const Elf64_Phdr *segment = &loaded->segments[index];
    // What the loader writes to is not in the file: only what nobody can have written.
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
    const Elf64_Addr start = (loaded->address + segment->p_vaddr) & ~mask;
    const Elf64_Addr end = (loaded->address + segment->p_vaddr + segment->p_memsz + mask) & ~mask;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

/// Gives back free memory, and takes the pages of programs and libraries out of this process that only their files hold: who
/// reads one gets it back.
static inline void nb_give_back_pages(void) {
  malloc_trim(0);
  Elf64_Addr page = (Elf64_Addr)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(nb_give_back_segments, &page);
}

// `accept4` is for _GNU_SOURCE; the socket is closed on exec and never waits.
static inline int nb_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, O_CLOEXEC | O_NONBLOCK);
}

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

// `fcntl` is variadic. Another number for a descriptor, 3 or above.
static inline int nb_above_streams(int file) { return fcntl(file, F_DUPFD_CLOEXEC, 3); }
static inline int nb_never_wait(int file) { return fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

// The mode of the terminal behind stdin, which a signal that ends this process at once gives back. Of the one Swift file that calls
// it, as below.

static inline struct termios *_Nonnull nb_old_mode(void) {
  static struct termios mode;
  return &mode;
}

static inline void nb_end_with_old_mode(int number) {
  tcsetattr(0, TCSANOW, nb_old_mode());
  // The handler is gone by now: this is what the signal does by itself.
  raise(number);
}

/// Has the signals that end a process at once, and that nobody handles, give a terminal's mode back.
static inline void nb_give_back_mode(const struct termios *_Nonnull mode) {
  static const int numbers[] = {SIGQUIT, SIGABRT, SIGUSR2};
  *nb_old_mode() = *mode;
  for (int at = 0; at < 3; at++) {
    struct sigaction before, action = {.sa_handler = nb_end_with_old_mode, .sa_flags = SA_RESETHAND | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    // One in the background may not touch the terminal, unless it keeps this signal away.
    sigaddset(&action.sa_mask, SIGTTOU);
    if (sigaction(numbers[at], (struct sigaction *)0, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(numbers[at], &action, (struct sigaction *)0);
  }
}

// Handlers of signals that are watched. Their state is this file's own in each Swift file that calls these: one of them does, and
// under a lock.

static inline struct sigaction *_Nonnull nb_old_action(int number) {
  static struct sigaction actions[65] = {{{0}}};
  return &actions[number];
}

static inline volatile int *_Nonnull nb_signal_pipe(void) {
  static volatile int pipe = -1;
  return &pipe;
}

static inline void nb_note_signal(int number, siginfo_t *_Nullable facts, void *_Nullable context) {
  const int error = errno;
  const struct sigaction *const old = nb_old_action(number);
  // JavaScriptCore stops its threads by a signal, SIGUSR1, that it sends them one by one (pthread_kill).
  if (facts && facts->si_code == SI_TKILL && facts->si_pid == getpid() && old->sa_flags & SA_SIGINFO && old->sa_sigaction)
    old->sa_sigaction(number, facts, context);
  else {
    const unsigned char byte = (unsigned char)number;
    if (write(*nb_signal_pipe(), &byte, 1) < 0) {}
  }
  errno = error;
}

/// Has a signal's number written into a pipe, as a byte, instead of what it would do.
static inline int nb_watch_signal(int number, int pipe) {
  struct sigaction action = {0};
  *nb_signal_pipe() = pipe;
  if (sigaction(number, (struct sigaction *)0, nb_old_action(number)) != 0) return -1;
  action.sa_sigaction = nb_note_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, (struct sigaction *)0);
}

/// Gives a signal back what it would have done.
static inline void nb_unwatch_signal(int number) { sigaction(number, nb_old_action(number), (struct sigaction *)0); }

// Faults that are about to end the process. The state is this file's own in each Swift file that calls these: one of them does.

struct nb_crash {
  /// Written, and read, by eventfd(2): somebody is to tell of it; it is told.
  int wake, done;
  /// Whose fault is being told of, or 0.
  int claimed;
  volatile int thread, number, ends;
  struct sigaction before[65];
};

static inline struct nb_crash *_Nonnull nb_crash_state(void) {
  static struct nb_crash state;
  return &state;
}

/// Waits a second for an eventfd, -1 for none. Swift has another module's poll.h.
static inline int nb_wait_second(int file) {
  struct { int file; short events, happened; } look = {file, 1 /* POLLIN */, 0};
  struct timespec time = {1, 0};
  return (int)syscall(SYS_ppoll, &look, 1, &time, (void *)0, (size_t)8);
}

/// Has somebody tell of this thread's fault, and waits for that. `ends`: whether the process ends by it.
static inline void nb_tell(int number, int ends) {
  struct nb_crash *const state = nb_crash_state();
  const int thread = (int)syscall(SYS_gettid);
  int nobody = 0;
  if (__atomic_compare_exchange_n(&state->claimed, &nobody, thread, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    state->thread = thread;
    state->number = number;
    state->ends = ends;
    uint64_t one = 1;
    if (write(state->wake, &one, sizeof one) == sizeof one && nb_wait_second(state->done) > 0 &&
        read(state->done, &one, sizeof one) < 0) {}
    __atomic_store_n(&state->claimed, 0, __ATOMIC_RELEASE);
  } else if (nobody != thread) {
    // Another thread's fault is being told of, and ends the process.
    nb_wait_second(-1);
  }
}

static inline void nb_tell_crash(int number, siginfo_t *_Nullable facts, void *_Nullable context) {
  const struct sigaction *const before = &nb_crash_state()->before[number];
  const int error = errno;
  // JavaScriptCore mends some faults (WebAssembly's), and gives up its handler at the first that it can't mend.
  if ((number == SIGSEGV || number == SIGBUS) && before->sa_flags & SA_SIGINFO && before->sa_sigaction) {
    struct sigaction now;
    before->sa_sigaction(number, facts, context);
    if (sigaction(number, (struct sigaction *)0, &now) == 0 && now.sa_sigaction == nb_tell_crash) return;
    nb_tell(number, 1);
  } else {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const int has_handler = before->sa_flags & SA_SIGINFO || (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
    nb_tell(number, !has_handler || before->sa_flags & SA_RESETHAND);
    errno = error;
    // A handler that is for once raises the signal again, and counts on it that this is its end.
    if (!has_handler || before->sa_flags & SA_RESETHAND) sigaction(number, &usual, (struct sigaction *)0);
    if (before->sa_flags & SA_SIGINFO) return before->sa_sigaction(number, facts, context);
    if (has_handler) return before->sa_handler(number);
  }
  // A fault comes again when this returns; what was sent does not.
  if (!facts || facts->si_code <= 0) raise(number);
}

/// Has a fault told of before what happens else.
static inline void nb_watch_crash(int number) {
  struct sigaction action = {.sa_sigaction = nb_tell_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, &nb_crash_state()->before[number]);
}

/// Has what handles a fault use the stack that its thread has for that: another library may have put its own handler there
/// meanwhile, which uses the one that is used up.
static inline void nb_keep_crash_stack(int number) {
  struct sigaction now;
  if (sigaction(number, NULL, &now) != 0 || now.sa_flags & SA_ONSTACK) return;
  if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  now.sa_flags |= SA_ONSTACK;
  sigaction(number, &now, NULL);
}

/// The number of this thread, as the system has it.
static inline int nb_thread(void) { return (int)syscall(SYS_gettid); }

/// A number that another process may write at any time; what is read afterwards is no older.
static inline unsigned long long nb_load_acquire(const unsigned long long *_Nonnull number) {
  return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

/// Writes such a number: what is written afterwards is seen no earlier.
static inline void nb_store(unsigned long long *_Nonnull number, unsigned long long value) {
  __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}

/// Has stdout take whole lines out at once, wherever it leads.
static inline void nb_buffer_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
