// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// What of this process is in memory.
public enum ResidentMemory {
  /// In bytes; 0 where the kernel does not tell.
  public static var bytes: Double {
    guard let file = try? Descriptor.open("/proc/self/statm", O_RDONLY),
      let text = try? file.read(atMost: 128)
    else { return 0 }
    let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
    return (pages.flatMap { Double($0) } ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Of these, what belongs to files: the program's own text, and what is mapped to be sent. In bytes.
  public static var ofFiles: Double {
    guard let file = try? Descriptor.open("/proc/self/status", O_RDONLY),
      let text = try? file.read(atMost: 1 << 14)
    else { return 0 }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("RssFile:") }?.split(whereSeparator: { $0 == " " || $0 == "\t" })
    return (words?.dropFirst().first.flatMap { Double($0) } ?? 0) * 1024
  }

  /// Gives back what is not in use: free memory, and the pages of programs and libraries, most of which only
  /// a start reads. The next ones that are read come from the disk's cache, some 100 µs in all. Any thread.
  public static func giveBack() {
    nb_give_back_pages()
  }
}
