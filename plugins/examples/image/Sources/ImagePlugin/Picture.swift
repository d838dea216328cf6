import NBridgePlugin

extension Picture {
  /// A side has at most so many pixels.
  static let longestSide = 16384

  /// The picture, if it is one.
  func checked() throws -> Picture {
    guard width > 0, height > 0 else {
      throw BridgeError(.invalidParameter, "a picture of \(width) x \(height) pixels has none")
    }
    guard max(width, height) <= Self.longestSide else {
      throw BridgeError(.tooLarge, "a side of a picture has at most \(Self.longestSide) pixels")
    }
    guard pixels.count == width * height * 4 else {
      throw BridgeError(
        .invalidParameter,
        "a picture of \(width) x \(height) has \(width * height * 4) bytes, not \(pixels.count)")
    }
    return self
  }

  /// Another size: each new pixel is the mean of those that it covers, or the nearest one.
  func resized(width: Int, height: Int, _ steps: Steps) throws -> Picture {
    let made = try Bytes(capacity: width * height * 4) { target in
      try pixels.withUnsafeBytes { source in
        for y in 0..<height {
          try steps.row(y, of: height)
          let rows = Self.covered(y, of: height, in: self.height)
          for x in 0..<width {
            let mean = Self.mean(of: source, rows, Self.covered(x, of: width, in: self.width), self.width)
            target.storeBytes(of: mean, toByteOffset: (y * width + x) * 4, as: UInt32.self)
          }
        }
        try steps.row(height, of: height)
      }
      return width * height * 4
    }
    return Picture(width: width, height: height, pixels: made)
  }

  /// Which of `old` pixels in a row one of `new` ones covers; one at least.
  private static func covered(_ index: Int, of new: Int, in old: Int) -> Range<Int> {
    let first = index * old / new
    return first..<max(first + 1, (index + 1) * old / new)
  }

  /// The mean colour of a rectangle.
  private static func mean(
    of source: UnsafeRawBufferPointer, _ rows: Range<Int>, _ columns: Range<Int>, _ width: Int
  ) -> UInt32 {
    var sums = SIMD4<UInt32>()
    for y in rows {
      for x in columns { sums &+= colour(source, y * width + x) }
    }
    let count = UInt32(truncatingIfNeeded: rows.count * columns.count)
    return pixel((sums &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count))
  }

  /// Blurs by three rounds of means of `2 * radius + 1` pixels, which is close to a Gaussian.
  func blurred(radius: Int, _ steps: Steps) throws -> Picture {
    let count = width * height * 4
    let between = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 4)
    defer { between.deallocate() }
    let made = try Bytes(capacity: count) { target in
      try pixels.withUnsafeBytes { source in
        for round in 0..<3 {
          let from = round == 0 ? source : UnsafeRawBufferPointer(target)
          try blurRows(from, between, radius) { try steps.row(round * 2 * height + $0, of: 6 * height) }
          try blurColumns(UnsafeRawBufferPointer(between), target, radius) {
            try steps.row((round * 2 + 1) * height + $0, of: 6 * height)
          }
        }
      }
      return count
    }
    return Picture(width: width, height: height, pixels: made)
  }

  /// Each pixel becomes the mean of those left and right of it; the outermost stand for those beyond.
  private func blurRows(
    _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer, _ radius: Int,
    _ step: (Int) throws -> Void
  ) throws {
    for y in 0..<height {
      try step(y)
      var window = Window(radius) { Self.colour(source, y * width + min(max($0, 0), width - 1)) }
      for x in 0..<width {
        target.storeBytes(of: window.mean, toByteOffset: (y * width + x) * 4, as: UInt32.self)
        let (last, next) = (max(x - radius, 0), min(x + radius + 1, width - 1))
        window.move(Self.colour(source, y * width + last), Self.colour(source, y * width + next))
      }
    }
  }

  /// The same for those above and below, row by row as they lie in memory: a window for each column.
  private func blurColumns(
    _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer, _ radius: Int,
    _ step: (Int) throws -> Void
  ) throws {
    var windows = (0..<width).map { x in
      Window(radius) { Self.colour(source, min(max($0, 0), height - 1) * width + x) }
    }
    for y in 0..<height {
      try step(y + 1)
      let (last, next) = (max(y - radius, 0) * width, min(y + radius + 1, height - 1) * width)
      for x in 0..<width {
        target.storeBytes(of: windows[x].mean, toByteOffset: (y * width + x) * 4, as: UInt32.self)
        windows[x].move(Self.colour(source, last + x), Self.colour(source, next + x))
      }
    }
  }

  /// The sum of the pixels around one, moved from pixel to pixel.
  private struct Window {
    private var sums = SIMD4<UInt32>()
    private let count: UInt32

    init(_ radius: Int, _ colour: (Int) -> SIMD4<UInt32>) {
      count = UInt32(2 * radius + 1)
      for offset in -radius...radius { sums &+= colour(offset) }
    }

    var mean: UInt32 { Picture.pixel((sums &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count)) }

    mutating func move(_ last: SIMD4<UInt32>, _ next: SIMD4<UInt32>) { sums = sums &- last &+ next }
  }

  private static func colour(_ source: UnsafeRawBufferPointer, _ index: Int) -> SIMD4<UInt32> {
    let pixel = source.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
    return SIMD4(pixel & 0xFF, pixel >> 8 & 0xFF, pixel >> 16 & 0xFF, pixel >> 24)
  }

  private static func pixel(_ colour: SIMD4<UInt32>) -> UInt32 {
    colour.x | colour.y << 8 | colour.z << 16 | colour.w << 24
  }
}
