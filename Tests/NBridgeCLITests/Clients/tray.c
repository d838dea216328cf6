// SPDX-License-Identifier: MIT
//
// The tray of a test's desktop: org.kde.StatusNotifierWatcher on the session's bus. Prints the name of each item that registers and that
// goes. Its argument `empty` makes it one that nobody shows.
//
//   cc tray.c $(pkg-config --cflags --libs gio-2.0) -o tray

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static const char interface_text[] =
  "<node><interface name='org.kde.StatusNotifierWatcher'>"
  "<property name='IsStatusNotifierHostRegistered' type='b' access='read'/>"
  "<method name='RegisterStatusNotifierItem'><arg type='s' name='service' direction='in'/></method>"
  "</interface></node>";

static gboolean is_empty;

static void item_went(GDBusConnection *bus, const char *name, gpointer data) {
  (void)bus, (void)data;
  printf("went %s\n", name);
}

static void called(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method, GVariant *asked,
  GDBusMethodInvocation *call, gpointer data) {
  (void)sender, (void)path, (void)interface, (void)method, (void)data;
  const char *name;
  g_variant_get(asked, "(&s)", &name);
  printf("came %s\n", name);
  g_bus_watch_name_on_connection(bus, name, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, item_went, NULL, NULL);
  g_dbus_method_invocation_return_value(call, NULL);
}

static GVariant *told(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *name, GError **error, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface, (void)name, (void)error, (void)data;
  return g_variant_new_boolean(!is_empty);
}

static void connected(GDBusConnection *bus, const char *name, gpointer data) {
  (void)name, (void)data;
  static const GDBusInterfaceVTable table = {called, told, NULL, {0}};
  GDBusNodeInfo *info = g_dbus_node_info_new_for_xml(interface_text, NULL);
  g_dbus_connection_register_object(bus, "/StatusNotifierWatcher", info->interfaces[0], &table, NULL, NULL, NULL);
}

static void named(GDBusConnection *bus, const char *name, gpointer data) {
  (void)bus, (void)name, (void)data;
  printf("ready\n");
}

int main(int count, char **words) {
  is_empty = count > 1 && !strcmp(words[1], "empty");
  setvbuf(stdout, NULL, _IOLBF, 0);
  g_bus_own_name(G_BUS_TYPE_SESSION, "org.kde.StatusNotifierWatcher", G_BUS_NAME_OWNER_FLAGS_NONE, connected, named, NULL, NULL, NULL);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
  return 0;
}
