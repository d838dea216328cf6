// SPDX-License-Identifier: MIT
// The floor of `nbridge serve`: libsoup in C, which serves a page and sends back what comes by a WebSocket.
// pages FOLDER: prints its port.
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

// libsoup 3's own, which Debian's package without headers has, too (libsoup/soup-server.h, soup-websocket-connection.h).
typedef struct _SoupServer SoupServer;
typedef struct _SoupServerMessage SoupServerMessage;
typedef struct _SoupWebsocketConnection SoupWebsocketConnection;
typedef void (*Handler)(SoupServer *, SoupServerMessage *, const char *, GHashTable *, gpointer);
typedef void (*SocketHandler)(SoupServer *, SoupServerMessage *, const char *, SoupWebsocketConnection *, gpointer);
extern GType soup_server_get_type(void), soup_websocket_extension_deflate_get_type(void);
extern gboolean soup_server_listen_local(SoupServer *, guint, int, GError **);
extern GSList *soup_server_get_uris(SoupServer *);
extern void soup_server_add_handler(SoupServer *, const char *, Handler, gpointer, GDestroyNotify);
extern void soup_server_add_websocket_handler(
  SoupServer *, const char *, const char *, char **, SocketHandler, gpointer, GDestroyNotify);
extern void soup_server_remove_websocket_extension(SoupServer *, GType);
extern void soup_server_message_set_status(SoupServerMessage *, guint, const char *);
extern void soup_server_message_set_response(SoupServerMessage *, const char *, int, const char *, gsize);
extern void soup_websocket_connection_set_max_incoming_payload_size(SoupWebsocketConnection *, guint64);
extern void soup_websocket_connection_send_message(SoupWebsocketConnection *, int, GBytes *);

static const char *folder;

static void serve(SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer data) {
  (void)server, (void)query, (void)data;
  char *name = g_build_filename(folder, strcmp(path, "/") == 0 ? "index.html" : path, NULL), *text;
  gsize size;
  if (!g_file_get_contents(name, &text, &size, NULL)) {
    soup_server_message_set_status(message, 404, NULL);
  } else {
    soup_server_message_set_status(message, 200, NULL);
    const char *type = g_str_has_suffix(name, ".js") ? "text/javascript" : "text/html";
    soup_server_message_set_response(message, type, 1, text, size);
  }
  g_free(name);
}

static void echo(SoupWebsocketConnection *connection, int type, GBytes *bytes, gpointer data) {
  (void)data;
  soup_websocket_connection_send_message(connection, type, bytes);
}

static void opened(
  SoupServer *server, SoupServerMessage *message, const char *path, SoupWebsocketConnection *connection, gpointer data) {
  (void)server, (void)message, (void)path, (void)data;
  g_object_ref(connection);
  soup_websocket_connection_set_max_incoming_payload_size(connection, 256 << 20);
  g_signal_connect(connection, "message", G_CALLBACK(echo), NULL);
}

int main(int count, char **words) {
  if (count != 2) return 2;
  folder = words[1];
  SoupServer *server = g_object_new(soup_server_get_type(), NULL);
  soup_server_add_handler(server, NULL, serve, NULL, NULL);
  soup_server_add_websocket_handler(server, "/socket", NULL, NULL, opened, NULL, NULL);
  soup_server_remove_websocket_extension(server, soup_websocket_extension_deflate_get_type());
  // SOUP_SERVER_LISTEN_IPV4_ONLY
  if (!soup_server_listen_local(server, 0, 2, NULL)) return 1;
  GUri *uri = soup_server_get_uris(server)->data;
  printf("%d\n", g_uri_get_port(uri));
  fflush(stdout);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
