// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// Classes one below those that a connection's streams have, from which they differ by how they read or
/// write. So nothing else of the connection is another one: it waits, times out and ends as it did.
package enum StreamClass {
  /// Gives a stream a class below its own, made once for each; false where it knows no such interface.
  ///
  /// - Parameters:
  ///   - prefix: of the class's name.
  ///   - interface: `GPollableInputStream` or `GPollableOutputStream`.
  ///   - changeClass: puts other functions into the class.
  ///   - change: puts other functions into the interface's table.
  package static func lower(
    _ stream: UnsafeMutableRawPointer, _ prefix: String, _ interface: GType,
    changeClass: GClassInitFunc? = nil, _ change: @escaping GInterfaceInitFunc
  ) -> Bool {
    let instance = stream.assumingMemoryBound(to: GTypeInstance.self)
    guard let known = instance.pointee.g_class?.pointee.g_type, let name = g_type_name(known) else {
      return false
    }
    if String(cString: name).hasPrefix(prefix) { return true }
    // The functions of one find those above by the object's class: two would find themselves.
    if String(cString: name).hasPrefix("NBridge") { return false }
    guard let type = made(below: known, prefix + String(cString: name), interface, changeClass, change),
      let made = g_type_class_ref(type)
    else { return false }
    // An object of the class above is one of this: it has no fields of its own.
    instance.pointee.g_class = made.assumingMemoryBound(to: GTypeClass.self)
    return true
  }

  private static func made(
    below parent: GType, _ name: String, _ interface: GType,
    _ changeClass: GClassInitFunc?, _ change: @escaping GInterfaceInitFunc
  ) -> GType? {
    guard g_type_is_a(parent, interface) != 0 else { return nil }
    let known = g_type_from_name(name)
    if known != 0 { return known }
    var query = GTypeQuery()
    g_type_query(parent, &query)
    guard query.type != 0 else { return nil }
    let type = g_type_register_static_simple(
      parent, name, query.class_size, changeClass, query.instance_size, nil, GTypeFlags(rawValue: 0))
    guard type != 0 else { return nil }
    var info = GInterfaceInfo(interface_init: change, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, interface, &info)
    return type
  }

  /// The table of the class above a stream's.
  package static func above<Table>(
    _ stream: UnsafeMutableRawPointer, _ interface: GType, as table: Table.Type
  ) -> UnsafeMutablePointer<Table>? {
    let instance = stream.assumingMemoryBound(to: GTypeInstance.self)
    guard let own = g_type_interface_peek(instance.pointee.g_class, interface) else { return nil }
    return g_type_interface_peek_parent(own)?.assumingMemoryBound(to: table)
  }

  /// The class above a stream's.
  package static func above<Class>(
    _ stream: UnsafeMutableRawPointer, as kind: Class.Type
  ) -> UnsafeMutablePointer<Class>? {
    let instance = stream.assumingMemoryBound(to: GTypeInstance.self)
    return g_type_class_peek_parent(instance.pointee.g_class)?.assumingMemoryBound(to: kind)
  }
}
