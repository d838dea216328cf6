// SPDX-License-Identifier: MIT
//
// A plugin that does one thing wrong: which, FAULT says at compile time.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nbridge_plugin.h"

#define NONE 0
#define NO_ENTRY 1
#define NULL_TABLE 2
#define BAD_MAGIC 3
#define SHORT_TABLE 4
#define LONG_TABLE 5
#define NEWER_MINOR 6
#define OTHER_MAJOR 7
#define NO_CALL 8
#define BAD_JSON 9
#define BAD_UTF8_DESCRIPTION 10
#define START_FAILS 11
#define START_BLOCKS 12
#define SETTLES_TWICE 13
#define SETTLES_FREED 14
#define BAD_UTF8 15
#define EMITS_LATE 16
#define NOT_JSON 17
#define UNKNOWN_KIND 18
#define NEVER_ANSWERS 19
#define SERVICE_THEN 20
#define SERVICE_PROTO 21
#define SERVICE_CONSTRUCTOR 22
#define BAD_EVENT 23
#define POSTS_AFTER_STOP 24
#define BAD_RUN 25
#define RUNS 26
#define LATE_BYTES 27
#define LYING_SIZES 28
#define STRANGE_RETURN 29
#define COUNTS_CANCELS 30
#define POSTS_BEFORE_STOP 31
#define JSON_WITH_NUL 32

#if FAULT == SERVICE_THEN
#define SERVICE "then"
#elif FAULT == SERVICE_PROTO
#define SERVICE "__proto__"
#elif FAULT == SERVICE_CONSTRUCTOR
#define SERVICE "constructor"
#else
#define SERVICE "faulty"
#endif

static const nbridge_host *host;
static void *context;

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  (void)self;
#if FAULT == BAD_JSON
  static const char text[] = "{\"service\":\"faulty\",\"version\":1}";
#elif FAULT == BAD_UTF8_DESCRIPTION
  static const char text[] = "{\"service\":\"\xff\"}";
#else
  static const char text[] =
      "{\"service\":\"" SERVICE "\",\"version\":\"1.0.0\",\"members\":["
      "{\"name\":\"now\",\"kind\":\"immediate\",\"result\":{}},{\"name\":\"soon\",\"kind\":\"async\",\"result\":{}},"
      "{\"name\":\"events\",\"kind\":\"watch\",\"result\":{}}]}";
#endif
  *size = sizeof text - 1;
  return text;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **state, nbridge_value *failure) {
  (void)self;
  host = start->host;
  context = start->context;
  *state = &host;
#if FAULT == START_FAILS
  static const char text[] = "{\"code\":\"io_error\",\"message\":\"the device is not there\"}";
  failure->kind = NBRIDGE_FAILURE;
  failure->text = text;
  failure->text_size = sizeof text - 1;
  return 0;
#elif FAULT == START_BLOCKS
  (void)failure;
  for (;;) pause();
#else
  (void)failure;
  return 1;
#endif
}

#if FAULT == POSTS_AFTER_STOP
static void nothing(void *data) { (void)data; }
static void *goes_on(void *argument) {
  nbridge_value answer = {.kind = NBRIDGE_UNDEFINED};
  for (int i = 0; i < 200000; i++) {
    host->settle(context, 77, &answer);
    host->emit(context, 78, &answer);
    host->post(context, nothing, NULL);
    host->log(context, NBRIDGE_DEBUG, "x", 1);
  }
  return argument;
}
#endif

#if FAULT == POSTS_BEFORE_STOP
static int is_stopped;
static void say_when(void *data) {
  (void)data;
  fprintf(stderr, "posted work ran %s the stop\n", is_stopped ? "after" : "before");
}
#endif

static int open_calls;
static void cancel(void *state, nbridge_call call) {
  (void)state, (void)call;
  open_calls--;
}

/// Bytes as a value of its own: list and bytes are given back by one function.
static nbridge_value given_bytes(void) {
  nbridge_bytes *list = calloc(1, sizeof *list);
  list->data = list->owner = calloc(1, 8);
  list->size = 8;
  list->release = free;
  nbridge_value value = {.kind = NBRIDGE_BYTES, .bytes_count = 1, .bytes = list, .owner = list, .release = free};
  return value;
}

static void stop(void *state) {
  (void)state;
#if FAULT == COUNTS_CANCELS
  fprintf(stderr, "stopped with %d open\n", open_calls);
#endif
#if FAULT == POSTS_BEFORE_STOP
  is_stopped = 1;
#endif
#if FAULT == POSTS_AFTER_STOP
  pthread_t thread;
  pthread_create(&thread, NULL, goes_on, NULL);
  pthread_join(thread, NULL);
#endif
}

static void text(nbridge_value *value, uint32_t kind, const char *text) {
  memset(value, 0, sizeof *value);
  value->kind = kind;
  value->text = text;
  value->text_size = strlen(text);
}

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  (void)state;
  nbridge_value value;
  text(&value, NBRIDGE_JSON, "1");
#if FAULT == SETTLES_TWICE
  if (request->action == 1) {
    host->settle(context, request->call, &value);
    host->settle(context, request->call, &value);
    return NBRIDGE_PENDING;
  }
#elif FAULT == SETTLES_FREED
  if (request->action == 1) {
    host->settle(context, request->call - 1, &value);
    host->settle(context, 0, &value);
    host->settle(context, ~0ull, &value);
  }
#elif FAULT == BAD_UTF8
  text(answer, request->action == 0 ? NBRIDGE_STRING : NBRIDGE_JSON, "\"\xc3(\"");
  return NBRIDGE_ANSWERED;
#elif FAULT == NOT_JSON
  text(answer, request->action == 0 ? NBRIDGE_JSON : NBRIDGE_FAILURE, "{oops");
  return NBRIDGE_ANSWERED;
#elif FAULT == JSON_WITH_NUL
  static const char hidden[] = "1\0,\"what follows is not seen\"";
  text(answer, NBRIDGE_JSON, hidden);
  answer->text_size = sizeof hidden - 1;
  return NBRIDGE_ANSWERED;
#elif FAULT == POSTS_BEFORE_STOP
  host->post(context, say_when, NULL);
#elif FAULT == UNKNOWN_KIND
  text(answer, 99, "1");
  return NBRIDGE_ANSWERED;
#elif FAULT == LYING_SIZES
  text(answer, request->action == 0 ? NBRIDGE_STRING : NBRIDGE_BYTES, "1");
  static const nbridge_bytes lie = {.data = NULL, .size = 5};
  answer->bytes = &lie;
  answer->bytes_count = 1;
  if (request->action == 0) answer->text_size = ~0ull, answer->bytes_count = 0;
  return NBRIDGE_ANSWERED;
#elif FAULT == STRANGE_RETURN
  return 77;
#elif FAULT == COUNTS_CANCELS
  open_calls++;
  return request->action == 0 ? (open_calls--, text(answer, NBRIDGE_JSON, "1"), NBRIDGE_ANSWERED) : NBRIDGE_PENDING;
#elif FAULT == NEVER_ANSWERS
  return NBRIDGE_PENDING;
#endif
  if (request->action == 2) {
#if FAULT == BAD_EVENT
    text(&value, NBRIDGE_JSON, "{oops");
#elif FAULT == BAD_RUN
    text(&value, NBRIDGE_JSON, "1,\n2,\n");
    value.number = 3;
#elif FAULT == RUNS
    // No fault: several events at once, then one that has lines.
    text(&value, NBRIDGE_JSON, "1,\n[2,3],\n\"x\",\n");
    value.number = 3;
    host->emit(context, request->call, &value);
    text(&value, NBRIDGE_JSON, "[\n4\n]");
    value.number = 0;
#endif
    host->emit(context, request->call, &value);
#if FAULT == LATE_BYTES
    host->settle(context, request->call, &value);
    for (int i = 0; i < 3; i++) {
      nbridge_value late = given_bytes();
      if (host->emit(context, request->call, &late) != NBRIDGE_OVER) abort();
    }
    return NBRIDGE_PENDING;
#endif
#if FAULT == EMITS_LATE
    host->settle(context, request->call, &value);
    for (int i = 0; i < 3; i++)
      if (host->emit(context, request->call, &value) != NBRIDGE_OVER) abort();
    return NBRIDGE_PENDING;
#endif
    text(&value, NBRIDGE_UNDEFINED, "");
    host->settle(context, request->call, &value);
    return NBRIDGE_PENDING;
  }
  text(answer, NBRIDGE_JSON, "1");
  return NBRIDGE_ANSWERED;
}

static nbridge_plugin table = {
    .magic = FAULT == BAD_MAGIC ? 0x12345678 : NBRIDGE_PLUGIN_MAGIC,
    .size = sizeof table + (FAULT == LONG_TABLE ? 8 : FAULT == SHORT_TABLE ? -8 : 0),
    .major = NBRIDGE_ABI_MAJOR + (FAULT == OTHER_MAJOR ? 1 : 0),
    .minor = NBRIDGE_ABI_MINOR + (FAULT == NEWER_MINOR ? 7 : 0),
    .describe = describe,
    .start = start,
    .stop = stop,
    .call = FAULT == NO_CALL ? NULL : call,
    .cancel = FAULT == COUNTS_CANCELS ? cancel : NULL,
};

#if FAULT == NO_ENTRY
int something_else(void) { return (int)table.magic; }
#else
const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) {
  (void)abi;
  return FAULT == NULL_TABLE ? NULL : &table;
}
#endif
