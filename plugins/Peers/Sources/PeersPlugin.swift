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
    lifeBody
    findingBody
    memberBody
    messageBody
    sharingBody
  }

  @PluginBuilder private var lifeBody: PluginBody {
    Action("open", "Makes a peer.") { (options: CreateOptions, call) in try state.create(options, call.app) }
      .hidden().permission("connect").errors(.ioError, .unavailable)
    Immediate("close", "Ends a peer: its members hear that it leaves.") { (options: SessionOptions, call) in
      state.close(options.session)
    }
    .hidden().permission("connect")
    Immediate("disconnect", "Leaves the session; the peer can be invited again.") {
      (options: SessionOptions, call) in
      try state.session(options.session).disconnect()
    }
    .hidden().permission("connect").errors(.notFound)
    Immediate("isDrained", "Whether all that was sent was acknowledged.") {
      (options: SessionOptions, call) -> Bool in
      try state.session(options.session).isDrained
    }
    .hidden().permission("connect").errors(.notFound)
    Immediate("statistics", "What a peer counts.") { (options: SessionOptions, call) in
      try state.session(options.session).statistics
    }
    .hidden().permission("connect").errors(.notFound)
    Immediate("simulate", "Says what a simulated network of this program is like.") {
      (options: SimulationOptions, call) in
      try state.simulate(options)
    }
    .hidden().permission("connect")
  }

  @PluginBuilder private var findingBody: PluginBody {
    Action("advertise", "Lets others find a peer.") { (options: AdvertiseOptions, call) in
      try state.session(options.session).advertise(options.discoveryInfo ?? [:])
    }
    .hidden().permission("connect").errors(.notFound, .ioError)
    Action("stopAdvertising", "Lets nobody find a peer any more.") { (options: SessionOptions, call) in
      try state.session(options.session).stopAdvertising()
    }
    .hidden().permission("connect").errors(.notFound)
    Watch("browse", "Tells who can be found.") { (options: SessionOptions, call) in
      try state.session(options.session).browse()
    }
    .hidden().permission("connect").errors(.notFound, .ioError)
    Action("invite", "Asks a peer into the session.") { (options: InviteOptions, call) async throws in
      try await state.session(options.session).invite(options)
    }
    .hidden().permission("connect").errors(.notFound, .timeout, .unavailable)
    Watch("invitations", "Tells who asks this peer in.") { (options: SessionOptions, call) in
      try state.session(options.session).invitations()
    }
    .hidden().permission("connect").errors(.notFound)
    Immediate("answer", "Answers an invitation; false when it is not open any more.") {
      (options: AnswerOptions, call) -> Bool in
      try state.session(options.session).answer(options.number, accepts: options.accepts)
    }
    .hidden().permission("connect").errors(.notFound)
  }

  @PluginBuilder private var memberBody: PluginBody {
    Immediate("peers", "The peers that are known.") { (options: SessionOptions, call) in
      try state.session(options.session).peers
    }
    .hidden().permission("connect").errors(.notFound)
    Watch("states", "Tells how peers stand to this one.") { (options: SessionOptions, call) in
      try state.session(options.session).memberStates()
    }
    .hidden().permission("connect").errors(.notFound)
    Watch("problems", "Tells what went wrong.") { (options: SessionOptions, call) in
      try state.session(options.session).problems.events()
    }
    .hidden().permission("connect").errors(.notFound)
  }

  @PluginBuilder private var messageBody: PluginBody {
    Action("send", "Sends a message to members.") { (options: SendOptions, call) async throws -> Int in
      try await state.session(options.session).send(options)
    }
    .hidden().permission("connect").errors(.notFound, .unavailable, .tooLarge)
    Action("sendMany", "Sends short messages to members.") {
      (options: SendManyOptions, call) async throws -> Int in
      try await state.session(options.session).sendMany(options)
    }
    .hidden().permission("connect").errors(.notFound, .unavailable)
    Watch("messages", "Tells what members send.") { (options: MessagesOptions, call) in
      MessageBatches(try state.session(options.session), after: options.after)
    }
    .buffering(.wait(2)).hidden().permission("connect").errors(.notFound)
  }

  @PluginBuilder private var sharingBody: PluginBody {
    Watch("sendResource", "Sends a file or bytes to a member.") { (options: SendResourceOptions, call) in
      try state.session(options.session).sendResource(options, call.app)
    }
    .hidden().permission("connect").errors(.notFound, .permissionDenied, .unavailable, .ioError)
    Watch("resources", "Tells which resources members send.") { (options: SessionOptions, call) in
      try state.session(options.session).offers(.resource)
    }
    .hidden().permission("connect").errors(.notFound)
    Watch("receiveResource", "Receives a resource into a file.") { (options: OfferOptions, call) in
      let session = try state.session(options.session)
      return IncomingResource(session: session, channel: try session.claim(.resource, options.key()))
    }
    .hidden().permission("connect").errors(.notFound, .conflict, .ioError)
    Immediate("declineResource", "Declines a resource or a stream.") { (options: OfferOptions, call) in
      try state.session(options.session).decline(options.key())
    }
    .hidden().permission("connect").errors(.notFound)
    Action("openStream", "Opens a stream to a member.") {
      (options: OpenStreamOptions, call) async throws -> Int in
      try await state.session(options.session).openStream(options)
    }
    .hidden().permission("connect").errors(.notFound, .unavailable)
    Action("writeStream", "Writes to a stream, as soon as there is room.") {
      (options: WriteOptions, call) async throws in
      try await state.session(options.session).writeStream(options)
    }
    .hidden().permission("connect").errors(.notFound, .unavailable)
    Action("closeStream", "Ends a stream; one that is whole when its reader has taken all.") {
      (options: CloseOptions, call) async throws in
      try await state.session(options.session).closeStream(options)
    }
    .hidden().permission("connect").errors(.notFound, .unavailable)
    Watch("streams", "Tells which streams members open.") { (options: SessionOptions, call) in
      try state.session(options.session).offers(.stream)
    }
    .hidden().permission("connect").errors(.notFound)
    Watch("readStream", "Tells what comes of a stream.") { (options: OfferOptions, call) in
      let session = try state.session(options.session)
      return StreamChunks(session: session, channel: try session.claim(.stream, options.key()))
    }
    .buffering(.wait(2)).hidden().permission("connect").errors(.notFound, .conflict)
  }
}
