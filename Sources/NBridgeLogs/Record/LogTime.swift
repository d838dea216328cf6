// SPDX-License-Identifier: MIT

internal import Glibc

/// Times as people type them.
package enum LogTime {
  /// Seconds since 1970: `30s`, `10m`, `2h`, `3d` ago; `14:30` today; `2026-11-22`, with `T14:30:00` and `Z`
  /// or not. Without `Z` it is the time of this place. Nil for what is none.
  package static func parse(_ text: String, now: Int) -> Int? {
    if let unit = text.last, let seconds = ["s": 1, "m": 60, "h": 3600, "d": 86400][unit],
      let count = Double(text.dropLast()), count >= 0, count < 1e9
    {
      return now - Int(count * Double(seconds))
    }
    let isUTC = text.hasSuffix("Z")
    let parts = (isUTC ? text.dropLast() : text[...]).split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "T" || $0 == " " })
    var (at, time) = (now, tm())
    if isUTC { gmtime_r(&at, &time) } else { localtime_r(&at, &time) }
    var clock = parts.last ?? ""
    if let first = parts.first, first.contains("-") {
      let date = first.split(separator: "-").compactMap { Int32($0) }
      guard date.count == 3, 1970...9999 ~= date[0], 1...12 ~= date[1], 1...31 ~= date[2] else { return nil }
      (time.tm_year, time.tm_mon, time.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
      clock = parts.count > 1 ? parts[1] : "0:00"
    }
    let numbers = clock.split(separator: ":").map { Double($0) ?? -1 }
    guard (2...3).contains(numbers.count), 0..<24 ~= numbers[0], 0..<60 ~= numbers[1],
      0..<61 ~= (numbers.count > 2 ? numbers[2] : 0)
    else { return nil }
    (time.tm_hour, time.tm_min) = (Int32(numbers[0]), Int32(numbers[1]))
    time.tm_sec = numbers.count > 2 ? Int32(numbers[2]) : 0
    time.tm_isdst = -1
    // 30 February would be taken for a day of March; a leap second at most ends the day.
    let (month, day) = (time.tm_mon, time.tm_mday)
    let seconds = isUTC ? timegm(&time) : mktime(&time)
    return time.tm_mon == month && time.tm_mday == day || numbers.last == 60 ? seconds : nil
  }
}
