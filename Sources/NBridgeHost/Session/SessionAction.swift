// SPDX-License-Identifier: MIT

package import NBridgePlugin
package import NBridgeScript

/// An action as one session may call it, or not.
package final class SessionAction {
  package let bound: BoundAction
  /// What its handler is told of a call that has no state of its own.
  package let call: Call
  /// What runs it when it is async.
  package let asyncAction: AsyncAction?
  /// Why no call of it is allowed; nil when it is.
  private(set) var denial: BridgeError?
  package let isDenied = MemoryCell(false)

  package init(_ bound: BoundAction, _ permissions: PermissionSet, session: UInt32) {
    self.bound = bound
    let call = Call(app: bound.app, session: session)
    self.call = call
    if case .async(let body) = bound.declaration.runner {
      asyncAction = AsyncAction(body, call)
    } else {
      asyncAction = nil
    }
    review(permissions)
  }

  deinit { isDenied.free() }

  /// What is allowed has changed.
  func review(_ permissions: PermissionSet) {
    // What a script holds it may always let go of.
    denial = bound.declaration.handle?.closes == true ? nil : permissions.denial(of: bound.permission)
    isDenied.memory.pointee = denial != nil
  }
}
