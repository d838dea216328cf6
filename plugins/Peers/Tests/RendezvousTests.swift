// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

@testable import NBridgeSystem
@testable import PeersPlugin

/// How peers of one machine find each other: real files, locks and sockets.
@Suite struct RendezvousTests {
  /// Two places that look at one folder, as two programs do.
  final class Two {
    let runtime: OwnFolder
    let announcer: Rendezvous
    let looker: Rendezvous
    let found = Collected<Advertisement>()
    let lost = Collected<PeerID>()

    init() throws {
      runtime = OwnFolder()
      announcer = try Rendezvous("chess", in: runtime.path)
      looker = try Rendezvous("chess", in: runtime.path)
    }

    func browse() throws {
      try looker.browse { [found, lost] event in
        switch event {
        case .found(let advertisement): found.add(advertisement)
        case .lost(let id): lost.add(id)
        }
      }
    }

    var folder: String { announcer.folder }

    deinit {
      announcer.stop()
      looker.stop()
    }
  }

  static func advertisement(_ seed: UInt64, name: String = "Ada", info: [String: String] = [:])
    -> Advertisement
  {
    let keys = SimulatedKeys(seed: seed)
    return Advertisement(
      keys, serviceType: "chess", name: name, info: info, address: keys.id(of: keys.publicKey).description)
  }

  @Test func whoIsAnnouncedIsFoundBeforeAndAfterOneBeganToLook() async throws {
    let two = try Two()
    try two.announcer.advertise(Self.advertisement(1))
    try two.browse()
    await eventually { two.found.all.map(\.name) == ["Ada"] }
    try two.announcer.advertise(Self.advertisement(1, name: "Bob"))
    await eventually { two.found.all.map(\.name) == ["Ada", "Bob"] }
    try two.announcer.advertise(nil)
    await eventually { two.lost.all.count == 1 }
    #expect(FolderNames.of(two.folder).isEmpty)
    try two.announcer.advertise(Self.advertisement(1))
    await eventually { two.found.all.count == 3 }
    #expect(two.lost.all.count == 1, "one that says something else was not lost in between")
  }

  /// As much as may be announced, each byte of which takes six in its file.
  @Test func theLongestAnnouncementIsFound() async throws {
    let two = try Two()
    var info: [String: String] = [:]
    for key in ["a", "b", "c", "d", "e"] { info[key] = String(repeating: "\u{1}", count: 253) }
    info["f"] = String(repeating: "\u{1}", count: 17)
    #expect(DiscoveryInfo.problem(info) == nil)
    info["f"]? += "\u{1}"
    #expect(DiscoveryInfo.problem(info) != nil)
    info["f"]?.removeLast()
    let longest = Self.advertisement(1, name: String(repeating: "\"", count: 63), info: info)
    try two.announcer.advertise(longest)
    try two.browse()
    await eventually { two.found.all == [longest] }
  }

  /// Each of them stands there before one that is good: when that is found, the others were passed over.
  @Test func whatElseStandsThereIsPassedOver() async throws {
    let two = try Two()
    let good = Self.advertisement(1), bad = Self.advertisement(2)
    var files: [Int32] = []
    defer { for file in files { close(file) } }
    let text = { (advertisement: Advertisement) in try Value(encoding: advertisement).text }
    let put = { (seed: UInt64, bytes: [UInt8]) in
      let path = "\(two.folder)/\(Self.advertisement(seed).id).peer"
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
      #expect(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count)
      files.append(file)
    }
    // Another peer's name on it, another address, names that can't be, no JSON, nothing, too much.
    put(3, try text(bad))
    var elsewhere = Self.advertisement(4)
    elsewhere.address = good.id
    put(4, try text(elsewhere))
    put(5, try text(Self.advertisement(5, name: "a\nb")))
    put(6, try text(Self.advertisement(6, info: ["": "x"])))
    put(7, Array("{".utf8))
    put(8, [])
    put(9, try text(Self.advertisement(9)) + [UInt8](repeating: 32, count: 9000))
    put(10, [0xFF, 0xFE])
    // A link to a good one, a pipe, a folder, names that are none.
    let other = two.runtime.path + "/elsewhere"
    try Data(text(Self.advertisement(11))).write(to: URL(fileURLWithPath: other))
    #expect(symlink(other, "\(two.folder)/\(Self.advertisement(11).id).peer") == 0)
    #expect(mkfifo("\(two.folder)/\(Self.advertisement(12).id).peer", 0o600) == 0)
    #expect(mkdir("\(two.folder)/\(Self.advertisement(13).id).peer", 0o700) == 0)
    for name in ["x.peer", ".peer", "\(bad.id.uppercased()).peer", "\(bad.id)0.peer"] {
      try Data(text(bad)).write(to: URL(fileURLWithPath: "\(two.folder)/\(name)"))
    }
    try two.browse()
    try two.announcer.advertise(good)
    await eventually { two.found.all.contains(good) }
    #expect(two.found.all == [good] && two.lost.all.isEmpty)
    #expect(FileManager.default.fileExists(atPath: other))
  }

  /// A process that was killed leaves its file, and its lock goes with it.
  @Test func whatNobodyLocksIsTakenAway() async throws {
    let two = try Two()
    let dead = Self.advertisement(2)
    let path = "\(two.folder)/\(dead.id)"
    try Data(Value(encoding: dead).text).write(to: URL(fileURLWithPath: path + ".peer"))
    try Data().write(to: URL(fileURLWithPath: path))
    try Data().write(to: URL(fileURLWithPath: "\(two.folder)/notes"))
    try two.announcer.advertise(Self.advertisement(1))
    try two.browse()
    await eventually { two.found.all.count == 1 && FolderNames.of(two.folder).count == 2 }
    #expect(Set(FolderNames.of(two.folder)) == ["notes", "\(Self.advertisement(1).id).peer"])
  }

  /// The socket of a killed peer that was not announced goes; one that a process listens at stays.
  @Test func socketsThatNobodyListensAtAreTakenAway() async throws {
    let two = try Two()
    let listening = Self.advertisement(3).id, dead = Self.advertisement(2).id
    let listener = try LocalListener(listening, in: two.folder) { close($0) }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try UnixAddress.with(dead, in: two.folder) { bind(socket, $0, $1) } == 0)
    close(socket)
    #expect(FolderNames.of(two.folder).count == 2)
    try two.announcer.advertise(Self.advertisement(1))
    try two.browse()
    await eventually { !two.found.all.isEmpty && !FolderNames.of(two.folder).contains(dead) }
    #expect(FolderNames.of(two.folder).contains(listening))
    listener.unlink()
    #expect(!FolderNames.of(two.folder).contains(listening))
  }

  @Test func forgettingTakesSocketsAndNothingElse() throws {
    let two = try Two()
    let id = Self.advertisement(1).id
    for name in [id, "notes", "\(id).peer"] {
      try Data().write(to: URL(fileURLWithPath: "\(two.folder)/\(name)"))
    }
    for name in [id, "notes", "\(id).peer", "../../elsewhere", "", ".", ".."] { two.announcer.forget(name) }
    #expect(Set(FolderNames.of(two.folder)) == ["notes", "\(id).peer"])
  }

  @Test func theFolderIsTheUsersAlone() throws {
    let two = try Two()
    var status = stat()
    #expect(stat(two.folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  // MARK: - Which process a socket leads to

  @Test func aProcessIsTheOneItSays() {
    typealias Place = LocalBinding.Place
    let own = Place(namespace: 5, process: 10)
    for (place, seen, isGood) in [
      (Place(namespace: 5, process: 20), 20, true), (Place(namespace: 5, process: 20), 21, false),
      (Place(namespace: 5, process: 20), 0, false), (Place(namespace: 0, process: 20), 21, true),
      (Place(namespace: 6, process: 20), 0, true), (Place(namespace: 6, process: -1), 0, true),
    ] as [(Place, Int32, Bool)] {
      #expect((LocalBinding.problem(place.bytes, seen: seen, from: own) == nil) == isGood, "\(place) \(seen)")
    }
    #expect(LocalBinding.problem(own.bytes, seen: 99, from: Place(namespace: 0, process: 1)) == nil)
    for count in [0, 1, 11, 13, 64] {
      #expect(LocalBinding.problem([UInt8](repeating: 5, count: count), seen: 20, from: own) != nil)
    }
    #expect(Place(own.bytes) == own && own.bytes.count == Place.size)
  }

  @Test func aSocketsTwoEndsKnowEachOther() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let (one, other) = (LocalBinding.of(ends[0]), LocalBinding.of(ends[1]))
    #expect(one.problem(other.own) == nil && other.problem(one.own) == nil)
    guard var forged = LocalBinding.Place(one.own) else {
      Issue.record("no place")
      return
    }
    forged.process += 1
    #expect(forged.namespace == 0 || other.problem(forged.bytes) != nil)
    #expect(one.own.count <= LinkBinding.longest)
  }
}
