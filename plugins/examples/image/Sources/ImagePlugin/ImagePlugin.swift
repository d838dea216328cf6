import NBridgePlugin

/// What scripts see as `nbridge.image`.
public struct ImagePlugin: Plugin {
  public static let manifest = PluginManifest(
    service: "image", version: "0.1.0", help: "Works on pictures: scales, blurs, reads and writes PNM.")

  public init() {}

  public var body: PluginBody {
    Detached("blur", "Blurs a picture.") { (options: Blur, call) in
      let picture = try options.picture.checked()
      return try picture.blurred(radius: options.radius, Steps(call))
    }
    .positional("picture").range("radius", 1...100).progress(Double.self).errors(.tooLarge)
    .parameter("radius", "How far a pixel spreads, in pixels.")

    Detached("resize", "Scales a picture to a size.") { (options: Resize, call) in
      try options.picture.checked().resized(width: options.width, height: options.height, Steps(call))
    }
    .positional("picture", "width", "height").progress(Double.self).errors(.tooLarge)
    .range("width", 1...16384).range("height", 1...16384)

    Detached("thumbnail", "Scales a picture down until it fits into a square.") {
      (options: Thumbnail, call) in
      let picture = try options.picture.checked()
      let scale = min(1, Double(options.size) / Double(max(picture.width, picture.height)))
      let (width, height) = (Double(picture.width) * scale, Double(picture.height) * scale)
      return try picture.resized(width: max(1, Int(width)), height: max(1, Int(height)), Steps(call))
    }
    .positional("picture", "size").range("size", 1...16384).progress(Double.self).errors(.tooLarge)

    Detached("decode", "Reads a picture of the formats PPM (P6) and PAM (P7).") { (options: Encoded, call) in
      try PNM.decode(options.bytes)
    }
    .positional("bytes").errors("not_a_picture", .tooLarge)

    Detached("encode", "Writes a picture: PPM has no transparency, PAM has.") { (options: Encode, call) in
      try PNM.encode(options.picture.checked(), options.format)
    }
    .positional("picture").errors(.tooLarge)
  }
}

/// Pixels in rows from the top, four bytes each: red, green, blue, opacity.
struct Picture: Codable {
  var width: Int
  var height: Int
  var pixels: Bytes
}

struct Blur: Codable {
  var picture: Picture
  @Default var radius = 4
}

struct Resize: Codable {
  var picture: Picture
  var width: Int
  var height: Int
}

struct Thumbnail: Codable {
  var picture: Picture
  @Default var size = 256
}

struct Encoded: Codable { var bytes: Bytes }

struct Encode: Codable {
  var picture: Picture
  @Default var format = Format.ppm
}

enum Format: String, Codable, CaseIterable { case ppm, pam }

/// What a long piece of work does between two rows: ends when nobody waits any more, and tells how far it is.
struct Steps {
  private let check: () throws -> Void
  private let tell: (Double) -> Void

  init(_ call: Call) { self.init(check: call.checkCancellation) { call.progress($0) } }

  init(check: @escaping () throws -> Void, tell: @escaping (Double) -> Void) {
    (self.check, self.tell) = (check, tell)
  }

  /// - Parameters:
  ///   - done: how many rows are done.
  ///   - all: of how many.
  func row(_ done: Int, of all: Int) throws {
    try check()
    // Some fifty times, and at the end.
    if done.isMultiple(of: max(1, all / 50)) || done == all { tell(Double(done) / Double(all)) }
  }
}
