import ImagePlugin
import NBridgePlugin

/// All that the library shows: the plugin's table. No Swift type crosses its edge.
@_cdecl("nbridge_plugin_entry")
public func nbridgePluginEntry(abi: UInt32) -> UnsafeRawPointer? {
  PluginExport.table(of: ImagePlugin(), abi: abi)
}
