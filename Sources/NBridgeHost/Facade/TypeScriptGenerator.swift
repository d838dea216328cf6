// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// Makes the TypeScript declarations of the bridge and its plugins: `nbridge.d.ts`.
enum TypeScriptGenerator {
  static func declarations(_ contracts: [PluginContract]) throws -> String {
    let services = try contracts.map { try service($0) }
    let members = contracts.map { contract in
      "  /** \(contract.help) */\n  readonly \(contract.service): \(interfaceName(contract.service));\n"
    }
    return header + services.joined() + errors(contracts)
      + "/** The bridge. */\ninterface NBridge extends NBridgeCore {\n"
      + members.joined() + "}\n\ndeclare const nbridge: NBridge;\n"
  }

  /// The codes that each action declares, by its full name.
  private static func errors(_ contracts: [PluginContract]) -> String {
    let rows = contracts.flatMap { contract in
      contract.members.filter { !$0.errors.isEmpty }.map { member in
        let codes = member.errors.map { "\"\($0)\"" }.joined(separator: " | ")
        return "  \"\(contract.service).\(member.key)\": \(codes);\n"
      }
    }
    return "/** The codes that an action may reject with, besides those of the bridge itself. */\n"
      + "interface NBridgeErrorCodes {\n" + rows.joined() + "}\n\n"
        + """
        /**
         * What a call rejects with:
         * `catch (error) { const failure = error as NBridgeErrorOf<"app.openURL">; … }`
         */
        type NBridgeErrorOf<Call extends keyof NBridgeErrorCodes> =
          NBridgeError & { readonly code: NBridgeErrorCodes[Call] | NBridgeCommonCode };


        """
  }

  private static func interfaceName(_ service: String) -> String { "NBridge" + service.capitalisedFirst }

  private static func service(_ contract: PluginContract) throws -> String {
    var text =
      try HandleFacade.types(in: contract.members).map { try handle($0, contract.service) }.joined()
      + (contract.manifest.script?.types ?? "")
      + "/** \(contract.help) (version \(contract.version)) */\ninterface "
      + "\(interfaceName(contract.service)) {\n"
    for member in contract.members where member.isPublic {
      text += try method(named: member, contract.service)
    }
    return text + (contract.manifest.script?.members ?? "") + "}\n\n"
  }

  /// The interface of a type of objects.
  private static func handle(_ type: HandleFacade.HandleType, _ service: String) throws -> String {
    let methods = try type.methods.filter { !$0.isHidden }.map { try method(named: $0, service) }.joined()
    let name = HandleFacade.className(type.name, of: service)
    return "/** \(type.help) */\ninterface \(name) extends NBridgeHandle {\n\(methods)}\n\n"
  }

  private static func method(named member: Declaration, _ service: String) throws -> String {
    do { return try method(member, service) } catch {
      throw PluginError("'\(service).\(member.key)': \(error)")
    }
  }

  private static func method(_ member: Declaration, _ service: String) throws -> String {
    let signature = try FacadeSignature(member)
    let fields = try optionFields(member)
    var parameters = signature.positional.map { name in
      let field = fields.first { $0.name == name }
      let optional = field.map(\.isOptional) ?? true
      return
        """
        \(FacadeSignature.parameter(name))\(optional ? "?" : ""): \
        \(field.map { TypeScriptType.of($0.schema, in: service) } ?? "NBridgeValue")
        """
    }
    if signature.hasOption {
      let rest = fields.filter { !member.positional.contains($0.name) }
      let optional = rest.allSatisfy(\.isOptional)
      let type =
        fields.isEmpty
        ? TypeScriptType.of(try member.options.schema(), in: service)
        : TypeScriptType.object(rest, in: service)
      parameters.append("option\(optional && !fields.isEmpty ? "?" : ""): \(type)")
    }
    var text = doc(member, service) + (try signatures(member, parameters, service))
    if signature.wholeOption != nil {
      text += try signatures(member, ["option: \(TypeScriptType.object(fields, in: service))"], service)
    }
    return text
  }

  /// The ways to call a method whose parameters these are, besides those that every method has.
  private static func signatures(_ member: Declaration, _ parameters: [String], _ service: String) throws
    -> String
  {
    let result = TypeScriptType.of(try member.result.schema(), in: service)
    guard member.kind == .watch else {
      let told = member.progress.isNone ? nil : TypeScriptType.of(try member.progress.schema(), in: service)
      let progress = told.map { " & { progress?: (value: \($0)) => void }" } ?? ""
      let list = (parameters + ["control?: NBridgeControl\(progress)"]).joined(separator: ", ")
      return "  \(member.name)(\(list)): Promise<\(result)>;\n"
    }
    let streaming = (parameters + ["callback?: undefined", "control?: NBridgeControl"]).joined(
      separator: ", ")
    let calling =
      (parameters.map { $0.replacingOptional() } + [
        "callback: (event: \(result)) => void", "control?: NBridgeControl",
      ])
      .joined(separator: ", ")
    return "  \(member.name)(\(streaming)): NBridgeWatch<\(result)>;\n"
      + "  \(member.name)(\(calling)): Promise<void>;\n"
  }

  private static func optionFields(_ member: Declaration) throws -> [Schema.Field] {
    if case .object(let fields) = try member.options.schema() { return fields }
    return []
  }

  private static func doc(_ member: Declaration, _ service: String) -> String {
    var lines = [member.help]
    for name in member.parameters.keys.sorted() {
      lines.append("@param \(name) \(member.parameters[name] ?? "")")
    }
    lines.append("Permission: `\(service).\(member.permission ?? member.name)`.")
    if !member.errors.isEmpty {
      lines.append("Errors: \(member.errors.map { "`\($0)`" }.joined(separator: ", ")).")
    }
    return "  /**\n" + lines.map { "   * \($0)\n" }.joined() + "   */\n"
  }

  private static let header = """
    // Generated by `nbridge types` from the plugins' declarations. Do not edit.

    /** What can cross the bridge. */
    type NBridgeValue =
      | undefined | null | boolean | number | bigint | string | Date | ArrayBuffer | ArrayBufferView
      | NBridgeValue[] | { [key: string]: NBridgeValue } | Map<NBridgeValue, NBridgeValue>
      | Set<NBridgeValue>;

    /** How a call is ended early. */
    interface NBridgeControl {
      /** Cancels the call, or stops the watch. */
      signal?: AbortSignal;
      /** Milliseconds; the call then fails with `timeout`. */
      timeout?: number;
      /** Of a watch: whether it keeps the program alive. By default as the plugin says, mostly true. */
      holdsOpen?: false;
    }

    /** A sequence for a plugin, which reads it as it needs it. */
    type NBridgeSequence<T> = AsyncIterable<T> | Iterable<T> | ReadableStream<T>;

    /** A stream of native events. `break`, `return()` and `stop()` end it. */
    interface NBridgeWatch<Event> extends AsyncIterableIterator<Event> {
      /** How many events were dropped because nobody took them in time. */
      readonly dropped: number;
      stop(): void;
      /** All events until the end. */
      toArray(): Promise<Event[]>;
    }

    interface SymbolConstructor { readonly asyncDispose: unique symbol; readonly dispose: unique symbol }
    interface SymbolConstructor { readonly metadata: unique symbol }
    interface AsyncDisposable { [Symbol.asyncDispose](): PromiseLike<void> }
    interface Disposable { [Symbol.dispose](): void }
    interface SuppressedError extends Error { error: any; suppressed: any }
    interface SuppressedErrorConstructor {
      new (error: any, suppressed: any, message?: string): SuppressedError;
      readonly prototype: SuppressedError;
    }
    declare var SuppressedError: SuppressedErrorConstructor;
    interface DisposableStack extends Disposable {
      readonly disposed: boolean;
      dispose(): void;
      use<T extends Disposable | null | undefined>(value: T): T;
      adopt<T>(value: T, onDispose: (value: T) => void): T;
      defer(onDispose: () => void): void;
      move(): DisposableStack;
    }
    interface DisposableStackConstructor { new (): DisposableStack; readonly prototype: DisposableStack }
    declare var DisposableStack: DisposableStackConstructor;
    interface AsyncDisposableStack extends AsyncDisposable {
      readonly disposed: boolean;
      disposeAsync(): Promise<void>;
      use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T;
      adopt<T>(value: T, onDisposeAsync: (value: T) => PromiseLike<void> | void): T;
      defer(onDisposeAsync: () => PromiseLike<void> | void): void;
      move(): AsyncDisposableStack;
    }
    interface AsyncDisposableStackConstructor {
      new (): AsyncDisposableStack;
      readonly prototype: AsyncDisposableStack;
    }
    declare var AsyncDisposableStack: AsyncDisposableStackConstructor;

    /** An object of a plugin. It is closed at the end of the program, or some time after nobody has it. */
    interface NBridgeHandle extends AsyncDisposable, Disposable {
      /** Frees what it holds. Calls under way are waited for, watches end, later calls reject: `closed`. */
      close(): Promise<void>;
    }

    /** What a call rejects with. */
    declare class NBridgeError extends Error {
      readonly code: string;
      readonly service?: string;
      readonly action?: string;
      readonly details?: NBridgeValue;
    }

    /** The codes that the bridge itself rejects with. */
    type NBridgeCommonCode =
      | "invalid_service" | "invalid_action_name" | "invalid_parameter" | "permission_denied" | "timeout"
      | "cancelled" | "unavailable" | "script_failed" | "unknown_error";

    interface NBridgeCore {
      /**
       * Calls an action by name; a watch answers an async iterable, or with `retainCallback` a promise of its
       * end.
       */
      callToNative(
        service: string, action: string, option?: NBridgeValue, control?: NBridgeControl): Promise<any>;
      readonly BridgeError: typeof NBridgeError;
      readonly services: readonly string[];
      readonly version: string;
      /** What stands after the script on the command line. */
      readonly args: readonly string[];
    }

    /** What a module knows of itself. */
    interface ImportMeta {
      url: string;
      filename: string;
      dirname: string;
      /** Whether it is the script that was started. */
      main: boolean;
      /** The URL or path that a name leads to from here; throws for one that leads nowhere. */
      resolve(name: string): string;
    }

    /** Ends the program with a status. */
    declare function exit(code?: number): never;


    """
}

extension String {
  /// TypeScript wants no optional parameter before a required one.
  fileprivate func replacingOptional() -> String {
    guard let mark = firstIndex(of: "?"), let colon = firstIndex(of: ":"), mark < colon else { return self }
    var text = self
    text.remove(at: mark)
    return text + " | undefined"
  }
}

/// A shape in TypeScript's words.
package enum TypeScriptType {
  /// - Parameter service: the plugin's, in whose declarations it stands; empty where people read it.
  package static func of(_ schema: Schema, in service: String = "") -> String {
    switch schema {
    case .undefined: "void"
    case .any: "NBridgeValue"
    case .null: "null"
    case .boolean: "boolean"
    case .number, .integer: "number"
    case .bigint: "bigint"
    case .string: "string"
    case .date: "Date"
    case .bytes: "Uint8Array"
    case .oneOf(let names): names.map { "\"\($0)\"" }.joined(separator: " | ")
    case .array(let element): "Array<\(of(element, in: service))>"
    case .dictionary(let element): "{ [key: string]: \(of(element, in: service)) }"
    case .optional(let wrapped): "\(of(wrapped, in: service)) | null"
    case .object(let fields): object(fields, in: service)
    case .union(let shapes): shapes.map { of($0, in: service) }.joined(separator: " | ")
    case .stream(let element): "NBridgeSequence<\(of(element, in: service))>"
    case .callback(let value, let answer): callback(value, answer, in: service)
    case .handle(let type):
      service.isEmpty ? type.capitalisedFirst : HandleFacade.className(type, of: service)
    }
  }

  private static func callback(_ value: Schema, _ answer: Schema, in service: String) -> String {
    let result = of(answer, in: service)
    return "(value: \(of(value, in: service))) => "
      + (answer == .undefined ? "unknown" : "\(result) | Promise<\(result)>")
  }

  package static func object(_ fields: [Schema.Field], in service: String = "") -> String {
    if fields.isEmpty { return "{}" }
    return "{ "
      + fields.map { "\($0.name)\($0.isOptional ? "?" : ""): \(of($0.schema, in: service))" }
      .joined(separator: "; ")
      + " }"
  }
}
