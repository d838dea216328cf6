// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// The plugins of a program, the loop and threads that run them, and what they may ask of it. Confined to the
/// engine's thread.
final class PluginWorld {
  let loop: EventLoop
  let host: RuntimeHost
  let container: Container
  let registry: PluginRegistry
  let pluginHost: PluginHost

  /// - Parameter mainContext: the `GMainContext` that the loop turns.
  init(_ options: RuntimeOptions, turning mainContext: OpaquePointer) {
    loop = EventLoop(context: mainContext, clock: options.clock)
    container = AppContainer.open(options.container, app: options.app)
    host = RuntimeHost(
      loop: loop, output: options.output, permissions: options.permissions,
      sealed: options.sealed(container), audits: options.tracing.audits)
    let app = AppEnvironment(
      info: options.app, container: container, bundle: options.bundle, resources: options.resources,
      arguments: options.arguments, registeredDefaults: options.registeredDefaults,
      shared: options.sharedFolders(container), schemes: options.schemes, host: host)
    registry = PluginRegistry(app: app, settings: options.settings)
    pluginHost = PluginHost(loop: loop, plugins: registry)
    loop.willSleep = { [output = options.output] in output.flushBeforeSleep() }
  }

  /// Adds and starts plugins: those that are part of the program, those in libraries, those in plugin
  /// folders.
  ///
  /// - Throws: ``PluginError`` for a bad or taken name, and what a plugin's start throws.
  func add(_ linked: [any Plugin], _ options: RuntimeOptions) throws {
    var loaded = LoadedPlugins(
      loop: loop, host: host, lifecycles: host.lifecycles, startLimit: options.pluginStartLimit)
    (loaded.isolated, loaded.grants) = (options.isolatedPlugins, options.grants)
    for plugin in linked {
      // Not asked of the plugin's type: the runtime would look through every conformance for each plugin.
      if let receiver = type(of: plugin).manifest.logReceiver(plugin) { host.setReceiver(receiver) }
      try registry.add(LinkedPlugin(plugin))
    }
    for library in options.libraries { try registry.add(loaded.plugin(of: library)) }
    for opening in options.openings { try registry.add(loaded.plugin(of: opening.library())) }
    for plugin in options.installedPlugins { registry.note(loaded.found(plugin)) }
  }

  /// Ends the plugins, then the threads.
  func close() {
    host.detach()
    pluginHost.close()
    host.dropReceiver()
  }
}
