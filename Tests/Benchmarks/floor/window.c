// SPDX-License-Identifier: MIT
// The floor of `nbridge window`: a bare WebKitGTK program whose page sends script messages and gets replies, and fetches from a scheme of
// the program's own, as pages of Tauri's do. window FOLDER: prints the titles of its page.
#include <gtk/gtk.h>
#include <stdio.h>
#include <webkit2/webkit2.h>

enum { GIVEN = 64 << 20 };
static char *folder;

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

static void answer(WebKitURISchemeRequest *request, GInputStream *stream, gint64 size, const char *type) {
  WebKitURISchemeResponse *response = webkit_uri_scheme_response_new(stream, size);
  SoupMessageHeaders *headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE);
  soup_message_headers_append(headers, "Access-Control-Allow-Origin", "*");
  webkit_uri_scheme_response_set_content_type(response, type);
  webkit_uri_scheme_response_set_http_headers(response, headers);
  webkit_uri_scheme_request_finish_with_response(request, response);
  g_object_unref(response);
}

/// A file of the page's.
static void give(WebKitURISchemeRequest *request, gpointer data) {
  (void)data;
  char *path = g_build_filename(folder, webkit_uri_scheme_request_get_path(request), NULL), *text = NULL;
  gsize size = 0;
  if (!g_file_get_contents(path, &text, &size, NULL)) size = 0;
  GInputStream *stream = g_memory_input_stream_new_from_data(text, size, g_free);
  answer(request, stream, size, g_str_has_suffix(path, ".js") ? "text/javascript" : "text/html");
  g_object_unref(stream);
  g_free(path);
}

/// The body's end has come: how long it was is the answer.
static void spliced(GObject *memory, GAsyncResult *result, gpointer request) {
  char text[32];
  gssize size = g_output_stream_splice_finish(G_OUTPUT_STREAM(memory), result, NULL);
  int length = snprintf(text, sizeof text, "%zd", size);
  GInputStream *stream = g_memory_input_stream_new_from_data(g_strdup(text), length, g_free);
  answer(request, stream, length, "text/plain");
  g_object_unref(stream);
  g_object_unref(memory);
  g_object_unref(request);
}

/// A call: takes the body of a POST, or gives bytes.
static void call(WebKitURISchemeRequest *request, gpointer data) {
  (void)data;
  GInputStream *body = webkit_uri_scheme_request_get_http_body(request);
  if (body) {
    GOutputStream *memory = g_memory_output_stream_new_resizable();
    g_output_stream_splice_async(memory, body, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, G_PRIORITY_DEFAULT, NULL, spliced, g_object_ref(request));
    g_object_unref(body);
    return;
  }
  GInputStream *stream = g_memory_input_stream_new_from_data(g_malloc0(GIVEN), GIVEN, g_free);
  answer(request, stream, GIVEN, "application/octet-stream");
  g_object_unref(stream);
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
  WebKitWebContext *context = webkit_web_view_get_context(view);
  folder = g_canonicalize_filename(words[1], NULL);
  webkit_web_context_register_uri_scheme(context, "floor", give, NULL, NULL);
  webkit_web_context_register_uri_scheme(context, "ipc", call, NULL, NULL);
  WebKitSecurityManager *security = webkit_web_context_get_security_manager(context);
  webkit_security_manager_register_uri_scheme_as_secure(security, "ipc");
  webkit_security_manager_register_uri_scheme_as_cors_enabled(security, "ipc");
  webkit_web_view_load_uri(view, "floor://page/index.html");
  gtk_main();
  return 0;
}
