// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Testing

/// Handlers that are tried without a runtime.
@Suite struct TestCallTests {
  /// What a plugin's handler may be made of.
  private func greeting(_ name: String, _ call: Call) async throws -> String {
    try call.checkCancellation()
    guard call.allows("greeter.greet:\(name)") else { throw BridgeError(.permissionDenied, name) }
    call.logger.info("greets")
    call.progress(1)
    let city: String = try await call.invoke("weather", "city", ["name": name])
    return "Hello, \(name) of \(city)!"
  }

  private func code(_ test: TestCall) async -> BridgeError.Code? {
    do {
      _ = try await greeting("Ada", test.call)
      return nil
    } catch { return (error as? BridgeError)?.code }
  }

  private static let answer: TestCall.Answer = { _, _, option in
    try Value(encoding: option.decode([String: String].self)["name"] == "Ada" ? "London" : "Bern")
  }

  @Test func aHandlerIsCalledWithOne() async throws {
    let test = TestCall(permissions: ["greeter.greet:Ada", "weather.*"], answer: Self.answer)
    #expect(try await greeting("Ada", test.call) == "Hello, Ada of London!")
    #expect(test.log == ["info: greets"])
    #expect(try test.progress.map { try $0.decode(Int.self) } == [1])
  }

  @Test func itIsCheckedAndCancelledAsOthersAre() async {
    #expect(await code(TestCall()) == .permissionDenied)
    #expect(await code(TestCall(permissions: ["greeter.greet:*"], answer: Self.answer)) == .permissionDenied)
    let list = ["greeter.greet:*", "weather.city"]
    #expect(await code(TestCall(permissions: list)) == .invalidService)
    let test = TestCall(permissions: list, answer: Self.answer)
    test.cancel()
    #expect(await code(test) == .cancelled)
  }

  @Test func itHasAContainerOfItsOwn() throws {
    let one = TestCall()
    let other = TestCall()
    #expect(one.call.app.container != other.call.app.container)
    #expect(one.call.remaining == nil && TestCall(timeout: .seconds(100)).call.remaining != nil)
  }
}
