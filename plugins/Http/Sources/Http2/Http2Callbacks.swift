// SPDX-License-Identifier: MIT

/// What nghttp2 calls, with the connection as its user's data.
enum Http2Callbacks {
  static var field: LibNghttp2.OnField {
    { _, frame, name, nameLength, value, valueLength, _, data in
      guard let frame, let connection = Http2Callbacks.connection(data) else { return 0 }
      let isTaken = connection.field(
        LibNghttp2.head(of: frame).stream, UnsafeBufferPointer(start: name, count: nameLength),
        UnsafeBufferPointer(start: value, count: valueLength))
      return isTaken ? 0 : Int32(LibNghttp2.refused)
    }
  }

  static var frame: LibNghttp2.OnFrame {
    { _, frame, data in
      guard let frame, let connection = Http2Callbacks.connection(data) else { return 0 }
      let head = LibNghttp2.head(of: frame)
      if head.type == LibNghttp2.goAway { connection.goesAway(LibNghttp2.lastStream(of: frame)) }
      connection.frame(head)
      return 0
    }
  }

  static var sent: LibNghttp2.OnFrame {
    { _, frame, data in
      guard let frame else { return 0 }
      let head = LibNghttp2.head(of: frame)
      if head.type == LibNghttp2.headers { Http2Callbacks.connection(data)?.sent(head.stream) }
      return 0
    }
  }

  static var notSent: LibNghttp2.OnNotSent {
    { _, frame, _, data in
      guard let frame else { return 0 }
      let head = LibNghttp2.head(of: frame)
      if head.type == LibNghttp2.headers { Http2Callbacks.connection(data)?.notSent(head.stream) }
      return 0
    }
  }

  static var data: LibNghttp2.OnData {
    { _, _, number, bytes, count, data in
      Http2Callbacks.connection(data)?.data(number, UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
  }

  static var close: LibNghttp2.OnClose {
    { _, number, code, data in
      Http2Callbacks.connection(data)?.closed(number, code)
      return 0
    }
  }

  static var read: LibNghttp2.ReadBody {
    { _, number, room, size, flags, _, data in
      let room = UnsafeMutableRawBufferPointer(start: room, count: size)
      switch Http2Callbacks.connection(data)?.read(number, room) {
      case .bytes(let count, let isLast):
        if isLast { flags?.pointee |= LibNghttp2.atEnd }
        return count
      case .waits: return LibNghttp2.deferred
      case .failed, nil: return LibNghttp2.refused
      }
    }
  }

  private static func connection(_ data: UnsafeMutableRawPointer?) -> Http2Connection? {
    data.map { Unmanaged<Http2Connection>.fromOpaque($0).takeUnretainedValue() }
  }
}
