// SPDX-License-Identifier: MIT
//
// The slower way from a page to the program, where the page's process has no extension.c: WebKit's script messages to this program, and a
// pipe from here, so that the other end is the same. They carry texts only, so bytes are in Base64. js/line.js and js/world.js are the
// page's half; a text begins with what it is: o open, c close, t text, p a piece of bytes, b bytes or the last piece of them, f the same of
// a part of the next bytes, n nothing.

#include "talk.h"

#include "pipe.h"
#include "scripts.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Longer bytes go in pieces, a multiple of three; texts are sent together up to so many bytes; so many replies wait at the most.
enum { PIECE = 3 << 19, TOGETHER = 1 << 20, MOST_WAITING = 32 };

static const char world[] = "nbridge", handler[] = "nbridge";

/// What a page goes by: of a `Shown`.
struct Way {
  Pipe pipe;
  JSCContext *context;
  /// Replies that the page waits for, and texts (GString) that wait for a reply; the oldest first.
  GQueue replies, unsent;
  /// Of a message that has not come whole.
  GByteArray *pieces;
};

static char *home;
static gboolean is_slow;

// --- What the page hears -------------------------------------------------------------------------------------------------------------

/// Answers the oldest message that waits: with a text, which it takes, or with the end.
static void reply(Way *way, GString *text) {
  WebKitScriptMessageReply *oldest = g_queue_pop_head(&way->replies);
  GBytes *bytes = text == NULL ? NULL : g_string_free_to_bytes(text);
  JSCValue *value = bytes == NULL ? jsc_value_new_null(way->context) : jsc_value_new_string_from_bytes(way->context, bytes);
  webkit_script_message_reply_return_value(oldest, value);
  webkit_script_message_reply_unref(oldest);
  g_object_unref(value);
  if (bytes != NULL) g_bytes_unref(bytes);
}

static void flush(Way *way) {
  while (!g_queue_is_empty(&way->replies) && !g_queue_is_empty(&way->unsent)) reply(way, g_queue_pop_head(&way->unsent));
  while (g_queue_get_length(&way->replies) > MOST_WAITING) reply(way, g_string_new(NULL));
}

/// Closes the pipe, and tells who waits for something from it.
static void close_way(Way *way) {
  // What a page said as it went.
  pipe_drain(&way->pipe);
  pipe_close(&way->pipe);
  while (!g_queue_is_empty(&way->replies)) reply(way, NULL);
  GString *text;
  while ((text = g_queue_pop_head(&way->unsent)) != NULL) g_string_free(text, TRUE);
  g_byte_array_set_size(way->pieces, 0);
}

/// Where a text is to be written: behind others, or by itself.
static GString *line(Way *way, size_t count) {
  GString *last = g_queue_peek_tail(&way->unsent);
  if (last != NULL && last->len + count < TOGETHER) return g_string_append_c(last, '\n');
  GString *made = g_string_sized_new(count + 2);
  g_queue_push_tail(&way->unsent, made);
  return made;
}

static void put_bytes(Way *way, char kind, const guint8 *start, size_t count) {
  size_t room = (count + 2) / 3 * 4;
  GString *text = g_string_append_c(line(way, room), kind);
  size_t at = text->len;
  int state = 0, save = 0;
  g_string_set_size(text, at + room + 8);
  at += g_base64_encode_step(start, count, FALSE, text->str + at, &state, &save);
  at += g_base64_encode_close(FALSE, text->str + at, &state, &save);
  g_string_truncate(text, at);
}

static void take(void *data, guint32 kind, const guint8 *start, size_t count) {
  Way *way = data;
  if (kind == PIPE_TEXT) {
    g_string_append_len(g_string_append_c(line(way, count), 't'), (const char *)start, count);
  } else {
    for (; count > PIECE; start += PIECE, count -= PIECE) put_bytes(way, 'p', start, PIECE);
    put_bytes(way, kind == PIPE_PART ? 'f' : 'b', start, count);
  }
  flush(way);
}

static gboolean take_file(void *data, guint32 kind, int file, size_t count) {
  guint8 *bytes = g_try_malloc(count + 1);
  gboolean is_whole = bytes != NULL && pipe_fill(file, 0, bytes, count);
  if (is_whole) take(data, kind, bytes, count);
  g_free(bytes);
  return is_whole;
}

static void ended(void *data) { close_way(data); }

// --- What it says --------------------------------------------------------------------------------------------------------------------

static void add_piece(Way *way, const char *text, size_t count) {
  guint at = way->pieces->len;
  int state = 0;
  guint save = 0;
  if (at + count / 4 * 3 > PIPE_LONGEST) return close_way(way);
  g_byte_array_set_size(way->pieces, at + count / 4 * 3 + 3);
  size_t made = g_base64_decode_step(text, count, way->pieces->data + at, &state, &save);
  g_byte_array_set_size(way->pieces, at + made);
}

static void hear(Way *way, const char *text, size_t count) {
  switch (count == 0 ? 0 : *text) {
    case 'o':
      close_way(way);
      pipe_open(&way->pipe, get("socket"));
      break;
    case 'c': close_way(way); break;
    case 't': pipe_put(&way->pipe, PIPE_TEXT, text + 1, count - 1); break;
    case 'p': add_piece(way, text + 1, count - 1); break;
    case 'b':
      add_piece(way, text + 1, count - 1);
      pipe_put(&way->pipe, PIPE_BYTES, way->pieces->data, way->pieces->len);
      g_byte_array_set_size(way->pieces, 0);
      break;
    default: break;
  }
}

static gboolean received(WebKitUserContentManager *from, JSCValue *value, WebKitScriptMessageReply *reply, gpointer data) {
  (void)from;
  Way *way = ((Shown *)data)->way;
  if (way->context == NULL) way->context = g_object_ref(jsc_value_get_context(value));
  GBytes *bytes = jsc_value_to_string_as_bytes(value);
  size_t count;
  const char *text = g_bytes_get_data(bytes, &count);
  hear(way, text, count);
  g_bytes_unref(bytes);
  g_queue_push_tail(&way->replies, webkit_script_message_reply_ref(reply));
  if (pipe_is_open(&way->pipe)) flush(way);
  else close_way(way);
  return TRUE;
}

// --- Which way a page goes -----------------------------------------------------------------------------------------------------------

static void add_script(WebKitUserContentManager *manager, const char *text, const char *in) {
  char *ours = g_strconcat(home, "*", NULL);
  const char *const pages[] = {ours, NULL};
  WebKitUserContentInjectedFrames top = WEBKIT_USER_CONTENT_INJECT_TOP_FRAME;
  WebKitUserScriptInjectionTime start = WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START;
  WebKitUserScript *script = in == NULL ? webkit_user_script_new(text, top, start, pages, NULL)
                                        : webkit_user_script_new_for_world(text, top, start, in, pages, NULL);
  webkit_user_content_manager_add_script(manager, script);
  webkit_user_script_unref(script);
  g_free(ours);
}

/// From its next page on, a window goes the slower way.
static void make_way(Shown *shown) {
  static const PipeListener listener = {take, take_file, ended};
  Way *way = shown->way = g_new0(Way, 1);
  pipe_init(&way->pipe, &listener, way);
  g_queue_init(&way->replies);
  g_queue_init(&way->unsent);
  way->pieces = g_byte_array_new();
  WebKitUserContentManager *manager = webkit_web_view_get_user_content_manager(shown->view);
  g_signal_connect(manager, "script-message-with-reply-received::nbridge", G_CALLBACK(received), shown);
  webkit_user_content_manager_register_script_message_handler_with_reply(manager, handler, world);
  add_script(manager, line_script, NULL);
  add_script(manager, world_script, world);
}

/// All windows go the slower way from now on.
static void go_slowly(const char *why) {
  if (is_slow) return;
  is_slow = TRUE;
  fprintf(stderr, "nbridge: the page's calls go by WebKit's own messages, which takes longer: %s\n", why);
  for (GList *shown = all_shown; shown != NULL; shown = shown->next) {
    if (((Shown *)shown->data)->way == NULL) make_way(shown->data);
  }
}

static void go_slowly_without(const char *what) {
  char *why = g_strdup_printf(
    "%s '%s/libnbridge-window.so'; make window, or make install, builds it for the WebKitGTK that is here", what, get("extension"));
  go_slowly(why);
  g_free(why);
}

void choose_way(const char *of) {
  home = g_strdup(of);
  char *library = g_build_filename(get("extension"), "libnbridge-window.so", NULL);
  const char *told = g_getenv("NBRIDGE_WINDOW_MESSAGES");
  if (told != NULL && *told != 0) go_slowly("NBRIDGE_WINDOW_MESSAGES is set");
  else if (g_access(library, R_OK) != 0) go_slowly_without(errno == ENOENT ? "there is no" : "this user may not read");
  g_free(library);
}

gboolean uses_extension(void) { return !is_slow; }

/// The extension is in the page's process, or it is, and can't reach the program.
static gboolean heard(WebKitWebView *from, WebKitUserMessage *message, gpointer data) {
  Shown *shown = data;
  const char *name = webkit_user_message_get_name(message);
  if (!strcmp(name, "nbridge-pipe")) {
    shown->has_extension = TRUE;
  } else if (!strcmp(name, "nbridge-no-pipe") && shown->has_extension) {
    shown->has_extension = FALSE;
    go_slowly("the page's process can't connect to the program's socket; XDG_RUNTIME_DIR is to name a folder that its sandbox may have");
    webkit_web_view_reload(from);
  } else {
    return FALSE;
  }
  return TRUE;
}

static void load_changed(WebKitWebView *from, WebKitLoadEvent event, gpointer data) {
  (void)from;
  Shown *shown = data;
  // It says that it is there before the page is asked for, and what is added now comes before the page's text.
  if (event == WEBKIT_LOAD_STARTED && !shown->has_extension) go_slowly_without("the page's process did not load");
  // What the page before it had open is over.
  if (event == WEBKIT_LOAD_COMMITTED && shown->way != NULL) close_way(shown->way);
}

void follow_way(Shown *shown) {
  g_signal_connect(shown->view, "user-message-received", G_CALLBACK(heard), shown);
  g_signal_connect(shown->view, "load-changed", G_CALLBACK(load_changed), shown);
  if (is_slow) make_way(shown);
}

gboolean goes_another_way(Shown *shown) {
  gboolean had = shown->has_extension;
  shown->has_extension = FALSE;
  if (shown->way != NULL) close_way(shown->way);
  if (had || is_slow) return FALSE;
  go_slowly_without("the page's process ended as it loaded");
  return TRUE;
}

void end_way(Shown *shown) {
  Way *way = shown->way;
  if (way == NULL) return;
  g_signal_handlers_disconnect_by_data(webkit_web_view_get_user_content_manager(shown->view), shown);
  close_way(way);
  pipe_clear(&way->pipe);
  g_byte_array_unref(way->pieces);
  g_clear_object(&way->context);
  g_free(way);
  shown->way = NULL;
}
