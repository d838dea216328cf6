// SPDX-License-Identifier: MIT

/// What scripts can do with an object that the plugin answers: its methods, declared as actions and watches
/// are, with the object as the first parameter.
///
/// ```swift
/// Detached("open", "Opens a database.") { (options: OpenOptions, call) in
///   call.hold(try Database(options.path))
/// }
/// Handles(Database.self) {
///   Detached("query", "Answers the rows of a statement.") { (database: Database, options: Query, call) in
///     try database.rows(options.sql)
///   }
///   .positional("sql")
/// }
/// ```
///
/// In JavaScript the answer of `open` is an object of the class `Database` with the method `query` and with
/// `close()`, `Symbol.asyncDispose` and `Symbol.dispose`.
public struct Handles: Sendable {
  package private(set) var declarations: [Declaration]

  /// Declares the methods of a type.
  ///
  /// A method's permission is the service and the method's own name, as for actions; closing needs none.
  ///
  /// - Parameters:
  ///   - type: the type; its name is taken once in a plugin.
  ///   - body: the methods.
  public init<Object: HandleObject>(_ type: Object.Type, @PluginBuilder _ body: () -> PluginBody) {
    let (name, help) = (type.handle.name, type.handle.help)
    func member(_ method: Declaration, closes: Bool) -> Declaration {
      var method = method
      method.handle = HandleMember(type: name, help: help, closes: closes)
      return method
    }
    declarations = body().members.map { member($0, closes: false) } + [member(Self.close, closes: true)]
  }

  /// Objects that the plugin's own script keeps to itself, as it does with actions that are hidden: they
  /// stand in no types and no help.
  public func hidden() -> Self {
    var hidden = self
    for index in declarations.indices { hidden.declarations[index].isHidden = true }
    return hidden
  }

  /// The method that every type has.
  private static var close: Declaration {
    Declaration(
      name: "close", help: "Closes it; what is called on it later is refused.", options: .none, result: .none,
      runner: .async { input, call, _ in
        guard let address = HandleAddress(input) else { throw HandleAddress.missing }
        if let object = await call.app.handles.take(address.number, call.session) {
          try await Blocking.run { try object.close() }
        }
        return .undefined
      })
  }
}

/// What makes a declaration a method of an object.
package struct HandleMember: Codable, Sendable, Equatable {
  /// The name of the object's type.
  package let type: String
  /// What the type is, in one sentence.
  package let help: String
  /// Whether it is the one that closes the object.
  package let closes: Bool
}

extension Call {
  /// Hands an object to the script that called: the answer, or a part of it. The plugin keeps the object
  /// until the script closes it, lets go of it, or ends; one that comes into no answer, because the action
  /// throws, is closed.
  public func hold<Object: HandleObject>(_ object: Object) -> Handle<Object> {
    Handle(HandleTicket(app.handles.insert(object, session), in: app.handles), of: app.service)
  }

  /// Calls `body` with the object that a method was called on, and with the method's own option.
  func borrowing<Object: HandleObject, R>(
    _ type: Object.Type, _ input: WireInput, _ body: (Object, WireInput) throws -> R
  ) throws -> R {
    guard let address = HandleAddress(input) else { throw HandleAddress.missing }
    let object = try app.handles.borrow(address.number, session, as: type)
    defer { app.handles.giveBack(address.number) }
    return try body(object, address.option)
  }

  /// The same for what awaits.
  nonisolated(nonsending) func borrowing<Object: HandleObject, R>(
    _ type: Object.Type, _ input: WireInput,
    _ body: nonisolated(nonsending) (Object, WireInput) async throws -> R
  ) async throws -> R {
    guard let address = HandleAddress(input) else { throw HandleAddress.missing }
    let object = try app.handles.borrow(address.number, session, as: type)
    defer { app.handles.giveBack(address.number) }
    return try await body(object, address.option)
  }

  /// The events of a watch of an object, which has the object until it is over.
  func events<Object: HandleObject, Events: AsyncSequence & Sendable>(
    of type: Object.Type, _ input: WireInput, _ start: (Object, WireInput) throws -> Events
  ) throws -> any EventSource where Events.Element: Codable & Sendable {
    guard let address = HandleAddress(input) else { throw HandleAddress.missing }
    let object = try app.handles.borrow(address.number, session, as: type)
    let loan = HandleLoan(app.handles, address.number)
    return SequenceSource(try start(object, address.option), keeping: loan)
  }
}

/// An object that is given back when this goes.
private final class HandleLoan: Sendable {
  private let table: HandleTable
  private let number: UInt64
  init(_ table: HandleTable, _ number: UInt64) { (self.table, self.number) = (table, number) }
  deinit { table.giveBack(number) }
}

extension HandleAddress {
  /// A call that names no object.
  static var missing: BridgeError {
    BridgeError(.invalidParameter, "this is a method of an object that the plugin answered: call it on one")
  }
}
