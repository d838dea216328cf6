// SPDX-License-Identifier: MIT
//
// Files that a person drags over a window and drops on it. WebKitGTK tells a page of them, and gives it none. So where a page waits for
// files, what is dragged from other programs is asked for here first; all else, and all for a page that waits for none, stays WebKit's.

#include "talk.h"

#include <string.h>

/// What GTK says of a drag, in the order of `signals`.
enum { MOTION, LEAVE, DROP, DATA, SIGNALS };

/// Whose a drag is, as far as what is dragged says.
typedef enum { ASKED, OURS, THEIRS } Owner;

struct Drops {
  WebKitWebView *view;
  /// How many readers wait for files.
  int readers;
  /// What the signals call: WebKit's own, and ours, which are blocked while nobody waits.
  gulong theirs[SIGNALS], ours[SIGNALS];
  /// What is dragged now, or NULL.
  GdkDragContext *drag;
  Owner owner;
  gboolean is_dropped;
  /// Where it is, in the view's pixels.
  int x, y;
  /// Files of this machine; NULL unless the drag is ours.
  char **paths;
  /// GTK says that a drag leaves before it says that it is dropped.
  guint leaving;
};

static void tell(Shown *shown, const char *type) {
  Drops *drops = shown->drops;
  double zoom = webkit_web_view_get_zoom_level(drops->view);
  GString *message = message_of(shown);
  message_add(message, "drag", type);
  message_add_number(message, "x", (int)(drops->x / zoom));
  message_add_number(message, "y", (int)(drops->y / zoom));
  int count = 0;
  // What a person drags past is not the page's to know.
  for (char **path = drops->is_dropped ? drops->paths : NULL; path != NULL && *path != NULL; path++) {
    char *key = g_strdup_printf("path%d", count++);
    message_add(message, key, *path);
    g_free(key);
  }
  message_add_number(message, "count", count);
  message_send(message);
}

static void forget_drag(Drops *drops) {
  if (drops->leaving != 0) g_source_remove(drops->leaving);
  g_clear_object(&drops->drag);
  g_strfreev(drops->paths);
  drops->leaving = 0;
  drops->paths = NULL;
  drops->is_dropped = FALSE;
}

/// Lets WebKit hear what ours has heard.
#define FORWARD(shown, signal, ...) \
  do { \
    Drops *heard = (shown)->drops; \
    block_theirs(heard, signal, FALSE); \
    g_signal_emit_by_name(heard->view, signals[signal], __VA_ARGS__); \
    block_theirs(heard, signal, TRUE); \
  } while (0)

static const char *const signals[SIGNALS] = {"drag-motion", "drag-leave", "drag-drop", "drag-data-received"};

static void block_theirs(Drops *drops, int signal, gboolean blocks) {
  gulong id = drops->theirs[signal];
  if (blocks) {
    if (id != 0) g_signal_handler_block(drops->view, id);
    g_signal_handler_unblock(drops->view, drops->ours[signal]);
  } else {
    g_signal_handler_block(drops->view, drops->ours[signal]);
    if (id != 0) g_signal_handler_unblock(drops->view, id);
  }
}

/// As which a drag from another program has files; GDK_NONE where it has none.
static GdkAtom files_of(Drops *drops, GdkDragContext *drag) {
  if (gtk_drag_get_source_widget(drag) != NULL) return GDK_NONE;
  GtkTargetList *list = gtk_target_list_new(NULL, 0);
  gtk_target_list_add_uri_targets(list, 0);
  GdkAtom target = gtk_drag_dest_find_target(GTK_WIDGET(drops->view), drag, list);
  gtk_target_list_unref(list);
  return target;
}

/// It is taken as a copy, whatever the other program had rather: a file that is dropped stays where it is.
static void accept(GdkDragContext *drag, guint time) {
  gboolean is_offered = (gdk_drag_context_get_actions(drag) & GDK_ACTION_COPY) != 0;
  gdk_drag_status(drag, is_offered ? GDK_ACTION_COPY : gdk_drag_context_get_suggested_action(drag), time);
}

static gboolean moved(GtkWidget *view, GdkDragContext *drag, int x, int y, guint time, gpointer data) {
  Shown *shown = data;
  Drops *drops = shown->drops;
  gboolean is_new = drops->drag != drag, is_there = drops->x == x && drops->y == y;
  if (is_new) {
    GdkAtom target = files_of(drops, drag);
    forget_drag(drops);
    drops->drag = g_object_ref(drag);
    drops->owner = target == GDK_NONE ? THEIRS : ASKED;
    // Whether those are files, or a browser's link, only what comes says; GTK lets the answer wait so long.
    if (target != GDK_NONE) gtk_drag_get_data(view, drag, target, time);
  } else if (drops->leaving != 0) {
    g_source_remove(drops->leaving);
    drops->leaving = 0;
  }
  drops->x = x;
  drops->y = y;
  gboolean is_heard = TRUE;
  if (drops->owner == THEIRS) {
    FORWARD(shown, MOTION, drag, x, y, time, &is_heard);
  } else if (drops->owner == OURS) {
    accept(drag, time);
    if (!is_there) tell(shown, "over");
  }
  return is_heard;
}

static gboolean leave_later(gpointer data) {
  Shown *shown = data;
  shown->drops->leaving = 0;
  tell(shown, "leave");
  forget_drag(shown->drops);
  return G_SOURCE_REMOVE;
}

static void left(GtkWidget *view, GdkDragContext *drag, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  if (drops->drag != drag || drops->owner == THEIRS) FORWARD(shown, LEAVE, drag, time);
  else if (drops->owner == OURS && drops->leaving == 0) drops->leaving = g_idle_add(leave_later, shown);
}

/// The drag ends with what was dropped.
static void drop_now(Shown *shown, GdkDragContext *drag, guint time) {
  tell(shown, "drop");
  gtk_drag_finish(drag, TRUE, FALSE, time);
  forget_drag(shown->drops);
}

static gboolean dropped(GtkWidget *view, GdkDragContext *drag, int x, int y, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  gboolean is_heard = TRUE;
  if (drops->drag != drag || drops->owner == THEIRS) {
    FORWARD(shown, DROP, drag, x, y, time, &is_heard);
    return is_heard;
  }
  drops->is_dropped = TRUE;
  drops->x = x;
  drops->y = y;
  // Else with what comes.
  if (drops->owner == OURS) drop_now(shown, drag, time);
  return TRUE;
}

/// The paths of files of this machine; NULL where there is none.
static char **paths_of(GtkSelectionData *selection) {
  char **uris = gtk_selection_data_get_uris(selection);
  GPtrArray *paths = g_ptr_array_new();
  for (char **uri = uris; uri != NULL && *uri != NULL; uri++) {
    char *host = NULL, *path = g_filename_from_uri(*uri, &host, NULL);
    gboolean is_here = host == NULL || g_ascii_strcasecmp(host, g_get_host_name()) == 0 || g_ascii_strcasecmp(host, "localhost") == 0;
    if (path != NULL && is_here) g_ptr_array_add(paths, path);
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

static void came(
  GtkWidget *view, GdkDragContext *drag, int x, int y, GtkSelectionData *selection, guint info, guint time, gpointer data) {
  (void)view;
  Shown *shown = data;
  Drops *drops = shown->drops;
  if (drops->drag != drag || drops->owner != ASKED) {
    FORWARD(shown, DATA, drag, x, y, selection, info, time);
    return;
  }
  drops->paths = paths_of(selection);
  drops->owner = drops->paths == NULL ? THEIRS : OURS;
  if (drops->is_dropped && drops->owner == OURS) return drop_now(shown, drag, time);
  if (drops->is_dropped) {
    gtk_drag_finish(drag, FALSE, FALSE, time);
    return forget_drag(drops);
  }
  gboolean is_heard;
  if (drops->owner == THEIRS) {
    FORWARD(shown, MOTION, drag, drops->x, drops->y, time, &is_heard);
  } else {
    accept(drag, time);
    tell(shown, "over");
  }
}

static Drops *drops_new(Shown *shown) {
  GCallback calls[SIGNALS] = {G_CALLBACK(moved), G_CALLBACK(left), G_CALLBACK(dropped), G_CALLBACK(came)};
  Drops *drops = g_new0(Drops, 1);
  drops->view = shown->view;
  for (int signal = 0; signal < SIGNALS; signal++) {
    guint id = g_signal_lookup(signals[signal], GTK_TYPE_WIDGET);
    drops->theirs[signal] = g_signal_handler_find(shown->view, G_SIGNAL_MATCH_ID, id, 0, NULL, NULL, NULL);
    drops->ours[signal] = g_signal_connect(shown->view, signals[signal], calls[signal], shown);
    g_signal_handler_block(shown->view, drops->ours[signal]);
  }
  return drops;
}

void follow_drops(Shown *shown, int more) {
  if (shown->drops == NULL) shown->drops = drops_new(shown);
  Drops *drops = shown->drops;
  gboolean did_wait = drops->readers > 0, waits = drops->readers + more > 0;
  drops->readers += more;
  if (did_wait == waits) return;
  for (int signal = 0; signal < SIGNALS; signal++) block_theirs(drops, signal, waits);
  forget_drag(drops);
}

void end_drops(Shown *shown) {
  if (shown->drops == NULL) return;
  for (int signal = 0; signal < SIGNALS; signal++) {
    if (shown->drops->ours[signal] != 0 && g_signal_handler_is_connected(shown->view, shown->drops->ours[signal]))
      g_signal_handler_disconnect(shown->view, shown->drops->ours[signal]);
  }
  forget_drag(shown->drops);
  g_free(shown->drops);
  shown->drops = NULL;
}
