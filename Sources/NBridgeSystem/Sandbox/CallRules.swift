// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// The system calls that a confined process can't make: those that reach other processes, sockets, programs,
/// terminals and keys, and those that the rules for files don't ask about.
struct CallRules {
  private var filter = CallFilter()

  /// - Parameters:
  ///   - hasTruncation: whether the rules for files ask about truncate(2).
  ///   - hasSignals: whether they ask about signals to processes that are not confined with this one.
  init(_ confinement: Confinement, hasTruncation: Bool, hasSignals: Bool) {
    let runs = !confinement.runnable.isEmpty
    for call in Self.others + Self.namespaces + Self.sharedMemory + Self.names { filter.refuse(call, EPERM) }
    if !hasTruncation { filter.refuse(SYS_truncate, EACCES) }
    // glibc asks for it first and clone(2) next, whose flags a filter can see.
    filter.refuse(SYS_clone3, ENOSYS)
    if runs {
      filter.refuse(SYS_clone, EPERM, whenSet: Self.newNamespaces, in: 0)
    } else {
      for call in [SYS_execve, SYS_execveat] { filter.refuse(call, EACCES) }
      // A process of its own would outlive the program, with a group of its own or without.
      for call in [SYS_setsid, SYS_setpgid] + Self.forks { filter.refuse(call, EPERM) }
      filter.refuse(SYS_clone, EPERM, whenSet: Self.newNamespaces, unlessSet: Self.thread, in: 0)
      // PR_SET_PDEATHSIG: it ends with the program.
      filter.refuse(SYS_prctl, EPERM, when: [1], in: 0)
    }
    keepSockets(confinement)
    if !confinement.watches { filter.refuse(SYS_inotify_add_watch, EACCES) }
    // Only the kernel's rules tell children's numbers from others'.
    if !runs || !hasSignals { keepSignals() }
    filter.refuse(SYS_prlimit64, EPERM, unless: [0, Self.process], in: 0)
    keepPriorities()
    keepModes()
    keepControls(ofDevices: confinement.hasDevices, hasSignals)
    // F_SETOWN and F_SETOWN_EX; F_SETLEASE and F_SETDELEG, which make others wait who open a file.
    filter.refuse(SYS_fcntl, EPERM, when: (hasSignals ? [] : [8, 15]) + [1024, 1040], in: 1)
    filter.refuseUnlessNull(SYS_utimensat, EPERM, in: 1)
  }

  func apply() throws(SystemError) { try filter.apply() }

  /// Two ends of a stream reach nobody else. Those of datagrams can be given another name, and send to one.
  private mutating func keepSockets(_ confinement: Confinement) {
    filter.refuse(
      SYS_socket, EACCES, unless: Self.families(confinement), in: 0, and: Self.protocols, in: 2)
    if confinement.hasLocalSockets { return }
    filter.refuse(SYS_socketpair, EACCES, unless: Self.streams, in: 1, without: Self.socketFlags)
  }

  /// What may be asked of an open file by ioctl(2), whose kind stands in the second byte: of a terminal, a
  /// pipe or a socket; with devices, of all but files and folders, whose systems let anybody who may read
  /// them mark them, and make snapshots.
  private mutating func keepControls(ofDevices: Bool, _ hasSignals: Bool) {
    // TIOCSTI and TIOCLINUX type into the terminal of whoever started the program; FIOSETOWN and SIOCSPGRP
    // name who gets signals of a file.
    let never: [UInt32] = [0x5412, 0x541C] + (hasSignals ? [] : [0x8901, 0x8902])
    let (kinds, lets) = ofDevices ? (Self.controlsOfFiles, false) : (Self.controlsOfStreams, true)
    filter.refuse(SYS_ioctl, EPERM, when: never, in: 1, orKinds: kinds, of: 0xFF00, areLet: lets)
  }

  /// `T` and the sockets' own (linux/sockios.h).
  private static let controlsOfStreams: [UInt32] = [0x5400, 0x8900]
  /// Those of btrfs, which others have taken, `f`, `X`, `v` and `r` (linux/fs.h, linux/msdos_fs.h).
  private static let controlsOfFiles: [UInt32] = [0x9400, 0x6600, 0x5800, 0x7600, 0x7200]

  /// A process may signal itself.
  private mutating func keepSignals() {
    for call in [SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo] {
      filter.refuse(call, EPERM, unless: [Self.process], in: 0)
    }
  }

  /// It may set back itself, and no other process of the user's. PRIO_PROCESS is 0, IOPRIO_WHO_PROCESS 1.
  private mutating func keepPriorities() {
    let own = [0, Self.process]
    filter.refuse(SYS_setpriority, EPERM, unless: [0], in: 0, and: own, in: 1)
    filter.refuse(SYS_ioprio_set, EPERM, unless: [1], in: 0, and: own, in: 1)
    for call in [SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity] {
      filter.refuse(call, EPERM, unless: own, in: 0)
    }
  }

  /// No file runs as who made it, or with that one's group, whoever starts it: it would run unconfined. By
  /// openat2(2), whose argument no filter sees, only an empty one can be made: writing takes the bits away.
  /// What it may but read nobody else gets to write to.
  private mutating func keepModes() {
    filter.refuse(SYS_fchmod, EPERM, whenSet: Self.setsIdentity | Self.letsOthersWrite, in: 1)
    for call in [SYS_mkdirat, SYS_mknodat] { filter.refuse(call, EPERM, whenSet: Self.setsIdentity, in: 2) }
    filter.refuse(SYS_openat, EPERM, whenSet: Self.setsIdentity, in: 3, and: Self.making, in: 2)
    #if arch(x86_64)
      for call in [SYS_creat, SYS_mkdir, SYS_mknod] {
        filter.refuse(call, EPERM, whenSet: Self.setsIdentity, in: 1)
      }
      filter.refuse(SYS_open, EPERM, whenSet: Self.setsIdentity, in: 2, and: Self.making, in: 1)
    #endif
  }

  /// S_ISUID and S_ISGID.
  private static let setsIdentity: UInt32 = 0o6000
  /// S_IWGRP and S_IWOTH.
  private static let letsOthersWrite: UInt32 = 0o22
  /// O_CREAT and O_TMPFILE: without them a call's mode is whatever its register has.
  private static let making: UInt32 = 0o100 | 0o20_000_000

  private static var process: UInt32 { UInt32(bitPattern: getpid()) }

  /// The usual one, ICMP, TCP, UDP, ICMPv6, SCTP, UDP-Lite and MPTCP: these leave AF_NETLINK its routes.
  private static let protocols: [UInt32] = [0, 1, 6, 17, 58, 132, 136, 262]

  private static func families(_ confinement: Confinement) -> [UInt32] {
    // getaddrinfo(3) asks the kernel which addresses this machine has.
    let network = confinement.hasNetwork ? [AF_INET, AF_INET6, AF_NETLINK] : []
    return (network + (confinement.hasLocalSockets ? [AF_UNIX] : [])).map { UInt32($0) }
  }

  /// SOCK_STREAM and SOCK_SEQPACKET, and what may stand beside a kind: SOCK_NONBLOCK and SOCK_CLOEXEC.
  private static let streams: [UInt32] = [1, 5]
  private static let socketFlags: UInt32 = 0o2_004_000

  /// CLONE_THREAD.
  private static let thread: UInt32 = 0x1_0000

  /// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
  private static let newNamespaces: UInt32 = 0x7E02_0000

  /// Numbers of calls that have the same on all machines, and not in every header.
  private enum Number {
    static let pidfdSendSignal = 424
    static let ioUring = [425, 426, 427]
    static let mounts = [428, 429, 430, 431, 432, 433, 442]
    static let pidfdGetfd = 438
    static let processMemory = [440, 448]
    static let fchmodat2 = 452
    static let attributes = [463, 464, 465, 466, 467, 468, 469]
  }

  /// Other processes, the kernel's keys, its programs and counters; io_uring makes calls that no filter sees.
  private static let others: [Int] =
    [
      SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_tkill, SYS_keyctl, SYS_add_key,
      SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_migrate_pages, SYS_move_pages,
      SYS_fanotify_init,
    ].map { Int($0) } + [Number.pidfdSendSignal, Number.pidfdGetfd] + Number.ioUring + Number.processMemory

  private static let namespaces: [Int] =
    [
      SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_by_handle_at,
    ].map { Int($0) } + Number.mounts

  /// What processes share by a number or a name that is no file.
  private static let sharedMemory: [Int] = [
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
    SYS_semctl, SYS_semtimedop, SYS_mq_open, SYS_mq_unlink,
  ].map { Int($0) }

  /// What the rules for files let anybody do to a name.
  private static let names: [Int] =
    ([
      SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr,
      SYS_getxattr, SYS_lgetxattr, SYS_listxattr, SYS_llistxattr,
      // An attribute may be the list of who may do what: a mode by another name.
      SYS_fsetxattr, SYS_fremovexattr,
      // A file's group may be one that may write to it.
      SYS_fchown,
    ].map { Int($0) } + oldNames + [Number.fchmodat2] + Number.attributes)

  #if arch(x86_64)
    private static let oldNames = [
      SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
    ].map { Int($0) }
    private static let forks = [SYS_fork, SYS_vfork]
  #else
    private static let forks: [Int32] = []
    private static let oldNames: [Int] = []
  #endif
}
