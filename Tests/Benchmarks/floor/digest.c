// SPDX-License-Identifier: MIT
// The same as digest.mjs by OpenSSL alone, as `openssl dgst -sha256` does: what no script can be faster than.
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIZE (64 << 20)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(void) {
  unsigned char *bytes = malloc(SIZE), digest[EVP_MAX_MD_SIZE];
  for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * 7);
  for (int round = 0; round < 3; round++) {
    const double start = now();
    unsigned int size = 0;
    if (EVP_Digest(bytes, SIZE, digest, &size, EVP_sha256(), NULL) != 1 || size != 32) return 1;
    if (round == 2) printf("digest\t%.1f\n", now() - start);
  }
  return 0;
}
