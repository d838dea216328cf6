// SPDX-License-Identifier: MIT

/// What the engine has and TypeScript's own libraries, by their version, may not know.
extension TypeScriptGenerator {
  static let libraries = """
    // What TypeScript before 5.5 does not know of URL and AbortSignal, whose constructors have no type
    // with a name that could be added to; newer ones take their own.
    interface NewableFunction {
      canParse(this: typeof URL, url: string | URL, base?: string | URL): boolean;
      parse(this: typeof URL, url: string | URL, base?: string | URL): URL | null;
      any(this: typeof AbortSignal, signals: Iterable<AbortSignal>): AbortSignal;
      timeout(this: typeof AbortSignal, milliseconds: number): AbortSignal;
      from<R>(this: typeof ReadableStream, source: AsyncIterable<R> | Iterable<R>): ReadableStream<R>;
      json(this: typeof Response, data: any, init?: ResponseInit): Response;
    }
    // The same of what has such names.
    interface ReadableStream<R> { [Symbol.asyncIterator](): AsyncIterableIterator<R> }
    interface Headers { getSetCookie(): string[] }
    interface Blob { bytes(): Promise<Uint8Array> }
    interface Body { bytes(): Promise<Uint8Array> }
    interface Array<T> {
      findLast(predicate: (value: T, index: number, array: T[]) => unknown): T | undefined;
      findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number;
      toReversed(): T[];
      toSorted(compare?: (a: T, b: T) => number): T[];
      toSpliced(start: number, count?: number, ...items: T[]): T[];
      with(index: number, value: T): T[];
    }
    interface PromiseConstructor {
      withResolvers<T>(): {
        promise: Promise<T>; resolve: (value: T | PromiseLike<T>) => void; reject: (reason?: any) => void;
      };
    }
    interface ArrayConstructor {
      fromAsync<T>(source: AsyncIterable<T> | Iterable<T | PromiseLike<T>>): Promise<T[]>;
    }
    interface ObjectConstructor {
      groupBy<K extends PropertyKey, T>(
        items: Iterable<T>, key: (item: T, index: number) => K): Partial<Record<K, T[]>>;
    }
    interface MapConstructor {
      groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>;
    }
    interface Set<T> {
      union<U>(other: Set<U>): Set<T | U>;
      intersection<U>(other: Set<U>): Set<T & U>;
      difference<U>(other: Set<U>): Set<T>;
      symmetricDifference<U>(other: Set<U>): Set<T | U>;
      isSubsetOf(other: Set<any>): boolean;
      isSupersetOf(other: Set<any>): boolean;
      isDisjointFrom(other: Set<any>): boolean;
    }

    // What TypeScript before 5.1 lacks. A variable that came with it tells whether it is there: one that is
    // looked for by its own name, and is missing, would lead back to this declaration.
    type NBridgeCompressionFormat = "gzip" | "deflate" | "deflate-raw" | "brotli" | "zstd";
    interface CompressionStream extends GenericTransformStream {}
    declare var CompressionStream: typeof globalThis extends {
      onmessage: any; ReportingObserver: any; CompressionStream: infer T } ? T : {
      prototype: CompressionStream; new (format: NBridgeCompressionFormat): CompressionStream;
    };
    interface DecompressionStream extends GenericTransformStream {}
    declare var DecompressionStream: typeof globalThis extends {
      onmessage: any; ReportingObserver: any; DecompressionStream: infer T } ? T : {
      prototype: DecompressionStream; new (format: NBridgeCompressionFormat): DecompressionStream;
    };
    // The same before 6.0.
    interface NBridgeURLPatternPart { input: string; groups: Record<string, string | undefined> }
    interface NBridgeURLPatternParts<Part> {
      readonly protocol: Part; readonly username: Part; readonly password: Part; readonly hostname: Part;
      readonly port: Part; readonly pathname: Part; readonly search: Part; readonly hash: Part;
    }
    type NBridgeURLPatternInput = string | (Partial<NBridgeURLPatternParts<string>> & { baseURL?: string });
    interface NBridgeURLPatternResult extends NBridgeURLPatternParts<NBridgeURLPatternPart> {
      inputs: NBridgeURLPatternInput[];
    }
    interface NBridgeURLPattern extends NBridgeURLPatternParts<string> {
      readonly hasRegExpGroups: boolean;
      test(input?: NBridgeURLPatternInput, base?: string | URL): boolean;
      exec(input?: NBridgeURLPatternInput, base?: string | URL): NBridgeURLPatternResult | null;
    }
    type NBridgeURLPatternHere =
      typeof globalThis extends { onmessage: any; scheduler: any } ? {} : NBridgeURLPattern;
    interface URLPattern extends NBridgeURLPatternHere {}
    declare var URLPattern: typeof globalThis extends {
      onmessage: any; scheduler: any; URLPattern: infer T } ? T : {
      prototype: URLPattern;
      new (input: NBridgeURLPatternInput, base: string | URL, options?: { ignoreCase?: boolean }): URLPattern;
      new (input?: NBridgeURLPatternInput, options?: { ignoreCase?: boolean }): URLPattern;
    };


    """
}
