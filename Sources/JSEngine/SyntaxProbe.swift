// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeJavaScriptCore

/// Tells whether a text is whole JavaScript, could become it with more lines, or never will.
///
/// The engine's C API has no such question, its GLib API has; that one wants a context of its own, made when
/// the first question comes (about a millisecond). Confined to the thread that makes the engine.
public final class SyntaxProbe {
  /// What a text is.
  public enum Answer: Sendable {
    /// It parses.
    case complete
    /// More text could complete it.
    case incomplete
    /// It ends inside of a string, template or comment.
    case unterminated
    /// No text behind it could mend it.
    case wrong
  }

  /// What the text is read as.
  public enum Mode: Sendable {
    /// A script, sloppy, in the global scope.
    case script
    /// A module: strict, with `import`, `export` and `await`.
    case module
  }

  // A GObject of ours alone, let go in deinit.
  private var context: OpaquePointer?

  /// Makes a probe; costs nothing until it is asked.
  public init() {}

  deinit { if let context { g_object_unref(UnsafeMutableRawPointer(context)) } }

  /// Why a text does not parse, and where; nil for one that does. Not for one that only lacks its end.
  public func problem(in text: String, as mode: Mode) -> (message: String, line: Int, column: Int)? {
    var problem: OpaquePointer?
    guard look(at: text, as: mode, &problem) != .complete else { return nil }
    guard let problem else { return ("the engine can't read it", 1, 1) }
    defer { g_object_unref(UnsafeMutableRawPointer(problem)) }
    let message = jsc_exception_get_message(problem).map { String(cString: $0) } ?? ""
    return (
      message, max(1, Int(jsc_exception_get_line_number(problem))),
      max(1, Int(jsc_exception_get_column_number(problem)))
    )
  }

  /// Parses `text`, without running it.
  public func look(at text: String, as mode: Mode) -> Answer {
    var problem: OpaquePointer?
    defer { if let problem { g_object_unref(UnsafeMutableRawPointer(problem)) } }
    return look(at: text, as: mode, &problem)
  }

  private func look(at text: String, as mode: Mode, _ problem: inout OpaquePointer?) -> Answer {
    if context == nil {
      MainThread.prepare()
      context = jsc_context_new()
    }
    guard let context else { return .complete }
    let bytes = Array(text.utf8)
    let result = bytes.withUnsafeBytes { buffer in
      let empty: StaticString = ""
      let start = buffer.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
      return jsc_context_check_syntax(
        context, start.assumingMemoryBound(to: CChar.self), buffer.count, mode == .module ? 1 : 0, nil, 1,
        &problem)
    }
    switch result {
    case 0: return .complete
    case 1: return .incomplete
    case 3: return .unterminated
    default: return .wrong
    }
  }
}
