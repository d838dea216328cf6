// SPDX-License-Identifier: MIT
//
// How the window is, and how it is to be.

#include "talk.h"

#include <stdlib.h>
#include <string.h>

static GdkWindowState state_now(void) {
  GdkWindow *drawn = gtk_widget_get_window(window);
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

void add_state(GString *message) {
  int width, height, x, y;
  gtk_window_get_size(GTK_WINDOW(window), &width, &height);
  gtk_window_get_position(GTK_WINDOW(window), &x, &y);
  GdkWindowState state = state_now();
  const char *title = gtk_window_get_title(GTK_WINDOW(window));
  message_add(message, "title", title == NULL ? "" : title);
  message_add_number(message, "width", width);
  message_add_number(message, "height", height);
  message_add_number(message, "x", x);
  message_add_number(message, "y", y);
  message_add_number(message, "fullScreen", (state & GDK_WINDOW_STATE_FULLSCREEN) != 0);
  message_add_number(message, "maximized", (state & GDK_WINDOW_STATE_MAXIMIZED) != 0);
  message_add_number(message, "minimized", (state & GDK_WINDOW_STATE_ICONIFIED) != 0);
  message_add_number(message, "focused", gtk_window_is_active(GTK_WINDOW(window)));
  message_add_number(message, "zoom", (int)(webkit_web_view_get_zoom_level(view) * 100 + 0.5));
  message_add_number(message, "dark", is_dark());
}

static gboolean has(GHashTable *message, const char *name) { return *field(message, name) != 0; }

static int number(GHashTable *message, const char *name) { return atoi(field(message, name)); }

static void limit_size(GHashTable *message) {
  static GdkGeometry least = {.min_width = -1, .min_height = -1};
  if (has(message, "minWidth")) least.min_width = number(message, "minWidth");
  if (has(message, "minHeight")) least.min_height = number(message, "minHeight");
  gtk_widget_set_size_request(window, least.min_width, least.min_height);
}

static void resize(GHashTable *message) {
  int width, height;
  gtk_window_get_size(GTK_WINDOW(window), &width, &height);
  if (has(message, "width")) width = number(message, "width");
  if (has(message, "height")) height = number(message, "height");
  // Before it is shown, the first is what counts.
  gtk_window_set_default_size(GTK_WINDOW(window), width, height);
  gtk_window_resize(GTK_WINDOW(window), width, height);
}

static void toggle(GHashTable *message, const char *name, void (*on)(GtkWindow *), void (*off)(GtkWindow *)) {
  if (has(message, name)) (number(message, name) ? on : off)(GTK_WINDOW(window));
}

void change_window(GHashTable *message) {
  if (has(message, "untitled")) {
    g_hash_table_remove(said, "title");
    const char *title = webkit_web_view_get_title(view);
    gtk_window_set_title(GTK_WINDOW(window), title == NULL ? "" : title);
  }
  if (has(message, "title")) {
    g_hash_table_insert(said, g_strdup("title"), g_strdup(field(message, "title")));
    gtk_window_set_title(GTK_WINDOW(window), field(message, "title"));
  }
  if (has(message, "minWidth") || has(message, "minHeight")) limit_size(message);
  if (has(message, "width") || has(message, "height")) resize(message);
  if (has(message, "x") && has(message, "y")) gtk_window_move(GTK_WINDOW(window), number(message, "x"), number(message, "y"));
  if (has(message, "zoom")) webkit_web_view_set_zoom_level(view, number(message, "zoom") / 100.0);
  toggle(message, "fullScreen", gtk_window_fullscreen, gtk_window_unfullscreen);
  toggle(message, "maximized", gtk_window_maximize, gtk_window_unmaximize);
  toggle(message, "minimized", gtk_window_iconify, gtk_window_deiconify);
}

// --- Changes -------------------------------------------------------------------------------------------------------------------------

static gboolean changed(GtkWidget *from, GdkEventWindowState *event, gpointer data) {
  (void)from, (void)data;
  GdkWindowState unseen = GDK_WINDOW_STATE_ICONIFIED | GDK_WINDOW_STATE_WITHDRAWN;
  if (event->changed_mask & unseen) tell_event(event->new_window_state & unseen ? "hidden" : "shown", NULL);
  return FALSE;
}

static void focused(GObject *from, GParamSpec *what, gpointer data) {
  (void)from, (void)what, (void)data;
  tell_event(gtk_window_is_active(GTK_WINDOW(window)) ? "focus" : "blur", NULL);
}

static void coloured(GObject *from, GParamSpec *what, gpointer data) {
  (void)from, (void)what, (void)data;
  static int was = -1;
  int now = is_dark();
  if (was >= 0 && was != now) tell_event(now ? "dark" : "light", NULL);
  was = now;
}

void follow_state(void) {
  g_signal_connect(window, "window-state-event", G_CALLBACK(changed), NULL);
  g_signal_connect(window, "notify::is-active", G_CALLBACK(focused), NULL);
  GtkSettings *settings = gtk_settings_get_default();
  coloured(NULL, NULL, NULL);
  g_signal_connect(settings, "notify::gtk-application-prefer-dark-theme", G_CALLBACK(coloured), NULL);
  g_signal_connect(settings, "notify::gtk-theme-name", G_CALLBACK(coloured), NULL);
}
