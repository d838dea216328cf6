// SPDX-License-Identifier: MIT
//
// A plugin that tries to get out of its process: for tests of the sandbox. Each way answers with the system's error, or "ok".

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include "nbridge_plugin.h"

static const char description[] =
    "{\"service\":\"intruder\",\"version\":\"1.0.0\",\"help\":\"A plugin that tries to get out.\",\"members\":["
    "{\"name\":\"attempt\",\"kind\":\"immediate\",\"help\":\"Tries it.\",\"options\":{\"type\":\"object\",\"properties\":{"
    "\"way\":{\"type\":\"string\"},\"path\":{\"type\":\"string\"}},\"required\":[\"way\",\"path\"]},\"result\":{\"type\":\"string\"}},"
    "{\"name\":\"call\",\"kind\":\"async\",\"help\":\"Calls app.appInfo.\",\"result\":{}},"
    "{\"name\":\"leave\",\"kind\":\"immediate\",\"help\":\"Ends the program.\"},"
    "{\"name\":\"print\",\"kind\":\"immediate\",\"help\":\"Prints a line.\"},"
    "{\"name\":\"flood\",\"kind\":\"immediate\",\"help\":\"Answers calls that nobody made.\"}]";

/// What it would do in the program, if it could.
static const char script[] =
    ",\"script\":{\"source\":\"(facade) => { facade.services = () => globalThis.nbridge.services.length; }\",\"members\":\"\","
    "\"types\":\"\"}";

enum { ATTEMPT, CALL, LEAVE, PRINT, FLOOD };

static const nbridge_host *host;
static void *context;
/// Whether this code was confined before it ran for the first time.
static int was_confined;

__attribute__((constructor)) static void look(void) { was_confined = prctl(PR_GET_SECCOMP) == 2; }

static const char *describe(const nbridge_plugin *self, uint64_t *size) {
  (void)self;
  static char text[4096];
  char path[4096];
  Dl_info place;
  dladdr((void *)description, &place);
  snprintf(path, sizeof path, "%.*s/with-script", (int)(strrchr(place.dli_fname, '/') - place.dli_fname), place.dli_fname);
  *size = (uint64_t)snprintf(text, sizeof text, "%s%s}", description, access(path, F_OK) == 0 ? script : "");
  return text;
}

static uint32_t start(const nbridge_plugin *self, const nbridge_start *start, void **made, nbridge_value *failure) {
  (void)self;
  (void)failure;
  host = start->host;
  context = start->context;
  *made = &context;
  return 1;
}

static void stop(void *state) { (void)state; }

static int open_at(int folder, const char *path, int flags) {
  const int file = openat(folder, path, flags | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  char byte;
  const long done = (flags & O_ACCMODE) == O_WRONLY ? write(file, "x", 1) : flags & O_DIRECTORY ? 0 : read(file, &byte, 1);
  const int error = errno;
  close(file);
  errno = error;
  return done < 0 ? -1 : 0;
}

static int through_open_path(const char *path) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  *slash = 0;
  const int opened = open(folder, O_PATH | O_CLOEXEC);
  return opened < 0 ? -1 : open_at(opened, slash + 1, O_RDONLY);
}

static int run(const char *path, int through_memory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    char *const arguments[] = {(char *)path, NULL};
    int file = -1;
    if (through_memory) {
      file = memfd_create("program", 0);
      const int from = open("/usr/bin/true", O_RDONLY);
      char bytes[4096];
      for (long count; (count = read(from, bytes, sizeof bytes)) > 0;)
        if (write(file, bytes, (size_t)count) < 0) break;
      syscall(SYS_execveat, file, "", arguments, environ, AT_EMPTY_PATH);
    } else {
      execve(path, arguments, environ);
    }
    const int error = errno;
    if (write(ends[1], &error, sizeof error) < 0) {}
    _exit(1);
  }
  close(ends[1]);
  int error = 0, status;
  if (read(ends[0], &error, sizeof error) < 0) error = errno;
  close(ends[0]);
  waitpid(child, &status, 0);
  errno = error;
  return error ? -1 : status == 0 ? 0 : (errno = ECHILD, -1);
}

static int connect_to(int family, const char *path) {
  const int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  snprintf(local.sun_path, sizeof local.sun_path, "%s", path);
  struct sockaddr_in network = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(path)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int done = family == AF_UNIX ? connect(file, (struct sockaddr *)&local, sizeof local)
                                     : connect(file, (struct sockaddr *)&network, sizeof network);
  const int error = errno;
  close(file);
  errno = error;
  return done;
}

/// Where the lower half of a pointer is 0.
static int set_times_by_a_round_pointer(const char *path) {
  char *round = mmap((void *)0x100000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (round == MAP_FAILED) return -1;
  snprintf(round, 4096, "%s", path);
  const long done = syscall(SYS_utimensat, AT_FDCWD, round, NULL, 0);
  const int error = errno;
  munmap(round, 4096);
  errno = error;
  return (int)done;
}

static int in_a_new_process(long (*body)(void)) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) _exit(body() < 0 ? errno : 0);
  int status;
  waitpid(child, &status, 0);
  errno = WEXITSTATUS(status);
  return errno ? -1 : 0;
}

static long new_user_namespace(void) { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }
static long unshared(void) { return unshare(CLONE_NEWUSER); }
static long new_session(void) { return setsid(); }
static long nothing(void) { return 0; }

static int become(const char *path) {
  char *const arguments[] = {(char *)path, NULL};
  return execve(path, arguments, environ);
}

static int pair(int kind) {
  int ends[2];
  if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  close(ends[0]);
  close(ends[1]);
  return 0;
}

static int set_terminal(void) {
  struct termios settings;
  return tcgetattr(1, &settings) < 0 ? -1 : tcsetattr(1, TCSANOW, &settings);
}

static int has_capabilities(void) {
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) return -1;
  int has = 0;
  while (fgets(line, sizeof line, file))
    if ((!strncmp(line, "CapEff", 6) || !strncmp(line, "CapBnd", 6) || !strncmp(line, "CapPrm", 6)) && strspn(line + 8, "0") < 16) has = 1;
  fclose(file);
  return has && geteuid() == 0;
}

// As libdispatch looks at its threads.
static void *own_state(void *result) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/stat", syscall(SYS_gettid));
  *(int *)result = open(path, O_RDONLY) < 0 ? errno : 0;
  return NULL;
}

static int in_a_thread(void *(*body)(void *)) {
  pthread_t thread;
  int result = 0;
  if (pthread_create(&thread, NULL, body, &result) != 0 || pthread_join(thread, NULL) != 0) return -1;
  errno = result;
  return result == 0 ? 0 : -1;
}

/// A list of access, version 2: owner, group and others may read and write.
static const unsigned char anybody[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 4, 0, 6, 0,
                                        255, 255, 255, 255, 32, 0, 6, 0, 255, 255, 255, 255};

static int attempt(const char *way, const char *path) {
  int number = 0;
  const pid_t parent = getppid();
  // Who is not there: root's processes are kept from one another by the kernel anyway, and then only the filter says EPERM.
  const pid_t nobody = 1 << 23;
  struct rlimit limit = {1 << 30, 1 << 30};
  char byte, in_container[4096];
  struct iovec own = {&byte, 1}, other = {(void *)0x400000, 1};
  const char *home = getenv("TMPDIR");
  snprintf(in_container, sizeof in_container, "%s/intruder", home ? home : "/nowhere");
#define WAY(name) if (!strcmp(way, name))
// What is asked of a file that is open for reading.
#define OPENED(call)                        \
  do {                                      \
    int file = open(path, O_RDONLY);        \
    if (file < 0) return file;              \
    int failed = (int)(call), why = errno;  \
    close(file), errno = why;               \
    return failed;                          \
  } while (0)
  WAY("confined") return was_confined ? 0 : -1;
  WAY("capabilities") return errno = EPERM, has_capabilities() ? 0 : -1;
  WAY("variable") return errno = ENOENT, getenv(path) ? 0 : -1;
  WAY("read") return open_at(AT_FDCWD, path, O_RDONLY);
  WAY("list") return open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
  WAY("write") return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT);
  WAY("write a temporary file") return open_at(AT_FDCWD, in_container, O_WRONLY | O_CREAT);
  WAY("read through an open path") return through_open_path(path);
  WAY("truncate") return truncate(path, 0);
  WAY("open to truncate") return open_at(AT_FDCWD, path, O_RDONLY | O_TRUNC);
  WAY("remove") return unlink(path);
  WAY("move away") return rename(path, in_container);
  WAY("move there") return rename(in_container, path);
  WAY("link here") return unlink(in_container), link(path, in_container);
  WAY("link there") return symlink("/etc/passwd", path);
  WAY("symbolic link") return unlink(in_container), symlink(path, in_container);
  WAY("make a folder") return mkdir(path, 0700);
  WAY("change its mode") return chmod(path, 0777);
  WAY("change its mode by a folder") return fchmodat(AT_FDCWD, path, 0777, 0);
  WAY("change its mode by the newest call") return (int)syscall(452, AT_FDCWD, path, 0777, 0);
  WAY("run as who made it") {
    int file = open(in_container, O_WRONLY | O_CREAT, 0700);
    if (file < 0) return file;
    int failed = fchmod(file, 04755), why = errno;
    close(file), errno = why;
    return failed;
  }
  WAY("let others write") OPENED(fchmod(file, 0666));
  WAY("let others write by a list") OPENED(syscall(SYS_fsetxattr, file, "system.posix_acl_access", anybody, sizeof anybody, 0));
  WAY("mark it for its file system") {
    int file = open(path, O_RDONLY), marks = 0x80;
    if (file < 0) return file;
    // FS_IOC_SETFLAGS, and asking for what it would change.
    int failed = ioctl(file, 0x40086602, &marks), why = errno;
    if (failed == 0 || why == EPERM) {
      int asked = ioctl(file, 0x80086601, &marks);
      if (asked == 0 || errno != EPERM) failed = 0;
    }
    close(file), errno = why;
    return failed;
  }
  WAY("ask what waits in a pipe") {
    int ends[2], count = -1;
    if (pipe(ends) != 0) return -1;
    return ioctl(ends[0], 0x541B, &count);
  }
  WAY("give it to another group") OPENED(fchown(file, -1, getgid()));
  // FIGETBSZ, which any file system answers.
  WAY("ask something else of it") OPENED(ioctl(file, 2, &number));
  WAY("take a lease") OPENED(fcntl(file, F_SETLEASE, F_RDLCK));
  WAY("make what runs as who made it") return unlink(in_container), open(in_container, O_WRONLY | O_CREAT, 04755);
  WAY("make it without a name") return open(getenv("TMPDIR"), O_WRONLY | __O_TMPFILE | O_DIRECTORY, 04755);
  WAY("make it by another call") return unlink(in_container), mknod(in_container, S_IFREG | 02755, 0);
  WAY("a folder that hands on its group") return unlink(in_container), mkdir(in_container, 02755);
  WAY("change its owner") return chown(path, 1, 1);
  WAY("set its times") return utimensat(AT_FDCWD, path, NULL, 0);
  WAY("set its times by a round pointer") return set_times_by_a_round_pointer(path);
  WAY("network") return connect_to(AF_INET, path);
  WAY("local socket") return connect_to(AF_UNIX, path);
  WAY("routes") return connect_to(AF_NETLINK, path);
  WAY("run") return run(path, 0);
  WAY("run from memory") return run(path, 1);
  WAY("signal the program") return kill(parent, 0);
  WAY("signal all") return kill(-1, 0);
  WAY("signal its thread") return (int)syscall(SYS_tgkill, parent, parent, 0);
  WAY("signal any thread") return (int)syscall(SYS_tkill, parent, 0);
  WAY("signal it with a value") return sigqueue(parent, 0, (union sigval){0});
  WAY("signal its descriptor") return (int)syscall(424, (int)syscall(434, parent, 0), 0, NULL, 0);
  WAY("signal itself") return kill(getpid(), 0);
  WAY("trace it") return (int)ptrace(PTRACE_ATTACH, parent, NULL, NULL);
  WAY("read its memory") return (int)process_vm_readv(parent, &own, 1, &other, 1, 0);
  WAY("read its memory as a file") { snprintf(in_container, sizeof in_container, "/proc/%d/%s", parent, path); return open_at(AT_FDCWD, in_container, O_RDONLY); }
  WAY("take its descriptor") return (int)syscall(438, (int)syscall(434, parent, 0), 0, 0);
  WAY("limit it") return prlimit(parent, RLIMIT_CORE, &limit, NULL);
  WAY("slow all down") return setpriority(PRIO_USER, 0, 19);
  WAY("read the state of a thread") return in_a_thread(own_state);
  WAY("slow another") return setpriority(PRIO_PROCESS, (id_t)nobody, 19);
  WAY("slow itself") return setpriority(PRIO_PROCESS, 0, 19);
  WAY("schedule another") return sched_setscheduler(nobody, SCHED_OTHER, &(struct sched_param){0});
  WAY("place another") return (int)syscall(SYS_sched_setaffinity, nobody, 8, "\1\0\0\0\0\0\0\0");
  WAY("delay another's disk") return (int)syscall(SYS_ioprio_set, 1, nobody, 3 << 13);
  WAY("set an attribute by a path") return (int)syscall(469, AT_FDCWD, path, "", 0, 0);
  WAY("hear of processes") return socket(AF_NETLINK, SOCK_DGRAM, 11);
  WAY("become") return become(path);
  WAY("new process") return in_a_new_process(nothing);
  WAY("outlive the program") return prctl(PR_SET_PDEATHSIG, 0);
  WAY("pair of streams") return pair(SOCK_STREAM);
  WAY("pair of messages") return pair(SOCK_SEQPACKET);
  WAY("pair of datagrams") return pair(SOCK_DGRAM);
  WAY("pair of raw sockets") return pair(SOCK_RAW);
  WAY("watch") return inotify_add_watch(inotify_init1(IN_CLOEXEC), path, IN_CREATE);
  WAY("read an attribute") return (int)getxattr(path, "user.k", &byte, 1);
  WAY("list attributes") return (int)llistxattr(path, &byte, 1);
  WAY("set the terminal") return set_terminal();
  WAY("empty stdout") return ftruncate(1, 0);
  WAY("new namespace") return in_a_new_process(new_user_namespace);
  WAY("unshare") return in_a_new_process(unshared);
  WAY("new session") return in_a_new_process(new_session);
  WAY("newest clone") return (int)syscall(435, NULL, 0);
  WAY("keys") return (int)syscall(SYS_keyctl, 0, -3, 0);
  WAY("kernel program") return (int)syscall(SYS_bpf, 0, NULL, 0);
  WAY("io_uring") return (int)syscall(425, 1, NULL);
  WAY("shared memory") return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  WAY("type into the terminal") return ioctl(1, TIOCSTI, "x");
  WAY("type by a long number") return (int)syscall(SYS_ioctl, 1, 0xFFFFFFFF00005412, "x");
#ifdef __x86_64__
  WAY("number of another kind") return (int)syscall(0x40000000 + SYS_getpid);
  WAY("call of 32 bits") { int done = 20; __asm__ volatile("int $0x80" : "+a"(done)::"memory"); return done < 0 ? (errno = -done, -1) : 0; }
#endif
  errno = EINVAL;
  return -1;
}

/// A text of the option, which is JSON without anything escaped.
static void text_of(const nbridge_request *request, const char *name, char *text, size_t size) {
  char option[4096], key[64];
  snprintf(option, sizeof option, "%.*s", (int)request->option.text_size, request->option.text);
  snprintf(key, sizeof key, "\"%s\":\"", name);
  const char *begin = strstr(option, key);
  const char *from = begin ? begin + strlen(key) : "";
  snprintf(text, size, "%.*s", (int)strcspn(from, "\""), from);
}

/// Gives a call what came of that of another plugin.
static void answered(void *data, const nbridge_value *answer) { host->settle(context, (nbridge_call)(uintptr_t)data, answer); }

static uint32_t call(void *state, const nbridge_request *request, nbridge_value *answer) {
  (void)state;
  const nbridge_value empty = {.kind = NBRIDGE_UNDEFINED};
  answer->kind = NBRIDGE_UNDEFINED;
  if (request->action == LEAVE) return host->exit(context, 0), NBRIDGE_ANSWERED;
  if (request->action == PRINT) return printf("of the plugin\n"), NBRIDGE_ANSWERED;
  if (request->action == FLOOD) {
    for (nbridge_call number = 1; number <= 1000000; number++) host->settle(context, request->call + number, &empty);
    return NBRIDGE_ANSWERED;
  }
  if (request->action == CALL) {
    const nbridge_value nothing = {.kind = NBRIDGE_UNDEFINED};
    host->invoke(context, "app", 3, "appInfo", 7, &nothing, answered, (void *)(uintptr_t)request->call);
    return NBRIDGE_PENDING;
  }
  static char text[64];
  char way[64], path[2048];
  text_of(request, "way", way, sizeof way);
  text_of(request, "path", path, sizeof path);
  errno = 0;
  const char *name = attempt(way, path) >= 0 ? "ok" : strerrorname_np(errno);
  answer->kind = NBRIDGE_JSON;
  answer->text_size = (uint64_t)snprintf(text, sizeof text, "\"%s\"", name ? name : "?");
  answer->text = text;
  return NBRIDGE_ANSWERED;
}

static const nbridge_plugin plugin = {
    .magic = NBRIDGE_PLUGIN_MAGIC, .size = sizeof(nbridge_plugin), .major = NBRIDGE_ABI_MAJOR, .minor = NBRIDGE_ABI_MINOR,
    .describe = describe, .start = start, .stop = stop, .call = call};

const nbridge_plugin *nbridge_plugin_entry(uint32_t abi) {
  (void)abi;
  return &plugin;
}
