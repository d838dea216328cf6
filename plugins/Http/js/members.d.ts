  /**
   * Serves HTTP at an address of this machine, 127.0.0.1 unless `host` says another, and answers each request with what the
   * handler answers; the program goes on until the server is stopped.
   * Permission: `http.serve:` and the address, as `http.serve:127.0.0.1:8080`.
   */
  serve(handler: NBridgeHttpHandler, control?: NBridgeControl): Promise<NBridgeHttpServer>;
  serve(option: NBridgeHttpServeOptions | undefined, handler: NBridgeHttpHandler, control?: NBridgeControl): Promise<NBridgeHttpServer>;
  /**
   * Opens a WebSocket to the client of a request that asks for one: the handler answers with `response`, and `socket` opens when the
   * client has it. `protocol` is one of those that the client names. Any page of any origin may ask: look at the header `origin`.
   */
  upgrade(request: Request, option?: { protocol?: string }): { socket: WebSocket; response: Response };
