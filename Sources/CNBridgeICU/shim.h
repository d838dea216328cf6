// SPDX-License-Identifier: MIT
// ICU's international domain names. Inline functions, because ICU's own names carry its version. No logic.
#pragma once

#include <unicode/uidna.h>

static inline UIDNA *_Nullable icu_uidna_open(uint32_t options, UErrorCode *_Nonnull error) {
  return uidna_openUTS46(options, error);
}

static inline int32_t icu_uidna_name_to_ascii(
    const UIDNA *_Nonnull idna, const UChar *_Nullable name, int32_t count, UChar *_Nullable target, int32_t capacity,
    UIDNAInfo *_Nonnull info, UErrorCode *_Nonnull error) {
  info->size = sizeof(UIDNAInfo);
  return uidna_nameToASCII(idna, name, count, target, capacity, info, error);
}
