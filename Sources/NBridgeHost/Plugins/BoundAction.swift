// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// An action or watch of a plugin, with what every call of it needs worked out once, for all callers.
/// Confined to the engine's thread.
package final class BoundAction {
  package let service: String
  package let declaration: Declaration
  /// What options have to keep to, for a caller that runs the action by its instance; nil for nothing.
  let rules: OptionRules?
  /// What `app.json` must allow: `service.permission`.
  package let permission: String
  /// The program, as the plugin sees it.
  package let app: AppEnvironment
  /// Its place in the declaration.
  package let index: UInt32
  /// What runs it when it is a loaded plugin's.
  package var instance: (any PluginInstance)?

  package init(service: String, declaration: Declaration, app: AppEnvironment, index: UInt32) {
    self.index = index
    self.service = service
    rules = declaration.hasRules ? OptionRules(declaration) : nil
    self.declaration = rules?.guarding(declaration) ?? declaration
    permission = "\(service).\(declaration.permission ?? declaration.name)"
    self.app = app
  }

  /// `service.action`, or `service.type.method`.
  package var name: String { "\(service).\(declaration.key)" }
}
