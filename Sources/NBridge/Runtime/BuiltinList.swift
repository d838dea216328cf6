// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// Every built-in module by its name.
enum BuiltinList {
  static let modules: [String: BuiltinModule] = {
    let lists = [
      GlobalModules.all, BridgeModules.all, EventModules.all, DataModules.all, MachineModules.all,
      StreamModules.all, FetchModules.all, PatternModules.all, StorageModules.all, CryptoModules.all,
      TestModules.all, WorkerModules.all, DocumentModules.all,
    ]
    return Dictionary(uniqueKeysWithValues: lists.joined().map { ($0.name, $0) })
  }()
}
