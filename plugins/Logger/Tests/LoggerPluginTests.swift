// SPDX-License-Identifier: MIT

import LoggerPlugin
import Testing
