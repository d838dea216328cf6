// SPDX-License-Identifier: MIT
//
// What pipe.h tells of. The other end is Sources/NBridgePages/Session/PipeLink.swift.

#include "pipe.h"

#include "../CNBridgePassing/passing.h"

#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// The drain is in microseconds, the rest in milliseconds.
enum { HEAD = 8, FILE_ = 3, PART_FILE = 5, LONG = 64 << 10, LONGEST_DRAIN = 1000000, REST = 20 };

typedef struct {
  size_t at;
  int file;
} Passing;

void pipe_init(Pipe *pipe, const PipeListener *listener, void *data) {
  *pipe = (Pipe){.listener = listener, .data = data, .socket = -1};
  pipe->in = g_byte_array_new();
  pipe->out = g_byte_array_new();
  pipe->passed = g_array_new(FALSE, FALSE, sizeof(int));
  pipe->passing = g_array_new(FALSE, FALSE, sizeof(Passing));
}

gboolean pipe_is_open(const Pipe *pipe) { return pipe->socket >= 0; }

void pipe_fail(Pipe *pipe) {
  if (pipe->socket >= 0) shutdown(pipe->socket, SHUT_RDWR);
}

static void forget(guint *source) {
  if (*source != 0) g_source_remove(*source);
  *source = 0;
}

void pipe_close(Pipe *pipe) {
  forget(&pipe->reading);
  forget(&pipe->writing);
  if (pipe->socket >= 0) close(pipe->socket);
  pipe->socket = -1;
  g_byte_array_set_size(pipe->in, 0);
  g_byte_array_set_size(pipe->out, 0);
  for (guint index = 0; index < pipe->passed->len; index++) close(g_array_index(pipe->passed, int, index));
  for (guint index = 0; index < pipe->passing->len; index++) close(g_array_index(pipe->passing, Passing, index).file);
  g_array_set_size(pipe->passed, 0);
  g_array_set_size(pipe->passing, 0);
}

void pipe_clear(Pipe *pipe) {
  pipe_close(pipe);
  g_byte_array_unref(pipe->in);
  g_byte_array_unref(pipe->out);
  g_array_unref(pipe->passed);
  g_array_unref(pipe->passing);
}

// --- What comes ----------------------------------------------------------------------------------------------------------------------

gboolean pipe_fill(int file, size_t from, guint8 *start, size_t count) {
  size_t at = 0;
  while (at < count) {
    ssize_t got = pread(file, start + at, count - at, from + at);
    if (got <= 0 && errno != EINTR) return FALSE;
    if (got > 0) at += got;
  }
  return TRUE;
}

/// The next file that came, as a message of so many bytes. Answers false where there is none, or fewer are in it.
static gboolean take_file(Pipe *pipe, guint32 kind, size_t count) {
  if (pipe->passed->len == 0) return FALSE;
  int file = g_array_index(pipe->passed, int, 0);
  g_array_remove_index(pipe->passed, 0);
  gboolean is_whole = pipe->listener->take_file(pipe->data, kind, file, count);
  close(file);
  return is_whole;
}

/// Hands on what is whole. Answers false when the other side says what is no message.
static gboolean take_whole(Pipe *pipe) {
  size_t at = 0;
  while (pipe->socket >= 0 && pipe->in->len - at >= HEAD) {
    guint32 head[2];
    memcpy(head, pipe->in->data + at, HEAD);
    if (head[0] > PIPE_LONGEST) return FALSE;
    if (head[1] == FILE_ || head[1] == PART_FILE) {
      at += HEAD;
      if (!take_file(pipe, head[1] == FILE_ ? PIPE_BYTES : PIPE_PART, head[0])) return FALSE;
      continue;
    }
    if (pipe->in->len - at - HEAD < head[0]) break;
    size_t start = at + HEAD;
    at = start + head[0];
    pipe->listener->take(pipe->data, head[1], pipe->in->data + start, head[0]);
  }
  // A listener may have closed it.
  if (at <= pipe->in->len && at > 0) g_byte_array_remove_range(pipe->in, 0, at);
  return TRUE;
}

static gboolean end_pipe(Pipe *pipe) {
  pipe->reading = 0;
  pipe_close(pipe);
  pipe->listener->ended(pipe->data);
  return G_SOURCE_REMOVE;
}

static gboolean read_more(gint socket, GIOCondition condition, gpointer data) {
  (void)condition;
  Pipe *pipe = data;
  static guint8 room[256 << 10];
  gboolean is_over = FALSE;
  for (int left = 16; left > 0; left--) {
    int files[NB_PASSED], passed = 0;
    ssize_t count = nb_receive_passed(socket, room, sizeof room, files, &passed);
    if (passed > 0) g_array_append_vals(pipe->passed, files, passed);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    is_over = count <= 0;
    if (is_over) break;
    g_byte_array_append(pipe->in, room, count);
    if ((size_t)count < sizeof room) break;
  }
  // What came with the end came before it.
  gboolean is_sound = take_whole(pipe);
  if (pipe->socket >= 0 && (is_over || !is_sound)) return end_pipe(pipe);
  return pipe->socket >= 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

// --- What goes -----------------------------------------------------------------------------------------------------------------------

/// Writes what the socket takes. Answers whether all is out.
static gboolean write_out(Pipe *pipe) {
  size_t at = 0;
  while (at < pipe->out->len) {
    Passing *next = pipe->passing->len > 0 ? &g_array_index(pipe->passing, Passing, 0) : NULL;
    gboolean passes = next != NULL && next->at == at;
    // A file goes with its head alone, so that it comes with that.
    size_t end = passes ? at + HEAD : next != NULL ? next->at : pipe->out->len;
    ssize_t count = nb_send_passing(pipe->socket, pipe->out->data + at, end - at, passes ? next->file : -1);
    if (count <= 0 && errno == EINTR) continue;
    pipe->is_crowded = count < 0 && errno == ETOOMANYREFS;
    if (count <= 0) break;
    at += count;
    if (passes) {
      close(next->file);
      g_array_remove_index(pipe->passing, 0);
    }
  }
  if (at > 0) g_byte_array_remove_range(pipe->out, 0, at);
  for (guint index = 0; index < pipe->passing->len; index++) g_array_index(pipe->passing, Passing, index).at -= at;
  return pipe->out->len == 0;
}

void pipe_drain(Pipe *pipe) {
  gint64 end = g_get_monotonic_time() + LONGEST_DRAIN;
  while (pipe->socket >= 0 && !write_out(pipe)) {
    struct pollfd room = {pipe->socket, pipe->is_crowded ? 0 : POLLOUT, 0};
    gint64 left = (end - g_get_monotonic_time()) / 1000;
    if (left <= 0 || (poll(&room, 1, pipe->is_crowded ? REST : left) < 0 && errno != EINTR) || room.revents & (POLLERR | POLLHUP)) return;
  }
}

static void write_later(Pipe *pipe);

static gboolean write_again(gpointer data) {
  Pipe *pipe = data;
  pipe->writing = 0;
  if (!write_out(pipe)) write_later(pipe);
  return G_SOURCE_REMOVE;
}

static gboolean write_more(gint socket, GIOCondition condition, gpointer data) {
  (void)socket, (void)condition;
  return write_again(data);
}

/// When the socket takes more; or in a moment, where this user's files that are under way are as many as may be.
static void write_later(Pipe *pipe) {
  if (pipe->is_crowded) pipe->writing = g_timeout_add(REST, write_again, pipe);
  else pipe->writing = g_unix_fd_add(pipe->socket, G_IO_OUT, write_more, pipe);
}

gboolean pipe_append(int file, const guint8 *start, size_t count) {
  for (size_t at = 0; at < count;) {
    ssize_t done = write(file, start + at, count - at);
    if (done > 0) at += done;
    else if (errno != EINTR) return FALSE;
  }
  return TRUE;
}

/// A file in memory with these bytes; -1 where there can be none.
static int file_of(const guint8 *start, size_t count) {
  int file = nb_memory_file();
  if (file < 0 || pipe_append(file, start, count)) return file;
  close(file);
  return -1;
}

/// Writes the head of a message, or of what is in a file, which it takes; -1 for none.
static void put_head(Pipe *pipe, guint32 kind, size_t count, int file) {
  guint32 head[2] = {count, kind};
  if (file >= 0) g_array_append_val(pipe->passing, ((Passing){pipe->out->len, file}));
  g_byte_array_append(pipe->out, (const guint8 *)head, HEAD);
}

static void start_writing(Pipe *pipe) {
  if (pipe->writing == 0 && !write_out(pipe)) write_later(pipe);
}

void pipe_put_part(Pipe *pipe, int file, size_t count) {
  if (pipe->socket < 0) {
    close(file);
    return;
  }
  put_head(pipe, PART_FILE, count, file);
  start_writing(pipe);
}

void pipe_put(Pipe *pipe, guint32 kind, const void *start, size_t count) {
  if (pipe->socket < 0 || count > PIPE_LONGEST) return;
  int file = kind == PIPE_BYTES && count > LONG ? file_of(start, count) : -1;
  put_head(pipe, file >= 0 ? FILE_ : kind, count, file);
  if (file < 0) g_byte_array_append(pipe->out, start, count);
  start_writing(pipe);
}

gboolean pipe_open(Pipe *pipe, const char *address) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  g_strlcpy(place.sun_path, address, sizeof place.sun_path);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0 || connect(made, (struct sockaddr *)&place, sizeof place) != 0) {
    if (made >= 0) close(made);
    return FALSE;
  }
  pipe->socket = made;
  pipe->reading = g_unix_fd_add(made, G_IO_IN | G_IO_HUP, read_more, pipe);
  return TRUE;
}
