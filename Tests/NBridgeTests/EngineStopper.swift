// SPDX-License-Identifier: MIT

import Glibc
import NBridge

enum EngineStopper {
  /// Interrupts from another thread, once the script had time to be where the test wants it.
  static func stop(_ controller: RuntimeControl, afterMilliseconds milliseconds: UInt32) {
    let box = Unmanaged.passRetained(Stop(controller: controller, milliseconds: milliseconds))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        let stop = Unmanaged<Stop>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue()
        usleep(stop.milliseconds * 1000)
        stop.controller.interrupt()
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }

  private final class Stop: Sendable {
    let controller: RuntimeControl
    let milliseconds: UInt32
    init(controller: RuntimeControl, milliseconds: UInt32) {
      self.controller = controller
      self.milliseconds = milliseconds
    }
  }
}
