// SPDX-License-Identifier: MIT
//
// An icon in the desktop's tray, by what desktops agreed on (freedesktop's StatusNotifierItem): an object on the session's bus that the tray's
// own program reads and calls. GTK 3 has none. Each has a connection of its own, so that all of it goes with that one. A tray is known here by
// its number only while something is awaited of the bus: it may have gone when that comes.

#include "talk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WATCHER "org.kde.StatusNotifierWatcher"
#define WATCHER_PATH "/StatusNotifierWatcher"
#define ITEM "org.kde.StatusNotifierItem"
#define ITEM_PATH "/StatusNotifierItem"
/// What desktops take for none.
#define NO_MENU "/NO_DBUSMENU"
#define NO_TRAY \
  "this desktop has no tray: nothing on its session's bus answers to " WATCHER \
  ". KDE and Xfce have one, GNOME has it with the extension AppIndicator; elsewhere the app does without"

static const char interface_text[] =
  "<node><interface name='" ITEM "'>"
  "<property name='Category' type='s' access='read'/><property name='Id' type='s' access='read'/>"
  "<property name='Title' type='s' access='read'/><property name='Status' type='s' access='read'/>"
  "<property name='WindowId' type='i' access='read'/><property name='IconThemePath' type='s' access='read'/>"
  "<property name='IconName' type='s' access='read'/><property name='IconPixmap' type='a(iiay)' access='read'/>"
  "<property name='ToolTip' type='(sa(iiay)ss)' access='read'/>"
  "<property name='ItemIsMenu' type='b' access='read'/><property name='Menu' type='o' access='read'/>"
  "<method name='Activate'><arg type='i' name='x' direction='in'/><arg type='i' name='y' direction='in'/></method>"
  "<method name='SecondaryActivate'><arg type='i' name='x' direction='in'/><arg type='i' name='y' direction='in'/></method>"
  "<method name='ContextMenu'><arg type='i' name='x' direction='in'/><arg type='i' name='y' direction='in'/></method>"
  "<method name='Scroll'><arg type='i' name='delta' direction='in'/><arg type='s' name='orientation' direction='in'/></method>"
  "<signal name='NewTitle'/><signal name='NewIcon'/><signal name='NewToolTip'/><signal name='NewMenu'/>"
  "<signal name='NewStatus'><arg type='s' name='status'/></signal>"
  "</interface></node>";

typedef struct {
  int number;
  Shown *shown;
  /// The number of the question that waits until it is there; NULL then.
  char *question;
  char *tooltip;
  /// As IconPixmap has it; NULL for the desktop's own icon of programs.
  GVariant *pictures;
  TrayMenu *menu;
  GDBusConnection *bus;
  GCancellable *gone;
  guint registration, watch;
} Tray;

static GList *trays;

static Tray *tray_of(int number) {
  for (GList *tray = trays; tray != NULL; tray = tray->next) {
    if (((Tray *)tray->data)->number == number) return tray->data;
  }
  return NULL;
}

static Tray *tray_asked_for(GHashTable *message) { return tray_of(atoi(field(message, "tray"))); }

void tell_tray(int number, const char *event, const char *id) {
  GString *message = message_new();
  message_add_number(message, "tray", number);
  message_add(message, "event", event);
  if (id != NULL) message_add(message, "id", id);
  message_send(message);
}

/// Says why it can't be there to who waits for it.
static void answer_why(Tray *tray, const char *code, const char *why) {
  GString *answer = message_new();
  message_add(answer, "answer", tray->question);
  message_add(answer, "error", why);
  message_add(answer, "code", code);
  message_send(answer);
  g_clear_pointer(&tray->question, g_free);
}

static void tray_free(Tray *tray) {
  if (tray->question != NULL) answer_why(tray, "closed", "the tray has been closed before it was there");
  trays = g_list_remove(trays, tray);
  g_cancellable_cancel(tray->gone);
  g_object_unref(tray->gone);
  if (tray->watch != 0) g_bus_unwatch_name(tray->watch);
  if (tray->registration != 0) g_dbus_connection_unregister_object(tray->bus, tray->registration);
  tray_menu_free(tray->menu);
  if (tray->bus != NULL) {
    g_dbus_connection_close(tray->bus, NULL, NULL, NULL);
    g_object_unref(tray->bus);
  }
  g_clear_pointer(&tray->pictures, g_variant_unref);
  g_free(tray->tooltip);
  g_free(tray);
}

/// Nobody has it.
static void give_up(Tray *tray, const char *why) {
  answer_why(tray, "unavailable", why);
  tray_free(tray);
}

/// Answers why it can't be shown.
static char *set_icon(Tray *tray, GHashTable *message) {
  char *wrong = NULL;
  GVariant *pictures = tray_pictures(message, &wrong);
  if (wrong != NULL) return wrong;
  g_clear_pointer(&tray->pictures, g_variant_unref);
  tray->pictures = pictures;
  return NULL;
}

// --- What it is --------------------------------------------------------------------------------------------------------------------

/// To be given away.
static GVariant *pictures_now(Tray *tray) {
  return tray->pictures != NULL ? g_variant_ref(tray->pictures) : g_variant_new_array(G_VARIANT_TYPE("(iiay)"), NULL, 0);
}

/// What it is called: as it says, or as its window.
static const char *title_of(Tray *tray) {
  if (*tray->tooltip != 0) return tray->tooltip;
  const char *title = gtk_window_get_title(GTK_WINDOW(tray->shown->window));
  return title == NULL || *title == 0 ? get("id") : title;
}

static GVariant *told(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *name, GError **error, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface, (void)error;
  Tray *tray = data;
  if (!strcmp(name, "Category")) return g_variant_new_string("ApplicationStatus");
  if (!strcmp(name, "Id")) return g_variant_new_string(get("id"));
  if (!strcmp(name, "Title")) return g_variant_new_string(title_of(tray));
  if (!strcmp(name, "Status")) return g_variant_new_string("Active");
  if (!strcmp(name, "WindowId")) return g_variant_new_int32(0);
  if (!strcmp(name, "IconName")) return g_variant_new_string(tray->pictures == NULL ? "application-x-executable" : "");
  if (!strcmp(name, "IconPixmap")) return pictures_now(tray);
  if (!strcmp(name, "ToolTip"))
    return g_variant_new("(s@a(iiay)ss)", "", g_variant_new_array(G_VARIANT_TYPE("(iiay)"), NULL, 0), title_of(tray), "");
  if (!strcmp(name, "ItemIsMenu")) return g_variant_new_boolean(FALSE);
  if (!strcmp(name, "Menu")) return g_variant_new_object_path(tray_menu_is_empty(tray->menu) ? NO_MENU : TRAY_MENU_PATH);
  return g_variant_new_string("");
}

static void called(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method, GVariant *asked,
  GDBusMethodInvocation *call, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface, (void)asked;
  Tray *tray = data;
  g_dbus_method_invocation_return_value(call, NULL);
  if (!strcmp(method, "Activate")) tell_tray(tray->number, "activated", NULL);
  // Desktops show the menu by themselves, where there is one.
  else if (!strcmp(method, "SecondaryActivate") || (!strcmp(method, "ContextMenu") && tray_menu_is_empty(tray->menu)))
    tell_tray(tray->number, "secondary", NULL);
}

// --- The tray ------------------------------------------------------------------------------------------------------------------------

/// It is there. There is one in a program, the last that was made.
static void arrived(Tray *tray) {
  if (tray->question == NULL) return;
  GList *others = g_list_copy(trays);
  for (GList *other = others; other != NULL; other = other->next) {
    Tray *one = other->data;
    if (one->number < tray->number && one->question == NULL) tray_free(one);
  }
  g_list_free(others);
  GString *answer = message_new();
  message_add(answer, "answer", tray->question);
  message_send(answer);
  g_clear_pointer(&tray->question, g_free);
}

static void registered(GObject *from, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(from), result, &error);
  Tray *tray = tray_of(GPOINTER_TO_INT(data));
  if (tray != NULL && answer != NULL) arrived(tray);
  else if (tray != NULL && tray->question != NULL) {
    g_dbus_error_strip_remote_error(error);
    char *why = g_strdup_printf("the desktop's tray takes no icon: %s", error->message);
    give_up(tray, why);
    g_free(why);
  }
  g_clear_pointer(&answer, g_variant_unref);
  g_clear_error(&error);
}

/// The bus hears both in this order, and so the tray finds the name.
static void enter_tray(Tray *tray) {
  enum { DO_NOT_QUEUE = 4, PATIENCE = 5000 };
  char *name = g_strdup_printf(ITEM "-%d-%d", (int)getpid(), tray->number);
  g_dbus_connection_call(
    tray->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
    g_variant_new("(su)", name, DO_NOT_QUEUE), NULL, G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, NULL, NULL);
  g_dbus_connection_call(
    tray->bus, WATCHER, WATCHER_PATH, WATCHER, "RegisterStatusNotifierItem", g_variant_new("(s)", name), NULL,
    G_DBUS_CALL_FLAGS_NO_AUTO_START, PATIENCE, tray->gone, registered, GINT_TO_POINTER(tray->number));
  g_free(name);
}

/// Whether anybody shows what the watcher knows of. One that does not tell does.
static void looked(GObject *from, GAsyncResult *result, gpointer data) {
  GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(from), result, NULL);
  Tray *tray = tray_of(GPOINTER_TO_INT(data));
  gboolean is_shown = TRUE;
  if (answer != NULL) {
    GVariant *value;
    g_variant_get(answer, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)) is_shown = g_variant_get_boolean(value);
    g_variant_unref(value);
    g_variant_unref(answer);
  }
  if (tray == NULL) return;
  if (is_shown) enter_tray(tray);
  else give_up(tray, "this desktop shows no tray now: its panel has none, or none yet; add one to the panel, or ask again later");
}

static void watcher_came(GDBusConnection *bus, const char *name, const char *owner, gpointer data) {
  (void)name, (void)owner;
  enum { PATIENCE = 5000 };
  Tray *tray = tray_of(GPOINTER_TO_INT(data));
  if (tray == NULL) return;
  // It has come back, as with a panel that was started again, and knows of nobody.
  if (tray->question == NULL) return enter_tray(tray);
  g_dbus_connection_call(
    bus, WATCHER, WATCHER_PATH, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", WATCHER, "IsStatusNotifierHostRegistered"),
    G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, PATIENCE, tray->gone, looked, data);
}

static void watcher_went(GDBusConnection *bus, const char *name, gpointer data) {
  (void)bus, (void)name;
  Tray *tray = tray_of(GPOINTER_TO_INT(data));
  if (tray != NULL && tray->question != NULL) give_up(tray, NO_TRAY);
}

static void connected(GObject *from, GAsyncResult *result, gpointer data) {
  (void)from;
  static const GDBusInterfaceVTable table = {called, told, NULL, {0}};
  static GDBusNodeInfo *info;
  GDBusConnection *bus = g_dbus_connection_new_for_address_finish(result, NULL);
  Tray *tray = tray_of(GPOINTER_TO_INT(data));
  if (tray == NULL) {
    if (bus != NULL) g_dbus_connection_close(bus, NULL, NULL, NULL);
    g_clear_object(&bus);
    return;
  }
  if (bus == NULL) return give_up(tray, "there is no session's bus that answers here, and so no tray");
  if (info == NULL) info = g_dbus_node_info_new_for_xml(interface_text, NULL);
  tray->bus = bus;
  tray->registration = g_dbus_connection_register_object(bus, ITEM_PATH, info->interfaces[0], &table, tray, NULL, NULL);
  if (tray->registration == 0 || !tray_menu_export(tray->menu, bus)) return give_up(tray, "the session's bus takes no icon");
  tray->watch = g_bus_watch_name_on_connection(bus, WATCHER, G_BUS_NAME_WATCHER_FLAGS_NONE, watcher_came, watcher_went, data, NULL);
}

// --- What the program asks for -------------------------------------------------------------------------------------------------------

static void tell_new(Tray *tray, const char *what) {
  if (tray->bus != NULL) g_dbus_connection_emit_signal(tray->bus, NULL, ITEM_PATH, ITEM, what, NULL, NULL);
}

/// What of it a message names, or takes back by a name in `without`. Answers why it can't.
static char *change_tray(Tray *tray, GHashTable *message) {
  const char *icon = field(message, "icon"), *tooltip = field(message, "tooltip"), *menu = field(message, "menu");
  const char *without = field(message, "without");
  gboolean had_menu = !tray_menu_is_empty(tray->menu);
  if (*icon != 0 || strstr(without, "icon") != NULL) {
    char *wrong = set_icon(tray, message);
    if (wrong != NULL) return wrong;
    tell_new(tray, "NewIcon");
  }
  if (*tooltip != 0 || strstr(without, "tooltip") != NULL) {
    g_free(tray->tooltip);
    tray->tooltip = g_strdup(tooltip);
    tell_new(tray, "NewTitle");
    tell_new(tray, "NewToolTip");
  }
  char *wrong = *menu != 0 || strstr(without, "menu") != NULL ? tray_menu_set(tray->menu, menu) : NULL;
  if (had_menu == tray_menu_is_empty(tray->menu)) tell_new(tray, "NewMenu");
  return wrong;
}

void open_tray(Shown *shown, GHashTable *message) {
  Tray *tray = g_new0(Tray, 1);
  tray->number = atoi(field(message, "tray"));
  tray->shown = shown;
  tray->question = g_strdup(field(message, "number"));
  tray->tooltip = g_strdup("");
  tray->menu = tray_menu_new(shown, tray->number);
  tray->gone = g_cancellable_new();
  trays = g_list_append(trays, tray);
  char *wrong = *field(message, "icon") == 0 ? set_icon(tray, message) : NULL;
  if (wrong == NULL) wrong = change_tray(tray, message);
  if (wrong != NULL) {
    answer_why(tray, "invalid_parameter", wrong);
    g_free(wrong);
    return tray_free(tray);
  }
  char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, NULL, NULL);
  if (address == NULL) return give_up(tray, "there is no session's bus here, and so no tray");
  g_dbus_connection_new_for_address(
    address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, tray->gone, connected,
    GINT_TO_POINTER(tray->number));
  g_free(address);
}

void set_tray(GHashTable *message) {
  Tray *tray = tray_asked_for(message);
  if (tray == NULL) return refuse_as(message, "closed", "the tray has been closed");
  char *wrong = change_tray(tray, message);
  if (wrong != NULL) refuse(message, wrong);
  else message_send(answer_to(message));
  g_free(wrong);
}

void close_tray(GHashTable *message) {
  Tray *tray = tray_asked_for(message);
  if (tray != NULL) tray_free(tray);
  message_send(answer_to(message));
}

void end_trays(Shown *shown) {
  GList *all = g_list_copy(trays);
  for (GList *tray = all; tray != NULL; tray = tray->next) {
    if (((Tray *)tray->data)->shown == shown) tray_free(tray->data);
  }
  g_list_free(all);
}
