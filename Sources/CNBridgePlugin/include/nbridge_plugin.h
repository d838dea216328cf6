// SPDX-License-Identifier: MIT
//
// The table between nBridge and a plugin in a library of its own. It is C, so that a plugin may be written in any
// language and built by any compiler; no Swift type crosses it. See Sources/CNBridgePlugin/README.md for the way a
// call goes and plugins/README.md for an example.
//
// Rules that hold everywhere:
// - Structs begin with their size where they may grow. What is reserved is zero. A reader looks at no field that lies
//   behind the size that the other side states.
// - Text is UTF-8 with a length and needs no terminator. Beside each field stands which side may read it, and
//   for how long.
// - The host's functions may be called from any thread, between `start` and the return of `stop` and also after it:
//   then they do nothing.
// - Nothing may be thrown (C++) or longjmp'ed over this edge.

#ifndef NBRIDGE_PLUGIN_H
#define NBRIDGE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__clang__)
#define _Nonnull
#define _Nullable
#endif

/// The version of this table. A host accepts each plugin of its own major version whose minor version is not newer.
/// A field appended, or a reserved one put to use, is a new minor version; all else is a new major one.
#define NBRIDGE_ABI_MAJOR 1
#define NBRIDGE_ABI_MINOR 4

/// What a plugin's table begins with: "NBPL".
#define NBRIDGE_PLUGIN_MAGIC 0x4C50424Eu

/// The name of the one symbol that a plugin exports; its type is ``nbridge_plugin_entry_function``.
#define NBRIDGE_PLUGIN_ENTRY "nbridge_plugin_entry"

/// A call or watch under way. Never 0, and never used again in the life of a process: one that is over is known as such.
typedef uint64_t nbridge_call;

/// What kind of value a ``nbridge_value`` is.
enum {
  NBRIDGE_UNDEFINED = 0,
  /// `number` is 0 or 1.
  NBRIDGE_BOOLEAN = 1,
  /// `number`.
  NBRIDGE_NUMBER = 2,
  /// `text` is the string.
  NBRIDGE_STRING = 3,
  /// `text` is JSON (RFC 8259).
  NBRIDGE_JSON = 4,
  /// `text` is JSON in which objects `{"$nb":[tag, …]}` stand for what JSON lacks; `bytes` are what it points to.
  NBRIDGE_TAGGED = 5,
  /// `bytes` holds one: a Uint8Array.
  NBRIDGE_BYTES = 6,
  /// `text` is JSON: `{"code":…, "message":…, "details":…, "cause":…}`, the last two if there are any.
  NBRIDGE_FAILURE = 7
};

/// Bytes beside a text, not copied.
typedef struct nbridge_bytes {
  const uint8_t *_Nullable data;
  uint64_t size;
  /// What `retain` and `release` are called with.
  void *_Nullable owner;
  /// (An item of an option without data is a stream or function of the script's: see the README. Since 1.4.)
  /// Bytes of a call's option: readable until the call is over; call this, on any thread, to read them for longer.
  /// NULL for bytes that the receiver owns as it gets them: those of an answer or event.
  void (*_Nullable retain)(void *_Nullable owner);
  /// Called once, on any thread, for each `retain`, or once for bytes that were owned from the start. May be NULL.
  void (*_Nullable release)(void *_Nullable owner);
} nbridge_bytes;

/// A value that crosses.
typedef struct nbridge_value {
  uint32_t kind;
  uint32_t bytes_count;
  /// A NUMBER's or BOOLEAN's value. Of an answer with bytes: 1 when the plugin keeps nothing that leads to them, so that
  /// they become the script's without a copy; else the host copies them (since 1.2). Of an event that is JSON or TAGGED: how many events the text holds, when that is
  /// more than one; then each has a comma and a line's end behind it (and none within), and there are no bytes.
  double number;
  const char *_Nullable text;
  uint64_t text_size;
  const nbridge_bytes *_Nullable bytes;
  /// The text and the list of bytes are the giver's. The receiver reads them at once, on the thread that it gets them
  /// on, and then calls `release` with `owner` unless it is NULL.
  void *_Nullable owner;
  void (*_Nullable release)(void *_Nullable owner);
} nbridge_value;

/// One call of an action or watch.
typedef struct nbridge_request {
  uint32_t size;
  /// The index of the action in the description's `members`.
  uint32_t action;
  nbridge_call call;
  /// When the script stops waiting, in nanoseconds of CLOCK_MONOTONIC; 0 for never.
  uint64_t deadline;
  /// For a watch: how many events may be emitted before the next `grant`.
  uint32_t credit;
  /// Which client calls; 1 for the program's script. What the plugin keeps for one (the objects that `"handle"` members
  /// are called on) is no other's. Since 1.3, 0 before.
  uint32_t session;
  /// The option, UNDEFINED, JSON or TAGGED. Readable until `call` returns.
  nbridge_value option;
} nbridge_request;

/// What `call` returns.
enum {
  /// The answer is filled in.
  NBRIDGE_ANSWERED = 0,
  /// It will be given to `settle`. For a watch: its events are given to `emit`, and `settle` ends it.
  NBRIDGE_PENDING = 1
};

/// What a ``nbridge_feed`` is. Since 1.4.
enum {
  /// One more value of a stream.
  NBRIDGE_FEED_VALUE = 0,
  /// The end of a stream; `value` is the FAILURE if it failed, else UNDEFINED.
  NBRIDGE_FEED_END = 1,
  /// What the script's function answered to the call of that `number`, or a FAILURE.
  NBRIDGE_FEED_ANSWER = 2,
  /// The call is over, for all of its streams and functions: nothing comes any more. `value` is the FAILURE that says why.
  NBRIDGE_FEED_OVER = 3
};

/// Something of a stream or function that the script put into the option of a call. Readable until `feed` returns; bytes
/// are kept by their `retain`, as those of an option. Since 1.4.
typedef struct nbridge_feed {
  uint32_t size;
  uint32_t kind;
  /// Which one: the index that stands in the option.
  uint32_t index;
  uint32_t reserved;
  uint64_t number;
  nbridge_value value;
} nbridge_feed;

/// What `emit` answers.
enum {
  NBRIDGE_TAKEN = 0,
  /// No credit is left: the event was not taken. Try again after `grant`.
  NBRIDGE_FULL = 1,
  /// The watch is over, or never was one.
  NBRIDGE_OVER = 2
};

/// Where a program is in its life.
enum { NBRIDGE_ACTIVE = 0, NBRIDGE_BACKGROUND = 1, NBRIDGE_TERMINATING = 2 };

/// The levels of `log`.
enum { NBRIDGE_DEBUG = 0, NBRIDGE_INFO = 1, NBRIDGE_WARNING = 2, NBRIDGE_ERROR = 3 };

/// Something for the program's log. All texts are UTF-8, and may be NULL when their size is 0.
typedef struct nbridge_record {
  /// 0 trace, 1 debug, 2 info, 3 notice, 4 warning, 5 error, 6 critical.
  uint32_t level;
  uint32_t reserved;
  const char *_Nullable message;
  uint64_t message_size;
  /// A JSON object.
  const char *_Nullable fields;
  uint64_t fields_size;
  /// `file:line`.
  const char *_Nullable place;
  uint64_t place_size;
} nbridge_record;

/// A call of another plugin's action. All is readable until `begin_invocation` returns. Since 1.2.
typedef struct nbridge_invocation {
  uint32_t size;
  uint32_t reserved;
  const char *_Nonnull service;
  uint64_t service_size;
  const char *_Nonnull action;
  uint64_t action_size;
  const nbridge_value *_Nonnull option;
  /// When the plugin stops waiting, in nanoseconds of CLOCK_MONOTONIC; 0 for never.
  uint64_t deadline;
  /// Called once, on any thread; what it gets is readable until it returns.
  void (*_Nonnull done)(void *_Nullable data, const nbridge_value *_Nonnull answer);
  void *_Nullable data;
} nbridge_invocation;

/// What a host does for a plugin. `context` is the one that `start` was given. Valid for the life of the process.
typedef struct nbridge_host {
  uint32_t size;
  uint16_t major;
  uint16_t minor;

  /// Settles a call that answered PENDING, once; a second time is reported and ignored.
  void (*_Nonnull settle)(void *_Nonnull context, nbridge_call call, const nbridge_value *_Nonnull answer);
  /// Hands over an event of a watch, or a run of them, which counts as so many for the credit.
  uint32_t (*_Nonnull emit)(void *_Nonnull context, nbridge_call call, const nbridge_value *_Nonnull event);
  /// Runs `run(data)` soon on the thread of the engine, before the plugin's `stop` in any case. Answers 0 when it never
  /// will, because the plugin is being stopped.
  uint32_t (*_Nonnull post)(void *_Nonnull context, void (*_Nonnull run)(void *_Nullable data), void *_Nullable data);
  /// Writes a line for the person who runs the program.
  void (*_Nonnull log)(void *_Nonnull context, uint32_t level, const char *_Nonnull text, uint64_t size);
  /// Calls an action of another plugin with this program's permissions. `done` is called once, on any thread; what it
  /// gets is readable until it returns.
  void (*_Nonnull invoke)(void *_Nonnull context, const char *_Nonnull service, uint64_t service_size,
                          const char *_Nonnull action, uint64_t action_size, const nbridge_value *_Nonnull option,
                          void (*_Nonnull done)(void *_Nullable data, const nbridge_value *_Nonnull answer),
                          void *_Nullable data);
  /// Ends the program with a status once the present call has settled.
  void (*_Nonnull exit)(void *_Nonnull context, int32_t status);
  /// Whether scripts may do what the permission (`"service.name"`) stands for: 1 or 0.
  uint32_t (*_Nonnull allows)(void *_Nonnull context, const char *_Nonnull permission, uint64_t size);

  /// Puts something into the program's log under the plugin's service name. Since 1.1; any thread.
  void (*_Nullable record)(void *_Nonnull context, const nbridge_record *_Nonnull record);

  /// The same as `invoke`, with a deadline. Answers a number for `cancel_invocation`. Since 1.2; any thread.
  uint64_t (*_Nullable begin_invocation)(void *_Nonnull context, const nbridge_invocation *_Nonnull invocation);
  /// Cancels an invocation: the plugin no longer waits for its answer. `done` is called soon, with the
  /// failure "cancelled" unless the answer was on its way. Since 1.2; any thread.
  void (*_Nullable cancel_invocation)(void *_Nonnull context, uint64_t invocation);

  /// Asks for so many values more of a stream that stands in the option of a call under way; 0: no more are wanted. At most 16
  /// are under way: the others are asked for as these come. Nothing comes of it once the call is over. Since 1.4; any thread.
  void (*_Nullable pull)(void *_Nonnull context, nbridge_call call, uint32_t index, uint32_t values);
  /// Calls a function that stands in the option of a call under way. Its answer comes to `feed` with the same `number`,
  /// which is the plugin's choice. Since 1.4; any thread.
  void (*_Nullable call_back)(void *_Nonnull context, nbridge_call call, uint32_t index, uint64_t number,
                              const nbridge_value *_Nonnull value);

  void *_Nullable reserved[3];
} nbridge_host;

/// What a plugin is started with. Readable until `start` returns.
typedef struct nbridge_start {
  uint32_t size;
  uint32_t reserved;
  const nbridge_host *_Nonnull host;
  /// What the host's functions are called with. Stays good for ever, like the host.
  void *_Nonnull context;
  /// The program, JSON: `{"app":{"id","name","version","build"}, "container", "bundle", "arguments", "registeredDefaults"}`.
  const char *_Nonnull environment;
  uint64_t environment_size;
} nbridge_start;

/// A plugin. `self` is the table itself, `state` what `start` made.
typedef struct nbridge_plugin {
  uint32_t magic;
  uint32_t size;
  uint16_t major;
  uint16_t minor;
  uint32_t reserved_flags;
  /// The plugin's own; the host does not look at it.
  void *_Nullable user;

  /// What the plugin is, as JSON: see the README beside this header. UTF-8, readable for the life of the process.
  const char *_Nonnull (*_Nonnull describe)(const struct nbridge_plugin *_Nonnull self, uint64_t *_Nonnull size);
  /// Called before the first call, on a thread of its own; must return within ten seconds. Answers 1 with `state`
  /// set, or 0 with `failure` filled in.
  uint32_t (*_Nonnull start)(const struct nbridge_plugin *_Nonnull self, const nbridge_start *_Nonnull start,
                             void *_Nullable *_Nonnull state, nbridge_value *_Nonnull failure);
  /// Called once, on the thread of the engine, when every call has been settled or cancelled. A call that is still
  /// running on a thread of the pool may return later.
  void (*_Nonnull stop)(void *_Nullable state);
  /// Runs a call: an immediate or async action and a watch on the thread of the engine, where it must not block; a
  /// detached action on a thread of the pool, where it must answer before it returns.
  uint32_t (*_Nonnull call)(void *_Nullable state, const nbridge_request *_Nonnull request,
                            nbridge_value *_Nonnull answer);
  /// The caller no longer waits for the call: end it soon. Called on the thread of the engine; what the call
  /// answers then is dropped. NULL when calls can't be cancelled.
  void (*_Nullable cancel)(void *_Nullable state, nbridge_call call);
  /// A watch may emit `events` more. On the thread of the engine. NULL for a plugin without watches.
  void (*_Nullable grant)(void *_Nullable state, nbridge_call call, uint32_t events);
  /// The program's life changed. On any thread; the first time right after `start`. NULL if it does not matter.
  void (*_Nullable lifecycle)(void *_Nullable state, uint32_t phase);

  /// Something came of a stream or function in the option of a call. On the thread of the engine. NULL for a plugin that
  /// declares none. Since 1.4.
  void (*_Nullable feed)(void *_Nullable state, nbridge_call call, const nbridge_feed *_Nonnull feed);

  void *_Nullable reserved[7];
} nbridge_plugin;

/// The entry. `abi` is the host's version, `major << 16 | minor`. Answers the table, readable for the life of the
/// process, or NULL when the plugin can't run here.
typedef const nbridge_plugin *_Nullable (*nbridge_plugin_entry_function)(uint32_t abi);

#ifdef __cplusplus
}
#endif

#endif
