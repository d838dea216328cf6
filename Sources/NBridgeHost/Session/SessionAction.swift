// SPDX-License-Identifier: MIT

package import NBridgePlugin
package import NBridgeScript

/// An action as one session may call it, or not.
package final class SessionAction {
  package let bound: BoundAction
  /// What runs it when it is async.
  package let asyncAction: AsyncAction?
  /// Why no call of it is allowed; nil when it is.
  private(set) var denial: BridgeError?
  package let isDenied = MemoryCell(false)

  package init(_ bound: BoundAction, _ permissions: PermissionSet) {
    self.bound = bound
    asyncAction = bound.asyncAction
    review(permissions)
  }

  deinit { isDenied.free() }

  /// What is allowed has changed.
  func review(_ permissions: PermissionSet) {
    denial = permissions.denial(of: bound.permission)
    isDenied.memory.pointee = denial != nil
  }
}
