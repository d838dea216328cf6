// SPDX-License-Identifier: MIT

internal import JSEngine

/// Keys and what is done with them (Web Cryptography). `crypto` itself is among the machine's modules.
package enum CryptoModules {
  private static let shared: [BuiltinModule.Need] = [
    .module("cryptobytes", as: "bytes"), .export("internals", of: "cryptokey", as: "keys"),
    .module("cryptojwk", as: "jwk"), .module("cryptonative", as: "native"),
  ]
  /// What the kinds of keys have in common.
  private static let ofKinds: [BuiltinModule.Need] = shared + [.module("cryptochecks", as: "checks")]

  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "subtle", source: { Scripts.subtle_js }, globals: ["SubtleCrypto"],
      needs: shared + [
        .exports(["finish", "need"], of: "idl"), .exports(["append"], of: "lists"),
        .exports(["notCloneable"], of: "platform"), .module("cryptoparameters", as: "parameters"),
        .module("cryptowrapping", as: "wrapping"), .exports(["turns"], of: "turns"),
      ]),
    BuiltinModule(
      name: "cryptokey", source: { Scripts.cryptokey_js }, globals: ["CryptoKey"],
      needs: [
        .exports(["finish"], of: "idl"), .exports(["append"], of: "lists"),
        .export("internals", of: "clone", as: "clone"), .exports(["showsFields"], of: "contents"),
      ]),
    BuiltinModule(
      name: "cryptonative", source: { Scripts.cryptonative_js },
      needs: [.exports(["DOMException"], of: "domexception")], host: SubtleHost.add),
    BuiltinModule(
      name: "cryptobytes", source: { Scripts.cryptobytes_js },
      needs: [.exports(["DOMException"], of: "domexception"), .module("cryptonative", as: "native")]),
    BuiltinModule(
      name: "cryptojwk", source: { Scripts.cryptojwk_js },
      needs: [.exports(["append"], of: "lists"), .module("cryptobytes", as: "bytes")]),
    BuiltinModule(
      name: "cryptowrapping", source: { Scripts.cryptowrapping_js },
      needs: [.module("cryptojwk", as: "jwk"), .module("cryptobytes", as: "bytes")]
    ) { host, services throws(JSException) in host.addUTF8(services) },
    BuiltinModule(
      name: "cryptoparameters", source: { Scripts.cryptoparameters_js },
      needs: [
        .module("cryptobytes", as: "bytes"), .export("internals", of: "cryptokey", as: "keys"),
        .module("cryptosecret", as: "secret"), .module("cryptorsa", as: "rsa"),
        .module("cryptocurves", as: "curves"),
      ]),
    BuiltinModule(
      name: "cryptochecks", source: { Scripts.cryptochecks_js },
      needs: [
        .module("cryptobytes", as: "bytes"), .export("internals", of: "cryptokey", as: "keys"),
      ]),
    BuiltinModule(name: "cryptosecret", source: { Scripts.cryptosecret_js }, needs: ofKinds),
    BuiltinModule(name: "cryptopairs", source: { Scripts.cryptopairs_js }, needs: shared),
    BuiltinModule(
      name: "cryptorsa", source: { Scripts.cryptorsa_js },
      needs: ofKinds + [.module("cryptopairs", as: "pairs")]),
    BuiltinModule(
      name: "cryptocurves", source: { Scripts.cryptocurves_js },
      needs: ofKinds + [.module("cryptopairs", as: "pairs")]),
  ]
}
