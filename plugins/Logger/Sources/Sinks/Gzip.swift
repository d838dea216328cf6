// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// Compresses files (GIO's zlib).
enum Gzip {
  /// False when it could not be done; then nothing is left behind.
  static func compress(_ source: String, to target: String) -> Bool {
    let (from, to) = (g_file_new_for_path(source), g_file_new_for_path(target))
    defer {
      g_object_unref(from.map { UnsafeMutableRawPointer($0) })
      g_object_unref(to.map { UnsafeMutableRawPointer($0) })
    }
    guard let input = g_file_read(from, nil, nil) else { return false }
    defer { g_object_unref(input) }
    guard let output = g_file_replace(to, nil, 0, G_FILE_CREATE_PRIVATE, nil, nil) else { return false }
    defer { g_object_unref(output) }
    let compressor = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6)
    defer { g_object_unref(compressor.map { UnsafeMutableRawPointer($0) }) }
    let raw = UnsafeMutableRawPointer(output).assumingMemoryBound(to: GOutputStream.self)
    let converter = compressor.map { OpaquePointer(UnsafeMutableRawPointer($0)) }
    guard let stream = g_converter_output_stream_new(raw, converter) else { return false }
    defer { g_object_unref(stream) }
    let flags = GOutputStreamSpliceFlags(
      rawValue: G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE.rawValue | G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET.rawValue)
    let count = g_output_stream_splice(
      stream, UnsafeMutableRawPointer(input).assumingMemoryBound(to: GInputStream.self), flags, nil, nil)
    if count < 0 { unlink(target) }
    return count >= 0
  }
}
