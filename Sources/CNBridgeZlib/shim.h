// SPDX-License-Identifier: MIT
// zlib. No logic.
#pragma once

#include <zlib.h>
