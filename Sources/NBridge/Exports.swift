// SPDX-License-Identifier: MIT

// A program that embeds the runtime imports one module: what the lower ones say in public belongs to its API.
@_exported public import NBridgeBuiltins
@_exported public import NBridgeHost
@_exported public import NBridgeRecording
@_exported public import NBridgeScript
