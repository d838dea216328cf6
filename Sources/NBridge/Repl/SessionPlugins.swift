// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// What a session knows of its plugins, for help and completion.
extension InteractiveSession {
  /// One action or watch, or a method or property that the plugin's own script adds.
  package struct Action: Sendable {
    /// A key of an option.
    package struct Field: Sendable {
      package let name: String
      /// As TypeScript.
      package let type: String
      package let isOptional: Bool
      /// The texts that it allows, when it names some; `true` and `false` of a boolean.
      package var values: [String]
      /// One line; may be empty.
      package let help: String
    }

    /// `service.action`.
    package let name: String
    /// `get(key, defaultValue?, option?)`, with TypeScript's types: each way to call it, the most general
    /// last.
    package let signatures: [String]
    /// One line.
    package let help: String
    package let kind: String
    /// What `app.json` must allow; empty for nothing.
    package let permission: String
    package let isAllowed: Bool
    /// The option's keys.
    package let fields: [Field]
    /// Of a script's method: the keys of each argument; nil when any argument may have them.
    let argumentFields: [[Field]]?
    package let errors: [String]

    /// The kind of what a script adds.
    static let scripted = "by the plugin's script"

    /// The most general way to call it.
    package var signature: String { signatures.last ?? name }

    /// What kind it is and what it needs.
    package var terms: String {
      guard !permission.isEmpty else { return kind }
      return "\(kind), needs \(permission)\(isAllowed ? "" : ", which is denied")"
    }

    /// The keys that an object in an argument may have, from 0.
    package func fields(at argument: Int) -> [Field] {
      guard let lists = argumentFields else { return fields }
      return argument < lists.count ? lists[argument] : []
    }
  }

  /// The services, with their version and help.
  package var services: [(name: String, version: String, help: String)] {
    runtime.plugins.all.map { ($0.manifest.service, $0.manifest.version, $0.manifest.help) }
  }

  /// The actions of a service, as they were declared.
  package func actions(of service: String) -> [Action] {
    declared(by: service, where: \.isPublic)
  }

  /// The methods of the objects that its actions answer, as `store.database.query`.
  package func objectMethods(of service: String) -> [Action] {
    declared(by: service) { $0.handle != nil && !$0.isHidden }
  }

  private func declared(by service: String, where isWanted: (Declaration) -> Bool) -> [Action] {
    ((try? runtime.plugins.entry(service))?.order ?? []).filter { isWanted($0.declaration) }.map(describe)
  }

  /// Every action that is open, with how long and where from.
  package var pending: [OpenCall] { runtime.openCalls() }

  /// How many of the script's timers have not ended.
  package var timerCount: Int { runtime.loop.holdingTimerCount }

  private func describe(_ action: BoundAction) -> Action {
    let declaration = action.declaration
    var fields: [Schema.Field] = []
    if case .object(let found)? = try? declaration.options.schema() { fields = found }
    return Action(
      name: action.name, signatures: [signature(declaration, fields)], help: declaration.help,
      kind: declaration.kind.rawValue, permission: action.permission,
      isAllowed: runtime.permissions.allows(action.permission),
      fields: fields.map { field in
        Action.Field(
          name: field.name, type: TypeScriptType.of(field.schema), isOptional: field.isOptional,
          values: Self.values(field.schema), help: Self.help(field, declaration))
      },
      argumentFields: nil, errors: declaration.errors.map { "\($0)" })
  }

  private static func help(_ field: Schema.Field, _ member: Declaration) -> String {
    [member.parameters[field.name] ?? "", field.facts].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func signature(_ member: Declaration, _ fields: [Schema.Field]) -> String {
    let names = ((try? FacadeSignature(member))?.names ?? []).filter { $0 != "control" }
    let parameters = names.map { name in
      guard let field = fields.first(where: { $0.name == name }), name != "option" else {
        return name == "option" ? "option?" : name
      }
      return "\(name)\(field.isOptional ? "?" : ""): \(TypeScriptType.of(field.schema))"
    }
    let result = (try? member.result.schema()).map { TypeScriptType.of($0) } ?? "any"
    let answer = member.kind == .watch ? "watch of \(result)" : result
    return "\(member.key)(\(parameters.joined(separator: ", "))): \(answer)"
  }

  private static func values(_ schema: Schema) -> [String] {
    switch schema {
    case .oneOf(let names): names
    case .optional(let wrapped), .named(_, let wrapped): values(wrapped)
    case .boolean: ["true", "false"]
    default: []
    }
  }

  // MARK: - Permissions

  /// What scripts may call, as it stands in `app.json`; nil for everything.
  package var permissions: [String]? { runtime.permissions.list }

  /// Allows a permission until the session ends.
  package func grant(_ permission: String) {
    change(runtime.permissions.adding(permission))
  }

  /// Whether scripts may do what a permission stands for.
  package func allows(_ permission: String) -> Bool { runtime.permissions.allows(permission) }

  /// Takes a permission away until the session ends.
  package func deny(_ permission: String) {
    change(runtime.permissions.removing(permission, of: allPermissions))
  }

  /// Every permission that there is.
  package var allPermissions: [String] {
    Set(runtime.plugins.all.flatMap { $0.order.map(\.permission) }).sorted()
  }

  private func change(_ permissions: PermissionSet) {
    runtime.permissions = permissions
  }

  // MARK: - Trace, reload

  /// Whether each call is printed.
  package var isTracing: Bool {
    get { runtime.reporter.printsCalls }
    set {
      runtime.reporter.printsCalls = newValue
      runtime.parts.calls.setObserver()
    }
  }

  /// Stops a plugin and starts it anew. Throws what its start throws; false when there is no such service.
  package func reload(_ service: String) throws -> Bool {
    scriptInterfaces[service] = nil
    // The objects of its last run end with it, and the next may number its own from the start.
    runtime.loop.noteEnd(of: service)
    return try runtime.plugins.restart(service)
  }
}
