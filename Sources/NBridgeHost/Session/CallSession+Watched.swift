// SPDX-License-Identifier: MIT

internal import NBridgePlugin

extension CallSession {
  /// The same as a dispatch, with the observer and the tap told of the call.
  func beginWatched(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun {
    guard let observer else { return beginTapped(action, input, control) }
    let started = loop.clock.now
    if action.denial == nil { observer.received(action.bound) }
    let begun = beginTapped(action, input, control)
    if case .pending = begun { return begun }
    var code: String?
    var failed = false
    if case .failed(let error) = begun { (failed, code) = (true, BridgeError(wrapping: error).code.rawValue) }
    let declaration = action.bound.declaration
    observer.settled(
      CallObservation(
        service: action.bound.service, action: declaration.key, kind: declaration.kind.rawValue,
        microseconds: loop.clock.now - started, failed: failed, code: code, caller: control.caller))
    return begun
  }

  private func beginTapped(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun {
    guard let tap else { return dispatch(action, input, control) }
    return tap.begin(action, input, control, in: self) { dispatch(action, input, control) }
  }
}
