// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import JSEngine
internal import NBridgePlugin

/// Texts and bytes, addresses, files, forms.
package enum DataModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(name: "encodinglabels", source: { Scripts.encodinglabels_js }),
    BuiltinModule(
      name: "encoding", source: { Scripts.encoding_js }, globals: ["TextEncoder", "TextDecoder"],
      needs: [
        .module("encodinglabels", as: "labels"), .later("decoderOf", of: "decoders", as: "decoderOf"),
        .exports(["comparesFields"], of: "contents"), .exports(["unitAt"], of: "units"),
        .exports(["declareInterface"], of: "idl"),
      ],
      host: EncodingHost.add),
    BuiltinModule(name: "units", source: { Scripts.units_js }),
    BuiltinModule(
      name: "decoders", source: { Scripts.decoders_js },
      needs: [
        .export("internals", of: "encoding", as: "encoding"), .exports(["unitAt"], of: "units"),
      ],
      host: EncodingHost.addLegacy),
    BuiltinModule(
      name: "base64", source: { Scripts.base64_js }, globals: ["atob", "btoa"],
      needs: [
        .exports(["append"], of: "lists"), .exports(["DOMException"], of: "domexception"),
        .exports(["unitAt"], of: "units"),
      ]),
    BuiltinModule(
      name: "pairlist", source: { Scripts.pairlist_js },
      needs: [.exports(["append"], of: "lists"), .exports(["declareInterface"], of: "idl")]),
    BuiltinModule(
      name: "urlparser", source: { Scripts.urlparser_js },
      needs: [.module("urlhosts", as: "hosts"), .module("urlpaths", as: "paths")], isApart: true),
    BuiltinModule(
      name: "urlpaths", source: { Scripts.urlpaths_js },
      needs: [.exports(["percentEncode"], of: "urlhosts")], isApart: true),
    BuiltinModule(
      name: "urlsetters", source: { Scripts.urlsetters_js },
      needs: [.module("urlparser", as: "parser"), .module("urltexts", as: "texts")], isApart: true),
    BuiltinModule(
      name: "urltexts", source: { Scripts.urltexts_js }, needs: [.exports(["append"], of: "lists")],
      isApart: true),
    BuiltinModule(
      name: "urlhosts", source: { Scripts.urlhosts_js },
      needs: [.exports(["percentDecode"], of: "urltexts")], isApart: true
    ) { host, _ throws(JSException) in
      host.function("domainToASCII") { frame throws(JSException) in
        frame[0].string.flatMap(DomainName.toASCII).map { frame.make($0) } ?? frame.null
      }
    },
    BuiltinModule(
      name: "urlsearchparams", source: { Scripts.urlsearchparams_js },
      needs: [
        .exports(["append"], of: "lists"), .exports(["notCloneable"], of: "platform"),
        .exports(["showsPairs"], of: "contents"), .module("pairlist", as: "pairs"),
        .module("urltexts", as: "texts"),
      ]),
    BuiltinModule(
      name: "url", source: { Scripts.url_js }, globals: ["URL", "URLSearchParams"],
      needs: [
        .exports(["notCloneable"], of: "platform"), .module("urlparser", as: "parser"),
        .module("urlsetters", as: "setters"), .module("urltexts", as: "texts"),
        .module("urlsearchparams", as: "searchParams"), .exports(["showsFields"], of: "contents"),
        .later("blobURLs", of: "bloburls", as: "blobURLs"),
      ]),
    BuiltinModule(
      name: "blob", source: { Scripts.blob_js }, globals: ["Blob", "File"],
      needs: [
        .exports(["append"], of: "lists"), .export("internals", of: "clone", as: "clone"),
        .exports(["showsFields", "compares"], of: "contents"), .exports(["turns"], of: "turns"),
        .later("byteReaders", of: "bytereaders", as: "byteReaders"),
      ]
    ) { host, services throws(JSException) in host.addUTF8(services) },
    BuiltinModule(
      name: "filereader", source: { Scripts.filereader_js }, globals: ["FileReader"],
      needs: [
        .exports(["EventTarget"], of: "events"), .export("internals", of: "events", as: "events"),
        .exports(["ProgressEvent"], of: "progressevents"), .exports(["DOMException"], of: "domexception"),
        .export("internals", of: "blob", as: "blobs"), .exports(["texts"], of: "encoding"),
        .export("internals", of: "base64", as: "base64"), .exports(["showsFields"], of: "contents"),
      ]
    ) { host, services throws(JSException) in host.addTask(services) },
    BuiltinModule(
      name: "formdata", source: { Scripts.formdata_js }, globals: ["FormData"],
      needs: [
        .exports(["File"], of: "blob"), .export("internals", of: "blob", as: "blobs"),
        .exports(["notCloneable"], of: "platform"), .exports(["showsPairs"], of: "contents"),
        .module("pairlist", as: "pairs"), .later("entryList", of: "forms", as: "entryList"),
      ]),
  ]
}

/// The native half of TextEncoder and TextDecoder.
enum EncodingHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    host.addUTF8(services)
    addScratch(host, services.context)
  }

  /// What the encodings from before UTF-8 take.
  static let addLegacy: BuiltinModule.Host = { host, services throws(JSException) in
    host.function("singleByteTable") { [unowned context = services.context] frame throws(JSException) in
      guard let table = LegacyText.singleByteTable(frame[0].string ?? "") else { throw noConverter(frame[0]) }
      return table.withUnsafeBufferPointer { context.make(utf16: $0) }
    }
    host.function("decodeMultiByte") { [unowned context = services.context] frame throws(JSException) in
      guard let bytes = frame[1].bytes, let state = frame[2].bytes else { return frame.undefined }
      let outcome = LegacyText.decode(
        frame[0].string ?? "", UnsafeRawBufferPointer(bytes), state: state, isLast: frame[3].bool,
        isFatal: frame[4].bool)
      switch outcome {
      case .text(let units): return units.withUnsafeBufferPointer { context.make(utf16: $0) }
      case .malformed: return frame.undefined
      case .unavailable: throw noConverter(frame[0])
      }
    }
  }

  /// Texts of medium length are handed over in memory that both sides know: asking for an array's costs four
  /// calls. The memory stays native code's, too: scripts of ours alone see it.
  private static func addScratch(_ host: HostObject, _ context: JSContext) {
    let scratch = Bytes(count: 4096) { _ in }
    host.set("scratch", scratch.withUnsafeBytes { context.makeBytes(over: $0, keeping: scratch.storage) })
    host.function("decodeScratch") { [unowned context] frame throws(JSException) in
      let length = min(4096, max(0, frame[0].integer))
      return scratch.withUnsafeBytes { memory in
        let bytes = UnsafeBufferPointer(rebasing: memory.bindMemory(to: UInt8.self)[..<length])
        // So little is never too much.
        return (try? context.decodeUTF8(bytes, isFatal: frame[1].bool)) ?? frame.undefined
      }
    }
  }

  private static func noConverter(_ name: JSValue) -> JSException {
    JSException(message: "the C library has no converter for '\(name.string ?? "")'")
  }
}
