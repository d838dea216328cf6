// SPDX-License-Identifier: MIT
//
// A plugin that is less careful than it should be: it numbers its objects from 1 in each process, answers objects of others, ends the
// program, goes on with what was cancelled. FAULT, at compile time, says what `never` and its end do.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nbridge_plugin.h"

#define NONE 0
#define NEVER_ANSWERS 1
#define ALWAYS_REFUSES 2
#define LEAVES_AT_STOP 3
#define CRASHES 4
#define ANSWERS 5
#define HANGS 6
#define LEAVES 7
#define STEERS 8
#define REPEATS 9
#define NO_CLOSE 10

static const nbridge_host *host;
static void *context;
static int calls;

// What a terminal obeys, or that changes the order of what is read.
#if FAULT == STEERS
#define STEER "\\u0000\\u001b[2J\\u202e\\u2066\\u2028\\u009b"
#else
#define STEER ""
#endif

#define ACTION(name, kind, result) "{\"name\":\"" name "\",\"kind\":\"" kind "\",\"help\":\"It." STEER "\",\"result\":" result "}"
#define METHOD(name, closes) \
  "{\"name\":\"" name "\",\"kind\":\"immediate\",\"help\":\"It.\",\"handle\":{\"type\":\"thing\",\"help\":\"A thing.\"," \
  "\"closes\":" closes "},\"result\":{}}"

static const char description[] =
    "{\"service\":\"loose\",\"version\":\"1.0.0" STEER "\",\"help\":\"Loose." STEER "\",\"members\":["
#if FAULT == REPEATS
    ACTION("open", "immediate", "{\"$ref\":\"#/handles/thing\"}") "," METHOD("get", "false") "," METHOD("close", "true")
#elif FAULT == NO_CLOSE
    ACTION("open", "immediate", "{\"$ref\":\"#/handles/thing\"}") "," METHOD("get", "false")
#elif FAULT == NONE
    ACTION("open", "immediate", "{\"$ref\":\"#/handles/thing\"}") "," METHOD("get", "false") "," METHOD("close", "true") ","
    ACTION("steal", "immediate", "{}") "," ACTION("odd", "immediate", "{}") "," ACTION("leave", "immediate", "{}") ","
    ACTION("hang", "immediate", "{}") "," ACTION("die", "immediate", "{}") "," ACTION("quiet", "watch", "{}") "," ACTION("pid", "immediate", "{}")
#else
    ACTION("soon", "async", "{}")
#if FAULT == ANSWERS
    ",{\"name\":\"secret\",\"kind\":\"async\",\"help\":\"It.\",\"hidden\":true,\"result\":{}}"
#endif
#endif
    "]}";

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  (void)self;
  *size = sizeof description - 1;
  return description;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **state, nbridge_value *failure) {
  (void)self, (void)failure;
  host = start->host;
  context = start->context;
  *state = &host;
  return 1;
}

static void stop(void *state) {
  (void)state;
#if FAULT == LEAVES_AT_STOP
  _exit(0);
#endif
}

static uint32_t say(nbridge_value *answer, uint32_t kind, const char *text) {
  answer->kind = kind;
  answer->text = text;
  answer->text_size = strlen(text);
  return NBRIDGE_ANSWERED;
}

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  (void)state;
  calls++;
#if FAULT == NEVER_ANSWERS
  (void)request, (void)answer;
  return NBRIDGE_PENDING;
#elif FAULT == ALWAYS_REFUSES
  (void)request;
  return say(answer, NBRIDGE_FAILURE, "{\"code\":\"invalid_parameter\",\"message\":\"no\"}");
#elif FAULT == CRASHES
  (void)request, (void)answer;
  abort();
#elif FAULT == HANGS
  (void)request, (void)answer;
  for (;;) pause();
#elif FAULT == LEAVES
  (void)request, (void)answer;
  _exit(1);
#elif FAULT == LEAVES_AT_STOP || FAULT == ANSWERS || FAULT == STEERS
  (void)request;
  answer->kind = NBRIDGE_NUMBER;
  answer->number = 1;
  return NBRIDGE_ANSWERED;
#else
  static char text[200];
  switch (request->action) {
    case 0: return say(answer, NBRIDGE_TAGGED, "{\"$nb\":[\"h\",1,\"loose\",\"thing\"]}");
    case 3: return say(answer, NBRIDGE_TAGGED, "[{\"$nb\":[\"h\",1,\"documents\",\"document\"]}]");
    case 4: return say(answer, NBRIDGE_TAGGED, "[{\"$nb\":[\"h\",1.5,\"loose\",\"thing\"]}]");
    case 5: exit(0);
    case 6: for (;;) pause();
    case 7: kill(getpid(), 9); return NBRIDGE_PENDING;
    case 8: return NBRIDGE_PENDING;
    case 9: answer->kind = NBRIDGE_NUMBER, answer->number = getpid(); return NBRIDGE_ANSWERED;
    default:
      snprintf(text, sizeof text, "\"%.*s\"", (int)request->option.text_size, request->option.text ? request->option.text : "");
      return say(answer, NBRIDGE_JSON, text);
  }
#endif
}

static void cancel(void *state, nbridge_call call) {
  (void)state;
#if FAULT == ANSWERS || FAULT == STEERS
  (void)call;
#else
  nbridge_value answer = {.kind = NBRIDGE_UNDEFINED};
  host->settle(context, call, &answer);
#endif
}

static void grant(void *state, nbridge_call call, uint32_t count) { (void)state, (void)call, (void)count; }

static const nbridge_plugin table = {
    .magic = NBRIDGE_PLUGIN_MAGIC, .size = sizeof table, .major = NBRIDGE_ABI_MAJOR, .minor = NBRIDGE_ABI_MINOR,
    .describe = describe, .start = start, .stop = stop, .call = call, .cancel = cancel, .grant = grant};

const nbridge_plugin *nbridge_plugin_entry(uint32_t major) {
  (void)major;
  return &table;
}
