// SPDX-License-Identifier: MIT

/// Which object a method is called on: the option of a method's call is the list `[number]` or
/// `[number,option]`, as `Bridge/js/handles.js` makes it.
package struct HandleAddress {
  package let number: UInt64
  /// The method's own option.
  package let option: WireInput

  /// Reads what was handed over; nil when it is no such list.
  package init?(_ input: WireInput) {
    let text = input.text
    guard text.first == 0x5B, text.last == 0x5D else { return nil }
    var end = 1
    var number: UInt64 = 0
    while end < min(text.count, 18), case 0x30...0x39 = text[end] {
      number = number * 10 + UInt64(text[end] - 0x30)
      end += 1
    }
    guard end > 1, number > 0 else { return nil }
    if end == text.count - 1 {
      option = .none
    } else if text[end] == 0x2C, end + 1 < text.count - 1 {
      option = WireInput(
        text: UnsafeBufferPointer(rebasing: text[(end + 1)..<(text.count - 1)]),
        attachments: input.attachments)
    } else {
      return nil
    }
    self.number = number
  }
}
