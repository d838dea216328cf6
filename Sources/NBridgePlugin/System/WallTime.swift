// SPDX-License-Identifier: MIT

internal import Glibc

/// The system's clock as ISO 8601 in UTC, with milliseconds.
package enum WallTime {
  package static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return text(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
  }

  package static func text(seconds: Int, milliseconds: Int) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    let pad = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
    let rest = "\(1000 + milliseconds)".dropFirst()
    return "\(Int(parts.tm_year) + 1900)-\(pad(parts.tm_mon + 1))-\(pad(parts.tm_mday))T"
      + "\(pad(parts.tm_hour)):\(pad(parts.tm_min)):\(pad(parts.tm_sec)).\(rest)Z"
  }
}
