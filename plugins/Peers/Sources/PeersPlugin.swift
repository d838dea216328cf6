// SPDX-License-Identifier: MIT

public import NBridgePlugin

/// Peers: programs that find each other, invite each other, and send each other what they want.
public struct PeersPlugin: Plugin {
  /// `nbridge.peers`.
  public static let manifest = PluginManifest(
    service: "peers", version: "1.0.0",
    help:
      """
      Peers: programs that find each other, invite each other, and send each other messages, \
      resources and streams.
      """,
    script: PluginScript(
      files: [
        PackageResources.common_js, PackageResources.invitations_js, PackageResources.sharing_js,
        PackageResources.messages_js, PackageResources.peers_js,
      ],
      members: PackageResources.members_d_ts, types: PackageResources.types_d_ts))

  private let state = PeersState()

  /// Makes the plugin.
  public init() {}

  /// Ends the program's peers.
  public func stop() { state.stop() }

  /// The plugin's actions.
  public var body: PluginBody {
    Action("open", "Makes a peer.") { (options: CreateOptions, call) in
      let session = try state.create(options, call.app)
      return CreatedSession(
        session: call.hold(session), id: session.id.description, displayName: session.name)
    }
    .hidden().permission("connect").errors(.ioError, .unavailable)
    Immediate("simulate", "Says what a simulated network of this program is like.") {
      (options: SimulationOptions, call) in
      try state.simulate(options)
    }
    .hidden().permission("connect")
    Handles(PeerSession.self) {
      lifeBody
      findingBody
      memberBody
      messageBody
      sharingBody
    }
    .hidden()
  }

  @PluginBuilder private var lifeBody: PluginBody {
    Immediate("end", "Ends a peer: its members hear that it leaves, and what waits ends.") {
      (session: PeerSession, call) in
      session.close()
    }
    .permission("connect")
    Immediate("disconnect", "Leaves the session; the peer can be invited again.") {
      (session: PeerSession, call) in
      session.disconnect()
    }
    .permission("connect")
    Immediate("isDrained", "Whether all that was sent was acknowledged.") {
      (session: PeerSession, call) -> Bool in
      session.isDrained
    }
    .permission("connect")
    Immediate("statistics", "What a peer counts.") { (session: PeerSession, call) in
      session.statistics
    }
    .permission("connect")
  }

  @PluginBuilder private var findingBody: PluginBody {
    Action("advertise", "Lets others find a peer.") {
      (session: PeerSession, options: AdvertiseOptions, call) in
      try session.advertise(options.discoveryInfo ?? [:])
    }
    .permission("connect").errors(.ioError)
    Action("stopAdvertising", "Lets nobody find a peer any more.") { (session: PeerSession, call) in
      try session.stopAdvertising()
    }
    .permission("connect")
    Watch("browse", "Tells who can be found.") { (session: PeerSession, call) in
      try session.browse()
    }
    .permission("connect").errors(.ioError)
    Action("invite", "Asks a peer into the session.") {
      (session: PeerSession, options: InviteOptions, call) async throws in
      try await session.invite(options)
    }
    .permission("connect").errors(.timeout, .unavailable)
    Watch("invitations", "Tells who asks this peer in.") { (session: PeerSession, call) in
      session.invitations()
    }
    .permission("connect")
    Immediate("answer", "Answers an invitation; false when it is not open any more.") {
      (session: PeerSession, options: AnswerOptions, call) -> Bool in
      session.answer(options.number, accepts: options.accepts)
    }
    .permission("connect")
  }

  @PluginBuilder private var memberBody: PluginBody {
    Immediate("peers", "The peers that are known.") { (session: PeerSession, call) in
      session.peers
    }
    .permission("connect")
    Watch("states", "Tells how peers stand to this one.") { (session: PeerSession, call) in
      session.memberStates()
    }
    .permission("connect")
    Watch("problems", "Tells what went wrong.") { (session: PeerSession, call) in
      session.problems.events()
    }
    .permission("connect")
  }

  @PluginBuilder private var messageBody: PluginBody {
    Action("send", "Sends a message to members.") {
      (session: PeerSession, options: SendOptions, call) async throws -> Int in
      try await session.send(options)
    }
    .permission("connect").errors(.unavailable, .tooLarge)
    Action("sendMany", "Sends short messages to members.") {
      (session: PeerSession, options: SendManyOptions, call) async throws -> Int in
      try await session.sendMany(options)
    }
    .permission("connect").errors(.unavailable)
    Watch("messages", "Tells what members send.") { (session: PeerSession, options: MessagesOptions, call) in
      MessageBatches(session, after: options.after)
    }
    .buffering(.wait(2)).permission("connect")
  }

  @PluginBuilder private var sharingBody: PluginBody {
    Watch("sendResource", "Sends a file or bytes to a member.") {
      (session: PeerSession, options: SendResourceOptions, call) in
      try session.sendResource(options, call.app)
    }
    .permission("connect").errors(.permissionDenied, .unavailable, .ioError)
    Watch("resources", "Tells which resources members send.") { (session: PeerSession, call) in
      session.offers(.resource)
    }
    .permission("connect")
    Watch("receiveResource", "Receives a resource into a file.") {
      (session: PeerSession, options: OfferOptions, call) in
      IncomingResource(session: session, channel: try session.claim(.resource, options.key()))
    }
    .permission("connect").errors(.conflict, .ioError)
    Immediate("declineResource", "Declines a resource or a stream.") {
      (session: PeerSession, options: OfferOptions, call) in
      session.decline(try options.key())
    }
    .permission("connect")
    Action("openStream", "Opens a stream to a member.") {
      (session: PeerSession, options: OpenStreamOptions, call) async throws -> Int in
      try await session.openStream(options)
    }
    .permission("connect").errors(.unavailable)
    Action("writeStream", "Writes to a stream, as soon as there is room.") {
      (session: PeerSession, options: WriteOptions, call) async throws in
      try await session.writeStream(options)
    }
    .permission("connect").errors(.unavailable)
    Action("closeStream", "Ends a stream; one that is whole when its reader has taken all.") {
      (session: PeerSession, options: CloseOptions, call) async throws in
      try await session.closeStream(options)
    }
    .permission("connect").errors(.unavailable)
    Watch("streams", "Tells which streams members open.") { (session: PeerSession, call) in
      session.offers(.stream)
    }
    .permission("connect")
    Watch("readStream", "Tells what comes of a stream.") {
      (session: PeerSession, options: OfferOptions, call) in
      StreamChunks(session: session, channel: try session.claim(.stream, options.key()))
    }
    .buffering(.wait(2)).permission("connect").errors(.conflict)
  }
}
