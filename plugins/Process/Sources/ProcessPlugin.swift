// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin
internal import NBridgeSystem

/// The process that a script runs in: its streams, arguments, variables and signals, and other programs.
public struct ProcessPlugin: Plugin {
  /// `nbridge.process`.
  public static let manifest = PluginManifest(
    service: "process", version: "1.0.0",
    help: "The process of a script: streams, arguments, variables, signals, and other programs.",
    script: PluginScript(
      files: [
        PackageResources.common_js, PackageResources.reading_js, PackageResources.writing_js,
        PackageResources.children_js, PackageResources.process_js,
      ],
      members: PackageResources.members_d_ts, types: PackageResources.types_d_ts))

  let state: ProcessState

  /// Makes the plugin.
  ///
  /// - Parameter lendsInput: whether stdin is the scripts'; false where a prompt reads it.
  public init(lendsInput: Bool = true) { state = ProcessState(lendsInput: lendsInput) }

  /// Reads no more, and ends the children.
  public func stop() { state.stop() }

  /// The plugin's actions.
  public var body: PluginBody {
    factsBody
    streamsBody
    childrenBody
  }

  @PluginBuilder private var factsBody: PluginBody {
    Immediate("args", "What stands behind the script on the command line.") { call in call.app.arguments }
    Immediate("cwd", "The folder that the program was started in.") { call -> String in
      guard let path = getcwd(nil, 0) else { throw BridgeError.system("tell the current folder") }
      defer { free(path) }
      return PathText.decode(Array(UnsafeRawBufferPointer(start: path, count: strlen(path))))
    }
    .errors(.ioError)
    Immediate("pid", "The number of the process.") { call in Int(getpid()) }
    Immediate("ppid", "The number of the process that started this one.") { call in Int(getppid()) }
    Immediate("env", "A variable of the environment, null when there is none; the permission names it.") {
      (options: VariableOptions, call) in
      try ChildEnvironment.value(of: options.name, call)
    }
    .positional("name").parameter("name", "As HOME; allowed by the permission process.env:HOME.")
    .errors(.permissionDenied, .invalidData).confidential()
    Immediate("terminal", "The size of the terminal that a stream is; null where it is none.") {
      (options: TerminalOptions, call) -> TerminalSize? in
      TerminalSize(of: options.stream)
    }
    .positional("stream").parameter("stream", "Of the process.")
    Immediate("kill", "Sends a signal to this program, or to one that it started and all that this started.")
    {
      (options: SignalledOptions, call) in
      try state.signal(options)
    }
    .positional("pid", "signal").parameter("pid", "This program's own, or that of a child.")
    .parameter(
      "signal", "Its name, SIGTERM by default; 0, as text, sends none and tells whether there is one."
    )
    .errors(.permissionDenied, .notFound).ofProgram()
    Watch("signals", "Tells of signals, instead of what they do to the program.") {
      (options: SignalOptions, call) in
      try SignalEvents(options.signals)
    }
    .positional("signals").parameter("signals", "Their names, as [\"SIGTERM\", \"SIGINT\"].")
    .errors(.unavailable, .ioError).ofProgram()
  }

  @PluginBuilder private var streamsBody: PluginBody {
    Watch("inputWaits", "Tells once, when a reader of stdin has what it needs.") {
      (options: WaitOptions, call) in
      let input = try state.input()
      try input.start()
      return input.source.wait(for: options.need, limit: options.limit)
    }
    .hidden().ofProgram().permission("stdin")
    Immediate("takeInputBytes", "What is there of stdin.") { (options: TakeOptions, call) in
      try state.input().source.take(atMost: options.most, used: options.used)
    }
    .hidden().ofProgram().permission("stdin")
    Immediate("takeInputLines", "The next lines of stdin.") { (options: TakeOptions, call) in
      try state.input().source.lines(used: options.used)
    }
    .hidden().ofProgram().permission("stdin")
    Immediate("takeInputAll", "All of stdin.") { (options: TakeOptions, call) in
      try state.input().source.takeAll(options)
    }
    .hidden().ofProgram().permission("stdin")
    Immediate("rawInput", "Has keys come one by one, or as lines.") { (options: RawOptions, call) in
      try state.setRaw(options.isOn)
    }
    .hidden().ofProgram().permission("stdin")
    writingBody("Output", "stdout")
    writingBody("Errors", "stderr")
  }

  @PluginBuilder private func writingBody(_ name: String, _ permission: String) -> PluginBody {
    let stream: OutputStream = permission == "stdout" ? .output : .errors
    Immediate("write\(name)", "Writes. Answers the number of what is not out yet.") {
      (options: WriteOptions, call) in
      try state.output.write(options.bytes, to: stream, call.app)
    }
    .hidden().ofProgram().permission(permission)
    Watch("written\(name)", "Tells once, when a piece is out.") { (options: PieceOptions, call) in
      state.output.written(options.piece)
    }
    .hidden().ofProgram().permission(permission)
    Immediate("settle\(name)", "Whether a piece was written.") { (options: PieceOptions, call) in
      try state.output.settle(options.piece, stream)
    }
    .hidden().ofProgram().permission(permission)
  }
}
