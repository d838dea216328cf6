// SPDX-License-Identifier: MIT
//
// What WebKit loads into the process of a window's page: a pipe from the page's main frame to the program, by a socket of its own, which is
// several times as fast as WebKit's own messages. The page's first script takes it (js/remote.js); nothing of it is left for others. No
// Swift, no plugin and no decision about a call is in here: only messages that come whole.
//
// A message has its length and kind in front, 32 bits each: 1 text, 2 bytes, 3 bytes in a file that comes with its head, for what is long:
// a file in memory is copied as memory is. All runs on the main thread of the page's process.

#include "../CNBridgePassing/passing.h"

#include <JavaScriptCore/JavaScript.h>
#include <errno.h>
#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <webkit2/webkit-web-extension.h>

enum { HEAD = 8, TEXT = 1, BYTES = 2, FILE_ = 3, LONGEST = 256 << 20, LONG = 64 << 10 };

/// The page that has the pipe; there is one in a process at a time.
static struct {
  JSGlobalContextRef context;
  JSObjectRef handler;
  int socket;
  guint reading, writing;
  GByteArray *in, *out;
  // Files that came, and those that go, each with the place of its head in `out`.
  GArray *passed, *passing;
} pipe_ = {.socket = -1};

typedef struct {
  size_t at;
  int file;
} Passing;

static char *address, *scheme;

// --- The socket ----------------------------------------------------------------------------------------------------------------------

static void forget(guint *source) {
  if (*source != 0) g_source_remove(*source);
  *source = 0;
}

static void let_go(void) {
  forget(&pipe_.reading);
  forget(&pipe_.writing);
  if (pipe_.socket >= 0) close(pipe_.socket);
  pipe_.socket = -1;
  g_byte_array_set_size(pipe_.in, 0);
  g_byte_array_set_size(pipe_.out, 0);
  for (guint index = 0; index < pipe_.passed->len; index++) close(g_array_index(pipe_.passed, int, index));
  for (guint index = 0; index < pipe_.passing->len; index++) close(g_array_index(pipe_.passing, Passing, index).file);
  g_array_set_size(pipe_.passed, 0);
  g_array_set_size(pipe_.passing, 0);
}

static JSValueRef string_of(JSContextRef context, const char *text) {
  JSStringRef string = JSStringCreateWithUTF8CString(text);
  JSValueRef value = JSValueMakeString(context, string);
  JSStringRelease(string);
  return value;
}

static void tell(const char *what, JSValueRef value) {
  if (pipe_.handler == NULL) return;
  JSValueRef values[] = {string_of(pipe_.context, what), value};
  JSObjectCallAsFunction(pipe_.context, pipe_.handler, NULL, value == NULL ? 1 : 2, values, NULL);
}

/// Memory that isn't the engine's own ends this process (gigacage): the engine makes it, and it is filled.
static JSObjectRef make_bytes(size_t count) {
  return JSObjectMakeTypedArray(pipe_.context, kJSTypedArrayTypeUint8Array, count, NULL);
}

static void take(guint32 kind, const guint8 *start, size_t count) {
  if (kind == TEXT) {
    char *text = g_strndup((const char *)start, count);
    tell("text", string_of(pipe_.context, text));
    g_free(text);
    return;
  }
  JSObjectRef bytes = make_bytes(count);
  if (bytes == NULL) return;
  if (count > 0) memcpy(JSObjectGetTypedArrayBytesPtr(pipe_.context, bytes, NULL), start, count);
  tell("bytes", bytes);
}

/// The next file that came, as a message of so many bytes. Answers false where there is none, or fewer are in it.
static gboolean take_file(size_t count) {
  if (pipe_.passed->len == 0) return FALSE;
  int file = g_array_index(pipe_.passed, int, 0);
  g_array_remove_index(pipe_.passed, 0);
  JSObjectRef bytes = make_bytes(count);
  guint8 *start = bytes == NULL ? NULL : JSObjectGetTypedArrayBytesPtr(pipe_.context, bytes, NULL);
  size_t at = 0;
  while (start != NULL && at < count) {
    ssize_t got = pread(file, start + at, count - at, at);
    if (got <= 0 && errno != EINTR) break;
    if (got > 0) at += got;
  }
  close(file);
  if (at < count) return FALSE;
  tell("bytes", bytes);
  return TRUE;
}

/// Hands on what is whole. Answers false when the other side says what is no message.
static gboolean take_whole(void) {
  size_t at = 0;
  while (pipe_.socket >= 0 && pipe_.in->len - at >= HEAD) {
    guint32 head[2];
    memcpy(head, pipe_.in->data + at, HEAD);
    if (head[0] > LONGEST) return FALSE;
    if (head[1] == FILE_) {
      at += HEAD;
      if (!take_file(head[0])) return FALSE;
      continue;
    }
    if (pipe_.in->len - at - HEAD < head[0]) break;
    size_t start = at + HEAD;
    at = start + head[0];
    take(head[1], pipe_.in->data + start, head[0]);
  }
  // A handler may have closed it.
  if (at <= pipe_.in->len && at > 0) g_byte_array_remove_range(pipe_.in, 0, at);
  return TRUE;
}

static gboolean read_more(gint socket, GIOCondition condition, gpointer data) {
  (void)condition, (void)data;
  static guint8 room[256 << 10];
  for (int left = 16; left > 0; left--) {
    int files[NB_PASSED], passed = 0;
    ssize_t count = nb_receive_passed(socket, room, sizeof room, files, &passed);
    if (passed > 0) g_array_append_vals(pipe_.passed, files, passed);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      pipe_.reading = 0;
      let_go();
      tell("close", NULL);
      return G_SOURCE_REMOVE;
    }
    g_byte_array_append(pipe_.in, room, count);
    if ((size_t)count < sizeof room) break;
  }
  if (!take_whole()) {
    pipe_.reading = 0;
    let_go();
    tell("close", NULL);
    return G_SOURCE_REMOVE;
  }
  return pipe_.socket >= 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/// Writes what the socket takes. Answers whether all is out.
static gboolean write_out(void) {
  size_t at = 0;
  while (at < pipe_.out->len) {
    Passing *next = pipe_.passing->len > 0 ? &g_array_index(pipe_.passing, Passing, 0) : NULL;
    gboolean passes = next != NULL && next->at == at;
    // A file goes with its head alone, so that it comes with that.
    size_t end = passes ? at + HEAD : next != NULL ? next->at : pipe_.out->len;
    ssize_t count = nb_send_passing(pipe_.socket, pipe_.out->data + at, end - at, passes ? next->file : -1);
    if (count <= 0 && errno == EINTR) continue;
    if (count <= 0) break;
    at += count;
    if (passes) {
      close(next->file);
      g_array_remove_index(pipe_.passing, 0);
    }
  }
  if (at > 0) g_byte_array_remove_range(pipe_.out, 0, at);
  for (guint index = 0; index < pipe_.passing->len; index++) g_array_index(pipe_.passing, Passing, index).at -= at;
  return pipe_.out->len == 0;
}

static gboolean write_more(gint socket, GIOCondition condition, gpointer data) {
  (void)socket, (void)condition, (void)data;
  if (!write_out()) return G_SOURCE_CONTINUE;
  pipe_.writing = 0;
  return G_SOURCE_REMOVE;
}

/// A file in memory with these bytes; -1 where there can be none.
static int file_of(const guint8 *start, size_t count) {
  int file = nb_memory_file();
  for (size_t at = 0; file >= 0 && at < count;) {
    ssize_t done = write(file, start + at, count - at);
    if (done > 0) at += done;
    else if (errno != EINTR) {
      close(file);
      return -1;
    }
  }
  return file;
}

static void put(guint32 kind, const void *start, size_t count) {
  if (pipe_.socket < 0 || count > LONGEST) return;
  int file = kind == BYTES && count > LONG ? file_of(start, count) : -1;
  guint32 head[2] = {count, file >= 0 ? FILE_ : kind};
  if (file >= 0) g_array_append_val(pipe_.passing, ((Passing){pipe_.out->len, file}));
  g_byte_array_append(pipe_.out, (const guint8 *)head, HEAD);
  if (file < 0) g_byte_array_append(pipe_.out, start, count);
  if (pipe_.writing == 0 && !write_out()) pipe_.writing = g_unix_fd_add(pipe_.socket, G_IO_OUT, write_more, NULL);
}

// --- What the page's first script gets ----------------------------------------------------------------------------------------------

#define FUNCTION(name)                                                                                                    \
  static JSValueRef name(JSContextRef context, JSObjectRef function, JSObjectRef self, size_t count,                       \
                         const JSValueRef values[], JSValueRef *exception)

/// open(handler): connects; the handler hears ("text", string), ("bytes", Uint8Array), ("close"). Answers whether it could.
FUNCTION(open_pipe) {
  (void)function, (void)self, (void)exception;
  let_go();
  if (pipe_.handler != NULL) JSValueUnprotect(context, pipe_.handler);
  pipe_.handler = count > 0 && JSValueIsObject(context, values[0]) ? (JSObjectRef)values[0] : NULL;
  if (pipe_.handler == NULL) return JSValueMakeBoolean(context, false);
  JSValueProtect(context, pipe_.handler);
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  g_strlcpy(place.sun_path, address, sizeof place.sun_path);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0 || connect(made, (struct sockaddr *)&place, sizeof place) != 0) {
    if (made >= 0) close(made);
    return JSValueMakeBoolean(context, false);
  }
  pipe_.socket = made;
  pipe_.reading = g_unix_fd_add(made, G_IO_IN | G_IO_HUP, read_more, NULL);
  return JSValueMakeBoolean(context, true);
}

/// send(string or view): puts a message.
FUNCTION(send_message) {
  (void)function, (void)self;
  if (count == 0) return JSValueMakeUndefined(context);
  if (JSValueGetTypedArrayType(context, values[0], exception) == kJSTypedArrayTypeUint8Array) {
    JSObjectRef bytes = (JSObjectRef)values[0];
    const guint8 *start = JSObjectGetTypedArrayBytesPtr(context, bytes, exception);
    put(BYTES, start + JSObjectGetTypedArrayByteOffset(context, bytes, exception),
        JSObjectGetTypedArrayByteLength(context, bytes, exception));
    return JSValueMakeUndefined(context);
  }
  JSStringRef string = JSValueToStringCopy(context, values[0], exception);
  if (string == NULL) return JSValueMakeUndefined(context);
  size_t room = JSStringGetMaximumUTF8CStringSize(string);
  char *text = malloc(room);
  size_t size = JSStringGetUTF8CString(string, text, room);
  JSStringRelease(string);
  put(TEXT, text, size > 0 ? size - 1 : 0);
  free(text);
  return JSValueMakeUndefined(context);
}

FUNCTION(close_pipe) {
  (void)function, (void)self, (void)count, (void)values, (void)exception;
  let_go();
  return JSValueMakeUndefined(context);
}

static void add(JSContextRef context, JSObjectRef object, const char *name, JSValueRef value, JSPropertyAttributes kind) {
  JSStringRef string = JSStringCreateWithUTF8CString(name);
  JSObjectSetProperty(context, object, string, value, kind, NULL);
  JSStringRelease(string);
}

static void add_function(JSContextRef context, JSObjectRef object, const char *name, JSObjectCallAsFunctionCallback body) {
  JSStringRef string = JSStringCreateWithUTF8CString(name);
  add(context, object, name, JSObjectMakeFunctionWithCallback(context, string, body), kJSPropertyAttributeNone);
  JSStringRelease(string);
}

/// A frame has a new global object, before any script of its ran: a page is loaded, perhaps again. What the one before had is over.
static void window_cleared(WebKitScriptWorld *world, WebKitWebPage *page, WebKitFrame *frame, gpointer data) {
  (void)world, (void)data;
  if (!webkit_frame_is_main_frame(frame)) return;
  let_go();
  if (pipe_.handler != NULL) JSValueUnprotect(pipe_.context, pipe_.handler);
  pipe_.handler = NULL;
  if (pipe_.context != NULL) JSGlobalContextRelease(pipe_.context);
  pipe_.context = NULL;
  const char *uri = webkit_web_page_get_uri(page);
  if (uri == NULL || !g_str_has_prefix(uri, scheme)) return;
G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  pipe_.context = JSGlobalContextRetain(webkit_frame_get_javascript_context_for_script_world(frame, webkit_script_world_get_default()));
G_GNUC_END_IGNORE_DEPRECATIONS
  JSObjectRef object = JSObjectMake(pipe_.context, NULL, NULL);
  add_function(pipe_.context, object, "open", open_pipe);
  add_function(pipe_.context, object, "send", send_message);
  add_function(pipe_.context, object, "close", close_pipe);
  add(pipe_.context, JSContextGetGlobalObject(pipe_.context), "nbridgePipe", object, kJSPropertyAttributeDontEnum);
}

G_MODULE_EXPORT void webkit_web_extension_initialize_with_user_data(WebKitWebExtension *extension, GVariant *data) {
  (void)extension;
  g_variant_get(data, "(ss)", &address, &scheme);
  pipe_.in = g_byte_array_new();
  pipe_.out = g_byte_array_new();
  pipe_.passed = g_array_new(FALSE, FALSE, sizeof(int));
  pipe_.passing = g_array_new(FALSE, FALSE, sizeof(Passing));
  g_signal_connect(webkit_script_world_get_default(), "window-object-cleared", G_CALLBACK(window_cleared), NULL);
}
