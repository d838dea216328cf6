// SPDX-License-Identifier: MIT
//
// A plugin that asks for more than there may be under way of a script's stream, calls functions with what is no value of its, and ends the
// program on a thread of its own, or when its library is opened (the environment names EARLY).

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nbridge_plugin.h"

static const nbridge_host *host;
static void *context;

static const char description[] =
    "{\"service\":\"greedy\",\"version\":\"1.0.0\",\"help\":\"Greedy.\",\"members\":["
    "{\"name\":\"read\",\"kind\":\"async\",\"help\":\"Reads for ever.\",\"positional\":[\"from\"],\"result\":{},"
    "\"options\":{\"type\":\"object\",\"properties\":{\"from\":{\"format\":\"stream\",\"items\":{\"type\":\"number\"}}}}},"
    "{\"name\":\"tell\",\"kind\":\"async\",\"help\":\"Calls with a text's value.\",\"positional\":[\"to\",\"text\"],\"result\":{},"
    "\"options\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"},"
    "\"to\":{\"format\":\"callback\",\"value\":{},\"answer\":{}}}}},"
    "{\"name\":\"leave\",\"kind\":\"immediate\",\"help\":\"Ends the program soon.\",\"result\":{}},"
    "{\"name\":\"log\",\"kind\":\"immediate\",\"help\":\"A record of 64 MiB, and fields of as many.\",\"result\":{}}]}";

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
#ifdef ANSWERS
  nbridge_value value = {.kind = NBRIDGE_NUMBER, .number = 1};
  for (int call = 1; call < 90; call++) host->settle(context, call, &value);
#endif
  return 1;
}

static void stop(void *state) { (void)state; }

static void *leave(void *unused) {
  (void)unused;
  exit(0);
}

/// The text of the option, between the last two quotation marks, without what escapes them.
static size_t text_of(const nbridge_request *request, char *text, size_t room) {
  const char *at = strstr(request->option.text, "\"text\":\"") + 8, *end = request->option.text + request->option.text_size;
  size_t count = 0;
  for (; at < end && *at != '"' && count < room; at++) {
    if (*at == '\\') at++;
    text[count++] = *at;
  }
  return count;
}

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  (void)state;
  memset(answer, 0, sizeof *answer);
  if (request->action == 0) {
    host->pull(context, request->call, 0, 1000000000);
    return NBRIDGE_PENDING;
  }
  if (request->action == 1) {
    char text[200];
    nbridge_value value = {.kind = NBRIDGE_TAGGED, .text = text, .text_size = text_of(request, text, sizeof text)};
    host->call_back(context, request->call, 0, 7, &value);
    return NBRIDGE_PENDING;
  }
  if (request->action == 3) {
    const size_t size = 64 << 20;
    char *text = malloc(size + 4);
    memset(text, 'x', size);
    memcpy(text + (256 << 10) - 1, "\u00e9", 2);
    nbridge_record record = {.level = 5, .message = text, .message_size = size};
    host->record(context, &record);
    const char line[] = "a line \x1b]52;c;QUFB\a";
    host->log(context, 2, line, sizeof line - 1);
    record.message = "short", record.message_size = 5, record.fields = text, record.fields_size = size;
    memcpy(text, "{\"a\":\"", 6), memcpy(text + size - 2, "\"}", 2);
    host->record(context, &record);
    free(text);
    return NBRIDGE_ANSWERED;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, leave, NULL);
  return NBRIDGE_ANSWERED;
}

static void cancel(void *state, nbridge_call call) {
  (void)state;
  nbridge_value answer = {.kind = NBRIDGE_JSON, .text = "0", .text_size = 1};
  host->settle(context, call, &answer);
}

static void grant(void *state, nbridge_call call, uint32_t events) { (void)state, (void)call, (void)events; }

static void feed(void *state, nbridge_call call, const nbridge_feed *feed) {
  (void)state;
  if (feed->kind == NBRIDGE_FEED_VALUE) host->pull(context, call, feed->index, 1000000000);
  if (feed->kind != NBRIDGE_FEED_ANSWER) return;
  nbridge_value answer = feed->value;
  host->settle(context, call, &answer);
}

static const nbridge_plugin plugin = {
    .magic = NBRIDGE_PLUGIN_MAGIC, .size = sizeof plugin, .major = 1, .minor = 4, .describe = describe, .start = start,
    .stop = stop, .call = call, .cancel = cancel, .grant = grant, .feed = feed,
};

const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) {
  (void)abi;
  if (getenv("EARLY")) exit(0);
  return &plugin;
}
