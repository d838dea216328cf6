// SPDX-License-Identifier: MIT
//
// What WebKit loads into the process of a window's page: a pipe from the page's main frame to the program, by a socket of its own, which is
// several times as fast as WebKit's own messages. The page's first script takes it (js/remote.js); nothing of it is left for others. No
// Swift, no plugin and no decision about a call is in here: only messages that come whole (pipe.c). All runs on the main thread of the
// page's process.

#include "pipe.h"

#include <JavaScriptCore/JavaScript.h>
#include <stdlib.h>
#include <string.h>
#include <webkit2/webkit-web-extension.h>

/// The page that has the pipe; there is one in a process at a time.
static struct {
  JSGlobalContextRef context;
  JSObjectRef handler;
  WebKitWebPage *page;
  /// Whether it has had the pipe.
  gboolean has_opened;
} page_;

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
  tell("bytes", bytes);
}

static gboolean take_file(void *data, int file, size_t count) {
  (void)data;
  JSObjectRef bytes = make_bytes(count);
  if (bytes == NULL || !pipe_fill(file, JSObjectGetTypedArrayBytesPtr(page_.context, bytes, NULL), count)) return FALSE;
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

/// send(string or view): puts a message.
FUNCTION(send_message) {
  (void)function, (void)self;
  if (count == 0) return JSValueMakeUndefined(context);
  if (JSValueGetTypedArrayType(context, values[0], exception) == kJSTypedArrayTypeUint8Array) {
    JSObjectRef bytes = (JSObjectRef)values[0];
    const guint8 *start = JSObjectGetTypedArrayBytesPtr(context, bytes, exception);
    pipe_put(&pipe_, PIPE_BYTES, start + JSObjectGetTypedArrayByteOffset(context, bytes, exception),
             JSObjectGetTypedArrayByteLength(context, bytes, exception));
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
  g_signal_connect(extension, "page-created", G_CALLBACK(page_created), NULL);
  g_signal_connect(webkit_script_world_get_default(), "window-object-cleared", G_CALLBACK(window_cleared), NULL);
}
