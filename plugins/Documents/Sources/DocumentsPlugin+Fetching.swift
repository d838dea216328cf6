// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Files for the global `fetch`.
extension DocumentsPlugin {
  @PluginBuilder var fetchingBody: PluginBody {
    Detached("fetchFile", "Opens the file that a file: URL names.") { (options: FetchOptions, call) in
      let file = try FetchedFile(FetchedPath(options.path).open(state.files(call.app), call))
      return FetchedStart(size: file.size, rest: call.hold(file))
    }
    .hidden().speaks(of: "path").permission("read")
    Handles(FetchedFile.self) {
      Detached("read", "The next bytes of the file; null at its end.") { (file: FetchedFile, call) in
        try file.read()
      }
      .permission("read")
      Immediate("cancel", "Nothing waits: a read comes to its end.") { (file: FetchedFile, call) in }
        .permission("read")
    }
    .hidden()
  }
}
