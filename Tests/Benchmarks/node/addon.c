// SPDX-License-Identifier: MIT
// The same actions as a Node add-on: N-API, promises settled inline or by asynchronous work.
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdlib.h>

static napi_value answer(napi_env env, napi_callback_info info) {
  napi_deferred deferred;
  napi_value promise, value;
  napi_create_promise(env, &deferred, &promise);
  napi_create_int32(env, 42, &value);
  napi_resolve_deferred(env, deferred, value);
  return promise;
}

struct work {
  napi_async_work work;
  napi_deferred deferred;
};

static void execute(napi_env env, void *data) {}

static void complete(napi_env env, napi_status status, void *data) {
  struct work *work = data;
  napi_value value;
  napi_create_int32(env, 42, &value);
  napi_resolve_deferred(env, work->deferred, value);
  napi_delete_async_work(env, work->work);
  free(work);
}

static napi_value detached(napi_env env, napi_callback_info info) {
  struct work *work = malloc(sizeof *work);
  napi_value promise, name;
  napi_create_promise(env, &work->deferred, &promise);
  napi_create_string_utf8(env, "detached", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, 0, name, execute, complete, work, &work->work);
  napi_queue_async_work(env, work->work);
  return promise;
}

// Reads a 4-field object property by property and builds another.
static napi_value point(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value option, result, value, promise;
  napi_deferred deferred;
  napi_get_cb_info(env, info, &count, &option, 0, 0);
  napi_create_promise(env, &deferred, &promise);
  napi_create_object(env, &result);
  double x, y;
  bool on;
  char label[64];
  size_t length;
  napi_get_named_property(env, option, "x", &value);
  napi_get_value_double(env, value, &x);
  napi_get_named_property(env, option, "y", &value);
  napi_get_value_double(env, value, &y);
  napi_get_named_property(env, option, "label", &value);
  napi_get_value_string_utf8(env, value, label, sizeof label, &length);
  napi_get_named_property(env, option, "on", &value);
  napi_get_value_bool(env, value, &on);
  napi_create_double(env, x, &value);
  napi_set_named_property(env, result, "x", value);
  napi_create_double(env, y, &value);
  napi_set_named_property(env, result, "y", value);
  napi_create_string_utf8(env, label, length, &value);
  napi_set_named_property(env, result, "label", value);
  napi_get_boolean(env, on, &value);
  napi_set_named_property(env, result, "on", value);
  napi_resolve_deferred(env, deferred, result);
  return promise;
}

static void define(napi_env env, napi_value exports, const char *name, napi_callback function) {
  napi_value value;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, function, 0, &value);
  napi_set_named_property(env, exports, name, value);
}

NAPI_MODULE_INIT() {
  define(env, exports, "answer", answer);
  define(env, exports, "detached", detached);
  define(env, exports, "point", point);
  return exports;
}
