// SPDX-License-Identifier: MIT
// The system calls of documents.write in C: a nameless file gets its content and takes its place in one step.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

static int folder(const char *root, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root, name);
  mkdir(path, 0700);
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/// files ROOT COUNT DURABLE: writes 100 files of 100 bytes in turn and prints how many a second.
int main(int count, char **arguments) {
  if (count != 4) return 2;
  mkdir(arguments[1], 0700);
  int documents = folder(arguments[1], "Documents"), staging = folder(arguments[1], ".staging");
  int writes = atoi(arguments[2]), durable = atoi(arguments[3]);
  char text[100];
  memset(text, 'x', sizeof text);
  double start = now();
  for (int i = 0; i < writes; i++) {
    char name[64], source[64], temporary[64];
    struct stat old;
    snprintf(name, sizeof name, "f%d", i % 100);
    int exists = fstatat(documents, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
    int file = openat(staging, ".", O_WRONLY | O_CLOEXEC | O_TMPFILE, 0600);
    if (file < 0 || pwrite(file, text, sizeof text, 0) != sizeof text) return perror("write"), 1;
    if (durable) fsync(file);
    snprintf(source, sizeof source, "/proc/self/fd/%d", file);
    if (exists) {
      snprintf(temporary, sizeof temporary, ".t-%d-%d", getpid(), i);
      if (linkat(AT_FDCWD, source, staging, temporary, AT_SYMLINK_FOLLOW) != 0) return perror("link"), 1;
      if (renameat(staging, temporary, documents, name) != 0) return perror("rename"), 1;
    } else if (linkat(AT_FDCWD, source, documents, name, AT_SYMLINK_FOLLOW) != 0) {
      return perror("link"), 1;
    }
    if (durable) fsync(documents);
    close(file);
  }
  printf("%.0f\n", writes / (now() - start));
}
