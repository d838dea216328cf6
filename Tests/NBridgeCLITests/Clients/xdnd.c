// SPDX-License-Identifier: MIT
//
// The other program of a drag, one message at a time (freedesktop's XDND 5): xdnd WINDOW WORD..., and says what it hears. Words: `types T,T`
// and `data TEXT`, what can be had; `enter`, `pos X Y`, `leave`, `drop`; `hold`, from when on data wait for `answer`; `request`, `status` and
// `finished` wait until that has come; `shell LINE`. ACTION in the environment is what it wants to be done.

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static Display *display;
static Window own, target;
static Atom types[3];
static int types_count;
static const char *content = "";
static int holds;
static XSelectionRequestEvent held[16];
static int held_count;
enum { REQUEST, STATUS, FINISHED, WAYS };
static int heard[WAYS];

static Atom atom(const char *name) { return XInternAtom(display, name, False); }

static void answer(XSelectionRequestEvent *request) {
  XEvent event = {0};
  event.xselection.type = SelectionNotify;
  event.xselection.requestor = request->requestor;
  event.xselection.selection = request->selection;
  event.xselection.target = request->target;
  event.xselection.time = request->time;
  event.xselection.property = request->property;
  XChangeProperty(
    display, request->requestor, request->property, request->target, 8, PropModeReplace, (const unsigned char *)content, strlen(content));
  XSendEvent(display, request->requestor, False, 0, &event);
  XFlush(display);
}

static void hear(XEvent *event) {
  if (event->type == SelectionRequest) {
    heard[REQUEST]++;
    if (!holds) answer(&event->xselectionrequest);
    else if (held_count < 16) held[held_count++] = event->xselectionrequest;
  }
  if (event->type != ClientMessage) return;
  const long *data = event->xclient.data.l;
  if (event->xclient.message_type == atom("XdndStatus")) heard[STATUS]++;
  if (event->xclient.message_type != atom("XdndFinished")) return;
  heard[FINISHED]++;
  printf("finished %s\n", data[2] == 0 ? "-" : XGetAtomName(display, data[2]));
  fflush(stdout);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/// Waits for one more, a minute at the most.
static int wait_for(int what) {
  const int before = heard[what];
  for (double end = now() + 60000; heard[what] == before;) {
    if (now() > end) return 0;
    while (XPending(display)) {
      XEvent event;
      XNextEvent(display, &event);
      hear(&event);
    }
    struct pollfd socket = {ConnectionNumber(display), POLLIN, 0};
    poll(&socket, 1, 5);
  }
  return 1;
}

static void say(const char *name, long first, long second, long third, long fourth) {
  XEvent event = {0};
  event.xclient.type = ClientMessage;
  event.xclient.window = target;
  event.xclient.message_type = atom(name);
  event.xclient.format = 32;
  const long data[] = {own, first, second, third, fourth};
  memcpy(event.xclient.data.l, data, sizeof data);
  XSendEvent(display, target, False, 0, &event);
  XFlush(display);
}

static void enter(void) {
  XSetSelectionOwner(display, atom("XdndSelection"), own, CurrentTime);
  say("XdndEnter", 5L << 24, types[0], types[1], types[2]);
}

static void read_types(char *names) {
  memset(types, 0, sizeof types);
  types_count = 0;
  for (char *name = strtok(names, ","); name != NULL && types_count < 3; name = strtok(NULL, ",")) types[types_count++] = atom(name);
}

int main(int count, char **words) {
  if (count < 2 || (display = XOpenDisplay(NULL)) == NULL) return 2;
  target = strtoul(words[1], NULL, 0);
  own = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
  types[0] = atom("text/uri-list");
  const char *action = getenv("ACTION") == NULL ? "XdndActionCopy" : getenv("ACTION");
  for (char **word = words + 2; *word != NULL; word++) {
    if (!strcmp(*word, "types")) read_types(*++word);
    else if (!strcmp(*word, "data")) content = *++word;
    else if (!strcmp(*word, "enter")) enter();
    else if (!strcmp(*word, "pos")) {
      const long x = atoi(*++word), y = atoi(*++word);
      say("XdndPosition", 0, x << 16 | y, CurrentTime, atom(action));
    }
    else if (!strcmp(*word, "leave")) say("XdndLeave", 0, 0, 0, 0);
    else if (!strcmp(*word, "drop")) say("XdndDrop", 0, CurrentTime, 0, 0);
    else if (!strcmp(*word, "hold")) holds = 1;
    else if (!strcmp(*word, "answer")) {
      while (held_count > 0) answer(&held[--held_count]);
    }
    else if (!strcmp(*word, "shell")) {
      if (system(*++word) != 0) return 1;
    }
    else if (!wait_for(!strcmp(*word, "request") ? REQUEST : !strcmp(*word, "status") ? STATUS : FINISHED)) {
      printf("no %s\n", *word);
      return 1;
    }
  }
  return 0;
}
