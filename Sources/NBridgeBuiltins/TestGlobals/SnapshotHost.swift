// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost

/// Compares texts with those kept beside the file, or in it.
enum SnapshotHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    // snapshot(text, hint): [true, the kept text, or undefined for none; its name].
    host.function("snapshot") { [unowned services] frame throws(JSException) in
      let (tests, title) = try test(services)
      let (text, hint) = (frame[0].string ?? "", frame[1].string ?? "")
      let (name, kept): (String, String?)
      do throws(SnapshotError) {
        (name, kept) = try tests.snapshots.look(title, hint: hint, text: text)
      } catch {
        throw JSException(message: error.reason)
      }
      // By their bytes: two ways to write one character are not one text.
      let isSame = kept.map { $0.utf8.elementsEqual(text.utf8) } ?? false
      return answer(isSame || tests.setup.updatesSnapshots, kept, name, services.context)
    }
    // inlineSnapshot(text, argument or undefined, method, stack): the same, with the test's title.
    host.function("inlineSnapshot") { [unowned services] frame throws(JSException) in
      let (tests, title) = try test(services)
      let (isRight, kept): (Bool, String?)
      do throws(SnapshotError) {
        (isRight, kept) = try tests.inlineSnapshots.look(
          frame[0].string ?? "", name: frame[2].string ?? "", kept: frame[1].isString ? frame[1].string : nil,
          stack: frame[3].string ?? "", updating: tests.setup.updatesSnapshots)
      } catch {
        throw JSException(message: error.reason)
      }
      return answer(isRight, kept, title, services.context)
    }
  }

  private static func test(_ services: BuiltinServices) throws(JSException) -> (TestRecorder, String) {
    guard let tests = services.tests, let title = tests.runningTitle else {
      throw JSException(message: "a snapshot belongs to a test: call it inside of one")
    }
    return (tests, title)
  }

  private static func answer(
    _ isRight: Bool, _ kept: String?, _ name: String, _ context: JSContext
  ) -> JSValue {
    context.makeArray(count: 2) { index in
      if index == 1 { return context.make(name) }
      return isRight ? context.make(true) : kept.map { context.make($0) } ?? context.undefined
    }
  }
}
