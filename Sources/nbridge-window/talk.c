// SPDX-License-Identifier: MIT
//
// The way to the program that started this one, on stdin: a socket, both ways.

#include "talk.h"

#include <errno.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

GHashTable *said;

static GString *unread, *unsent;
static gboolean is_writing;
static void (*taker)(GHashTable *message);

const char *field(GHashTable *message, const char *name) {
  const char *value = g_hash_table_lookup(message, name);
  return value == NULL ? "" : value;
}

const char *get(const char *name) { return field(said, name); }

gboolean is_set(const char *name) { return *get(name) != 0; }

/// Takes a whole message off the front; NULL while there is none, or for what is none.
static GHashTable *take_message(void) {
  char *end = g_str_has_prefix(unread->str, "\n") ? unread->str : strstr(unread->str, "\n\n");
  if (end == NULL) return NULL;
  GHashTable *message = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  char *text = g_strndup(unread->str, end - unread->str);
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char *space = strchr(*line, ' ');
    if (space == NULL) continue;
    char *value = g_strcompress(space + 1);
    g_hash_table_insert(message, g_strndup(*line, space - *line), g_utf8_make_valid(value, -1));
    g_free(value);
  }
  g_strfreev(lines);
  g_free(text);
  g_string_erase(unread, 0, end - unread->str + (*unread->str == '\n' ? 1 : 2));
  return message;
}

/// Answers false when nothing more comes.
static gboolean read_more(int flags) {
  char bytes[16384];
  ssize_t count;
  do count = recv(STDIN_FILENO, bytes, sizeof bytes, flags);
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN;
  g_string_append_len(unread, bytes, count);
  return count > 0;
}

gboolean read_settings(void) {
  unread = g_string_new(NULL);
  while ((said = take_message()) == NULL) {
    if (!read_more(0)) return FALSE;
  }
  return TRUE;
}

static gboolean receive(GIOChannel *channel, GIOCondition condition, gpointer data) {
  (void)channel, (void)condition, (void)data;
  if (!read_more(MSG_DONTWAIT)) {
    gtk_main_quit();
    return G_SOURCE_REMOVE;
  }
  GHashTable *message;
  while ((message = take_message()) != NULL) {
    taker(message);
    g_hash_table_unref(message);
  }
  return G_SOURCE_CONTINUE;
}

void listen_for(void (*take)(GHashTable *message)) {
  taker = take;
  g_io_add_watch(g_io_channel_unix_new(STDIN_FILENO), G_IO_HUP | G_IO_ERR | G_IO_IN, receive, NULL);
}

GString *message_new(void) { return g_string_new(NULL); }

void message_add(GString *message, const char *name, const char *value) {
  char *escaped = g_strescape(value, NULL);
  g_string_append_printf(message, "%s %s\n", name, escaped);
  g_free(escaped);
}

void message_add_number(GString *message, const char *name, int value) { g_string_append_printf(message, "%s %d\n", name, value); }

/// Writes what the socket takes; the rest when it takes more. Never waits: the program may be waiting for this one to read.
static gboolean write_out(gint socket, GIOCondition condition, gpointer data) {
  (void)condition, (void)data;
  while (unsent->len > 0) {
    ssize_t count = send(socket, unsent->str, unsent->len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return G_SOURCE_CONTINUE;
    // The program has ended, which is noticed by what is read.
    g_string_erase(unsent, 0, count > 0 ? count : (gssize)unsent->len);
  }
  is_writing = FALSE;
  return G_SOURCE_REMOVE;
}

void message_send(GString *message) {
  if (unsent == NULL) unsent = g_string_new(NULL);
  g_string_append_len(unsent, message->str, message->len);
  g_string_append_c(unsent, '\n');
  g_string_free(message, TRUE);
  if (!is_writing && write_out(STDIN_FILENO, G_IO_OUT, NULL)) {
    is_writing = TRUE;
    g_unix_fd_add(STDIN_FILENO, G_IO_OUT, write_out, NULL);
  }
}

GString *answer_to(GHashTable *message) {
  GString *answer = message_new();
  message_add(answer, "answer", field(message, "number"));
  return answer;
}

void refuse_as(GHashTable *message, const char *code, const char *why) {
  GString *answer = answer_to(message);
  message_add(answer, "error", why);
  message_add(answer, "code", code);
  message_send(answer);
}

void refuse(GHashTable *message, const char *why) { refuse_as(message, "invalid_parameter", why); }

GString *message_of(Shown *shown) {
  GString *message = message_new();
  message_add_number(message, "window", shown->number);
  return message;
}

void tell_event(Shown *shown, const char *name, const char *id) {
  GString *event = message_of(shown);
  message_add(event, "event", name);
  if (id != NULL) message_add(event, "id", id);
  message_send(event);
}
