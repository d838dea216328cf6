// SPDX-License-Identifier: MIT

package import JSEngine

/// What a script wants run.
package struct WorkerOrder: Sendable {
  /// Where the script is read, in full; a Blob's has the Blob's bytes in it.
  package let address: String
  /// The script's URL, as its author gave it, in full: what `location` says.
  package let location: String
  package let isModule: Bool
  /// What the script calls it; empty for none.
  package let name: String
  /// Whether the first message is what the worker is given before its script runs.
  package let hasData: Bool
}

/// An error that no script of a worker took.
package struct WorkerFailure: Error, Sendable {
  /// As `Error: text`.
  package let message: String
  /// Where, as its author sees it; nothing and 0 where nobody knows.
  package var file = ""
  package var line = 0
  package var column = 0
  /// What that file's author wrote; nil where nobody knows.
  package var text: String?
  /// What a person is told when nobody else takes it either, with its line ends.
  package let report: String
  /// Whether the script never ran: it could not be found, or read.
  package var isUnstarted = false

  package init(message: String, report: String) { (self.message, self.report) = (message, report) }
}

/// Why no worker was started.
package struct WorkerRefusal: Error {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
}

/// Starts workers for one engine, and ends them. On the engine's thread.
package protocol WorkerStarter: AnyObject {
  /// What the engines of the program share.
  var group: EngineGroup { get }
  /// The URL that relative addresses start from.
  var base: String { get }
  /// Prepares one and answers its number, and the end of the channel to it.
  ///
  /// - Parameters:
  ///   - failed: is told, on the engine's thread, of errors that no script of the worker's took.
  ///   - ended: is told so of the status with which it ended, by whatever.
  func prepare(
    _ order: WorkerOrder, failed: @escaping (WorkerFailure) -> Void, ended: @escaping (Double) -> Void
  ) throws(WorkerRefusal) -> (number: Int, end: PortEnd)
  /// Starts one that was prepared.
  func begin(_ number: Int) throws(WorkerRefusal)
  /// Gives the place of one back that was prepared and won't be started.
  func giveUp(_ number: Int)
  /// Those that run, and were not told to end: their numbers, and what they run.
  var running: [(number: Int, address: String)] { get }
  /// Ends one, wherever its script is.
  func terminate(_ number: Int)
  /// Takes an error that no script took.
  func fail(_ failure: WorkerFailure)
}

/// What an engine is told that is a worker's. On the engine's thread.
package protocol WorkerScope: AnyObject {
  var order: WorkerOrder { get }
  /// From 1, among all workers of the program.
  var number: Int { get }
  /// The end of the channel to the maker, once.
  func takeEnd() -> PortEnd
  /// Ends the worker when what runs has come to its end.
  func close()
  /// Runs a script in the global scope. Answers what it threw, in a list; undefined for nothing.
  func importScript(_ address: String) throws(JSException) -> JSValue
}
