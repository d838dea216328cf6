// SPDX-License-Identifier: MIT

/// What a debugger is told of the program before it connects: the answers at `/json`, as Node gives them.
struct InspectedPage {
  let id: String
  let title: String
  let url: String
  /// Address and port.
  let address: String
  /// Whether that is of this machine alone.
  let isLocal: Bool

  var socketURL: String { "ws://\(address)/\(id)" }

  /// The text for a path; nil where there is none.
  func answer(_ path: String) -> [UInt8]? {
    switch path {
    case "/json", "/json/", "/json/list": JSON.array([described]).text
    case "/json/version": JSON.of(["Browser": "nbridge", "Protocol-Version": "1.1"]).text
    default: nil
    }
  }

  private var described: JSON {
    let place = "\(address)/\(id)"
    return .of([
      "description": "nbridge program", "id": .string(id), "title": .string(title), "type": "node",
      "url": .string(url), "webSocketDebuggerUrl": .string(socketURL),
      "devtoolsFrontendUrl": .string(
        "devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=\(place)"),
    ])
  }
}
