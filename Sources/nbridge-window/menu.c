// SPDX-License-Identifier: MIT
//
// The menu bar over a page.

#include "talk.h"

#include <stdlib.h>
#include <string.h>

GtkWidget *make_content(Shown *shown) {
  shown->content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_pack_end(GTK_BOX(shown->content), GTK_WIDGET(shown->view), TRUE, TRUE, 0);
  return shown->content;
}

static gboolean print_page(gpointer data) {
  Shown *shown = shown_of_number(GPOINTER_TO_INT(data));
  if (shown == NULL) return G_SOURCE_REMOVE;
  WebKitPrintOperation *print = webkit_print_operation_new(shown->view);
  webkit_print_operation_run_dialog(print, GTK_WINDOW(shown->window));
  g_object_unref(print);
  return G_SOURCE_REMOVE;
}

static void edit(WebKitWebView *view, const char *command) { webkit_web_view_execute_editing_command(view, command); }

/// Each asks its page first, as its own button does.
static void close_all(void) {
  GList *all = g_list_copy(all_shown);
  for (GList *shown = all; shown != NULL; shown = shown->next) webkit_web_view_try_close(((Shown *)shown->data)->view);
  g_list_free(all);
}

void do_role(Shown *shown, const char *role) {
  GtkWindow *window = GTK_WINDOW(shown->window);
  WebKitWebView *view = shown->view;
  double zoom = webkit_web_view_get_zoom_level(view);
  if (!strcmp(role, "undo")) edit(view, WEBKIT_EDITING_COMMAND_UNDO);
  else if (!strcmp(role, "redo")) edit(view, WEBKIT_EDITING_COMMAND_REDO);
  else if (!strcmp(role, "cut")) edit(view, WEBKIT_EDITING_COMMAND_CUT);
  else if (!strcmp(role, "copy")) edit(view, WEBKIT_EDITING_COMMAND_COPY);
  else if (!strcmp(role, "paste")) edit(view, WEBKIT_EDITING_COMMAND_PASTE);
  else if (!strcmp(role, "selectAll")) edit(view, WEBKIT_EDITING_COMMAND_SELECT_ALL);
  else if (!strcmp(role, "reload")) webkit_web_view_reload(view);
  else if (!strcmp(role, "zoomIn")) webkit_web_view_set_zoom_level(view, MIN(5, zoom * 1.1));
  else if (!strcmp(role, "zoomOut")) webkit_web_view_set_zoom_level(view, MAX(0.25, zoom / 1.1));
  else if (!strcmp(role, "zoomReset")) webkit_web_view_set_zoom_level(view, 1);
  else if (!strcmp(role, "fullScreen")) {
    GdkWindow *drawn = gtk_widget_get_window(shown->window);
    if (gdk_window_get_state(drawn) & GDK_WINDOW_STATE_FULLSCREEN) gtk_window_unfullscreen(window);
    else gtk_window_fullscreen(window);
  } else if (!strcmp(role, "print")) {
    // Its dialog has a loop of its own, in which the program is heard as well.
    g_idle_add(print_page, GINT_TO_POINTER(shown->number));
  } else if (!strcmp(role, "inspect")) {
    if (is_set("inspect")) webkit_web_inspector_show(webkit_web_view_get_inspector(view));
  } else if (!strcmp(role, "minimize")) gtk_window_iconify(window);
  else if (!strcmp(role, "close")) webkit_web_view_try_close(view);
  else if (!strcmp(role, "quit")) close_all();
}

static void chosen(GtkMenuItem *item, gpointer data) {
  Shown *shown = data;
  const char *kind = g_object_get_data(G_OBJECT(item), "kind");
  const char *id = g_object_get_data(G_OBJECT(item), "id");
  // The last thing: it may take the menu away.
  if (*id != 0) tell_event(shown, "menu", id);
  if (strcmp(kind, "item") != 0) do_role(shown, kind);
}

static GtkWidget *make_item(Shown *shown, char **parts) {
  if (!strcmp(parts[KIND], "line")) return gtk_separator_menu_item_new();
  GtkWidget *item = *parts[MARK] == 0 ? gtk_menu_item_new_with_mnemonic(parts[LABEL]) : gtk_check_menu_item_new_with_mnemonic(parts[LABEL]);
  if (*parts[MARK] != 0) gtk_check_menu_item_set_active(GTK_CHECK_MENU_ITEM(item), *parts[MARK] == '1');
  gtk_widget_set_sensitive(item, *parts[ENABLED] == '1');
  if (!strcmp(parts[KIND], "menu")) return item;
  g_object_set_data_full(G_OBJECT(item), "kind", g_strdup(parts[KIND]), g_free);
  g_object_set_data_full(G_OBJECT(item), "id", g_strdup(parts[ID]), g_free);
  g_signal_connect(item, "activate", G_CALLBACK(chosen), shown);
  guint key = 0;
  GdkModifierType modifiers = 0;
  if (*parts[KEY] != 0) gtk_accelerator_parse(parts[KEY], &key, &modifiers);
  if (key != 0) gtk_widget_add_accelerator(item, "activate", shown->keys, key, modifiers, GTK_ACCEL_VISIBLE);
  return item;
}

static void take_away(Shown *shown) {
  if (shown->bar != NULL) gtk_widget_destroy(shown->bar);
  if (shown->keys != NULL) {
    gtk_window_remove_accel_group(GTK_WINDOW(shown->window), shown->keys);
    g_object_unref(shown->keys);
  }
  shown->bar = NULL;
  shown->keys = NULL;
}

char *set_menu(Shown *shown, const char *text) {
  take_away(shown);
  if (*text == 0) return NULL;
  GtkWidget *shells[DEEPEST + 1] = {shown->bar = gtk_menu_bar_new()};
  shown->keys = gtk_accel_group_new();
  gtk_window_add_accel_group(GTK_WINDOW(shown->window), shown->keys);
  char **lines = g_strsplit(text, "\n", -1);
  char *wrong = NULL;
  for (char **line = lines; *line != NULL && wrong == NULL; line++) {
    char **parts = g_strsplit(*line, "\t", PARTS);
    int depth = atoi(parts[DEPTH]);
    if (g_strv_length(parts) != PARTS || depth < 0 || depth >= DEEPEST || shells[depth] == NULL) {
      wrong = g_strdup_printf("'%s' is no line of a menu", *line);
    } else {
      GtkWidget *item = make_item(shown, parts);
      gtk_menu_shell_append(GTK_MENU_SHELL(shells[depth]), item);
      if (!strcmp(parts[KIND], "menu")) {
        shells[depth + 1] = gtk_menu_new();
        gtk_menu_item_set_submenu(GTK_MENU_ITEM(item), shells[depth + 1]);
      }
    }
    g_strfreev(parts);
  }
  g_strfreev(lines);
  gtk_box_pack_start(GTK_BOX(shown->content), shown->bar, FALSE, FALSE, 0);
  gtk_widget_show_all(shown->bar);
  return wrong;
}
