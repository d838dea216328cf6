// SPDX-License-Identifier: MIT

/// Methods of objects that scripts hold: see ``Handles``.
extension Action {
  /// Declares a method with options and a result.
  public init<Object: HandleObject, O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Object, O, Call) async throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .async { input, call, sink in
        try await call.borrowing(Object.self, input) { object, input in
          let options = try input.decode(O.self, names)
          return try encode(try await run(object, options, call), sink)
        }
      })
  }

  /// Declares a method without options.
  public init<Object: HandleObject, R: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Object, Call) async throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .async { input, call, sink in
        try await call.borrowing(Object.self, input) { object, _ in
          try encode(try await run(object, call), sink)
        }
      })
  }

  /// Declares a method without a result.
  public init<Object: HandleObject, O: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Object, O, Call) async throws -> Void
  ) {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .async { input, call, _ in
        try await call.borrowing(Object.self, input) { object, input in
          let options = try input.decode(O.self, names)
          try await run(object, options, call)
        }
        return .undefined
      })
  }

  /// Declares a method without options and result.
  public init<Object: HandleObject>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Object, Call) async throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none,
      runner: .async { input, call, _ in
        try await call.borrowing(Object.self, input) { object, _ in try await run(object, call) }
        return .undefined
      })
  }
}

/// What ``Immediate`` and ``Detached`` have in common: a function that answers before it returns.
private enum MethodBody {
  typealias Body = @Sendable (WireInput, Call, WireSink) throws -> WireOutput

  static func make<Object: HandleObject, O: Codable & Sendable, R: Codable & Sendable>(
    _ run: @escaping @Sendable (Object, O, Call) throws -> R
  ) -> Body {
    let encode = ResultEncoding.of(R.self)
    let names = OptionNames(O.self)
    return { input, call, sink in
      try call.borrowing(Object.self, input) { try encode(try run($0, $1.decode(O.self, names), call), sink) }
    }
  }

  static func make<Object: HandleObject, R: Codable & Sendable>(
    _ run: @escaping @Sendable (Object, Call) throws -> R
  ) -> Body {
    let encode = ResultEncoding.of(R.self)
    return { input, call, sink in
      try call.borrowing(Object.self, input) { object, _ in try encode(try run(object, call), sink) }
    }
  }

  static func make<Object: HandleObject, O: Codable & Sendable>(
    _ run: @escaping @Sendable (Object, O, Call) throws -> Void
  ) -> Body {
    let names = OptionNames(O.self)
    return { input, call, _ in
      try call.borrowing(Object.self, input) { try run($0, $1.decode(O.self, names), call) }
      return .undefined
    }
  }

  static func make<Object: HandleObject>(_ run: @escaping @Sendable (Object, Call) throws -> Void) -> Body {
    { input, call, _ in
      try call.borrowing(Object.self, input) { object, _ in try run(object, call) }
      return .undefined
    }
  }
}

extension Immediate {
  /// Declares a method with options and a result.
  public init<Object: HandleObject, O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, O, Call) throws -> R
  ) {
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .immediate(MethodBody.make(run)))
  }

  /// Declares a method without options.
  public init<Object: HandleObject, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, Call) throws -> R
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .immediate(MethodBody.make(run)))
  }

  /// Declares a method without a result.
  public init<Object: HandleObject, O: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, O, Call) throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .immediate(MethodBody.make(run)))
  }

  /// Declares a method without options and result.
  public init<Object: HandleObject>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, Call) throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none, runner: .immediate(MethodBody.make(run)))
  }
}

extension Detached {
  /// Declares a method with options and a result.
  public init<Object: HandleObject, O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, O, Call) throws -> R
  ) {
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .detached(MethodBody.make(run)))
  }

  /// Declares a method without options.
  public init<Object: HandleObject, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, Call) throws -> R
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .detached(MethodBody.make(run)))
  }

  /// Declares a method without a result.
  public init<Object: HandleObject, O: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, O, Call) throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .detached(MethodBody.make(run)))
  }

  /// Declares a method without options and result.
  public init<Object: HandleObject>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Object, Call) throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none, runner: .detached(MethodBody.make(run)))
  }
}

extension Watch {
  /// Declares a watch of an object, with options. It has the object until it is over, and is ended when the
  /// script closes the object.
  public init<Object: HandleObject, O: Codable & Sendable, Events: AsyncSequence & Sendable>(
    _ name: String, _ help: String, _ start: @escaping @Sendable (Object, O, Call) throws -> Events
  ) where Events.Element: Codable & Sendable {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(Events.Element.self),
      runner: .watch { input, call in
        try call.events(of: Object.self, input) { try start($0, $1.decode(O.self, names), call) }
      })
  }

  /// Declares a watch of an object, without options.
  public init<Object: HandleObject, Events: AsyncSequence & Sendable>(
    _ name: String, _ help: String, _ start: @escaping @Sendable (Object, Call) throws -> Events
  ) where Events.Element: Codable & Sendable {
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(Events.Element.self),
      runner: .watch { input, call in
        try call.events(of: Object.self, input) { object, _ in try start(object, call) }
      })
  }
}
