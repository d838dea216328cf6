// SPDX-License-Identifier: MIT
//
// How windows are, and how they are to be.

#include "talk.h"

#include <stdlib.h>
#include <string.h>

static GdkWindowState state_now(Shown *shown) {
  GdkWindow *drawn = gtk_widget_get_window(shown->window);
  return drawn == NULL ? 0 : gdk_window_get_state(drawn);
}

static gboolean is_dark(void) {
  gboolean prefers = FALSE;
  char *theme = NULL;
  g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &prefers, "gtk-theme-name", &theme, NULL);
  gboolean is_named = theme != NULL && (g_str_has_suffix(theme, "-dark") || g_str_has_suffix(theme, ":dark") || g_str_has_suffix(theme, "-Dark"));
  g_free(theme);
  return prefers || is_named;
}

void add_state(Shown *shown, GString *message) {
  int width, height, x, y;
  GtkWindow *window = GTK_WINDOW(shown->window);
  gtk_window_get_size(window, &width, &height);
  gtk_window_get_position(window, &x, &y);
  GdkWindowState state = state_now(shown);
  const char *title = gtk_window_get_title(window);
  message_add(message, "title", title == NULL ? "" : title);
  message_add_number(message, "width", width);
  message_add_number(message, "height", height);
  message_add_number(message, "x", x);
  message_add_number(message, "y", y);
  message_add_number(message, "fullScreen", (state & GDK_WINDOW_STATE_FULLSCREEN) != 0);
  message_add_number(message, "maximized", (state & GDK_WINDOW_STATE_MAXIMIZED) != 0);
  message_add_number(message, "minimized", (state & GDK_WINDOW_STATE_ICONIFIED) != 0);
  message_add_number(message, "focused", gtk_window_is_active(window));
  message_add_number(message, "zoom", (int)(webkit_web_view_get_zoom_level(shown->view) * 100 + 0.5));
  message_add_number(message, "dark", is_dark());
}

static gboolean has(GHashTable *message, const char *name) { return *field(message, name) != 0; }

static int number(GHashTable *message, const char *name) { return atoi(field(message, name)); }

static void limit_size(Shown *shown, GHashTable *message) {
  if (has(message, "minWidth")) shown->least_width = number(message, "minWidth");
  if (has(message, "minHeight")) shown->least_height = number(message, "minHeight");
  gtk_widget_set_size_request(shown->window, shown->least_width, shown->least_height);
}

static void resize(GtkWindow *window, GHashTable *message) {
  int width, height;
  gtk_window_get_size(window, &width, &height);
  if (has(message, "width")) width = number(message, "width");
  if (has(message, "height")) height = number(message, "height");
  // Before it is shown, the first is what counts.
  gtk_window_set_default_size(window, width, height);
  gtk_window_resize(window, width, height);
}

typedef void Change(GtkWindow *);

static void toggle(GtkWindow *window, GHashTable *message, const char *name, Change *on, Change *off) {
  if (has(message, name)) (number(message, name) ? on : off)(window);
}

void show_title(Shown *shown) {
  const char *own = webkit_web_view_get_title(shown->view);
  const char *title = shown->title != NULL ? shown->title : own;
  gtk_window_set_title(GTK_WINDOW(shown->window), title == NULL ? "" : title);
}

void change_window(Shown *shown, GHashTable *message) {
  GtkWindow *window = GTK_WINDOW(shown->window);
  if (has(message, "untitled") || has(message, "title")) {
    g_free(shown->title);
    shown->title = has(message, "title") ? g_strdup(field(message, "title")) : NULL;
    show_title(shown);
  }
  if (has(message, "minWidth") || has(message, "minHeight")) limit_size(shown, message);
  if (has(message, "width") || has(message, "height")) resize(window, message);
  if (has(message, "x") && has(message, "y")) gtk_window_move(window, number(message, "x"), number(message, "y"));
  if (has(message, "zoom")) webkit_web_view_set_zoom_level(shown->view, number(message, "zoom") / 100.0);
  toggle(window, message, "fullScreen", gtk_window_fullscreen, gtk_window_unfullscreen);
  toggle(window, message, "maximized", gtk_window_maximize, gtk_window_unmaximize);
  toggle(window, message, "minimized", gtk_window_iconify, gtk_window_deiconify);
}

// --- Changes -------------------------------------------------------------------------------------------------------------------------

static gboolean changed(GtkWindow *from, GdkEventWindowState *event, gpointer data) {
  (void)from;
  GdkWindowState unseen = GDK_WINDOW_STATE_ICONIFIED | GDK_WINDOW_STATE_WITHDRAWN;
  if (event->changed_mask & unseen) tell_event(data, event->new_window_state & unseen ? "hidden" : "shown", NULL);
  return FALSE;
}

static void focused(GObject *from, GParamSpec *what, gpointer data) {
  (void)what;
  tell_event(data, gtk_window_is_active(GTK_WINDOW(from)) ? "focus" : "blur", NULL);
}

static void coloured(GObject *from, GParamSpec *what, gpointer data) {
  (void)from, (void)what, (void)data;
  static int was = -1;
  int now = is_dark();
  for (GList *shown = all_shown; was >= 0 && was != now && shown != NULL; shown = shown->next)
    tell_event(shown->data, now ? "dark" : "light", NULL);
  was = now;
}

void follow_state(Shown *shown) {
  g_signal_connect(shown->window, "window-state-event", G_CALLBACK(changed), shown);
  g_signal_connect(shown->window, "notify::is-active", G_CALLBACK(focused), shown);
}

void follow_colours(void) {
  GtkSettings *settings = gtk_settings_get_default();
  coloured(NULL, NULL, NULL);
  g_signal_connect(settings, "notify::gtk-application-prefer-dark-theme", G_CALLBACK(coloured), NULL);
  g_signal_connect(settings, "notify::gtk-theme-name", G_CALLBACK(coloured), NULL);
}
