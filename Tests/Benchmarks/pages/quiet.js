// SPDX-License-Identifier: MIT
"use strict";
nbridge.bench.immediate().then(() => { document.title = "resting"; });
