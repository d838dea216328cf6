// SPDX-License-Identifier: MIT
//
// The menu bar over the page.

#include "talk.h"

#include <stdlib.h>
#include <string.h>

static GtkWidget *content, *bar;
static GtkAccelGroup *keys;

enum { DEPTH, KIND, ID, KEY, ENABLED, MARK, LABEL, PARTS };
enum { DEEPEST = 8 };

GtkWidget *make_content(void) {
  content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_pack_end(GTK_BOX(content), GTK_WIDGET(view), TRUE, TRUE, 0);
  return content;
}

static void edit(const char *command) { webkit_web_view_execute_editing_command(view, command); }

static gboolean print_page(gpointer data) {
  (void)data;
  WebKitPrintOperation *print = webkit_print_operation_new(view);
  webkit_print_operation_run_dialog(print, GTK_WINDOW(window));
  g_object_unref(print);
  return G_SOURCE_REMOVE;
}

void do_role(const char *role) {
  GtkWindow *shown = GTK_WINDOW(window);
  double zoom = webkit_web_view_get_zoom_level(view);
  if (!strcmp(role, "undo")) edit(WEBKIT_EDITING_COMMAND_UNDO);
  else if (!strcmp(role, "redo")) edit(WEBKIT_EDITING_COMMAND_REDO);
  else if (!strcmp(role, "cut")) edit(WEBKIT_EDITING_COMMAND_CUT);
  else if (!strcmp(role, "copy")) edit(WEBKIT_EDITING_COMMAND_COPY);
  else if (!strcmp(role, "paste")) edit(WEBKIT_EDITING_COMMAND_PASTE);
  else if (!strcmp(role, "selectAll")) edit(WEBKIT_EDITING_COMMAND_SELECT_ALL);
  else if (!strcmp(role, "reload")) webkit_web_view_reload(view);
  else if (!strcmp(role, "zoomIn")) webkit_web_view_set_zoom_level(view, MIN(5, zoom * 1.1));
  else if (!strcmp(role, "zoomOut")) webkit_web_view_set_zoom_level(view, MAX(0.25, zoom / 1.1));
  else if (!strcmp(role, "zoomReset")) webkit_web_view_set_zoom_level(view, 1);
  else if (!strcmp(role, "fullScreen")) {
    GdkWindow *drawn = gtk_widget_get_window(window);
    if (gdk_window_get_state(drawn) & GDK_WINDOW_STATE_FULLSCREEN) gtk_window_unfullscreen(shown);
    else gtk_window_fullscreen(shown);
  } else if (!strcmp(role, "print")) {
    // Its dialog has a loop of its own, in which the program is heard as well.
    g_idle_add(print_page, NULL);
  } else if (!strcmp(role, "inspect")) {
    if (is_set("inspect")) webkit_web_inspector_show(webkit_web_view_get_inspector(view));
  } else if (!strcmp(role, "minimize")) gtk_window_iconify(shown);
  else if (!strcmp(role, "close") || !strcmp(role, "quit")) webkit_web_view_try_close(view);
}

static void chosen(GtkMenuItem *item, gpointer data) {
  (void)data;
  const char *kind = g_object_get_data(G_OBJECT(item), "kind");
  const char *id = g_object_get_data(G_OBJECT(item), "id");
  if (strcmp(kind, "item") != 0) do_role(kind);
  if (*id != 0) tell_event("menu", id);
}

static GtkWidget *make_item(char **parts) {
  if (!strcmp(parts[KIND], "line")) return gtk_separator_menu_item_new();
  GtkWidget *item = *parts[MARK] == 0 ? gtk_menu_item_new_with_mnemonic(parts[LABEL]) : gtk_check_menu_item_new_with_mnemonic(parts[LABEL]);
  if (*parts[MARK] != 0) gtk_check_menu_item_set_active(GTK_CHECK_MENU_ITEM(item), *parts[MARK] == '1');
  gtk_widget_set_sensitive(item, *parts[ENABLED] == '1');
  if (!strcmp(parts[KIND], "menu")) return item;
  g_object_set_data_full(G_OBJECT(item), "kind", g_strdup(parts[KIND]), g_free);
  g_object_set_data_full(G_OBJECT(item), "id", g_strdup(parts[ID]), g_free);
  g_signal_connect(item, "activate", G_CALLBACK(chosen), NULL);
  guint key = 0;
  GdkModifierType modifiers = 0;
  if (*parts[KEY] != 0) gtk_accelerator_parse(parts[KEY], &key, &modifiers);
  if (key != 0) gtk_widget_add_accelerator(item, "activate", keys, key, modifiers, GTK_ACCEL_VISIBLE);
  return item;
}

static void take_away(void) {
  if (bar != NULL) gtk_widget_destroy(bar);
  if (keys != NULL) {
    gtk_window_remove_accel_group(GTK_WINDOW(window), keys);
    g_object_unref(keys);
  }
  bar = NULL;
  keys = NULL;
}

char *set_menu(const char *text) {
  take_away();
  if (*text == 0) return NULL;
  GtkWidget *shells[DEEPEST + 1] = {bar = gtk_menu_bar_new()};
  keys = gtk_accel_group_new();
  gtk_window_add_accel_group(GTK_WINDOW(window), keys);
  char **lines = g_strsplit(text, "\n", -1);
  char *wrong = NULL;
  for (char **line = lines; *line != NULL && wrong == NULL; line++) {
    char **parts = g_strsplit(*line, "\t", PARTS);
    int depth = atoi(parts[DEPTH]);
    if (g_strv_length(parts) != PARTS || depth < 0 || depth >= DEEPEST || shells[depth] == NULL) {
      wrong = g_strdup_printf("'%s' is no line of a menu", *line);
    } else {
      GtkWidget *item = make_item(parts);
      gtk_menu_shell_append(GTK_MENU_SHELL(shells[depth]), item);
      if (!strcmp(parts[KIND], "menu")) {
        shells[depth + 1] = gtk_menu_new();
        gtk_menu_item_set_submenu(GTK_MENU_ITEM(item), shells[depth + 1]);
      }
    }
    g_strfreev(parts);
  }
  g_strfreev(lines);
  gtk_box_pack_start(GTK_BOX(content), bar, FALSE, FALSE, 0);
  gtk_widget_show_all(bar);
  return wrong;
}
