// SPDX-License-Identifier: MIT
// Asks a server of this machine for / by 64 connections that stay, each a request after the other, and prints how many
// answers of 1 KiB came in a second. Takes the port, and how many requests there are to be.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 64, BODY = 1024, ROOM = 8192 };
static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
static char rooms[CONNECTIONS][ROOM];
static int files[CONNECTIONS], held[CONNECTIONS];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int ask(int index) { return send(files[index], request, sizeof request - 1, MSG_NOSIGNAL) == sizeof request - 1 ? 0 : -1; }

// Whether a whole answer is there: a chunked one has some bytes more.
static int is_whole(int index) {
  rooms[index][held[index]] = 0;
  char *end = strstr(rooms[index], "\r\n\r\n");
  if (!end) return 0;
  if (strcasestr(rooms[index], "transfer-encoding: chunked")) return held[index] >= 5 && !memcmp(rooms[index] + held[index] - 5, "0\r\n\r\n", 5);
  return held[index] - (end + 4 - rooms[index]) >= BODY;
}

int main(int count, char **arguments) {
  if (count < 3) return 1;
  int left = atoi(arguments[2]), many = left, poll = epoll_create1(0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < CONNECTIONS; i++) {
    files[i] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(files[i], (struct sockaddr *)&address, sizeof address) != 0) return 2;
    setsockopt(files[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(poll, EPOLL_CTL_ADD, files[i], &event);
    if (ask(i) != 0) return 2;
  }
  double start = now();
  while (left > 0) {
    struct epoll_event events[CONNECTIONS];
    int found = epoll_wait(poll, events, CONNECTIONS, 10000);
    if (found <= 0) return 3;
    for (int i = 0; i < found; i++) {
      int index = events[i].data.u32;
      ssize_t got = recv(files[index], rooms[index] + held[index], ROOM - 1 - held[index], 0);
      if (got <= 0) return 4;
      held[index] += got;
      if (!is_whole(index)) continue;
      held[index] = 0;
      left--;
      if (ask(index) != 0) return 2;
    }
  }
  printf("rate\t%.0f\n", many / (now() - start));
  return 0;
}
