// SPDX-License-Identifier: MIT
// The least that a message there and back costs: 64 bytes between two processes that sleep until they come, over a pair of
// Unix sockets. Prints the median in microseconds.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void take(int socket, char *buffer) {
  struct pollfd poller = {socket, POLLIN, 0};
  poll(&poller, 1, -1);
  if (read(socket, buffer, 64) != 64) exit(0);
}

static int compare(const void *one, const void *other) {
  double left = *(const double *)one, right = *(const double *)other;
  return left < right ? -1 : left > right;
}

int main(void) {
  int pair[2];
  char buffer[64] = {0};
  enum { COUNT = 15000 };
  static double times[COUNT];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  if (fork() == 0) {
    close(pair[0]);
    for (;;) {
      take(pair[1], buffer);
      if (write(pair[1], buffer, 64) != 64) exit(0);
    }
  }
  close(pair[1]);
  for (int i = 0; i < COUNT; i++) {
    double start = now();
    if (write(pair[0], buffer, 64) != 64) return 1;
    take(pair[0], buffer);
    times[i] = now() - start;
  }
  qsort(times, COUNT, sizeof *times, compare);
  printf("%.1f\n", times[COUNT / 2]);
}
