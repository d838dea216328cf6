// SPDX-License-Identifier: MIT

package import JSEngine

/// Builds the small objects through which the runtime's own scripts reach native code. Scripts of the user
/// never see them.
package struct HostObject {
  package let context: JSContext
  package let value: JSValue

  package init(_ context: JSContext) {
    self.context = context
    value = context.makeBareObject()
  }

  package func make(_ text: String) -> JSValue { context.make(text) }
  package func make(_ number: Double) -> JSValue { context.make(number) }
  package func make(_ bool: Bool) -> JSValue { context.make(bool) }

  package func set(_ name: String, _ member: JSValue) { context.set(value, name, member) }

  package func function(_ name: String, _ body: @escaping JSFunction.Body) {
    set(name, JSFunction.make(in: context, body))
  }
}
