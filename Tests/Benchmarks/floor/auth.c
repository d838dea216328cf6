// SPDX-License-Identifier: MIT
// What the kernel takes for one evaluation: lock, read the state, append a line of 280 bytes, write the state, unlock.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 2 || chdir(arguments[1]) != 0) return 1;
  int state = open("floor.lockout", O_RDWR | O_CREAT | O_TRUNC, 0600), log = open("floor.log", O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600);
  char bytes[512], line[280];
  memset(bytes, ' ', sizeof bytes);
  memset(line, 'x', sizeof line);
  const int many = 50000;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < many; i++) {
    struct stat facts;
    if (flock(state, LOCK_EX | LOCK_NB) != 0 || pread(state, bytes, sizeof bytes, 0) < 0 || fstat(log, &facts) != 0) return 1;
    if (write(log, line, sizeof line) != sizeof line || pwrite(state, bytes, sizeof bytes, 0) != sizeof bytes) return 1;
    flock(state, LOCK_UN);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.2f\n", ((end.tv_sec - start.tv_sec) * 1e6 + (end.tv_nsec - start.tv_nsec) / 1e3) / many);
  unlink("floor.lockout");
  unlink("floor.log");
  return 0;
}
