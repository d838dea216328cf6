// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Chromium without a window, which has one page open and keeps nothing. Confined to the engine's thread.
final class TestBrowser {
  private let child: ChildProcess
  /// What it keeps, as long as it runs.
  private let profile: String
  private let errors: Descriptor
  private var source: DescriptorSource?
  private var told: [UInt8] = []

  private static let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
  /// Of what it says the last so many bytes are kept.
  private static let kept = 4_096
  /// How long its end is waited for, in milliseconds.
  private static let patience = 2_000

  /// - Throws: ``UsageError`` where there is none, with what to install.
  static func program() throws -> String {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
    for name in names {
      for folder in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
    }
    throw UsageError(
      "--in serve needs Chromium, and none of \(names.joined(separator: ", ")) is in PATH: apt-get install "
        + "chromium")
  }

  /// Starts it.
  ///
  /// - Parameter ended: called once when it has gone by itself, with what it said last.
  init(_ link: String, _ loop: EventLoop, ended: @escaping (String) -> Void) throws {
    let program = try Self.program()
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/nbridge-browser-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BridgeError.system("make a folder in", parent) }
    profile = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var arguments = [
      "--headless=new", "--user-data-dir=\(profile)", "--no-first-run", "--no-default-browser-check",
      "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
    ]
    // Its sandbox refuses the superuser.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw BridgeError.system("make", "a pipe") }
    errors = Descriptor(taking: ends[0])
    let theirs = Descriptor(taking: ends[1])
    do {
      let nothing = try Descriptor.open("/dev/null", O_RDWR)
      child = try ChildProcess.startBound(
        program, arguments + [link], streams: [nothing.number, nothing.number, theirs.number],
        endsBy: SIGKILL, newSession: true)
      withExtendedLifetime((nothing, theirs)) {}
    } catch {
      try? Path.remove(profile)
      throw BridgeError(.unavailable, "'\(program)' can't be started: \(error)")
    }
    errors.neverWait()
    source = loop.watch(errors.number) { [weak self] in self?.read(ended) }
  }

  deinit {
    source?.close()
    kill(-child.id, SIGKILL)
    child.wait()
    // The last of its processes has gone when nobody can write any more: until then they make files.
    let end = MonotonicTime.milliseconds + Self.patience
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while Poller.wait(for: errors.number, milliseconds: end - MonotonicTime.milliseconds),
      Glibc.read(errors.number, &bytes, bytes.count) > 0
    {}
    try? Path.remove(profile)
  }

  /// Its errors come to their end with the last of its processes.
  private func read(_ ended: (String) -> Void) {
    while source != nil {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = Glibc.read(errors.number, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      told = (told + bytes.prefix(max(0, count))).suffix(Self.kept)
      guard count <= 0 else { continue }
      source?.close()
      source = nil
      ended(String(decoding: told, as: UTF8.self))
    }
  }
}
