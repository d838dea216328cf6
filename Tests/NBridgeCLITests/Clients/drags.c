// SPDX-License-Identifier: MIT
//
// A window from which files can be dragged: drags WHAT...; each is a URI, or what follows is text. Says when it is shown, and how each drag
// has ended.

#include <gtk/gtk.h>
#include <stdio.h>

static char **words;

static void give(GtkWidget *from, GdkDragContext *drag, GtkSelectionData *selection, guint info, guint time, gpointer data) {
  (void)from, (void)drag, (void)info, (void)time, (void)data;
  if (!gtk_selection_data_set_uris(selection, words)) gtk_selection_data_set_text(selection, words[0], -1);
}

static void ended(GtkWidget *from, GdkDragContext *drag, gpointer data) {
  (void)from, (void)data;
  static int count;
  printf("ended %d %s\n", ++count, gdk_drag_context_get_selected_action(drag) == GDK_ACTION_COPY ? "copied" : "as it was");
  fflush(stdout);
}

static gboolean shown(GtkWidget *from, GdkEvent *event, gpointer data) {
  (void)from, (void)event, (void)data;
  puts("ready");
  fflush(stdout);
  return FALSE;
}

int main(int count, char **arguments) {
  gtk_init(&count, &arguments);
  words = arguments + 1;
  gboolean is_text = count > 1 && !g_str_has_prefix(arguments[1], "file:") && !g_str_has_prefix(arguments[1], "http:");
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *box = gtk_event_box_new();
  gtk_window_set_title(GTK_WINDOW(window), "Source");
  gtk_window_set_default_size(GTK_WINDOW(window), 200, 200);
  gtk_container_add(GTK_CONTAINER(window), box);
  gtk_drag_source_set(box, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY | GDK_ACTION_MOVE);
  if (is_text) gtk_drag_source_add_text_targets(box);
  else gtk_drag_source_add_uri_targets(box);
  g_signal_connect(box, "drag-data-get", G_CALLBACK(give), NULL);
  g_signal_connect(box, "drag-end", G_CALLBACK(ended), NULL);
  g_signal_connect(window, "map-event", G_CALLBACK(shown), NULL);
  gtk_widget_show_all(window);
  gtk_main();
  return 0;
}
