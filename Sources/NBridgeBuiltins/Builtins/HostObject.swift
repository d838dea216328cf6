// SPDX-License-Identifier: MIT

internal import JSEngine

/// Builds the small objects through which the runtime's own scripts reach native code. Scripts of the user
/// never see them.
struct HostObject {
  let context: JSContext
  let value: JSValue

  init(_ context: JSContext) {
    self.context = context
    value = context.makeBareObject()
  }

  func make(_ text: String) -> JSValue { context.make(text) }
  func make(_ number: Double) -> JSValue { context.make(number) }
  func make(_ bool: Bool) -> JSValue { context.make(bool) }

  func set(_ name: String, _ member: JSValue) { context.set(value, name, member) }

  func function(_ name: String, _ body: @escaping JSFunction.Body) {
    set(name, JSFunction.make(in: context, body))
  }
}
