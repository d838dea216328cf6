// SPDX-License-Identifier: MIT
//
// A plugin that does to its process what it is told: for tests of isolated plugins.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nbridge_plugin.h"

#define DEED(name, kind) "{\"name\":\"" name "\",\"kind\":\"" kind "\",\"help\":\"Does it.\",\"result\":{}}"

#ifndef SERVICE
#define SERVICE "wild"
#endif

static const char description[] =
    "{\"service\":\"" SERVICE "\",\"version\":\"1.0.0\",\"help\":\"A plugin without manners.\",\"members\":["
    DEED("pid", "immediate") "," DEED("crash", "immediate") "," DEED("leave", "async") "," DEED("fail", "detached") ","
    DEED("hang", "immediate") "," DEED("garbage", "immediate") "," DEED("boast", "immediate") "," DEED("flood", "immediate") ","
    DEED("never", "async") "," DEED("eat", "detached") "," DEED("fork", "immediate") "," DEED("deaf", "immediate") ","
    DEED("torn", "immediate") "," DEED("big", "immediate") "," DEED("silent", "immediate") "," DEED("ask", "immediate") "," DEED("elsewhere", "async") ","
    DEED("sink", "immediate") "," DEED("drown", "detached") ","
    "{\"name\":\"ticks\",\"kind\":\"watch\",\"help\":\"One, and no more.\",\"result\":{\"type\":\"integer\"}},"
    "{\"name\":\"twin\",\"kind\":\"immediate\",\"help\":\"The bytes, copied.\","
    "\"options\":{\"type\":\"object\",\"properties\":{\"bytes\":{\"type\":\"string\",\"format\":\"bytes\"}},\"required\":[\"bytes\"]},"
    "\"result\":{\"type\":\"string\",\"format\":\"bytes\"}}"
    "]}";

enum { PID, CRASH, LEAVE, FAIL, HANG, GARBAGE, BOAST, FLOOD, NEVER, EAT, FORK, DEAF, TORN, BIG, SILENT, ASK, ELSEWHERE, SINK, DROWN, TICKS, TWIN };

static const nbridge_host *host;
static void *context;

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  (void)self;
  *size = sizeof description - 1;
  return description;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **made, nbridge_value *failure) {
  (void)self;
  host = start->host;
  context = start->context;
  *made = &context;
  // One that starts once and never again.
  const char *once = getenv("WILD_ONCE");
  if (once && access(once, F_OK) == 0) {
    while (getenv("WILD_HANGS")) pause();
    failure->kind = NBRIDGE_FAILURE;
    failure->text = "{\"code\":\"unavailable\",\"message\":\"the machine is gone\"}";
    failure->text_size = strlen(failure->text);
    return 0;
  }
  if (once) fclose(fopen(once, "w"));
  if (getenv("WILD_START")) abort();
  return 1;
}

static void stop(void *state) {
  (void)state;
  if (getenv("WILD_STOP"))
    for (;;) pause();
  const char line[] = "the last word";
  host->log(context, NBRIDGE_INFO, line, sizeof line - 1);
}

/// The socket to the program, which no plugin should touch.
static int find_channel(void) {
  struct stat facts;
  for (int file = 3; file < 256; file++)
    if (fstat(file, &facts) == 0 && S_ISSOCK(facts.st_mode)) return file;
  return -1;
}

static void *leave_later(void *argument) {
  (void)argument;
  usleep(1000);
  exit(3);
}

static void free_it(void *owner) { free(owner); }

/// Answers with bytes, which the script gets as they are.
static void give(nbridge_value *answer, void *data, uint64_t size) {
  nbridge_bytes *bytes = calloc(1, sizeof *bytes);
  *bytes = (nbridge_bytes){.data = data, .size = size, .owner = data, .release = free_it};
  *answer = (nbridge_value){
      .kind = NBRIDGE_BYTES, .bytes = bytes, .bytes_count = 1, .number = 1, .owner = bytes, .release = free_it};
}

static void *crash_later(void *thread) {
  *(volatile int *)8 = 1;
  return thread;
}

/// Uses up the stack of its thread.
static int sink(volatile int depth) {
  volatile char frame[512];
  if (depth < 0) return 0;
  frame[depth & 511] = (char)depth;
  return sink(depth + 1) + frame[depth & 511];
}

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  (void)state;
  pthread_t thread;
  char *twin;
  switch (request->action) {
    case PID: answer->kind = NBRIDGE_NUMBER; answer->number = getpid(); return NBRIDGE_ANSWERED;
    case CRASH: *(volatile int *)8 = 1; return NBRIDGE_ANSWERED;
    case ELSEWHERE: pthread_create(&thread, NULL, crash_later, NULL); return NBRIDGE_PENDING;
    case SINK: case DROWN: answer->number = sink(0); return NBRIDGE_ANSWERED;
    case LEAVE: pthread_create(&thread, NULL, leave_later, NULL); return NBRIDGE_PENDING;
    case FAIL:
      fprintf(stderr, "first line\nthe disk is on fire\n");
      abort();
    case HANG: for (;;) pause();
    case GARBAGE: if (write(find_channel(), "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nAccept: */*\r\n\r\n\r\n\r\n", 66) < 0) {} return NBRIDGE_PENDING;
    case BOAST: {
      // A message that says that it has 3 GB of text.
      unsigned int head[16] = {0x3146426E, 35};
      head[2] = (unsigned int)request->call;
      head[12] = 3000000000u;
      if (write(find_channel(), head, sizeof head) < 0) {}
      return NBRIDGE_PENDING;
    }
    case TORN: {
      unsigned int head[8] = {0x3146426E, 35};
      if (write(find_channel(), head, sizeof head) < 0) {}
      _exit(0);
    }
    case FLOOD:
      for (int i = 0; i < 200000; i++) fprintf(stderr, "line %d of a flood\n", i);
      return NBRIDGE_ANSWERED;
    case NEVER: return NBRIDGE_PENDING;
    case EAT:
      for (;;) {
        char *more = malloc(1 << 20);
        if (!more) abort();
        memset(more, 1, 1 << 20);
      }
    case FORK:
      // A child of the plugin's that keeps all that is open, the channel too, and outlives it.
      if (fork() == 0) {
        for (int i = 0; i < 600; i++) sleep(1);
        _exit(0);
      }
      _exit(7);
    case DEAF: signal(SIGTERM, SIG_IGN); for (;;) pause();
    case BIG:
      give(answer, calloc(1, 16 << 20), 16 << 20);
      return NBRIDGE_ANSWERED;
    case SILENT: shutdown(find_channel(), SHUT_RDWR); for (;;) pause();
    case ASK: {
      // Asks for ever whether something is allowed, and reads no answer.
      unsigned char question[76] = {0x6E, 0x42, 0x46, 0x31, 42};
      question[8] = 200;
      question[44] = 3;
      question[48] = 12;
      memcpy(question + 64, "wild.nothing", 12);
      for (int file = find_channel();;)
        if (write(file, question, sizeof question) < 0) usleep(1000);
    }
    case TICKS: {
      nbridge_value one = {.kind = NBRIDGE_JSON, .text = "1", .text_size = 1};
      host->emit(context, request->call, &one);
      return NBRIDGE_PENDING;
    }
    case TWIN:
      twin = malloc(request->option.bytes[0].size + 1);
      memcpy(twin, request->option.bytes[0].data, request->option.bytes[0].size);
      give(answer, twin, request->option.bytes[0].size);
      return NBRIDGE_ANSWERED;
  }
  return NBRIDGE_ANSWERED;
}

static void cancel(void *state, nbridge_call call) {
  (void)state;
  static const char text[] = "{\"code\":\"cancelled\",\"message\":\"it was cancelled\"}";
  nbridge_value failure = {.kind = NBRIDGE_FAILURE, .text = text, .text_size = sizeof text - 1};
  host->settle(context, call, &failure);
}

static void grant(void *state, nbridge_call call, uint32_t events) {
  (void)state;
  (void)call;
  (void)events;
}

static const nbridge_plugin plugin = {
    .magic = NBRIDGE_PLUGIN_MAGIC, .size = sizeof(nbridge_plugin), .major = NBRIDGE_ABI_MAJOR, .minor = NBRIDGE_ABI_MINOR,
    .describe = describe, .start = start, .stop = stop, .call = call, .cancel = cancel, .grant = grant};

const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) {
  (void)abi;
  return &plugin;
}
