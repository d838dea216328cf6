// SPDX-License-Identifier: MIT
//
// XXH3 with 128 bits, from xxHash's header alone: a start that hashes little would wait longer for the library to be opened.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

/// The canonical form of the hash of `count` bytes: 16 bytes.
static inline void nbridge_checksum(const void *bytes, size_t count, unsigned char *digest) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  for (int index = 0; index < 16; index++) digest[index] = canonical.digest[index];
}
