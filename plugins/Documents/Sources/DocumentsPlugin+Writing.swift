// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The actions that write files.
extension DocumentsPlugin {
  @PluginBuilder var writingBody: PluginBody {
    Detached("writeBytes", "Replaces a file.") { (options: WriteOptions, call) in
      try state.progress.run(options.progress) {
        try state.files(call.app).replace(options, with: options.content ?? Bytes([]), $0)
      }
    }
    .hidden(behind: "write").speaks(of: "path", "content").permission("write")
    Detached("writeText", "Replaces a file.") { (options: WriteOptions, call) in
      let bytes = try TextCoding.encode(options.text ?? "", options.encoding, FilePath(options.path))
      return try state.progress.run(options.progress) {
        try state.files(call.app).replace(options, with: bytes, $0)
      }
    }
    .hidden(behind: "write").speaks(of: "path", "content").permission("write")
    Detached("writePropertyList", "Replaces a file.") { (options: WriteOptions, call) in
      let bytes = try PropertyList.encode(
        options.value ?? .undefined, binary: options.binary ?? false, FilePath(options.path))
      return try state.files(call.app).replace(options, with: bytes)
    }
    .hidden(behind: "write").speaks(of: "path", "content").permission("write")
    Detached("appendBytes", "Writes at a file's end.") { (options: WriteOptions, call) in
      try FileRange.append(options, state.files(call.app), options.content ?? Bytes([]))
    }
    .hidden(behind: "append").speaks(of: "path", "content").permission("write")
    Detached("appendText", "Writes at a file's end.") { (options: WriteOptions, call) in
      let bytes = try TextCoding.encode(options.text ?? "", options.encoding, FilePath(options.path))
      return try FileRange.append(options, state.files(call.app), bytes)
    }
    .hidden(behind: "append").speaks(of: "path", "content").permission("write")
    Detached("writeRange", "Writes bytes in the middle of a file, which must be there.") {
      (options: WriteRangeOptions, call) in
      try FileRange.write(options, state.files(call.app))
    }
    .positional("path", "offset", "content").permission("write")
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .tooLarge, .ioError)
    Detached("truncate", "Makes a file as long as stated; what comes is zero.") {
      (options: TruncateOptions, call) in
      try FileRange.truncate(options, state.files(call.app))
    }
    .positional("path", "size").permission("write")
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .tooLarge, .ioError)
    Detached("openWriter", "Begins a file that is written piece by piece.") { (options: WriteOptions, call) in
      try state.writers.add { try state.files(call.app).replacement(options) }
    }
    .hidden(behind: "writer").speaks(of: "path").permission("write")
    Detached("writeTo", "Writes a piece.") { (options: PieceOptions, call) in
      try state.writers.write(options.writer, options.content)
    }
    .hidden().permission("write")
    Detached("closeWriter", "Puts the file in its place.") { (options: PieceEnd, call) in
      try state.writers.close(options.writer)
    }
    .hidden().permission("write")
    Immediate("abortWriter", "Drops the file.") { (options: PieceEnd, call) in
      state.writers.abort(options.writer)
    }
    .hidden().permission("write")
  }
}
