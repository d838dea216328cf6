// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import JSEngine
internal import NBridgePlugin
internal import NBridgeRecording

/// Requests and their answers. What goes over the wire is the plugin `http`'s.
package enum FetchModules {
  private static let texts: BuiltinModule.Need = .module("textbytes", as: "texts")
  private static let pairs: BuiltinModule.Need = .module("pairlist", as: "pairs")
  private static let mimeTypes: BuiltinModule.Need = .module("mimetype", as: "mimeTypes")
  private static let append: BuiltinModule.Need = .exports(["append"], of: "lists")
  private static let core: BuiltinModule.Need = .exports(["core"], of: "streamcore")
  private static let notCloneable: BuiltinModule.Need = .exports(["notCloneable"], of: "platform")
  private static let idl: BuiltinModule.Need = .module("idl", as: "idl")
  private static let blobs: BuiltinModule.Need = .export("internals", of: "blob", as: "blob")

  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "textbytes", source: { Scripts.textbytes_js }, needs: [.exports(["unitAt"], of: "units")]),
    BuiltinModule(name: "mimetype", source: { Scripts.mimetype_js }, needs: [texts]),
    BuiltinModule(
      name: "headers", source: { Scripts.headers_js }, globals: ["Headers"],
      needs: [
        append, pairs, texts, notCloneable, .exports(["showsPairs"], of: "contents"),
        .exports(["declareInterface"], of: "idl"),
      ]),
    BuiltinModule(
      name: "multipart", source: { Scripts.multipart_js },
      needs: [
        append, texts, mimeTypes, blobs,
        .exports(["FormData"], of: "formdata"), .export("internals", of: "formdata", as: "forms"),
      ]
    ) { host, services throws(JSException) in
      host.addUTF8(services)
      host.function("fillRandom") { [unowned inputs = services.inputs] frame throws(JSException) in
        guard let memory = frame[0].bytes else { return frame.undefined }
        try KernelRandom.fill(memory)
        inputs.random(memory)
        return frame.undefined
      }
    },
    BuiltinModule(
      name: "messagebodies", source: { Scripts.messagebodies_js },
      needs: [
        append, texts, mimeTypes, core, blobs, .exports(["readables"], of: "readable"),
        .exports(["readableCore"], of: "readablecore"), .exports(["bufferViews"], of: "bufferviews"),
        .exports(["byteReaders"], of: "bytereaders"), .exports(["turns"], of: "turns"),
        .later("pipes", of: "readablepipes", as: "pipes"), .later("tee", of: "readabletee", as: "tee"),
        .later("bytes", of: "readablebyob", as: "bytes"), .later("internals", of: "abort", as: "signals"),
        .later("multipart", of: "multipart", as: "multipart"),
        .later("structuredClone", of: "clone", as: "structuredClone"),
        .export("internals", of: "formdata", as: "forms"),
        .export("internals", of: "urlsearchparams", as: "params"),
      ]
    ) { host, services throws(JSException) in host.addUTF8(services) },
    BuiltinModule(
      name: "response", source: { Scripts.response_js }, globals: ["Response"],
      needs: [
        .exports(["URL", "urls"], of: "url"), .export("headersInternals", of: "headers", as: "headers"),
        .module("messagebodies", as: "bodies"), pairs, texts, mimeTypes, notCloneable, idl,
        .exports(["showsFields", "fieldsOf", "compares"], of: "contents"),
      ]
    ) { host, services throws(JSException) in
      host.addUTF8(services)
      host.addBaseURL(services)
    },
    BuiltinModule(
      name: "request", source: { Scripts.request_js }, globals: ["Request"],
      needs: [
        .exports(["URL", "urls"], of: "url"), .exports(["AbortSignal"], of: "abort"),
        .export("internals", of: "abort", as: "signals"),
        .export("headersInternals", of: "headers", as: "headers"),
        .module("messagebodies", as: "bodies"), pairs, texts, mimeTypes, notCloneable, idl,
        .exports(["showsFields", "fieldsOf", "compares"], of: "contents"),
        .later("blobURLs", of: "bloburls", as: "blobURLs"),
      ]
    ) { host, services throws(JSException) in host.addBaseURL(services) },
    BuiltinModule(
      name: "bloburls", source: { Scripts.bloburls_js },
      needs: [blobs, texts, .later("internals", of: "base64", as: "base64")]
    ) { host, services throws(JSException) in
      host.function("randomUUID") { [unowned inputs = services.inputs] frame throws(JSException) in
        frame.make(inputs.text(.machine, randomUUID) ?? "")
      }
      LinkHost.addBlobs(host, try services.openLinks())
    },
    BuiltinModule(
      name: "fetchschemes", source: { Scripts.fetchschemes_js },
      needs: [
        .exports(["atob"], of: "base64"), .export("blobURLs", of: "bloburls", as: "blobs"), blobs, pairs,
        texts, mimeTypes, core, .export("headersInternals", of: "headers", as: "headers"),
        .exports(["turns"], of: "turns"), .later("ofFile", of: "fetchfiles", as: "ofFile"),
      ]),
    BuiltinModule(
      name: "fetchfiles", source: { Scripts.fetchfiles_js }, needs: [texts, core]
    ) { host, services throws(JSException) in host.addPlugin("fetchFile", "documents", services) },
    BuiltinModule(
      name: "integrity", source: { Scripts.integrity_js }, needs: [texts, core]
    ) { host, _ throws(JSException) in
      host.function("digest") { frame throws(JSException) in
        guard let bytes = frame[1].bytes, let kind = checksum(frame[0].string ?? "") else {
          return frame.undefined
        }
        return frame.make(base64(kind, UnsafeRawBufferPointer(bytes)))
      }
    },
    BuiltinModule(
      name: "badports", source: { Scripts.badports_js }, needs: [.exports(["URL", "urls"], of: "url")]),
    BuiltinModule(
      name: "fetch", source: { Scripts.fetch_js }, globals: ["fetch"],
      needs: [
        .exports(["URL", "urls"], of: "url"), .exports(["Request", "requests"], of: "request"),
        .exports(["responses"], of: "response"), .module("messagebodies", as: "bodies"), pairs, texts, core,
        .export("internals", of: "abort", as: "signals"), .exports(["otherScheme"], of: "fetchschemes"),
        .later("checkIntegrity", of: "integrity", as: "checkIntegrity"),
        .exports(["badPort"], of: "badports"),
        .export("headersInternals", of: "headers", as: "headers"),
      ]
    ) { host, services throws(JSException) in
      host.set("version", host.make("\(NBridgeVersion.current)"))
      host.addPlugin("exchange", "http", services)
    },
    BuiltinModule(
      name: "httpserver", source: { Scripts.httpserver_js },
      needs: [
        .exports(["URL", "urls"], of: "url"), .export("internals", of: "abort", as: "signals"),
        .exports(["Table"], of: "idl"), .exports(["console"], of: "console"),
        .exports(["requests"], of: "request"), .exports(["responses"], of: "response"),
        .export("headersInternals", of: "headers", as: "headers"),
        .module("messagebodies", as: "bodies"), pairs, texts, core,
        .later("sockets", of: "websocket", as: "sockets"),
      ]
    ) { host, services throws(JSException) in
      host.addUTF8(services)
      host.addPlugin("listen", "http", services)
    },
    BuiltinModule(
      name: "wasmstreaming", source: { Scripts.wasmstreaming_js },
      needs: [
        .exports(["responses"], of: "response"), .export("headersInternals", of: "headers", as: "headers"),
        core, texts,
      ]),
    BuiltinModule(
      name: "eventsource", source: { Scripts.eventsource_js }, globals: ["EventSource"],
      needs: [
        .exports(["URL", "urls"], of: "url"), .exports(["EventTarget", "Event"], of: "events"),
        .export("internals", of: "events", as: "events"), .exports(["MessageEvent"], of: "reports"),
        .exports(["DOMException"], of: "domexception"), .export("internals", of: "abort", as: "signals"),
        .exports(["responses"], of: "response"), .exports(["start"], of: "fetch"),
        .export("headersInternals", of: "headers", as: "headers"),
        .exports(["bufferViews"], of: "bufferviews"), mimeTypes, pairs, texts, core,
        notCloneable, .exports(["showsFields"], of: "contents"), .exports(["console"], of: "console"),
      ]
    ) { host, services throws(JSException) in
      host.addUTF8(services)
      host.addBaseURL(services)
      host.addHold(services)
      host.addDelay(services)
    },
    BuiltinModule(
      name: "websocket", source: { Scripts.websocket_js }, globals: ["WebSocket"],
      needs: [
        .exports(["URL", "urls"], of: "url"), .exports(["EventTarget", "Event"], of: "events"),
        .export("internals", of: "events", as: "events"),
        .exports(["MessageEvent", "ErrorEvent"], of: "reports"),
        .exports(["CloseEvent"], of: "progressevents"),
        .exports(["DOMException"], of: "domexception"), .export("internals", of: "abort", as: "signals"),
        .exports(["bufferViews"], of: "bufferviews"), append, blobs, texts, core,
        .exports(["showsFields"], of: "contents"), .exports(["badPort"], of: "badports"),
      ]
    ) { host, services throws(JSException) in
      host.addUTF8(services)
      host.addBaseURL(services)
      host.addHold(services)
      host.addPlugin("connect", "http", services)
    },
  ]

  private static func checksum(_ name: String) -> GChecksumType? {
    switch name {
    case "sha256": G_CHECKSUM_SHA256
    case "sha384": G_CHECKSUM_SHA384
    case "sha512": G_CHECKSUM_SHA512
    default: nil
    }
  }

  private static func base64(_ kind: GChecksumType, _ bytes: UnsafeRawBufferPointer) -> String {
    let sum = g_checksum_new(kind)
    defer { g_checksum_free(sum) }
    g_checksum_update(sum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gssize(bytes.count))
    var size = gsize(64)
    let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { room in
      g_checksum_get_digest(sum, room.baseAddress, &size)
      return g_base64_encode(room.baseAddress, size)
    }
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
  }

  private static func randomUUID() -> String? {
    guard let text = g_uuid_string_random() else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}

extension HostObject {
  /// `baseURL()`: of a page; undefined in a script, which has no address of its own.
  func addBaseURL(_ services: BuiltinServices) {
    function("baseURL") { [unowned context = services.context] frame throws(JSException) in
      let href = context.global["location"]["href"]
      return href.string == nil ? frame.undefined : href
    }
  }

  /// `name(option, control)`: an action of a plugin, as the plugin's own script would call it. A promise.
  func addPlugin(_ name: String, _ plugin: String, _ services: BuiltinServices) {
    function(name) { [unowned services] frame throws(JSException) in
      let call = try services.kept("\(plugin).\(name)") { () throws(JSException) in
        try services.pluginAction(plugin, name)
      }
      return try services.context.call(call, frame[0], frame[1])
    }
  }
}
