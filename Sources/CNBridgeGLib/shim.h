// SPDX-License-Identifier: MIT
// GLib, GIO and GIO for Unix, and what glibc hides from Swift. No logic.
#pragma once

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <glib.h>

#include <malloc.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>

// glibc declares these for _GNU_SOURCE only, which Swift's Glibc module does not set.
extern pid_t gettid(void);
extern int pthread_setname_np(pthread_t thread, const char *_Nonnull name);
extern int pipe2(int *_Nonnull ends, int flags);
extern ssize_t getrandom(void *_Nullable buffer, size_t length, unsigned int flags);

// `ioctl` is variadic, which Swift can't call.
static inline int nb_window_size(int file, struct winsize *_Nonnull size) { return ioctl(file, TIOCGWINSZ, size); }
