// SPDX-License-Identifier: MIT

/// URLPattern: its tokens, parts, components and strings are scripts of their own, which only it needs.
package enum PatternModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "urlpatterntokens", source: { Scripts.urlpatterntokens_js },
      needs: [.exports(["append"], of: "lists")]),
    BuiltinModule(
      name: "urlpatternparts", source: { Scripts.urlpatternparts_js },
      needs: [.exports(["append"], of: "lists"), .module("urlpatterntokens", as: "tokens")]),
    BuiltinModule(
      name: "urlpatterncomponents", source: { Scripts.urlpatterncomponents_js },
      needs: [.module("urlparser", as: "parser"), .module("urlpatternparts", as: "parts")]),
    BuiltinModule(
      name: "urlpatternstrings", source: { Scripts.urlpatternstrings_js },
      needs: [
        .module("urlpatterntokens", as: "tokens"), .module("urlpatterncomponents", as: "components"),
      ]),
    BuiltinModule(
      name: "urlpatterninit", source: { Scripts.urlpatterninit_js },
      needs: [
        .module("urlparser", as: "parser"), .module("urlpatternparts", as: "parts"),
        .module("urlpatterncomponents", as: "components"),
      ]),
    BuiltinModule(
      name: "urlpattern", source: { Scripts.urlpattern_js }, globals: ["URLPattern"],
      needs: [
        .exports(["append"], of: "lists"), .exports(["finish"], of: "idl"),
        .exports(["notCloneable"], of: "platform"),
        .exports(["showsFields", "fieldsOf", "compares"], of: "contents"),
        .module("urlparser", as: "parser"), .module("urlpatterninit", as: "init"),
        .module("urlpatterncomponents", as: "components"), .module("urlpatternstrings", as: "strings"),
      ]),
  ]
}
