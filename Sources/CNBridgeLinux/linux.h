// SPDX-License-Identifier: MIT
// Linux's own calls, on files above all, which glibc hides from Swift or lacks. No logic.
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
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

/// How many bytes have come to a socket and were not read (SIOCINQ), and were written and not acknowledged (SIOCOUTQ);
/// 0 where the kernel does not tell. `ioctl` is variadic, which Swift can't call.
static inline void nb_socket_queues(int file, int *_Nonnull unread, int *_Nonnull unsent) {
  enum { INQ = 0x541B, OUTQ = 0x5411 };
  if (ioctl(file, INQ, unread) != 0) *unread = 0;
  if (ioctl(file, OUTQ, unsent) != 0) *unsent = 0;
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

// `fcntl` is variadic. Another number for a descriptor, 3 or above.
static inline int nb_above_streams(int file) { return fcntl(file, F_DUPFD_CLOEXEC, 3); }
static inline int nb_never_wait(int file) { return fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

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
