// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeIsolation
internal import NBridgePlugin
internal import NBridgeSystem

/// Where a plugin's process belongs: the app whose files it may use, and what it was granted.
struct PluginHome: Sendable {
  /// Nil for a plugin that only describes itself.
  var container: Container?
  var access: Set<PluginAccess> = []
}

/// Where a plugin's own files are, without links.
struct PluginFileNames: Sendable {
  let library: String
  /// Nil for a library without a `plugin.json`: it may lie beside anything.
  var folder: String?
}

/// What a plugin's process may do, and which variables it has.
enum PluginSandbox {
  /// What stands behind the library on the command line of its process.
  static func arguments(_ files: PluginFileNames, _ home: PluginHome) -> [String] {
    if home.access.contains(.everything) { return [ChildProgram.free] }
    return confinement(files, home).arguments
  }

  private static func confinement(_ files: PluginFileNames, _ home: PluginHome) -> Confinement {
    var confinement = Confinement()
    confinement.readable = systemFiles + [files.library] + (files.folder.map { [$0] } ?? [])
    confinement.writable = Confinement.emptyDevices
    if let container = home.container {
      // Not its settings, which have a plugin of their own, nor the programs that are kept there: whoever
      // changes those changes what scripts do.
      confinement.writable += [
        container.documents, container.caches, container.applicationSupport, container.temporary,
      ]
    }
    for access in home.access { grant(access, &confinement) }
    if isTraced {
      // Swift's tool looks up names and lines where they are.
      confinement.readable.append("/")
      confinement.runnable.append("/")
    }
    return confinement
  }

  private static func grant(_ access: PluginAccess, _ confinement: inout Confinement) {
    switch access {
    case .network:
      confinement.hasNetwork = true
      confinement.readable += resolverFiles
    case .localSockets: confinement.hasLocalSockets = true
    case .read(let path): confinement.readable.append(atHome(path))
    case .write(let path): confinement.writable.append(atHome(path))
    case .run(let path):
      confinement.runnable.append(atHome(path))
      if path != "/" { confinement.readable.append(atHome(path)) }
      // What is linked is run by these.
      confinement.runnable += loaders
    case .watch: confinement.watches = true
    case .call, .script, .variable, .everything: break
    }
  }

  private static func atHome(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }

  /// Whether the person wants backtraces of crashes, which another program makes.
  private static var isTraced: Bool {
    guard let wish = getenv("SWIFT_BACKTRACE") else { return false }
    return String(cString: wish).split(separator: ",").contains { part in
      ["enable=yes", "enable=on", "enable=true", "enable=1", "enable=tty"].contains(part)
    }
  }

  /// Libraries, what they read by themselves, and what says how many processors there are. In /etc only what
  /// every program may know.
  private static let systemFiles =
    ["/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/opt", "/proc/self", "/proc/cpuinfo"]
    + ["/proc/meminfo", "/proc/filesystems", "/sys/devices/system/cpu", "/sys/devices/system/node"]
    + [
      "ld.so.cache", "localtime", "timezone", "os-release", "nsswitch.conf", "passwd", "group", "hosts",
      "host.conf", "resolv.conf", "gai.conf", "services", "protocols", "ssl/certs", "ssl/openssl.cnf", "pki",
      "ca-certificates", "mime.types", "magic", "fonts", "alternatives", "locale.alias", "glvnd", "vulkan",
    ].map { "/etc/\($0)" }

  private static let resolverFiles = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"]
  private static let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

  // MARK: - Variables

  /// This process's own variables that a plugin may know, as the kernel has them.
  ///
  /// Swift's tool for backtraces takes seconds, and threads of the process that it looks at can keep it for
  /// ever: it runs where the person asks for it.
  static func environment(_ home: PluginHome) -> [[UInt8]] {
    let isFree = home.access.contains(.everything)
    let granted = Set(home.access.compactMap { if case .variable(let name) = $0 { name } else { nil } })
    var variables: [[UInt8]] = []
    var next = environ
    while let variable = next.pointee {
      next += 1
      let bytes = UnsafeBufferPointer(start: variable, count: strlen(variable))
        .map { UInt8(bitPattern: $0) }
      let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      if !isFree, name == "TMPDIR" { continue }
      if isFree || granted.contains(name) || isUsual(name) { variables.append(bytes) }
    }
    if !isFree, let container = home.container {
      variables.append(Array("TMPDIR=\(container.temporary)".utf8))
    }
    if getenv("SWIFT_BACKTRACE") == nil { variables.append(Array("SWIFT_BACKTRACE=enable=no".utf8)) }
    return variables
  }

  /// What says how texts and times look, where libraries are, and how their faults are found.
  private static func isUsual(_ name: String) -> Bool {
    usual.contains(name) || usualBeginnings.contains { name.hasPrefix($0) }
  }

  private static let usual: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR",
    "LD_LIBRARY_PATH",
  ]
  private static let usualBeginnings = [
    "LC_", "SWIFT_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "MALLOC_", "GLIBC_TUNABLES",
  ]
}
