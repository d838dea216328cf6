  /**
   * Makes a peer: it finds others of its service type, and others find it. It is in a session of its own until it invites
   * somebody or accepts an invitation. Permission: `peers.connect`.
   */
  create(option: NBridgePeerOptions, control?: NBridgeControl): Promise<NBridgePeerSession>;
  /** Says what a simulated network of this program is like, for tests. Permission: `peers.connect`. */
  simulate(option: NBridgeSimulationOptions): Promise<void>;
