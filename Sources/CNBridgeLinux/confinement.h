// SPDX-License-Identifier: MIT
// What confines a process: rules for files (landlock(7)), a filter of system calls (seccomp(2)), capabilities(7). No logic.
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kernel's `landlock_ruleset_attr`; Debian 12's header ends after the first.
struct nb_landlock_rules {
  uint64_t files, network, scopes;
};

/// The kernel's `landlock_path_beneath_attr`.
struct nb_landlock_path {
  uint64_t allowed;
  int32_t file;
} __attribute__((packed));

// The numbers are the same on all machines.
enum { NB_LANDLOCK_CREATE = 444, NB_LANDLOCK_ADD = 445, NB_LANDLOCK_RESTRICT = 446 };

/// The version of the kernel's rules for files; negative when it has none.
static inline int nb_landlock_version(void) { return (int)syscall(NB_LANDLOCK_CREATE, (void *)0, (size_t)0, 1u); }

static inline int nb_landlock_create(const struct nb_landlock_rules *_Nonnull rules, size_t size) {
  return (int)syscall(NB_LANDLOCK_CREATE, rules, size, 0u);
}

static inline int nb_landlock_add(int rules, const struct nb_landlock_path *_Nonnull path) {
  return (int)syscall(NB_LANDLOCK_ADD, rules, 1u, path, 0u);
}

static inline int nb_landlock_restrict(int rules) { return (int)syscall(NB_LANDLOCK_RESTRICT, rules, 0u); }

/// Nothing that this thread runs from now on has more rights than it: no set-user-ID program has.
static inline int nb_gain_nothing(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Gives up what root may and others may not, for good.
static inline int nb_drop_capabilities(void) {
  // Whoever may not drop them has none that a program could get back.
  for (int number = 0; number < 64 && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; number++) {}
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  const struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &head, none);
}

/// Asks a filter at every system call of this thread and of what it starts.
static inline int nb_filter_calls(const struct sock_filter *_Nonnull instructions, unsigned short count) {
  const struct sock_fprog program = {count, (struct sock_filter *)instructions};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program);
}
