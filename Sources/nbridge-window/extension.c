// SPDX-License-Identifier: MIT
//
// What WebKit loads into the process of a window's page: a pipe from the page's main frame to the program, by a socket of its own, which is
// several times as fast as WebKit's own messages. The page's first script takes it (js/remote.js); nothing of it is left for others. No
// Swift, no plugin and no decision about a call is in here: only messages that come whole (pipe.c). All runs on the main thread of the
// page's process.

#include "pipe.h"

#include "../CNBridgePassing/passing.h"

#include <JavaScriptCore/JavaScript.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <webkit2/webkit-web-extension.h>

/// The page that has the pipe; there is one in a process at a time.
static struct {
  JSGlobalContextRef context;
  JSObjectRef handler;
  WebKitWebPage *page;
  /// Whether it has had the pipe.
  gboolean has_opened;
} page_;

/// Bytes that the page sends with a message: by their numbers, -1 for a number that is free.
typedef struct {
  int file;
  size_t count;
} Kept;
static GArray *kept;
enum { MOST_KEPT = 256 };
/// The part that comes just now, and whether the page found less than there is to be.
static Kept coming = {-1, 0};
static gboolean is_short;

static Pipe pipe_;
static char *address, *scheme;

// --- What comes ----------------------------------------------------------------------------------------------------------------------

static JSValueRef string_of(JSContextRef context, const char *text) {
  JSStringRef string = JSStringCreateWithUTF8CString(text);
  JSValueRef value = JSValueMakeString(context, string);
  JSStringRelease(string);
  return value;
}

static void tell(const char *what, JSValueRef value) {
  if (page_.handler == NULL) return;
  JSValueRef values[] = {string_of(page_.context, what), value};
  JSObjectCallAsFunction(page_.context, page_.handler, NULL, value == NULL ? 1 : 2, values, NULL);
}

/// Memory that isn't the engine's own ends this process (gigacage): the engine makes it, and it is filled.
static JSObjectRef make_bytes(size_t count) {
  return JSObjectMakeTypedArray(page_.context, kJSTypedArrayTypeUint8Array, count, NULL);
}

static void take(void *data, guint32 kind, const guint8 *start, size_t count) {
  (void)data;
  if (kind == PIPE_TEXT) {
    char *text = g_strndup((const char *)start, count);
    tell("text", string_of(page_.context, text));
    g_free(text);
    return;
  }
  JSObjectRef bytes = make_bytes(count);
  if (bytes == NULL) return;
  if (count > 0) memcpy(JSObjectGetTypedArrayBytesPtr(page_.context, bytes, NULL), start, count);
  tell(kind == PIPE_PART ? "part" : "bytes", bytes);
}

static gboolean take_file(void *data, guint32 kind, int file, size_t count) {
  (void)data;
  if (kind == PIPE_PART) {
    coming = (Kept){file, count};
    is_short = FALSE;
    if (page_.handler != NULL) tell("file", JSValueMakeNumber(page_.context, count));
    coming.file = -1;
    return !is_short;
  }
  JSObjectRef bytes = make_bytes(count);
  if (bytes == NULL || !pipe_fill(file, 0, JSObjectGetTypedArrayBytesPtr(page_.context, bytes, NULL), count)) return FALSE;
  tell("bytes", bytes);
  return TRUE;
}

static void ended(void *data) {
  (void)data;
  tell("close", NULL);
}

static const PipeListener listener = {take, take_file, ended};

/// Tells the program something of a page: that this is here, or of no use.
static void say(WebKitWebPage *page, const char *what) {
  webkit_web_page_send_message_to_view(page, webkit_user_message_new(what, NULL), NULL, NULL, NULL);
}

// --- What the page's first script gets ----------------------------------------------------------------------------------------------

#define FUNCTION(name)                                                                                                    \
  static JSValueRef name(JSContextRef context, JSObjectRef function, JSObjectRef self, size_t count,                       \
                         const JSValueRef values[], JSValueRef *exception)

/// open(handler): connects; the handler hears ("text", string), ("bytes", Uint8Array), ("close"). Answers whether it could.
FUNCTION(open_pipe) {
  (void)function, (void)self, (void)exception;
  pipe_close(&pipe_);
  if (page_.handler != NULL) JSValueUnprotect(context, page_.handler);
  page_.handler = count > 0 && JSValueIsObject(context, values[0]) ? (JSObjectRef)values[0] : NULL;
  if (page_.handler == NULL) return JSValueMakeBoolean(context, false);
  JSValueProtect(context, page_.handler);
  gboolean is_open = pipe_open(&pipe_, address);
  // As where the socket can't be seen from the sandbox. One that was there comes again, or the program has ended.
  if (!is_open && !page_.has_opened) say(page_.page, "nbridge-no-pipe");
  page_.has_opened |= is_open;
  return JSValueMakeBoolean(context, is_open);
}

static gboolean is_bytes(JSContextRef context, JSValueRef value) {
  return JSValueGetTypedArrayType(context, value, NULL) == kJSTypedArrayTypeUint8Array;
}

/// Where the bytes of a view begin.
static const guint8 *start_of(JSContextRef context, JSObjectRef view) {
  const guint8 *start = JSObjectGetTypedArrayBytesPtr(context, view, NULL);
  return start + JSObjectGetTypedArrayByteOffset(context, view, NULL);
}

/// What has a number; NULL for another value.
static Kept *kept_of(JSContextRef context, JSValueRef value) {
  double number = JSValueIsNumber(context, value) ? JSValueToNumber(context, value, NULL) : -1;
  if (!(number >= 0 && number < kept->len)) return NULL;
  Kept *found = &g_array_index(kept, Kept, (guint)number);
  return found->file < 0 ? NULL : found;
}

/// read(view, at): fills the view, one of our own, from a place of the part that comes just now. Answers how many bytes there were.
FUNCTION(read_part) {
  (void)function, (void)self;
  if (count < 2 || coming.file < 0 || !is_bytes(context, values[0])) return JSValueMakeNumber(context, 0);
  JSObjectRef view = (JSObjectRef)values[0];
  double at = JSValueToNumber(context, values[1], exception);
  if (!(at >= 0 && at < coming.count)) return JSValueMakeNumber(context, 0);
  size_t room = JSObjectGetTypedArrayByteLength(context, view, exception), left = coming.count - (size_t)at;
  size_t size = room < left ? room : left;
  is_short |= !pipe_fill(coming.file, (size_t)at, (guint8 *)start_of(context, view), size);
  return JSValueMakeNumber(context, is_short ? 0 : size);
}

/// keep(): makes room for a part of a message. Answers its number, until it is dropped; -1 where there can be none.
FUNCTION(keep_part) {
  (void)function, (void)self, (void)count, (void)values, (void)exception;
  Kept made = {nb_memory_file(), 0};
  if (made.file < 0) return JSValueMakeNumber(context, -1);
  guint number = 0;
  while (number < kept->len && g_array_index(kept, Kept, number).file >= 0) number++;
  if (number == MOST_KEPT) {
    close(made.file);
    return JSValueMakeNumber(context, -1);
  }
  if (number == kept->len) g_array_append_val(kept, made);
  else g_array_index(kept, Kept, number) = made;
  return JSValueMakeNumber(context, number);
}

/// fill(number, view, count): puts so many bytes of the view behind what is there. Answers whether it could. The view is one of our own,
/// since a buffer whose memory was asked for can't be transferred any more.
FUNCTION(fill_part) {
  (void)function, (void)self;
  Kept *part = count < 3 ? NULL : kept_of(context, values[0]);
  if (part == NULL || !is_bytes(context, values[1])) return JSValueMakeBoolean(context, false);
  JSObjectRef view = (JSObjectRef)values[1];
  double size = JSValueToNumber(context, values[2], exception);
  if (!(size >= 0 && size <= JSObjectGetTypedArrayByteLength(context, view, exception))) return JSValueMakeBoolean(context, false);
  gboolean is_written = pipe_append(part->file, start_of(context, view), (size_t)size);
  if (is_written) part->count += (size_t)size;
  return JSValueMakeBoolean(context, is_written);
}

/// drop(number): what was kept goes.
FUNCTION(drop_part) {
  (void)function, (void)self, (void)exception;
  Kept *found = count == 0 ? NULL : kept_of(context, values[0]);
  if (found != NULL) {
    close(found->file);
    found->file = -1;
  }
  return JSValueMakeUndefined(context);
}

static void drop_all(void) {
  for (guint index = 0; index < kept->len; index++) {
    int file = g_array_index(kept, Kept, index).file;
    if (file >= 0) close(file);
  }
  g_array_set_size(kept, 0);
}

/// send(string or view, ...numbers): puts a message, behind its parts.
FUNCTION(send_message) {
  (void)function, (void)self;
  if (count == 0) return JSValueMakeUndefined(context);
  for (size_t index = 1; index < count; index++) {
    Kept *part = kept_of(context, values[index]);
    // Nobody can write to it from here on; where it can't be sealed the program copies what is in it.
    if (part != NULL) nb_seal(part->file);
    int file = part == NULL ? -1 : fcntl(part->file, F_DUPFD_CLOEXEC, 3);
    // The page knows no other way on than a new pipe, by which it comes again.
    if (file < 0) pipe_fail(&pipe_);
    else pipe_put_part(&pipe_, file, part->count);
  }
  if (is_bytes(context, values[0])) {
    JSObjectRef view = (JSObjectRef)values[0];
    pipe_put(&pipe_, PIPE_BYTES, start_of(context, view), JSObjectGetTypedArrayByteLength(context, view, exception));
    return JSValueMakeUndefined(context);
  }
  JSStringRef string = JSValueToStringCopy(context, values[0], exception);
  if (string == NULL) return JSValueMakeUndefined(context);
  size_t room = JSStringGetMaximumUTF8CStringSize(string);
  char *text = malloc(room);
  size_t size = JSStringGetUTF8CString(string, text, room);
  JSStringRelease(string);
  pipe_put(&pipe_, PIPE_TEXT, text, size > 0 ? size - 1 : 0);
  free(text);
  return JSValueMakeUndefined(context);
}

/// drain(): waits until what was sent is out, but not for long.
FUNCTION(drain_pipe) {
  (void)function, (void)self, (void)count, (void)values, (void)exception;
  pipe_drain(&pipe_);
  return JSValueMakeUndefined(context);
}

FUNCTION(close_pipe) {
  (void)function, (void)self, (void)count, (void)values, (void)exception;
  pipe_close(&pipe_);
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
  pipe_close(&pipe_);
  drop_all();
  if (page_.handler != NULL) JSValueUnprotect(page_.context, page_.handler);
  page_.handler = NULL;
  if (page_.context != NULL) JSGlobalContextRelease(page_.context);
  page_.context = NULL;
  page_.page = page;
  page_.has_opened = FALSE;
  const char *uri = webkit_web_page_get_uri(page);
  if (uri == NULL || !g_str_has_prefix(uri, scheme)) return;
G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  page_.context = JSGlobalContextRetain(webkit_frame_get_javascript_context_for_script_world(frame, webkit_script_world_get_default()));
G_GNUC_END_IGNORE_DEPRECATIONS
  JSObjectRef object = JSObjectMake(page_.context, NULL, NULL);
  add_function(page_.context, object, "open", open_pipe);
  add_function(page_.context, object, "send", send_message);
  add_function(page_.context, object, "keep", keep_part);
  add_function(page_.context, object, "fill", fill_part);
  add_function(page_.context, object, "read", read_part);
  add_function(page_.context, object, "drop", drop_part);
  add_function(page_.context, object, "drain", drain_pipe);
  add_function(page_.context, object, "close", close_pipe);
  add(page_.context, JSContextGetGlobalObject(page_.context), "nbridgePipe", object, kJSPropertyAttributeDontEnum);
}

/// The program hears that this is here, before the page asks for its first file: else it goes another way.
static void page_created(WebKitWebExtension *extension, WebKitWebPage *page, gpointer data) {
  (void)extension, (void)data;
  say(page, "nbridge-pipe");
}

G_MODULE_EXPORT void webkit_web_extension_initialize_with_user_data(WebKitWebExtension *extension, GVariant *data) {
  g_variant_get(data, "(ss)", &address, &scheme);
  pipe_init(&pipe_, &listener, NULL);
  kept = g_array_new(FALSE, FALSE, sizeof(Kept));
  g_signal_connect(extension, "page-created", G_CALLBACK(page_created), NULL);
  g_signal_connect(webkit_script_world_get_default(), "window-object-cleared", G_CALLBACK(window_cleared), NULL);
}
