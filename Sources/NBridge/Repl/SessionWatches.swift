// SPDX-License-Identifier: MIT

internal import JSEngine

/// Watches that print what they tell until they are stopped.
extension InteractiveSession {
  /// Starts one, of `service.action`. `tell` gets each event as text, and at last why it ended.
  ///
  /// - Parameter option: the option as JavaScript; empty for none.
  /// - Throws: a report, when the option is wrong or there is no such watch.
  package func watch(_ name: String, option: String, tell: @escaping (String) -> Void) throws(SessionProblem)
  {
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count == 2, let action = actions(of: parts[0]).first(where: { $0.name == name }) else {
      throw SessionProblem("there is no watch '\(name)'")
    }
    guard action.kind == "watch" else { throw SessionProblem("'\(name)' is no watch; call it with .call") }
    unwatch(name)
    var mine: JSHandle?
    let onEvent = JSFunction.make(in: runtime.context) { [unowned self] frame throws(JSException) in
      // One that was stopped by name has nothing to tell any more.
      guard let mine, watches[name] === mine else { return frame.undefined }
      guard frame[1].bool else {
        tell("\(name): \(show(frame[0]))")
        return frame.undefined
      }
      watches[name] = nil
      let reason = frame[0]
      tell(reason.isUndefined ? "\(name) ended" : "\(name) ended: \(runtime.context.exception(of: reason))")
      return frame.undefined
    }
    do throws(JSException) {
      let value =
        option.isEmpty
        ? runtime.context.undefined : try runtime.context.evaluate("(\(option)\n)", url: "option")
      let context = runtime.context
      let stop = try call("startWatch", context.make(parts[0]), context.make(parts[1]), value, onEvent)
      mine = JSHandle(stop, in: context)
      watches[name] = mine
    } catch {
      throw SessionProblem("\(error)")
    }
  }

  /// Stops one. False when none of that name runs.
  @discardableResult
  package func unwatch(_ name: String) -> Bool {
    guard let stop = watches.removeValue(forKey: name) else { return false }
    _ = try? runtime.context.call(stop.value)
    return true
  }

  /// The names of the watches that run.
  package var watchNames: [String] { watches.keys.sorted() }
}

/// Something that a session could not do.
package struct SessionProblem: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
