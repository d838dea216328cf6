// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// An action or watch of a plugin, with what every call of it needs worked out once, for all callers.
/// Confined to the engine's thread.
package final class BoundAction {
  package let service: String
  package let declaration: Declaration
  /// What `app.json` must allow: `service.permission`.
  package let permission: String
  /// What handlers of immediate actions get: nothing of it changes from call to call.
  package let call: Call
  /// What runs an async action.
  package let asyncAction: AsyncAction?
  /// Its place in the declaration.
  package let index: UInt32
  /// What runs it when it is a loaded plugin's.
  package var instance: (any PluginInstance)?

  package init(service: String, declaration: Declaration, app: AppEnvironment, index: UInt32) {
    self.index = index
    self.service = service
    self.declaration = declaration
    permission = "\(service).\(declaration.permission ?? declaration.name)"
    call = Call(app: app)
    if case .async(let body) = declaration.runner {
      asyncAction = AsyncAction(body, call)
    } else {
      asyncAction = nil
    }
  }

  /// `service.action`.
  package var name: String { "\(service).\(declaration.name)" }
}
