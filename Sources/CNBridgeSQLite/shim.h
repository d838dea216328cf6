// SPDX-License-Identifier: MIT
// SQLite. No logic.
#pragma once

#include <sqlite3.h>
