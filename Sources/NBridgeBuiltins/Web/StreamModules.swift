// SPDX-License-Identifier: MIT

internal import JSEngine

/// The streams' scripts get each other; what one needs only when it is used, it asks for then.
package enum StreamModules {
  private static let core: [BuiltinModule.Need] = [
    .exports(["core"], of: "streamcore"), .exports(["notCloneable"], of: "platform"),
  ]

  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "turns", source: { Scripts.turns_js }, needs: [.exports(["append"], of: "lists")]
    ) { host, services throws(JSException) in host.addTask(services) },
    BuiltinModule(
      name: "streamcore", source: { Scripts.streamcore_js }, needs: [.exports(["finish"], of: "idl")]
    ) { host, services throws(JSException) in host.addTask(services) },
    BuiltinModule(
      name: "queuing", source: { Scripts.queuing_js },
      globals: ["CountQueuingStrategy", "ByteLengthQueuingStrategy"],
      needs: core + [.exports(["compares"], of: "contents")]),
    BuiltinModule(
      name: "writable", source: { Scripts.writable_js },
      globals: ["WritableStream", "WritableStreamDefaultWriter", "WritableStreamDefaultController"],
      needs: core + [.exports(["writableCore"], of: "writablecore")]),
    BuiltinModule(
      name: "writablecore", source: { Scripts.writablecore_js },
      needs: [.exports(["core"], of: "streamcore")]
    ) { host, services throws(JSException) in
      host.function("makeAborter") { [unowned services] frame throws(JSException) in
        try services.context.call(services.load("abort")["internals"]["makeController"])
      }
    },
    BuiltinModule(
      name: "readable", source: { Scripts.readable_js },
      globals: ["ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamDefaultController"],
      needs: core + [
        .exports(["readableCore"], of: "readablecore"), .exports(["writables"], of: "writable"),
        .later("pipes", of: "readablepipes", as: "pipes"), .later("tee", of: "readabletee", as: "tee"),
        .later("bytes", of: "readablebyob", as: "bytes"), .later("internals", of: "abort", as: "signals"),
      ]),
    BuiltinModule(
      name: "readablecore", source: { Scripts.readablecore_js },
      needs: [.exports(["core"], of: "streamcore")]),
    BuiltinModule(
      name: "readablepipes", source: { Scripts.readablepipes_js },
      needs: core + [
        .exports(["readableCore"], of: "readablecore"),
        .exports(["readables"], of: "readable"), .exports(["writables"], of: "writable"),
        .exports(["declareInterface"], of: "idl"), .later("internals", of: "abort", as: "signals"),
      ]),
    BuiltinModule(
      name: "readabletee", source: { Scripts.readabletee_js },
      needs: core + [
        .exports(["readableCore"], of: "readablecore"), .exports(["readables"], of: "readable"),
      ]),
    BuiltinModule(
      name: "readablebytes", source: { Scripts.readablebytes_js },
      needs: core + [
        .exports(["readableCore"], of: "readablecore"), .exports(["bufferViews"], of: "bufferviews"),
      ]),
    BuiltinModule(
      name: "bytereaders", source: { Scripts.bytereaders_js },
      needs: [
        .exports(["core"], of: "streamcore"), .exports(["readables"], of: "readable"),
        .exports(["readableCore"], of: "readablecore"), .exports(["bufferViews"], of: "bufferviews"),
        .exports(["ByteController"], of: "readablebytes"),
      ]),
    BuiltinModule(
      name: "bufferviews", source: { Scripts.bufferviews_js },
      needs: [.exports(["core"], of: "streamcore")]),
    BuiltinModule(
      name: "readablebyob", source: { Scripts.readablebyob_js },
      globals: ["ReadableStreamBYOBReader", "ReadableByteStreamController", "ReadableStreamBYOBRequest"],
      needs: core + [
        .exports(["readables"], of: "readable"), .exports(["readableCore"], of: "readablecore"),
        .exports(["bufferViews"], of: "bufferviews"), .exports(["ByteController"], of: "readablebytes"),
      ]),
    BuiltinModule(
      name: "transform", source: { Scripts.transform_js },
      globals: ["TransformStream", "TransformStreamDefaultController"],
      needs: core + [.exports(["readables"], of: "readable"), .exports(["writables"], of: "writable")]),
    BuiltinModule(
      name: "textstreams", source: { Scripts.textstreams_js },
      globals: ["TextEncoderStream", "TextDecoderStream"],
      needs: core + [
        .exports(["transforms"], of: "transform"), .exports(["TextDecoder", "decoding"], of: "encoding"),
      ]
    ) { host, services throws(JSException) in host.addUTF8(services) },
    BuiltinModule(
      name: "compression", source: { Scripts.compression_js },
      globals: ["CompressionStream", "DecompressionStream"],
      needs: core + [
        .exports(["transforms"], of: "transform"), .exports(["bufferViews"], of: "bufferviews"),
      ],
      host: CompressionHost.add),
  ]
}
