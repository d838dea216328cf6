/** Answers a request. What it throws is logged, and the client gets the status 500. */
type NBridgeHttpHandler = (request: Request) => Response | Promise<Response>;

interface NBridgeHttpServeOptions {
  /** An address of this machine: 127.0.0.1 by default, 0.0.0.0 or :: for all of them. */
  host?: string;
  /** 0, the default, is one that the system chooses. */
  port?: number;
  /** The path of a socket of this user's programs, in place of host and port. */
  unix?: string;
  /** A certificate and its key, in PEM, for TLS. */
  cert?: string;
  key?: string;
  /** The most bytes of a request's body, 64 MiB by default; longer ones get the status 413. */
  bodyLimit?: number;
  /** Answers in place of a handler that threw. */
  onError?: (error: unknown) => Response | Promise<Response>;
}

interface NBridgeHttpServer extends AsyncDisposable {
  /** Of a server at a path, which has none of the next three. */
  readonly unix?: string;
  readonly host: string;
  readonly port: number;
  /** As `http://127.0.0.1:8080/`. */
  readonly url: string;
  /** Settles when the server has stopped. */
  readonly finished: Promise<void>;
  /** Takes no more requests; what was begun is answered. */
  stop(): Promise<void>;
}
