// SPDX-License-Identifier: MIT
// The assertions of node:assert, in `assert`, once a file of tests has loaded node:test.
(() => ({ __proto__: null, assert: undefined }))
