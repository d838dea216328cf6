// SPDX-License-Identifier: MIT

import AuthPlugin
import Foundation
import NBridgePlugin
import Testing

@Suite struct AuthPolicyFileTests {
  @Test(arguments: [
    ("{\n\"rules\": [\n{\"outcome\": \"maybe\"}]}", 3, "rules[0].outcome must be one of 'pass', 'fail'"),
    ("{\n\n\"rule\": []}", 3, "the policy has no key 'rule'; there are biometry, enrolled, passcode, rules"),
    ("[]", 1, "the policy must be an object, not an array"), ("{\n\"rules\": [\n]\n,}", 4, "is not JSON"),
    ("", 1, "is not JSON"),
    ("{\"rules\": [\n{}]}", 2, "rules[0] must say what happens"),
    (
      "{\"rules\": [{\"outcomes\": [\"pass\",\n\n{\"delay\": 5}]}]}", 3, "rules[0].outcomes[1] has no outcome"
    ),
    (
      "{\"rules\": [{\"outcomes\": [\n{\"outcome\": \"pass\", \"delay\": -1}]}]}", 2,
      "rules[0].outcomes[0].delay must be milliseconds"
    ),
    ("{\"rules\": [{\"outcome\": \"pass\",\n\"outcomes\": [\"fail\"]}]}", 2, "both outcome and outcomes"),
    ("{\"passcode\": true,\n\"passcode\": false}", 2, "the key 'passcode' twice"),
    ("{\"biometry\": \"none\", \"enrolled\": [\"left\"]}", 1, "enrolled must be empty"),
    ("{\"biometry\": \"iris\"}", 1, "must be one of 'fingerprint', 'face', 'none', not 'iris'"),
    ("{\"rules\": [{\"outcomes\": []}]}", 1, "1 to 100000 outcomes"),
    ("{\"enrolled\": [\"\\ud800\"]}", 1, ""),
    ("{\"passcode\": \"yes\"}", 1, "passcode must be true or false, not 'yes'"),
  ])
  func aWrongFileIsNamedWithItsLine(_ text: String, _ line: Int, _ message: String) {
    let error = #expect(throws: BridgeError.self) {
      try AuthPolicyFile.parse(Array(text.utf8), path: "dir/policy.json")
    }
    #expect(
      error?.message.hasPrefix("dir/policy.json:\(line): ") == true
        && (message.isEmpty || error?.message.contains(message) == true), "\(error?.message ?? "")")
  }

  @Test func aFileThatIsNotThereIsNamed() {
    let error = #expect(throws: BridgeError.self) { try AuthSetup(file: "/nowhere/policy.json") }
    #expect(error?.message == "there is no policy file '/nowhere/policy.json'")
  }
}
