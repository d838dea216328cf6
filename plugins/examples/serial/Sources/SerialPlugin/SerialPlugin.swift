import NBridgePlugin

/// What scripts see as `nbridge.serial`.
public struct SerialPlugin: Plugin {
  public static let manifest = PluginManifest(
    service: "serial", version: "0.1.0", help: "Talks to serial devices.")

  public init() {}

  public var body: PluginBody {
    // A driver may take its time: on a thread for what waits.
    Detached("open", "Opens a serial device in raw mode: eight bits, no parity, no flow control.") {
      (options: Device, call) in
      call.hold(try Port(path: options.path, options.baud))
    }
    .positional("path").parameter("path", "As /dev/ttyUSB0.").parameter("baud", "Bits a second.")
    .errors(.notFound, .ioError, "not_serial").blocking()

    Immediate("pretend", "Makes a pseudo-terminal: the path of a device, and the port behind it.") {
      (call) throws in
      let (port, path) = try Port.pseudoTerminal()
      return Pretended(path: path, port: call.hold(port))
    }
    .errors(.ioError)

    Handles(Port.self) {
      Action("write", "Writes bytes; answers when the system has all of them.") {
        (port: Port, options: Written, _) async throws in
        try await port.write(options.bytes)
      }
      .positional("bytes").errors(.ioError)

      Watch("lines", "The lines that come in, as UTF-8; the rest of one when the device is gone.") {
        (port: Port, _) in
        Arrivals(port: port) { try $0.takeLine() }
      }
      .errors(.ioError, .tooLarge)

      Watch("bytes", "The bytes that come in, as they come.") { (port: Port, _) in
        Arrivals(port: port) { try $0.takeBytes() }
      }
      .errors(.ioError)
    }
  }
}

struct Device: Codable {
  var path: String
  @Default var baud = Baud.b9600
}

enum Baud: Int, Codable, CaseIterable {
  case b1200 = 1200, b9600 = 9600, b19200 = 19200, b38400 = 38400, b57600 = 57600, b115200 = 115200
}

struct Pretended: Codable {
  var path: String
  var port: Handle<Port>
}

struct Written: Codable { var bytes: Bytes }
