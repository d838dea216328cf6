// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgeScript

/// Clients from outside, as the pages that a prompt serves, and what is entered for one of them.
extension InteractiveSession {
  /// Lets clients come to its plugins from outside, with the session's permissions.
  ///
  /// - Parameter open: gets what they are served with, and may throw why it can't; answers what has to be
  ///   there as long as the session, and what tells whether clients are still ending.
  package func serve(
    _ open: (Runtime.Guests) throws -> (kept: [AnyObject], isEnding: () -> Bool)
  ) rethrows {
    served = try open(runtime.makeGuests())
  }

  /// An entry for an engine that tells no script's value: JavaScript that is a promise of a list with it, or
  /// of an empty one, and the names that it declares.
  package struct Portable: Sendable {
    package let code: String
    package let names: [String]
    /// Those of them that are constants once it has run.
    package let constants: [String]
  }

  /// Makes one of what was entered.
  ///
  /// - Throws: where it does not parse.
  package func portable(_ text: String) throws(SessionProblem) -> Portable {
    guard let line = EntryRewriter(runtime.context, folder: nil, number: nil).function(text) else {
      // The entry begins on the second line there; the engine may name the line behind the fault.
      let error = runtime.context.syntaxError(in: "(async()=>{\n\(text)\n})")
      let last = text.split(separator: "\n", omittingEmptySubsequences: false).count
      let column = error?.column.map { ", column \($0)" } ?? ""
      let place = error.map { error in
        error.line - 1 > last ? ": line \(last)" : ": line \(max(1, error.line - 1))\(column)"
      }
      throw SessionProblem("SyntaxError: it can't be run in a page as an async function's body\(place ?? "")")
    }
    return Portable(code: line.text, names: line.names, constants: line.constants)
  }
}
