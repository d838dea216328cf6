// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeScript
internal import NBridgeSystem

/// Finds a program's `app.json`: beside its script, else in the nearest folder above.
///
/// It decides what scripts may do, which modules they get, and whose data they see. So one that others could
/// have put there is an error: whoever put it must not give anything, and one that is passed over may be the
/// one that restricts.
struct ManifestSearch {
  private struct Folder {
    /// Empty for the current one, else with the slash behind it. `..` is the kernel's: links lead up to where
    /// they lead to.
    var prefix: String
    var status: stat

    init?(_ prefix: String) {
      guard let status = ManifestSearch.status(prefix.isEmpty ? "." : prefix) else { return nil }
      (self.prefix, self.status) = (prefix, status)
    }

    func isSame(_ other: Folder?) -> Bool {
      other?.status.st_dev == status.st_dev && other?.status.st_ino == status.st_ino
    }
    /// Whether others may put files there in the place of anybody's.
    var isOpen: Bool { status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0 }
  }

  /// Those who decide what runs here: root, the user, and the script's author.
  private let trusted: Set<uid_t>
  /// Whether others may change the script itself, so that a file beside it gives them nothing more.
  private let isScriptOpen: Bool

  /// - Parameter isFile: whether the program is a file; else its text came from elsewhere, and who owns what
  ///   lies in the folder says nothing about it.
  private init(script: String, isFile: Bool, in folder: Folder) {
    let author = isFile ? Self.status(script)?.st_uid : nil
    trusted = Set([0, geteuid()] + (author.map { [$0] } ?? []))
    isScriptOpen = author != nil && folder.isOpen
  }

  /// The path of the nearest `app.json`, nil for none, and a warning about one that is not taken.
  ///
  /// The search ends at the home folder and at the root of a file system: what lies there is for what lies
  /// beside it.
  static func nearest(
    to script: String, isFile: Bool
  ) throws(AppManifestError) -> (path: String?, warning: String?) {
    let start = String(script.throughLastSlash)
    guard var folder = Folder(start) else {
      return try AppManifest.isThere(start + "app.json") ? (start + "app.json", nil) : (nil, nil)
    }
    let search = ManifestSearch(script: script, isFile: isFile, in: folder)
    let (root, home) = (Folder("/"), getenv("HOME").flatMap { Folder(String(cString: $0) + "/") })
    var border: String?
    while true {
      let path = folder.prefix + "app.json"
      if try border == nil ? AppManifest.isThere(path) : (try? NamePresence.isTaken(path)) == true {
        let shown = folder.prefix == start ? path : Self.shown(folder)
        if let border { return (nil, "'\(shown)' is not taken for '\(script)': \(border); --app names it") }
        try search.check(path, folder, shown)
        return (shown, nil)
      }
      guard let above = Folder(folder.prefix + "../"), !above.isSame(folder) else { return (nil, nil) }
      border = border ?? Self.border(between: folder, and: above, root, home)
      folder = above
    }
  }

  /// Why a search ends between a folder and the one above; nil where it goes on.
  private static func border(
    between folder: Folder, and above: Folder, _ root: Folder?, _ home: Folder?
  ) -> String? {
    if folder.isSame(home) || above.isSame(home) { return "a search ends at the home folder" }
    guard above.isSame(root) || above.status.st_dev != folder.status.st_dev else { return nil }
    return "a search ends at the root of a file system"
  }

  /// Where an `app.json` counts or would count if it were there, in full, the nearest place first.
  static func places(for script: String) -> [String] {
    guard var folder = Folder(String(script.throughLastSlash)) else { return [] }
    let (root, home) = (Folder("/"), getenv("HOME").flatMap { Folder(String(cString: $0) + "/") })
    var places: [String] = []
    while true {
      if let real = RealPath(folder.prefix.isEmpty ? "." : folder.prefix)?.string {
        places.append((real == "/" ? "" : real) + "/app.json")
      }
      guard (try? NamePresence.isTaken(folder.prefix + "app.json")) == false,
        let above = Folder(folder.prefix + "../"), !above.isSame(folder),
        border(between: folder, and: above, root, home) == nil
      else { return places }
      folder = above
    }
  }

  private func check(_ path: String, _ folder: Folder, _ shown: String) throws(AppManifestError) {
    guard let name = Self.status(path, followsLink: false) else { return }
    let file = Self.status(path) ?? name
    for (status, what) in [(folder.status, "its folder"), (name, "it"), (file, "what it links to")]
    where !trusted.contains(status.st_uid) {
      throw refusal(
        shown, "\(what) belongs to user \(status.st_uid), not to you, root or the script's owner")
    }
    guard !isScriptOpen else { return }
    if folder.isOpen { throw refusal(shown, "every user may put another one into its folder") }
    // What is no plain file, as a link that leads nowhere, its reader refuses.
    if file.st_mode & S_IFMT == S_IFREG, file.st_mode & S_IWOTH != 0 {
      throw refusal(shown, "every user may write to it")
    }
  }

  private func refusal(_ shown: String, _ reason: String) -> AppManifestError {
    AppManifestError(
      """
      '\(shown)' is not taken: \(reason), and it would decide what the script may do; put an app.json of \
      your own beside the script ({} allows all), or name the one that counts with --app FILE
      """
    )
  }

  /// Without the `..` that led there, which means another folder in a text when links are about.
  private static func shown(_ folder: Folder) -> String {
    guard let real = RealPath(folder.prefix)?.string else { return folder.prefix + "app.json" }
    let paths = DisplayPath(folder: ScriptFile.currentFolder)
    return paths.shown((real == "/" ? "" : real) + "/app.json")
  }

  private static func status(_ path: String, followsLink: Bool = true) -> stat? {
    var status = stat()
    guard fstatat(AT_FDCWD, path, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status
  }
}
