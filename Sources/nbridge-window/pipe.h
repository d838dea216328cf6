// SPDX-License-Identifier: MIT
//
// A pipe from a page to the program: a socket of its own, and messages that come whole.
//
// A message has its length and kind in front, 32 bits each: 1 text, 2 bytes, 3 bytes in a file that comes with its head, for what is long:
// a file in memory is copied as memory is. Byte values of the next message may come before it, as 4, or 5 with a file. All runs on the
// main thread of its process.

#pragma once

#include <glib.h>

enum { PIPE_TEXT = 1, PIPE_BYTES = 2, PIPE_PART = 4, PIPE_LONGEST = 256 << 20 };

/// Who hears what comes. Each may close the pipe.
typedef struct {
  void (*take)(void *data, guint32 kind, const guint8 *start, size_t count);
  /// Bytes, or a part, that lie in a file, to be read by `pipe_fill`. Answers whether all of them were there.
  gboolean (*take_file)(void *data, guint32 kind, int file, size_t count);
  /// The other side has closed it, or says what is no message.
  void (*ended)(void *data);
} PipeListener;

typedef struct {
  const PipeListener *listener;
  void *data;
  int socket;
  guint reading, writing;
  /// Whether there was no room for another file under way.
  gboolean is_crowded;
  GByteArray *in, *out;
  // Files that came, and those that go, each with the place of its head in `out`.
  GArray *passed, *passing;
} Pipe;

/// Once, before all else: it is closed then.
void pipe_init(Pipe *pipe, const PipeListener *listener, void *data);
/// Connects a closed one. Answers whether it could.
gboolean pipe_open(Pipe *pipe, const char *address);
gboolean pipe_is_open(const Pipe *pipe);
/// Puts a message: goes at once, or as the socket takes it.
void pipe_put(Pipe *pipe, guint32 kind, const void *start, size_t count);
/// Writes bytes behind what is in a file. Answers whether it could.
gboolean pipe_append(int file, const guint8 *start, size_t count);
/// Puts such a file as a part of the next message; takes it.
void pipe_put_part(Pipe *pipe, int file, size_t count);
/// Reads so many bytes from a place of a file. Answers whether there are as many.
gboolean pipe_fill(int file, size_t from, guint8 *start, size_t count);
/// Waits until all is out, but not for long: for a page that goes, and whose last words nobody would say again.
void pipe_drain(Pipe *pipe);
/// Has the other side, and then the listener, see that it is over.
void pipe_fail(Pipe *pipe);
void pipe_close(Pipe *pipe);
/// Closes it for good.
void pipe_clear(Pipe *pipe);
