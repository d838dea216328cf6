// SPDX-License-Identifier: MIT
// Sources for a viewer: `logs SOCKET SOURCES LINES [RATE]` sends so many lines from each, over connections of their own, until
// the viewer has confirmed all of them; prints lines a second. With RATE, so many a second together.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct source { int file; long sent, wanted, kept; char *buffer; size_t length, done; char in[4096]; size_t have; };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  int sources = atoi(words[2]);
  long lines = atol(words[3]);
  double rate = count > 4 ? atof(words[4]) : 0;
  struct source *all = calloc(sources, sizeof *all);
  struct pollfd *files = calloc(sources, sizeof *files);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  for (int i = 0; i < sources; i++) {
    struct source *s = &all[i];
    s->file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(s->file, (struct sockaddr *)&address, sizeof address) != 0) { perror("connect"); return 1; }
    char hello[200];
    int size = snprintf(hello, sizeof hello, "{\"nbridgeLog\":1,\"source\":\"bench-%d-%d\",\"app\":\"bench%d\",\"pid\":%d}\n", i, getpid(), i, getpid());
    if (write(s->file, hello, size) != size) return 1;
    fcntl(s->file, F_SETFL, O_NONBLOCK);
    s->buffer = malloc(1 << 17);
    s->wanted = lines;
  }
  double begin = now();
  for (;;) {
    int open = 0;
    long allowed = rate > 0 ? (long)((now() - begin) * rate / sources) : lines;
    for (int i = 0; i < sources; i++) {
      struct source *s = &all[i];
      if (s->kept <= s->wanted) open++;
      if (s->done == s->length && s->sent < s->wanted && s->sent < allowed) {
        s->length = s->done = 0;
        while (s->length < 60000 && s->sent < s->wanted && s->sent < allowed) {
          s->sent++;
          s->length += sprintf(s->buffer + s->length,
            "{\"seq\":%ld,\"pid\":%d,\"time\":\"2026-11-22T06:41:45.%03ldZ\",\"level\":\"%s\",\"service\":\"script\",\"message\":\"request served\",\"at\":\"main.js:12\",\"fields\":{\"path\":\"/page/%ld\",\"status\":%d}}\n",
            s->sent, getpid(), s->sent % 1000, s->sent % 100 == 0 ? "error" : s->sent % 3 ? "info" : "debug", s->sent % 97, s->sent % 100 == 0 ? 500 : 200);
        }
      }
      files[i].fd = s->file;
      files[i].events = POLLIN | (s->done < s->length ? POLLOUT : 0);
    }
    if (open == 0) break;
    poll(files, sources, rate > 0 ? 2 : 1000);
    for (int i = 0; i < sources; i++) {
      struct source *s = &all[i];
      if (files[i].revents & POLLOUT) {
        ssize_t wrote = write(s->file, s->buffer + s->done, s->length - s->done);
        if (wrote > 0) s->done += wrote;
      }
      if (files[i].revents & (POLLIN | POLLHUP)) {
        ssize_t got = read(s->file, s->in + s->have, sizeof s->in - s->have - 1);
        if (got <= 0) { fprintf(stderr, "cut off\n"); return 1; }
        s->have += got;
        char *line = s->in, *end;
        while ((end = memchr(line, '\n', s->in + s->have - line)) != NULL) {
          *end = 0;
          sscanf(line, "{\"next\":%ld", &s->kept);
          line = end + 1;
        }
        s->have -= line - s->in;
        memmove(s->in, line, s->have);
      }
    }
  }
  printf("%.0f\n", sources * lines / (now() - begin));
  for (int i = 0; i < sources; i++) if (write(all[i].file, "{\"end\":true}\n", 13) != 13) return 1;
  return 0;
}
