// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// An action or watch of a plugin, with what every call of it needs worked out once, whoever calls. Confined
/// to the engine's thread.
final class BoundAction {
  let service: String
  let declaration: Declaration
  /// What `app.json` must allow: `service.permission`.
  let permission: String
  /// What handlers of immediate actions get: nothing of it changes from call to call.
  let call: Call
  /// What runs an async action.
  let asyncAction: AsyncAction?
  /// Its place in the declaration.
  let index: UInt32
  /// What runs it when it is a loaded plugin's.
  var run: (any PluginInstance)?

  init(service: String, declaration: Declaration, app: AppEnvironment, index: UInt32) {
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
  var name: String { "\(service).\(declaration.name)" }
}
