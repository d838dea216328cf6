/** Somebody else. */
interface NBridgePeer { readonly id: string; readonly name: string }

interface NBridgePeerOptions {
  /** For people; 1 to 63 bytes. The app's name without it. */
  displayName?: string;
  /** Only peers of one type find each other: 1 to 15 lower-case letters, digits and hyphens, as "chess". */
  serviceType: string;
  /** Told to whoever looks for peers; at most 1,300 bytes. */
  discoveryInfo?: Record<string, string>;
  /** By default "local": programs of this user on this machine. */
  transport?: "local" | "simulated";
  security?: "sameUser";
  /** The simulated network's name. */
  network?: string;
  /** How long a member may be silent before it counts as gone; milliseconds, by default 1,500. */
  silence?: number;
  /** How long what was sent to a member that can't be reached is kept for it; milliseconds, by default 60,000. */
  resume?: number;
}

interface NBridgePeerSession extends AsyncDisposable {
  readonly id: string;
  readonly displayName: string;
  advertise(option?: { discoveryInfo?: Record<string, string> }): Promise<void>;
  stopAdvertising(): Promise<void>;
  browse(): AsyncIterableIterator<{ kind: "found" | "updated" | "lost"; peer: NBridgePeer & { readonly info: Record<string, string> } }>;
  browse(callback: (event: { kind: "found" | "updated" | "lost"; peer: NBridgePeer & { readonly info: Record<string, string> } }) => void, control?: NBridgeControl): Promise<void>;
  /** Settles when the peer has joined. Errors: `not_found`, `declined`, `timeout`, `unavailable`. */
  invite(peer: NBridgePeer | string, option?: { context?: any; timeout?: number }, control?: NBridgeControl): Promise<void>;
  invitations(): AsyncIterableIterator<NBridgePeerInvitation>;
  invitations(callback: (invitation: NBridgePeerInvitation) => void, control?: NBridgeControl): Promise<void>;
  peers(): Promise<NBridgePeerState[]>;
  states(): AsyncIterableIterator<{ peer: NBridgePeer; state: "notConnected" | "connecting" | "connected"; route?: "direct" | "relayed" }>;
  states(callback: (event: { peer: NBridgePeer; state: "notConnected" | "connecting" | "connected"; route?: "direct" | "relayed" }) => void, control?: NBridgeControl): Promise<void>;
  /** Takes a message for members, all when nobody is named; waits while one of them has no room. Answers how many get it. */
  send(data: any, option?: { to?: NBridgePeer | string | (NBridgePeer | string)[]; mode?: "reliable" | "unreliable" }, control?: NBridgeControl): Promise<number>;
  messages(): AsyncIterableIterator<NBridgePeerMessage>;
  messages(callback: (message: NBridgePeerMessage) => void, control?: NBridgeControl): Promise<void>;
  problems(): AsyncIterableIterator<NBridgePeerProblem>;
  problems(callback: (problem: NBridgePeerProblem) => void, control?: NBridgeControl): Promise<void>;
  /** Settles when the other side has taken all of it. */
  sendResource(what: string | ArrayBuffer | ArrayBufferView, option: {
    to: NBridgePeer | string; name?: string; directory?: "documents" | "caches" | "applicationSupport" | "temporary" | "bundle";
    progress?: (event: { done: number; total: number }) => void; signal?: AbortSignal;
  }): Promise<{ size: number; hash: string }>;
  resources(): AsyncIterableIterator<NBridgePeerResource>;
  resources(callback: (resource: NBridgePeerResource) => void, control?: NBridgeControl): Promise<void>;
  receiveResource(option?: { progress?: (event: { done: number; total: number }) => void; signal?: AbortSignal }): Promise<NBridgeReceivedResource>;
  openStream(peer: NBridgePeer | string, name: string, control?: NBridgeControl): Promise<WritableStream<Uint8Array | string>>;
  streams(): AsyncIterableIterator<{ from: NBridgePeer; name: string; readable: ReadableStream<Uint8Array> }>;
  streams(callback: (stream: { from: NBridgePeer; name: string; readable: ReadableStream<Uint8Array> }) => void, control?: NBridgeControl): Promise<void>;
  statistics(): Promise<{ members: number; links: number; counts: Record<string, number>; waiting: number }>;
  drain(milliseconds?: number): Promise<boolean>;
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

interface NBridgePeerInvitation {
  readonly from: NBridgePeer;
  readonly context: any;
  /** How long it can be answered; milliseconds. */
  readonly timeout: number;
  readonly isOver: boolean;
  accept(): Promise<boolean>;
  decline(): Promise<boolean>;
}

interface NBridgePeerState extends NBridgePeer {
  state: "notConnected" | "connecting" | "connected";
  route?: "direct" | "relayed";
  hops?: number;
  info?: Record<string, string>;
}

interface NBridgePeerMessage { from: NBridgePeer; data: any; mode: "reliable" | "unreliable" }

interface NBridgePeerProblem {
  kind: "undelivered" | "protocolViolation";
  message: string;
  peer?: string;
  messages?: number;
  bytes?: number;
}

interface NBridgePeerResource {
  readonly from: NBridgePeer;
  readonly name: string;
  readonly size: number;
  receive(option?: { progress?: (event: { done: number; total: number }) => void; signal?: AbortSignal }): Promise<NBridgeReceivedResource>;
  decline(): Promise<void>;
}

interface NBridgeReceivedResource { from: NBridgePeer; name: string; size: number; directory: "temporary"; path: string; fullPath: string; hash: string }

interface NBridgeSimulationOptions {
  network: string;
  seed?: number;
  /** Milliseconds, or the least and the most. */
  latency?: number | [number, number];
  /** How many of a hundred frames get lost. */
  loss?: number;
  duplicates?: number;
  reorders?: boolean;
  /** Peers of one group reach each other only; an empty list ends that. */
  groups?: (NBridgePeer | string)[][];
  /** Pairs that can't reach each other directly. */
  blocked?: (NBridgePeer | string)[][];
}
