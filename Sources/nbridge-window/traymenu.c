// SPDX-License-Identifier: MIT
//
// The menu of a tray's icon: com.canonical.dbusmenu, by which the desktop reads it, shows it, and says what was chosen.

#include "talk.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 3, ROOT = 0 };

static const char interface_text[] =
  "<node><interface name='com.canonical.dbusmenu'>"
  "<property name='Version' type='u' access='read'/><property name='TextDirection' type='s' access='read'/>"
  "<property name='Status' type='s' access='read'/><property name='IconThemePath' type='as' access='read'/>"
  "<method name='GetLayout'><arg type='i' name='parent' direction='in'/><arg type='i' name='depth' direction='in'/>"
  "<arg type='as' name='names' direction='in'/><arg type='u' name='revision' direction='out'/>"
  "<arg type='(ia{sv}av)' name='layout' direction='out'/></method>"
  "<method name='GetGroupProperties'><arg type='ai' name='ids' direction='in'/><arg type='as' name='names' direction='in'/>"
  "<arg type='a(ia{sv})' name='properties' direction='out'/></method>"
  "<method name='GetProperty'><arg type='i' name='id' direction='in'/><arg type='s' name='name' direction='in'/>"
  "<arg type='v' name='value' direction='out'/></method>"
  "<method name='Event'><arg type='i' name='id' direction='in'/><arg type='s' name='event' direction='in'/>"
  "<arg type='v' name='data' direction='in'/><arg type='u' name='time' direction='in'/></method>"
  "<method name='EventGroup'><arg type='a(isvu)' name='events' direction='in'/><arg type='ai' name='unknown' direction='out'/></method>"
  "<method name='AboutToShow'><arg type='i' name='id' direction='in'/><arg type='b' name='changes' direction='out'/></method>"
  "<method name='AboutToShowGroup'><arg type='ai' name='ids' direction='in'/><arg type='ai' name='changed' direction='out'/>"
  "<arg type='ai' name='unknown' direction='out'/></method>"
  "<signal name='ItemsPropertiesUpdated'><arg type='a(ia{sv})' name='changed'/><arg type='a(ias)' name='removed'/></signal>"
  "<signal name='LayoutUpdated'><arg type='u' name='revision'/><arg type='i' name='parent'/></signal>"
  "<signal name='ItemActivationRequested'><arg type='i' name='id'/><arg type='u' name='time'/></signal>"
  "</interface></node>";

/// The items stand one behind the other, each before those that it opens: lines, taken apart.
struct TrayMenu {
  Shown *shown;
  int tray;
  GPtrArray *items;
  /// The number of the first: what was shown before has others, and a late choice of that chooses nothing.
  int first;
  guint revision;
  GDBusConnection *bus;
  guint registration;
};

static char **item_at(TrayMenu *menu, int index) { return g_ptr_array_index(menu->items, index); }

static int depth_at(TrayMenu *menu, int index) { return atoi(item_at(menu, index)[DEPTH]); }

static gboolean is_kind(char **item, const char *kind) { return !strcmp(item[KIND], kind); }

/// Its place among the items, -1 for the root and -2 for none.
static int index_of(TrayMenu *menu, int id) {
  if (id == ROOT) return -1;
  int index = id - menu->first;
  return index < 0 || index >= (int)menu->items->len ? -2 : index;
}

static int id_at(TrayMenu *menu, int index) { return index < 0 ? ROOT : menu->first + index; }

// --- What items are ------------------------------------------------------------------------------------------------------------------

static GVariant *property_of(TrayMenu *menu, int index, const char *name) {
  gboolean opens = index < 0 || is_kind(item_at(menu, index), "menu");
  if (!strcmp(name, "children-display")) return opens ? g_variant_new_string("submenu") : NULL;
  if (index < 0) return NULL;
  char **item = item_at(menu, index);
  gboolean is_line = is_kind(item, "line"), is_marked = *item[MARK] != 0;
  if (!strcmp(name, "type")) return g_variant_new_string(is_line ? "separator" : "standard");
  if (!strcmp(name, "visible")) return g_variant_new_boolean(TRUE);
  if (is_line) return NULL;
  if (!strcmp(name, "label")) return g_variant_new_string(item[LABEL]);
  if (!strcmp(name, "enabled")) return g_variant_new_boolean(*item[ENABLED] == '1');
  if (!strcmp(name, "toggle-type")) return g_variant_new_string(is_marked ? "checkmark" : "");
  if (!strcmp(name, "toggle-state")) return g_variant_new_int32(!is_marked ? -1 : *item[MARK] == '1');
  return NULL;
}

/// Those that are asked for; all where none is named.
static GVariant *properties_of(TrayMenu *menu, int index, const char *const *names) {
  static const char *const all[] = {"type", "label", "enabled", "visible", "toggle-type", "toggle-state", "children-display", NULL};
  GVariantBuilder made;
  g_variant_builder_init(&made, G_VARIANT_TYPE("a{sv}"));
  for (const char *const *name = all; *name != NULL; name++) {
    if (names != NULL && *names != NULL && !g_strv_contains(names, *name)) continue;
    GVariant *value = property_of(menu, index, *name);
    if (value != NULL) g_variant_builder_add(&made, "{sv}", *name, value);
  }
  return g_variant_builder_end(&made);
}

/// An item with so many levels of what it opens; all below 0.
static GVariant *layout_of(TrayMenu *menu, int index, int levels, const char *const *names) {
  GVariantBuilder children;
  g_variant_builder_init(&children, G_VARIANT_TYPE("av"));
  int depth = index < 0 ? -1 : depth_at(menu, index);
  for (int next = index + 1; levels != 0 && next < (int)menu->items->len && depth_at(menu, next) > depth; next++) {
    if (depth_at(menu, next) == depth + 1) g_variant_builder_add(&children, "v", layout_of(menu, next, levels - 1, names));
  }
  return g_variant_new("(i@a{sv}av)", id_at(menu, index), properties_of(menu, index, names), &children);
}

static GVariant *group_of(TrayMenu *menu, GVariant *ids, const char *const *names) {
  GVariantBuilder made;
  g_variant_builder_init(&made, G_VARIANT_TYPE("a(ia{sv})"));
  gsize count = g_variant_n_children(ids);
  // None means each, as the interface has it.
  for (int index = -1; count == 0 && index < (int)menu->items->len; index++)
    g_variant_builder_add(&made, "(i@a{sv})", id_at(menu, index), properties_of(menu, index, names));
  for (gsize at = 0; at < count; at++) {
    int id;
    g_variant_get_child(ids, at, "i", &id);
    int index = index_of(menu, id);
    if (index >= -1) g_variant_builder_add(&made, "(i@a{sv})", id, properties_of(menu, index, names));
  }
  return g_variant_builder_end(&made);
}

// --- What is chosen ------------------------------------------------------------------------------------------------------------------

/// Answers false where there is no such item.
static gboolean take_event(TrayMenu *menu, int id, const char *event) {
  int index = index_of(menu, id);
  if (index < 0 || strcmp(event, "clicked") != 0) return index >= -1;
  char **item = item_at(menu, index);
  if (is_kind(item, "line") || is_kind(item, "menu") || *item[ENABLED] != '1') return TRUE;
  if (*item[ID] != 0) tell_tray(menu->tray, "menu", item[ID]);
  if (!is_kind(item, "item")) do_role(menu->shown, item[KIND]);
  return TRUE;
}

static GVariant *take_events(TrayMenu *menu, GVariant *events) {
  GVariantBuilder unknown;
  g_variant_builder_init(&unknown, G_VARIANT_TYPE("ai"));
  for (gsize at = 0; at < g_variant_n_children(events); at++) {
    int id;
    const char *event;
    g_variant_get_child(events, at, "(i&svu)", &id, &event, NULL, NULL);
    if (!take_event(menu, id, event)) g_variant_builder_add(&unknown, "i", id);
  }
  return g_variant_new("(ai)", &unknown);
}

static void refuse_id(GDBusMethodInvocation *call, int id) {
  g_dbus_method_invocation_return_error(call, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS, "the menu has no item %d", id);
}

static void answer_layout(TrayMenu *menu, GVariant *asked, GDBusMethodInvocation *call) {
  int id, levels;
  const char **names;
  g_variant_get(asked, "(ii^a&s)", &id, &levels, &names);
  int index = index_of(menu, id);
  if (index < -1) refuse_id(call, id);
  else
    g_dbus_method_invocation_return_value(
      call, g_variant_new("(u@(ia{sv}av))", menu->revision, layout_of(menu, index, levels, names)));
  g_free(names);
}

static void answer_group(TrayMenu *menu, GVariant *asked, GDBusMethodInvocation *call) {
  GVariant *ids;
  const char **names;
  g_variant_get(asked, "(@ai^a&s)", &ids, &names);
  g_dbus_method_invocation_return_value(call, g_variant_new("(@a(ia{sv}))", group_of(menu, ids, names)));
  g_variant_unref(ids);
  g_free(names);
}

static void answer_property(TrayMenu *menu, GVariant *asked, GDBusMethodInvocation *call) {
  int id;
  const char *name;
  g_variant_get(asked, "(i&s)", &id, &name);
  int index = index_of(menu, id);
  GVariant *value = index < -1 ? NULL : property_of(menu, index, name);
  if (value != NULL) return g_dbus_method_invocation_return_value(call, g_variant_new("(v)", value));
  if (index < -1) return refuse_id(call, id);
  g_dbus_method_invocation_return_error(call, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS, "item %d has no property '%s'", id, name);
}

static void answer_event(TrayMenu *menu, GVariant *asked, GDBusMethodInvocation *call) {
  int id;
  const char *event;
  g_variant_get(asked, "(i&svu)", &id, &event, NULL, NULL);
  if (index_of(menu, id) < -1) return refuse_id(call, id);
  // The answer first: what is chosen may take the menu away, and then the call is gone.
  char *kept = g_strdup(event);
  g_dbus_method_invocation_return_value(call, NULL);
  take_event(menu, id, kept);
  g_free(kept);
}

static void called(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method, GVariant *asked,
  GDBusMethodInvocation *call, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface;
  if (!strcmp(method, "GetLayout")) answer_layout(data, asked, call);
  else if (!strcmp(method, "GetGroupProperties")) answer_group(data, asked, call);
  else if (!strcmp(method, "GetProperty")) answer_property(data, asked, call);
  else if (!strcmp(method, "Event")) answer_event(data, asked, call);
  else if (!strcmp(method, "EventGroup")) {
    GVariant *events = g_variant_get_child_value(asked, 0);
    g_dbus_method_invocation_return_value(call, take_events(data, events));
    g_variant_unref(events);
  } else if (!strcmp(method, "AboutToShow")) g_dbus_method_invocation_return_value(call, g_variant_new("(b)", FALSE));
  else g_dbus_method_invocation_return_value(call, g_variant_new("(@ai@ai)", g_variant_new("ai", NULL), g_variant_new("ai", NULL)));
}

static GVariant *told(
  GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *name, GError **error, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface, (void)error, (void)data;
  if (!strcmp(name, "Version")) return g_variant_new_uint32(VERSION);
  if (!strcmp(name, "Status")) return g_variant_new_string("normal");
  if (!strcmp(name, "IconThemePath")) return g_variant_new_strv(NULL, 0);
  return g_variant_new_string(gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL ? "rtl" : "ltr");
}

// --- Changes -------------------------------------------------------------------------------------------------------------------------

static void tell(TrayMenu *menu, const char *signal, GVariant *values) {
  g_variant_ref_sink(values);
  if (menu->bus != NULL)
    g_dbus_connection_emit_signal(menu->bus, NULL, TRAY_MENU_PATH, "com.canonical.dbusmenu", signal, values, NULL);
  g_variant_unref(values);
}

/// Takes lines apart. Answers why it can't.
static char *take_apart(const char *text, GPtrArray *items) {
  if (*text == 0) return NULL;
  char **lines = g_strsplit(text, "\n", -1), *wrong = NULL;
  int open = 0;
  for (char **line = lines; *line != NULL && wrong == NULL; line++) {
    char **parts = g_strsplit(*line, "\t", PARTS);
    int depth = atoi(parts[DEPTH] == NULL ? "-1" : parts[DEPTH]);
    if (g_strv_length(parts) != PARTS || depth < 0 || depth >= DEEPEST || depth > open) {
      wrong = g_strdup_printf("'%s' is no line of a menu", *line);
      g_strfreev(parts);
      break;
    }
    open = depth + is_kind(parts, "menu");
    g_ptr_array_add(items, parts);
  }
  g_strfreev(lines);
  return wrong;
}

/// Whether a choice in one means the same in the other.
static gboolean are_alike(GPtrArray *some, GPtrArray *others) {
  if (some->len != others->len) return FALSE;
  for (guint at = 0; at < some->len; at++) {
    char **one = g_ptr_array_index(some, at), **other = g_ptr_array_index(others, at);
    if (strcmp(one[DEPTH], other[DEPTH]) != 0 || strcmp(one[KIND], other[KIND]) != 0 || strcmp(one[ID], other[ID]) != 0) return FALSE;
  }
  return TRUE;
}

/// Tells what became of items that stay where they are: a menu that is open stays open then.
static void tell_changed(TrayMenu *menu, GPtrArray *before) {
  GVariantBuilder changed;
  g_variant_builder_init(&changed, G_VARIANT_TYPE("a(ia{sv})"));
  for (int index = 0; index < (int)menu->items->len; index++) {
    char **was = g_ptr_array_index(before, index), **is = item_at(menu, index);
    if (strcmp(was[ENABLED], is[ENABLED]) != 0 || strcmp(was[MARK], is[MARK]) != 0 || strcmp(was[LABEL], is[LABEL]) != 0)
      g_variant_builder_add(&changed, "(i@a{sv})", id_at(menu, index), properties_of(menu, index, NULL));
  }
  tell(menu, "ItemsPropertiesUpdated", g_variant_new("(a(ia{sv})@a(ias))", &changed, g_variant_new("a(ias)", NULL)));
}

char *tray_menu_set(TrayMenu *menu, const char *lines) {
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev), *before = menu->items;
  char *wrong = take_apart(lines, items);
  if (wrong != NULL) {
    g_ptr_array_unref(items);
    return wrong;
  }
  menu->items = items;
  if (before->len > 0 && are_alike(before, items)) tell_changed(menu, before);
  else {
    menu->first += before->len;
    menu->revision++;
    tell(menu, "LayoutUpdated", g_variant_new("(ui)", menu->revision, ROOT));
  }
  g_ptr_array_unref(before);
  return NULL;
}

gboolean tray_menu_is_empty(TrayMenu *menu) { return menu->items->len == 0; }

TrayMenu *tray_menu_new(Shown *shown, int tray) {
  TrayMenu *menu = g_new0(TrayMenu, 1);
  menu->shown = shown;
  menu->tray = tray;
  menu->first = ROOT + 1;
  menu->items = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  return menu;
}

gboolean tray_menu_export(TrayMenu *menu, GDBusConnection *bus) {
  static const GDBusInterfaceVTable table = {called, told, NULL, {0}};
  static GDBusNodeInfo *info;
  if (info == NULL) info = g_dbus_node_info_new_for_xml(interface_text, NULL);
  menu->bus = bus;
  menu->registration = g_dbus_connection_register_object(bus, TRAY_MENU_PATH, info->interfaces[0], &table, menu, NULL, NULL);
  return menu->registration != 0;
}

void tray_menu_free(TrayMenu *menu) {
  if (menu->registration != 0) g_dbus_connection_unregister_object(menu->bus, menu->registration);
  g_ptr_array_unref(menu->items);
  g_free(menu);
}
