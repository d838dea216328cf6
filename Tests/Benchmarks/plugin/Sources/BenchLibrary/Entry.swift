// SPDX-License-Identifier: MIT

import BenchPlugin
import NBridgePlugin

/// The plugin's table.
@_cdecl("nbridge_plugin_entry")
public func nbridgePluginEntry(abi: UInt32) -> UnsafeRawPointer? {
  PluginExport.table(of: BenchPlugin(), abi: abi)
}
