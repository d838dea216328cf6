// SPDX-License-Identifier: MIT
//
// Files that a person drags over a window and drops on it. WebKitGTK tells a page of them, and gives it none. So where a page waits for
// files, what is dragged from other programs is asked for here first; all else, and all for a page that waits for none, is handed on to
// WebKit.

#include "talk.h"

#include <string.h>

/// What GTK says of a drag.
enum { MOTION, LEAVE, DROP, DATA, SIGNALS };
static const char *const signals[SIGNALS] = {"drag-motion", "drag-leave", "drag-drop", "drag-data-received"};

/// Whose a drag is, as far as what is dragged says.
typedef enum { ASKED, OURS, THEIRS } Owner;

/// What comes from another program, from its first place over the window to its end there.
typedef struct {
  GdkDragContext *context;
  Owner owner;
  /// Whether its data are still to come.
  gboolean is_awaited;
  gboolean is_dropped;
  /// Whether the page knows that it is over the window.
  gboolean is_told;
  /// Where it is, in the view's pixels.
  int x, y;
  /// Files of this machine; NULL unless it is ours.
  char **paths;
} Drag;

struct Drops {
  WebKitWebView *view;
  /// How many readers wait for files.
  int readers;
  /// What the signals call: WebKit's own, which are blocked until something is handed on, and ours.
  gulong theirs[SIGNALS], ours[SIGNALS];
  /// What is over the window now, or NULL.
  Drag *now;
  /// Those whose data are still to come, which may be no more over it.
  GList *awaited;
  /// What WebKit knows of, or NULL.
  GdkDragContext *webkits;
  /// GTK says that a drag leaves before it says that it is dropped.
  guint leaving;
};

// --- What is told --------------------------------------------------------------------------------------------------------------------

static void tell(Shown *shown, Drag *drag, const char *type) {
  drag->is_told = TRUE;
  double zoom = webkit_web_view_get_zoom_level(shown->view);
  GString *message = message_of(shown);
  message_add(message, "drag", type);
  message_add_number(message, "x", (int)(drag->x / zoom));
  message_add_number(message, "y", (int)(drag->y / zoom));
  int count = 0;
  // What a person drags past is not the page's to know.
  for (char **path = drag->is_dropped ? drag->paths : NULL; path != NULL && *path != NULL; path++) {
    char *key = g_strdup_printf("path%d", count++);
    message_add(message, key, *path);
    g_free(key);
  }
  message_send(message);
}

// --- What is handed on ---------------------------------------------------------------------------------------------------------------

static void let_through(Drops *drops, int signal, gboolean is_theirs) {
  gulong theirs = drops->theirs[signal], ours = drops->ours[signal];
  g_signal_handler_block(drops->view, is_theirs ? ours : theirs);
  g_signal_handler_unblock(drops->view, is_theirs ? theirs : ours);
}

/// Lets WebKit hear what ours has heard.
#define HAND_ON(drops, signal, ...) \
  do { \
    let_through(drops, signal, TRUE); \
    g_signal_emit_by_name((drops)->view, signals[signal], __VA_ARGS__); \
    let_through(drops, signal, FALSE); \
  } while (0)

static gboolean hand_on_motion(Drops *drops, GdkDragContext *context, int x, int y, guint time) {
  gboolean is_heard = TRUE;
  g_set_object(&drops->webkits, context);
  HAND_ON(drops, MOTION, context, x, y, time, &is_heard);
  return is_heard;
}

static void hand_on_leave(Drops *drops, GdkDragContext *context, guint time) { HAND_ON(drops, LEAVE, context, time); }

// --- Drags ---------------------------------------------------------------------------------------------------------------------------

/// As which a drag has files; GDK_NONE where it has none, and for what is dragged within this program.
static GdkAtom files_of(Drops *drops, GdkDragContext *context) {
  if (gtk_drag_get_source_widget(context) != NULL) return GDK_NONE;
  GtkTargetList *list = gtk_target_list_new(NULL, 0);
  gtk_target_list_add_uri_targets(list, 0);
  GdkAtom target = gtk_drag_dest_find_target(GTK_WIDGET(drops->view), context, list);
  gtk_target_list_unref(list);
  return target;
}

/// A drag comes over the window, at a place.
static void begin_now(Drops *drops, GdkDragContext *context, int x, int y, guint time) {
  GdkAtom target = files_of(drops, context);
  Drag *drag = drops->now = g_new0(Drag, 1);
  drag->context = g_object_ref(context);
  drag->owner = target == GDK_NONE ? THEIRS : ASKED;
  drag->x = x;
  drag->y = y;
  if (target == GDK_NONE) return;
  // Whether those are files, or a browser's link, only what comes says; GTK lets the answer wait so long.
  drag->is_awaited = TRUE;
  drops->awaited = g_list_prepend(drops->awaited, drag);
  gtk_drag_get_data(GTK_WIDGET(drops->view), context, target, time);
}

/// Frees one that is neither over the window nor awaited.
static void drag_free(Drops *drops, Drag *drag) {
  if (drag == drops->now || drag->is_awaited) return;
  g_object_unref(drag->context);
  g_strfreev(drag->paths);
  g_free(drag);
}

/// It is no more about to leave.
static void stay(Drops *drops) {
  if (drops->leaving != 0) g_source_remove(drops->leaving);
  drops->leaving = 0;
}

/// What was over the window is so no more; `shown` to tell of it, or NULL.
static void end_now(Drops *drops, Shown *shown) {
  stay(drops);
  Drag *drag = drops->now;
  drops->now = NULL;
  if (drag == NULL) return;
  if (shown != NULL && drag->is_told) tell(shown, drag, "leave");
  drag_free(drops, drag);
}

/// A copy, whatever the other program would have rather: what is dropped stays where it is, and none may take it away.
static void accept(Drag *drag, guint time) { gdk_drag_status(drag->context, GDK_ACTION_COPY, time); }

/// What was dropped, and is known by now, ends.
static void finish(Shown *shown, Drag *drag, guint time) {
  // The readers may have gone while it was awaited.
  gboolean is_taken = drag->owner == OURS && shown->drops->readers > 0;
  if (is_taken) {
    accept(drag, time);
    tell(shown, drag, "drop");
  }
  gtk_drag_finish(drag->context, is_taken, FALSE, time);
  drag_free(shown->drops, drag);
}

// --- What GTK says -------------------------------------------------------------------------------------------------------------------

static gboolean moved(GtkWidget *view, GdkDragContext *context, int x, int y, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  gboolean is_known = drops->now != NULL && drops->now->context == context;
  if (!is_known || drops->readers == 0) end_now(drops, shown);
  if (drops->readers == 0) return hand_on_motion(drops, context, x, y, time);
  if (drops->now == NULL) begin_now(drops, context, x, y, time);
  Drag *drag = drops->now;
  stay(drops);
  gboolean is_there = is_known && drag->x == x && drag->y == y;
  drag->x = x;
  drag->y = y;
  if (drag->owner == THEIRS) return hand_on_motion(drops, context, x, y, time);
  // A page that began to wait while it was under way sees it go.
  if (drops->webkits == context) hand_on_leave(drops, context, time);
  g_clear_object(&drops->webkits);
  if (drag->owner == OURS) {
    accept(drag, time);
    if (!is_there) tell(shown, drag, "over");
  }
  return TRUE;
}

static gboolean leave_later(gpointer data) {
  Shown *shown = data;
  shown->drops->leaving = 0;
  end_now(shown->drops, shown);
  return G_SOURCE_REMOVE;
}

static void left(GtkWidget *view, GdkDragContext *context, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  if (drops->now != NULL && drops->now->context == context && drops->now->owner != THEIRS) {
    if (drops->leaving == 0) drops->leaving = g_idle_add(leave_later, shown);
  } else if (drops->webkits == context) {
    hand_on_leave(drops, context, time);
  }
}

static gboolean dropped(GtkWidget *view, GdkDragContext *context, int x, int y, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  Drag *drag = drops->now;
  if (drag == NULL || drag->context != context || drag->owner == THEIRS) {
    gboolean is_heard = FALSE;
    if (drops->webkits == context) HAND_ON(drops, DROP, context, x, y, time, &is_heard);
    g_clear_object(&drops->webkits);
    end_now(drops, shown);
    return is_heard;
  }
  drag->is_dropped = TRUE;
  drag->x = x;
  drag->y = y;
  stay(drops);
  drops->now = NULL;
  // Else with its data.
  if (!drag->is_awaited) finish(shown, drag, time);
  return TRUE;
}

/// The paths of files of this machine; NULL where there is none.
static char **paths_of(GtkSelectionData *selection) {
  char **uris = gtk_selection_data_get_uris(selection);
  GPtrArray *paths = g_ptr_array_new();
  for (char **uri = uris; uri != NULL && *uri != NULL; uri++) {
    char *host = NULL, *path = g_filename_from_uri(*uri, &host, NULL);
    gboolean is_here = host == NULL || g_ascii_strcasecmp(host, g_get_host_name()) == 0 || g_ascii_strcasecmp(host, "localhost") == 0;
    // Texts of scripts can't say what is not UTF-8, and would name another file.
    if (path != NULL && is_here && g_utf8_validate(path, -1, NULL)) g_ptr_array_add(paths, path);
    else g_free(path);
    g_free(host);
  }
  g_strfreev(uris);
  gboolean is_empty = paths->len == 0;
  g_ptr_array_add(paths, NULL);
  char **found = (char **)g_ptr_array_free(paths, FALSE);
  if (!is_empty) return found;
  g_free(found);
  return NULL;
}

static Drag *awaited_of(Drops *drops, GdkDragContext *context) {
  for (GList *at = drops->awaited; at != NULL; at = at->next) {
    if (((Drag *)at->data)->context == context) return at->data;
  }
  return NULL;
}

static void came(
  GtkWidget *view, GdkDragContext *context, int x, int y, GtkSelectionData *selection, guint info, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  Drag *drag = awaited_of(drops, context);
  if (drag == NULL) {
    // WebKit asked for it.
    HAND_ON(drops, DATA, context, x, y, selection, info, time);
    return;
  }
  drops->awaited = g_list_remove(drops->awaited, drag);
  drag->is_awaited = FALSE;
  drag->paths = paths_of(selection);
  drag->owner = drag->paths == NULL ? THEIRS : OURS;
  if (drag->is_dropped) return finish(shown, drag, time);
  // It has left.
  if (drag != drops->now) return drag_free(drops, drag);
  // It may be about to.
  if (drops->leaving != 0) return;
  if (drag->owner == THEIRS) {
    hand_on_motion(drops, context, drag->x, drag->y, time);
  } else if (drops->readers > 0) {
    accept(drag, time);
    tell(shown, drag, "over");
  }
}

// --- A window's ----------------------------------------------------------------------------------------------------------------------

void follow_drops(Shown *shown) {
  GCallback calls[SIGNALS] = {G_CALLBACK(moved), G_CALLBACK(left), G_CALLBACK(dropped), G_CALLBACK(came)};
  gulong theirs[SIGNALS];
  for (int signal = 0; signal < SIGNALS; signal++) {
    guint id = g_signal_lookup(signals[signal], GTK_TYPE_WIDGET);
    theirs[signal] = g_signal_handler_find(shown->view, G_SIGNAL_MATCH_ID, id, 0, NULL, NULL, NULL);
    // A WebKitGTK that hears of drags in another way: all is left to it.
    if (theirs[signal] == 0) return;
  }
  Drops *drops = shown->drops = g_new0(Drops, 1);
  drops->view = shown->view;
  for (int signal = 0; signal < SIGNALS; signal++) {
    drops->theirs[signal] = theirs[signal];
    drops->ours[signal] = g_signal_connect(shown->view, signals[signal], calls[signal], shown);
    g_signal_handler_block(shown->view, theirs[signal]);
  }
}

void count_drop_readers(Shown *shown, int more) {
  if (shown->drops != NULL) shown->drops->readers += more;
}

void tell_page_gone(Shown *shown) {
  GString *message = message_of(shown);
  message_add(message, "drag", "end");
  message_send(message);
}

void end_drops(Shown *shown) {
  Drops *drops = shown->drops;
  if (drops == NULL) return;
  end_now(drops, NULL);
  while (drops->awaited != NULL) {
    Drag *drag = drops->awaited->data;
    drops->awaited = g_list_remove(drops->awaited, drag);
    drag->is_awaited = FALSE;
    if (drag->is_dropped) gtk_drag_finish(drag->context, FALSE, FALSE, GDK_CURRENT_TIME);
    drag_free(drops, drag);
  }
  g_clear_object(&drops->webkits);
  g_free(drops);
  shown->drops = NULL;
}
