// SPDX-License-Identifier: MIT
// Asks for an action that never answers, and says when it is answered and when it is stopped.
#include <stdio.h>
#include <string.h>

#include "nbridge_plugin.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static const char description[] =
    "{\"service\":\"asking\",\"version\":\"1.0.0\",\"help\":\"Asks.\",\"members\":["
    "{\"name\":\"never\",\"kind\":\"async\",\"help\":\"Never answers.\",\"result\":{}},"
    "{\"name\":\"ask\",\"kind\":\"async\",\"help\":\"Asks for never.\",\"result\":{}}]}";

static const nbridge_host *host;
static void *context;

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  *size = sizeof description - 1;
  return description;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **state, nbridge_value *failure) {
  host = start->host;
  context = start->context;
  *state = &context;
  return 1;
}

static void stop(void *state) { fprintf(stderr, "stopped\n"); }

static void done(void *data, const nbridge_value *answer) { fprintf(stderr, "answered\n"); }

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  if (request->action == 0) return 1;
  nbridge_value option = {0};
  nbridge_invocation invocation = {
      .size = sizeof invocation, .service = "asking", .service_size = 6, .action = "never", .action_size = 5,
      .option = &option, .done = done};
  host->begin_invocation(context, &invocation);
  return 1;
}

static void cancel(void *state, nbridge_call call) {
  nbridge_value answer = {.kind = NBRIDGE_UNDEFINED};
  host->settle(context, call, &answer);
}

static const nbridge_plugin table = {
    .magic = NBRIDGE_PLUGIN_MAGIC, .size = sizeof table, .major = NBRIDGE_ABI_MAJOR, .minor = NBRIDGE_ABI_MINOR,
    .describe = describe, .start = start, .stop = stop, .call = call, .cancel = cancel};

const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) { return &table; }
