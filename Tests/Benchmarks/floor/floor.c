// SPDX-License-Identifier: MIT
// The floor: a bare C program on the same library. It runs the script it is given with a few native functions and
// turns no loop of its own: what a call costs when there is nothing but the engine.
#include <JavaScriptCore/JavaScript.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern void _ZN3WTF20initializeMainThreadEv(void);

static JSValueRef now(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return JSValueMakeNumber(c, s.tv_sec * 1e3 + s.tv_nsec / 1e6);
}

static JSValueRef answer(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  return JSValueMakeNumber(c, 42);
}

// Takes a text and hands the same text back.
static JSValueRef echo(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  JSStringRef text = JSValueToStringCopy(c, a[0], e);
  size_t size = JSStringGetMaximumUTF8CStringSize(text);
  char *buffer = malloc(size);
  JSStringGetUTF8CString(text, buffer, size);
  JSStringRelease(text);
  JSStringRef copy = JSStringCreateWithUTF8CString(buffer);
  free(buffer);
  JSValueRef value = JSValueMakeString(c, copy);
  JSStringRelease(copy);
  return value;
}

static void release(void *bytes, void *context) { free(bytes); }

static JSValueRef take(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  const unsigned char *bytes = JSObjectGetTypedArrayBytesPtr(c, (JSObjectRef)a[0], e);
  return JSValueMakeNumber(c, bytes[0]);
}

static JSValueRef give(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  size_t size = 64u << 20;
  return JSObjectMakeTypedArrayWithBytesNoCopy(c, kJSTypedArrayTypeUint8Array, malloc(size), size, release, 0, e);
}

static JSValueRef print(JSContextRef c, JSObjectRef f, JSObjectRef t, size_t n, const JSValueRef a[], JSValueRef *e) {
  JSStringRef text = JSValueToStringCopy(c, a[0], e);
  char buffer[4096];
  JSStringGetUTF8CString(text, buffer, sizeof buffer);
  JSStringRelease(text);
  puts(buffer);
  return JSValueMakeUndefined(c);
}

static void define(JSContextRef c, const char *name, JSObjectCallAsFunctionCallback function) {
  JSStringRef text = JSStringCreateWithUTF8CString(name);
  JSObjectSetProperty(c, JSContextGetGlobalObject(c), text, JSObjectMakeFunctionWithCallback(c, text, function), 0, 0);
  JSStringRelease(text);
}

int main(int count, char **arguments) {
  _ZN3WTF20initializeMainThreadEv();
  JSGlobalContextRef c = JSGlobalContextCreate(0);
  define(c, "now", now);
  define(c, "answer", answer);
  define(c, "echo", echo);
  define(c, "take", take);
  define(c, "give", give);
  define(c, "print", print);
  for (int index = 1; index < count; index++) {
    FILE *file = fopen(arguments[index], "r");
    if (!file) return 1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    if (fread(text, 1, size, file) != (size_t)size) return 1;
    JSValueRef error = 0;
    JSStringRef script = JSStringCreateWithUTF8CString(text);
    JSEvaluateScript(c, script, 0, 0, 1, &error);
    if (error) {
      JSStringRef message = JSValueToStringCopy(c, error, 0);
      char buffer[512];
      JSStringGetUTF8CString(message, buffer, sizeof buffer);
      fprintf(stderr, "%s\n", buffer);
      return 1;
    }
  }
  fflush(stdout);
  _exit(0);
}
