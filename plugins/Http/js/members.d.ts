  /**
   * Serves HTTP at an address of this machine, 127.0.0.1 unless `host` says another, and answers each request with what the
   * handler answers; the program goes on until the server is stopped.
   * Permission: `http.serve:` and the address, as `http.serve:127.0.0.1:8080`.
   */
  serve(handler: NBridgeHttpHandler, control?: NBridgeControl): Promise<NBridgeHttpServer>;
  serve(option: NBridgeHttpServeOptions | undefined, handler: NBridgeHttpHandler, control?: NBridgeControl): Promise<NBridgeHttpServer>;
