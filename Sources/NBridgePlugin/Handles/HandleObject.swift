// SPDX-License-Identifier: MIT

/// An object of a plugin that scripts hold: an open database, a connection, a running encoder.
///
/// ```swift
/// final class Database: HandleObject {
///   static let handle = HandleType("database", "An open database.")
///   func close() { sqlite3_close_v2(connection) }
/// }
/// ```
///
/// An action answers one by ``Call/hold(_:)``, ``Handles`` declares its methods. Calls of its methods may run
/// at the same time, as calls of actions do.
public protocol HandleObject: AnyObject, Sendable {
  /// How scripts know the type.
  static var handle: HandleType { get }

  /// Frees what the object holds. Called once, and never while one of its methods runs: when a script calls
  /// `close()`, when the engine collected the script's object, or when the program ends. It may block, for it
  /// runs on a thread for that; at the end of the program it runs on the engine's thread.
  ///
  /// What it throws rejects the script's `close()`; nobody hears of it in the other cases.
  func close() throws
}

extension HandleObject {
  /// Does nothing: the object frees what it holds when it goes.
  public func close() throws {}
}

/// A type of objects that scripts hold.
public struct HandleType: Sendable {
  /// Its name among the plugin's types: a lower-case letter, then letters and digits.
  package let name: String
  package let help: String

  /// Names a type.
  ///
  /// - Parameters:
  ///   - name: as `database`; scripts see an object of the class `Database`.
  ///   - help: one sentence.
  public init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }
}

/// An answer that is an object of the plugin. In JavaScript it is an object with the methods that ``Handles``
/// declares for its type, and `close()`. It may stand anywhere in an answer; it can't be an option.
public struct Handle<Object: HandleObject>: Codable, Sendable {
  private let ticket: HandleTicket?
  private let service: String

  package init(_ ticket: HandleTicket, of service: String) { (self.ticket, self.service) = (ticket, service) }

  /// Reads nothing but an example of the type's shape: scripts can't hand over a handle.
  public init(from decoder: any Decoder) throws {
    guard try decoder.singleValueContainer().decodeNil() else {
      throw BridgeError(.invalidParameter, "an object of a plugin can't be an option")
    }
    (ticket, service) = (nil, "")
  }

  /// Writes the number that stands for the object.
  public func encode(to encoder: any Encoder) throws {
    guard let wire = encoder as? WireEncoder, let ticket else {
      throw BridgeError(.unknownError, "an object of a plugin can be answered to a script only")
    }
    wire.sink { $0.writeHandle(ticket.take(), Object.handle.name, of: service) }
  }
}

extension Handle: SchemaDescribed {
  /// An object of the type.
  public static var schema: Schema { .handle(Object.handle.name) }
}
