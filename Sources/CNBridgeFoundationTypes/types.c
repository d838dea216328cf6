// SPDX-License-Identifier: MIT

#include "foundation_types.h"

// Mangled by the rules of Swift's ABI ("nominal type metadata"), which holds names like these stable.
extern const char date_type __asm__("$s20FoundationEssentials4DateVN") __attribute__((weak));
extern const char data_type __asm__("$s20FoundationEssentials4DataVN") __attribute__((weak));

const void *nbridge_date_type(void) { return &date_type; }
const void *nbridge_data_type(void) { return &data_type; }
