// SPDX-License-Identifier: MIT

/// An action that awaits: `async`, started at once on the engine's thread. One that doesn't suspend costs no
/// hop.
///
/// Don't block in it: the script waits. For work that blocks or computes long, use ``Detached``.
public struct Action: PluginMember {
  /// The declaration as data.
  public var declaration: Declaration

  /// Declares an action with options and a result.
  ///
  /// - Parameters:
  ///   - name: what scripts call it; lower camel case.
  ///   - help: one sentence.
  ///   - run: answers a call, or throws. It is cancelled with the script's signal, deadline or end.
  public init<O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (O, Call) async throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .async { input, call, sink in
        let options = try input.decode(O.self, names)
        return try encode(try await run(options, call), sink)
      })
  }

  /// Declares an action without options.
  public init<R: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Call) async throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .async { _, call, sink in try encode(try await run(call), sink) })
  }

  /// Declares an action without a result.
  public init<O: Codable & Sendable>(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (O, Call) async throws -> Void
  ) {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .async { input, call, _ in
        let options = try input.decode(O.self, names)
        try await run(options, call)
        return .undefined
      })
  }

  /// Declares an action without options and result.
  public init(
    _ name: String, _ help: String,
    _ run: nonisolated(nonsending) @escaping @Sendable (Call) async throws -> Void
  ) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none,
      runner: .async { _, call, _ in
        try await run(call)
        return .undefined
      })
  }
}

/// An action that answers inside the call, on the engine's thread. The fastest kind; it must not block.
public struct Immediate: PluginMember {
  /// The declaration as data.
  public var declaration: Declaration

  /// Declares an action with options and a result.
  public init<O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (O, Call) throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .immediate { input, call, sink in try encode(try run(input.decode(O.self, names), call), sink) }
    )
  }

  /// Declares an action without options.
  public init<R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Call) throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .immediate { _, call, sink in try encode(try run(call), sink) })
  }

  /// Declares an action without a result.
  public init<O: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (O, Call) throws -> Void
  ) {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .immediate { input, call, _ in
        try run(input.decode(O.self, names), call)
        return .undefined
      })
  }

  /// Declares an action without options and result.
  public init(_ name: String, _ help: String, _ run: @escaping @Sendable (Call) throws -> Void) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none,
      runner: .immediate { _, call, _ in
        try run(call)
        return .undefined
      })
  }
}

/// An action that blocks or computes: it runs on a thread of the bridge's pool, where blocking is allowed.
///
/// It is not interrupted: ask ``Call/isCancelled``, or throw with ``Call/checkCancellation()``, now and then.
public struct Detached: PluginMember {
  /// The declaration as data.
  public var declaration: Declaration

  /// Declares an action with options and a result.
  public init<O: Codable & Sendable, R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (O, Call) throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: TypeReference(R.self),
      runner: .detached { input, call, sink in try encode(try run(input.decode(O.self, names), call), sink) })
  }

  /// Declares an action without options.
  public init<R: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (Call) throws -> R
  ) {
    let encode = ResultEncoding.of(R.self)
    declaration = Declaration(
      name: name, help: help, options: .none, result: TypeReference(R.self),
      runner: .detached { _, call, sink in try encode(try run(call), sink) })
  }

  /// Declares an action without a result.
  public init<O: Codable & Sendable>(
    _ name: String, _ help: String, _ run: @escaping @Sendable (O, Call) throws -> Void
  ) {
    let names = OptionNames(O.self)
    declaration = Declaration(
      name: name, help: help, options: TypeReference(O.self), result: .none,
      runner: .detached { input, call, _ in
        try run(input.decode(O.self, names), call)
        return .undefined
      })
  }

  /// Declares an action without options and result.
  public init(_ name: String, _ help: String, _ run: @escaping @Sendable (Call) throws -> Void) {
    declaration = Declaration(
      name: name, help: help, options: .none, result: .none,
      runner: .detached { _, call, _ in
        try run(call)
        return .undefined
      })
  }
}
