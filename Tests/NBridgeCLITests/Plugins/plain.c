// SPDX-License-Identifier: MIT
//
// A plugin in plain C, written from nbridge_plugin.h alone: an action of each kind and a watch.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nbridge_plugin.h"

static const char description[] =
    "{\"service\":\"plain\",\"version\":\"1.0.0\",\"help\":\"A plugin in C.\",\"members\":["
    "{\"name\":\"add\",\"kind\":\"immediate\",\"help\":\"Adds.\",\"positional\":[\"a\",\"b\"],"
    "\"options\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}},\"required\":[\"a\",\"b\"]},"
    "\"result\":{\"type\":\"number\"}},"
    "{\"name\":\"later\",\"kind\":\"async\",\"help\":\"Answers from another thread.\","
    "\"options\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"integer\"}},\"required\":[\"text\"]},"
    "\"result\":{\"type\":\"string\"}},"
    "{\"name\":\"size\",\"kind\":\"detached\",\"help\":\"How many bytes.\","
    "\"options\":{\"type\":\"object\",\"properties\":{\"bytes\":{\"type\":\"string\",\"format\":\"bytes\"}},\"required\":[\"bytes\"]},"
    "\"result\":{\"type\":\"integer\"}},"
    "{\"name\":\"twin\",\"kind\":\"immediate\",\"help\":\"The bytes, copied.\","
    "\"options\":{\"type\":\"object\",\"properties\":{\"bytes\":{\"type\":\"string\",\"format\":\"bytes\"}},\"required\":[\"bytes\"]},"
    "\"result\":{\"type\":\"string\",\"format\":\"bytes\"}},"
    "{\"name\":\"count\",\"kind\":\"watch\",\"help\":\"Counts.\",\"positional\":[\"limit\"],"
    "\"options\":{\"type\":\"object\",\"properties\":{\"limit\":{\"type\":\"integer\"}},\"required\":[\"limit\"]},"
    "\"result\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}},"
    "{\"name\":\"viaOther\",\"kind\":\"async\",\"help\":\"Asks another plugin.\",\"result\":{}}"
    "]}";

enum { ADD, LATER, SIZE, TWIN, COUNT, VIA_OTHER };

// Calls under way, so that they can be cancelled and granted credit. One lock for all: this is a test.
struct job {
  nbridge_call call;
  const nbridge_host *host;
  void *context;
  double number;
  atomic_int cancelled;
  long credit;
  struct job *next;
};

struct state {
  const nbridge_host *host;
  void *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *jobs;

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  (void)self;
  *size = sizeof description - 1;
  return description;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **made, nbridge_value *failure) {
  (void)self;
  (void)failure;
  struct state *state = malloc(sizeof *state);
  state->host = start->host;
  state->context = start->context;
  *made = state;
  return 1;
}

static void stop(void *state) { free(state); }

static void fail(nbridge_value *answer, const char *text) {
  answer->kind = NBRIDGE_FAILURE;
  answer->text = text;
  answer->text_size = strlen(text);
}

/// A member that is a number. JSON from the bridge has no white space.
static int number(const nbridge_value *option, const char *key, double *value) {
  char *text = strndup(option->text ? option->text : "", option->text_size);
  char *at = strstr(text, key), *end = NULL;
  int found = 0;
  if (at) {
    at += strlen(key);
    *value = strtod(at, &end);
    found = end != at && (*end == ',' || *end == '}');
  }
  free(text);
  return found;
}

static struct job *begin(struct state *state, const nbridge_request *request, double value) {
  struct job *job = calloc(1, sizeof *job);
  job->call = request->call;
  job->host = state->host;
  job->context = state->context;
  job->number = value;
  job->credit = request->credit;
  pthread_mutex_lock(&lock);
  job->next = jobs;
  jobs = job;
  pthread_mutex_unlock(&lock);
  return job;
}

static void end(struct job *job) {
  pthread_mutex_lock(&lock);
  for (struct job **at = &jobs; *at; at = &(*at)->next)
    if (*at == job) {
      *at = job->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  free(job);
}

static void *run_later(void *argument) {
  struct job *job = argument;
  struct timespec pause = {0, 1000000};
  nanosleep(&pause, NULL);
  char text[64];
  int size = snprintf(text, sizeof text, "number %.0f", job->number);
  nbridge_value answer = {.kind = NBRIDGE_STRING, .text = text, .text_size = (uint64_t)size};
  job->host->settle(job->context, job->call, &answer);
  end(job);
  return NULL;
}

static void *run_count(void *argument) {
  struct job *job = argument;
  for (long n = 1; n <= (long)job->number && !job->cancelled; n++) {
    pthread_mutex_lock(&lock);
    while (job->credit == 0 && !job->cancelled) pthread_cond_wait(&changed, &lock);
    job->credit--;
    pthread_mutex_unlock(&lock);
    char text[64];
    int size = snprintf(text, sizeof text, "{\"n\":%ld}", n);
    nbridge_value event = {.kind = NBRIDGE_JSON, .text = text, .text_size = (uint64_t)size};
    if (!job->cancelled && job->host->emit(job->context, job->call, &event) == NBRIDGE_OVER) break;
  }
  nbridge_value answer = {.kind = NBRIDGE_UNDEFINED};
  job->host->settle(job->context, job->call, &answer);
  end(job);
  return NULL;
}

static uint32_t spawn(void *(*body)(void *), struct job *job) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  if (pthread_create(&thread, &attributes, body, job) != 0) body(job);
  pthread_attr_destroy(&attributes);
  return NBRIDGE_PENDING;
}

static void told(void *data, const nbridge_value *answer) {
  struct job *job = data;
  job->host->settle(job->context, job->call, answer);
  end(job);
}

static uint32_t call(void *made, const nbridge_request *request, nbridge_value *answer) {
  struct state *state = made;
  const nbridge_value *option = &request->option;
  double a, b;
  switch (request->action) {
    case ADD:
      if (!number(option, "\"a\":", &a) || !number(option, "\"b\":", &b)) break;
      answer->kind = NBRIDGE_NUMBER;
      answer->number = a + b;
      return NBRIDGE_ANSWERED;
    case LATER:
      if (!number(option, "\"text\":", &a)) break;
      return spawn(run_later, begin(state, request, a));
    case SIZE:
      if (option->bytes_count != 1) break;
      answer->kind = NBRIDGE_NUMBER;
      answer->number = (double)option->bytes[0].size;
      return NBRIDGE_ANSWERED;
    case TWIN: {
      if (option->bytes_count != 1) break;
      // The list is the text's, so it is released with it; the memory is the receiver's.
      nbridge_bytes *twin = calloc(1, sizeof *twin);
      twin->size = option->bytes[0].size;
      twin->data = twin->owner = malloc(twin->size + 1);
      memcpy(twin->owner, option->bytes[0].data, twin->size);
      twin->release = free;
      answer->kind = NBRIDGE_BYTES;
      answer->bytes_count = 1;
      answer->bytes = answer->owner = twin;
      answer->release = free;
      return NBRIDGE_ANSWERED;
    }
    case COUNT:
      if (!number(option, "\"limit\":", &a)) break;
      return spawn(run_count, begin(state, request, a));
    case VIA_OTHER: {
      nbridge_value nothing = {.kind = NBRIDGE_UNDEFINED};
      state->host->invoke(state->context, "app", 3, "appInfo", 7, &nothing, told, begin(state, request, 0));
      return NBRIDGE_PENDING;
    }
  }
  fail(answer, "{\"code\":\"invalid_parameter\",\"message\":\"the option is not what the action declares\"}");
  return NBRIDGE_ANSWERED;
}

static void cancel(void *state, nbridge_call call) {
  (void)state;
  pthread_mutex_lock(&lock);
  for (struct job *job = jobs; job; job = job->next)
    if (job->call == call) job->cancelled = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void grant(void *state, nbridge_call call, uint32_t events) {
  (void)state;
  pthread_mutex_lock(&lock);
  for (struct job *job = jobs; job; job = job->next)
    if (job->call == call) job->credit += events;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static const nbridge_plugin table = {
    .magic = NBRIDGE_PLUGIN_MAGIC,
    .size = sizeof table,
    .major = NBRIDGE_ABI_MAJOR,
    .minor = NBRIDGE_ABI_MINOR,
    .describe = describe,
    .start = start,
    .stop = stop,
    .call = call,
    .cancel = cancel,
    .grant = grant,
};

const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) {
  return abi >> 16 == NBRIDGE_ABI_MAJOR ? &table : NULL;
}
