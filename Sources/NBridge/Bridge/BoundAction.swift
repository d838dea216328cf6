// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// An action or watch of a loaded plugin, with what every call of it needs worked out once.
final class BoundAction {
  let service: String
  let declaration: Declaration
  /// What `app.json` must allow: `service.permission`.
  let permission: String
  /// What handlers of immediate actions get: nothing of it changes from call to call.
  let call: Call
  /// The body of an async action.
  let asyncBody: Runner.AsyncBody?
  /// Why no call of it is allowed; nil when it is.
  var denial: BridgeError? { didSet { isDenied = denial != nil } }
  @exclusivity(unchecked) private(set) var isDenied = false

  init(service: String, declaration: Declaration, app: AppEnvironment) {
    self.service = service
    self.declaration = declaration
    permission = "\(service).\(declaration.permission ?? declaration.name)"
    call = Call(app: app)
    if case .async(let body) = declaration.runner { asyncBody = body } else { asyncBody = nil }
  }

  /// `service.action`.
  var name: String { "\(service).\(declaration.name)" }
}
