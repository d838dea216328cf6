// SPDX-License-Identifier: MIT
// The same as compression.mjs by zlib alone: what no stream can be faster than.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define SIZE (16 << 20)
#define ROOM (64 << 10)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(void) {
  char *text = malloc(SIZE + 256);
  unsigned char *small = malloc(SIZE), *back = malloc(ROOM);
  long size = 0;
  for (uint64_t i = 0; size < SIZE; i++)
    size += sprintf(text + size, "2026-11-27T10:41:%d info request %llu took %d ms for user %d\n", (int)(i % 60),
                    (unsigned long long)(i * 2654435761ULL % 4294967296ULL), (int)(i % 97), (int)(i % 1009));
  for (int round = 0; round < 2; round++) {
    const double start = now();
    z_stream in = {0};
    deflateInit2(&in, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    in.next_in = (unsigned char *)text;
    in.avail_in = SIZE;
    long count = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      in.next_out = small + count;
      in.avail_out = ROOM;
      status = deflate(&in, Z_FINISH);
      count += ROOM - in.avail_out;
    }
    deflateEnd(&in);
    const double between = now();
    z_stream out = {0};
    inflateInit2(&out, 31);
    out.next_in = small;
    out.avail_in = (unsigned)count;
    long total = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      out.next_out = back;
      out.avail_out = ROOM;
      status = inflate(&out, Z_NO_FLUSH);
      total += ROOM - out.avail_out;
    }
    inflateEnd(&out);
    const double end = now();
    if (total != SIZE) return 1;
    if (round == 1) printf("gzip\t%.1f\ngunzip\t%.1f\n", between - start, end - between);
  }
  return 0;
}
