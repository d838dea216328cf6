// SPDX-License-Identifier: MIT
// Signals: those that are watched, those that end a process, and faults.
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

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
