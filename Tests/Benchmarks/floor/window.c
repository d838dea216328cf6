// SPDX-License-Identifier: MIT
// The floor of `nbridge window`: a bare WebKitGTK program whose page sends script messages and gets replies.
// window FOLDER: prints the titles of its page.
#include <gtk/gtk.h>
#include <stdio.h>
#include <webkit2/webkit2.h>

static gboolean reply(WebKitUserContentManager *manager, JSCValue *value, WebKitScriptMessageReply *reply, gpointer data) {
  (void)manager, (void)data;
  webkit_script_message_reply_return_value(reply, value);
  return TRUE;
}

/// What the page says.
static void tell(WebKitWebView *view, GParamSpec *what, gpointer data) {
  (void)what, (void)data;
  const char *title = webkit_web_view_get_title(view);
  if (title != NULL) puts(title);
  fflush(stdout);
}

int main(int count, char **words) {
  gtk_init(&count, &words);
  WebKitUserContentManager *manager = webkit_user_content_manager_new();
  g_signal_connect(manager, "script-message-with-reply-received::echo", G_CALLBACK(reply), NULL);
  webkit_user_content_manager_register_script_message_handler_with_reply(manager, "echo", NULL);
  WebKitWebView *view = WEBKIT_WEB_VIEW(webkit_web_view_new_with_user_content_manager(manager));
  g_signal_connect(view, "notify::title", G_CALLBACK(tell), NULL);
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  gtk_window_set_default_size(GTK_WINDOW(window), 1000, 700);
  gtk_container_add(GTK_CONTAINER(window), GTK_WIDGET(view));
  g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
  gtk_widget_show_all(window);
  char *path = g_canonicalize_filename(words[1], NULL), *uri = g_strconcat("file://", path, "/index.html", NULL);
  webkit_web_view_load_uri(view, uri);
  gtk_main();
  return 0;
}
