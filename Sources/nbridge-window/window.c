// SPDX-License-Identifier: MIT
//
// Pages in windows of their own: WebKitGTK, and nothing of nBridge's but the way to it. `nbridge window` starts this program with a socket as
// its stdin (talk.c), and says what to show: link, page, id, socket, extension, data, inspect, sandbox, automation, and what state.c and
// menu.c know; when that ends, so do the windows. Later messages open more of them. The pages' files come from the program's server under a
// scheme of their own (files.c), so that what pages keep stays their own; their calls go by extension.c, in a process for each window, or,
// where that can't be, by messages.c.

#include "talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *home;
static WebKitWebContext *context;
GList *all_shown;

// --- What the page may do ------------------------------------------------------------------------------------------------------------

static gboolean is_ours(const char *uri) {
  return g_str_has_prefix(uri, home) || g_str_has_prefix(uri, "about:") || g_str_has_prefix(uri, "blob:") || g_str_has_prefix(uri, "data:");
}

/// Other sites are for the desktop's browser, and only when the person asked for one.
static void open_elsewhere(WebKitNavigationAction *action) {
  const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
  gboolean is_web = g_str_has_prefix(uri, "http:") || g_str_has_prefix(uri, "https:") || g_str_has_prefix(uri, "mailto:");
  GError *error = NULL;
  if (!is_web || !webkit_navigation_action_is_user_gesture(action)) return;
  if (g_app_info_launch_default_for_uri(uri, NULL, &error)) return;
  fprintf(stderr, "nbridge: no program opens that link: %s\n", error->message);
  g_error_free(error);
}

static gboolean decide(WebKitWebView *from, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
  (void)from, (void)data;
  if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
    if (webkit_response_policy_decision_is_mime_type_supported(WEBKIT_RESPONSE_POLICY_DECISION(decision))) return FALSE;
    webkit_policy_decision_ignore(decision);
    return TRUE;
  }
  WebKitNavigationAction *action =
    webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
  const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
  if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && is_ours(uri)) return FALSE;
  open_elsewhere(action);
  webkit_policy_decision_ignore(decision);
  return TRUE;
}

/// A place, a camera, messages of the desktop: none that a plugin has not been allowed.
static gboolean deny(WebKitWebView *from, WebKitPermissionRequest *request, gpointer data) {
  (void)from, (void)data;
  webkit_permission_request_deny(request);
  return TRUE;
}

static void cancel_download(WebKitWebContext *context, WebKitDownload *download, gpointer data) {
  (void)context, (void)data;
  webkit_download_cancel(download);
}

// --- Windows -------------------------------------------------------------------------------------------------------------------------

Shown *shown_of_number(int number) {
  for (GList *shown = all_shown; shown != NULL; shown = shown->next) {
    if (((Shown *)shown->data)->number == number) return shown->data;
  }
  return NULL;
}

Shown *shown_of_view(WebKitWebView *view) {
  for (GList *shown = all_shown; shown != NULL; shown = shown->next) {
    if (((Shown *)shown->data)->view == view) return shown->data;
  }
  return NULL;
}

Shown *shown_of(GHashTable *message) { return shown_of_number(atoi(field(message, "window"))); }

static void titled(GObject *from, GParamSpec *what, gpointer data) {
  (void)from, (void)what;
  show_title(data);
}

static void show_end(WebKitWebView *from, WebKitWebProcessTerminationReason reason, gpointer data) {
  Shown *shown = data;
  end_trays(shown);
  tell_page_gone(shown);
  if (goes_another_way(shown)) return webkit_web_view_load_uri(from, shown->page);
  static const char *const reasons[] = {"It crashed.", "It used more memory than there is.", "It was ended."};
  const char *why = (unsigned)reason < G_N_ELEMENTS(reasons) ? reasons[reason] : "";
  fprintf(stderr, "nbridge: the page's process has ended: %s\n", why);
  char *text = g_strdup_printf(
    "<!doctype html><meta charset=utf-8><title>The page has ended</title><style>body{font:1em system-ui;margin:4em auto;max-width:30em}"
    "</style><h1>The page has ended</h1><p>%s What was saved is safe.</p><p><a href='%s'>Load it again</a></p>", why, shown->page);
  webkit_web_view_load_alternate_html(from, text, shown->page, NULL);
  g_free(text);
}

static gboolean ask_to_close(GtkWidget *from, GdkEvent *event, gpointer data) {
  (void)from, (void)event;
  // A page with something unsaved asks first (beforeunload).
  webkit_web_view_try_close(((Shown *)data)->view);
  return TRUE;
}

/// Not inside of its page's own signal.
static gboolean destroy(gpointer data) {
  Shown *shown = data;
  end_dialogs(shown);
  end_trays(shown);
  end_way(shown);
  end_drops(shown);
  set_menu(shown, "");
  gtk_widget_destroy(shown->window);
  g_free(shown->page);
  g_free(shown->title);
  g_free(shown);
  return G_SOURCE_REMOVE;
}

static void close_window(WebKitWebView *from, gpointer data) {
  (void)from;
  Shown *shown = data;
  // For the next start.
  GString *message = message_of(shown);
  message_add(message, "event", "closed");
  add_state(shown, message);
  message_send(message);
  all_shown = g_list_remove(all_shown, shown);
  if (all_shown == NULL) return gtk_main_quit();
  g_signal_handlers_disconnect_by_data(shown->window, shown);
  g_signal_handlers_disconnect_by_data(shown->view, shown);
  gtk_widget_hide(shown->window);
  g_idle_add(destroy, shown);
}

static const char *role_of(GdkEventKey *event) {
  if (event->keyval == GDK_KEY_F12) return "inspect";
  if (event->keyval == GDK_KEY_F11) return "fullScreen";
  if ((event->state & gtk_accelerator_get_default_mod_mask()) != GDK_CONTROL_MASK) return NULL;
  switch (event->keyval) {
    case GDK_KEY_r: return "reload";
    case GDK_KEY_w: return "close";
    case GDK_KEY_q: return "quit";
    case GDK_KEY_plus: case GDK_KEY_equal: return "zoomIn";
    case GDK_KEY_minus: return "zoomOut";
    case GDK_KEY_0: return "zoomReset";
    case GDK_KEY_p: return "print";
    default: return NULL;
  }
}

static gboolean take_key(GtkWidget *from, GdkEventKey *event, gpointer data) {
  // The app's own keys come first.
  if (gtk_window_activate_key(GTK_WINDOW(from), event)) return TRUE;
  const char *role = role_of(event);
  if (role != NULL) do_role(data, role);
  return role != NULL;
}

/// A change that is answered later.
typedef struct {
  char *number;
  int window;
} Change;

/// How the window is, some time after it was changed: the desktop has its say first.
static gboolean answer_later(gpointer data) {
  Change *change = data;
  Shown *shown = shown_of_number(change->window);
  // Of one that has gone, the program waits for no answer.
  if (shown != NULL) {
    GString *answer = message_of(shown);
    message_add(answer, "answer", change->number);
    add_state(shown, answer);
    message_send(answer);
  }
  g_free(change->number);
  g_free(change);
  return G_SOURCE_REMOVE;
}

enum { SETTLES = 60 };

static void settle(GHashTable *message) {
  Change *change = g_new0(Change, 1);
  change->number = g_strdup(field(message, "number"));
  change->window = atoi(field(message, "window"));
  g_timeout_add(SETTLES, answer_later, change);
}

static void make_window(int number, GHashTable *message);

/// What the program asks for.
static void take_message(GHashTable *message) {
  const char *what = field(message, "do");
  if (!strcmp(what, "cancel")) return cancel_dialog(message);
  if (!strcmp(what, "setTray")) return set_tray(message);
  if (!strcmp(what, "closeTray")) return close_tray(message);
  if (!strcmp(what, "open")) {
    make_window(atoi(field(message, "window")), message);
    return settle(message);
  }
  Shown *shown = shown_of(message);
  if (shown == NULL) return refuse(message, "that window has been closed");
  if (!strcmp(what, "openFile")) return open_file(shown, message);
  if (!strcmp(what, "saveFile")) return save_file(shown, message);
  if (!strcmp(what, "ask")) return ask_question(shown, message);
  if (!strcmp(what, "tray")) return open_tray(shown, message);
  if (!strcmp(what, "drops")) return count_drop_readers(shown, atoi(field(message, "more")));
  if (!strcmp(what, "menu")) {
    char *wrong = set_menu(shown, field(message, "menu"));
    if (wrong != NULL) {
      refuse(message, wrong);
      return g_free(wrong);
    }
  } else if (!strcmp(what, "set")) {
    change_window(shown, message);
    return settle(message);
  }
  else if (!strcmp(what, "focus")) gtk_window_present(GTK_WINDOW(shown->window));
  else if (!strcmp(what, "print")) do_role(shown, what);
  else if (strcmp(what, "close") != 0 && strcmp(what, "state") != 0) return refuse(message, "a window does nothing by that name");
  GString *answer = answer_to(message);
  add_state(shown, answer);
  message_send(answer);
  // The window may go at once, and nobody waits for answers of one that has gone.
  if (!strcmp(what, "close")) do_role(shown, what);
}

// --- Setting up ----------------------------------------------------------------------------------------------------------------------

static void give_extension(WebKitWebContext *from, gpointer data) {
  (void)data;
  char *empty = g_path_get_dirname(get("socket"));
  // WebKit keeps a folder that it was told once, so one without a library takes its place.
  webkit_web_context_set_web_extensions_directory(from, uses_extension() ? get("extension") : empty);
  webkit_web_context_set_web_extensions_initialization_user_data(from, g_variant_new("(ss)", get("socket"), home));
  g_free(empty);
}

/// WebKit ends the whole program where its sandbox can't be made: it is tried before.
static gboolean has_sandbox(void) {
  char *words[] = {"bwrap", "--unshare-user", "--ro-bind", "/", "/", "true", NULL};
  int status = 1;
  GSpawnFlags quiet = G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
  return g_spawn_sync(NULL, words, NULL, quiet, NULL, NULL, NULL, NULL, &status, NULL) && status == 0;
}

static void make_context(void) {
  char *cache = g_build_filename(get("data"), "cache", NULL);
  WebKitWebsiteDataManager *data = is_set("data")
    ? webkit_website_data_manager_new("base-data-directory", get("data"), "base-cache-directory", cache, NULL)
    : webkit_website_data_manager_new_ephemeral();
  g_free(cache);
  context = webkit_web_context_new_with_website_data_manager(data);
  if (strcmp(get("sandbox"), "no") != 0) {
    webkit_web_context_set_sandbox_enabled(context, TRUE);
    char *folder = g_path_get_dirname(get("socket"));
    webkit_web_context_add_path_to_sandbox(context, folder, TRUE);
    if (uses_extension()) webkit_web_context_add_path_to_sandbox(context, get("extension"), TRUE);
    g_free(folder);
  }
  webkit_web_context_set_automation_allowed(context, is_set("automation"));
  g_signal_connect(context, "initialize-web-extensions", G_CALLBACK(give_extension), NULL);
  g_signal_connect(context, "download-started", G_CALLBACK(cancel_download), NULL);
  webkit_web_context_register_uri_scheme(context, "nbridge-app", take_request, NULL, NULL);
  WebKitSecurityManager *security = webkit_web_context_get_security_manager(context);
  webkit_security_manager_register_uri_scheme_as_secure(security, "nbridge-app");
  webkit_security_manager_register_uri_scheme_as_cors_enabled(security, "nbridge-app");
}

static WebKitWebView *give_view(WebKitAutomationSession *from, gpointer data) {
  (void)from, (void)data;
  return ((Shown *)all_shown->data)->view;
}

static void automation_started(WebKitWebContext *of, WebKitAutomationSession *from, gpointer data) {
  (void)of, (void)data;
  WebKitApplicationInfo *info = webkit_application_info_new();
  webkit_application_info_set_name(info, "nbridge-window");
  webkit_automation_session_set_application_info(from, info);
  webkit_application_info_unref(info);
  g_signal_connect(from, "create-web-view", G_CALLBACK(give_view), NULL);
}

static void show_icon(Shown *shown) {
  GError *error = NULL;
  if (!is_set("icon") || gtk_window_set_icon_from_file(GTK_WINDOW(shown->window), get("icon"), &error)) return;
  fprintf(stderr, "nbridge: the window's icon can't be shown: %s\n", error->message);
  g_error_free(error);
}

static WebKitWebView *make_view(Shown *shown) {
  WebKitWebView *view =
    g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "is-controlled-by-automation", is_set("automation"), NULL);
  WebKitSettings *settings = webkit_web_view_get_settings(view);
  webkit_settings_set_enable_developer_extras(settings, is_set("inspect"));
  webkit_settings_set_enable_back_forward_navigation_gestures(settings, FALSE);
  webkit_settings_set_enable_page_cache(settings, FALSE);
  g_signal_connect(view, "decide-policy", G_CALLBACK(decide), NULL);
  g_signal_connect(view, "permission-request", G_CALLBACK(deny), NULL);
  g_signal_connect(view, "notify::title", G_CALLBACK(titled), shown);
  g_signal_connect(view, "web-process-terminated", G_CALLBACK(show_end), shown);
  g_signal_connect(view, "close", G_CALLBACK(close_window), shown);
  return view;
}

/// Opens a window as a message says, and begins to load its page.
static void make_window(int number, GHashTable *message) {
  Shown *shown = g_new0(Shown, 1);
  shown->number = number;
  shown->page = g_strdup(field(message, "page"));
  shown->least_width = shown->least_height = -1;
  shown->view = make_view(shown);
  follow_way(shown);
  shown->window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  all_shown = g_list_append(all_shown, shown);
  g_signal_connect(shown->window, "delete-event", G_CALLBACK(ask_to_close), shown);
  g_signal_connect(shown->window, "key-press-event", G_CALLBACK(take_key), shown);
  gtk_container_add(GTK_CONTAINER(shown->window), make_content(shown));
  show_icon(shown);
  change_window(shown, message);
  char *wrong = set_menu(shown, field(message, "menu"));
  if (wrong != NULL) fprintf(stderr, "nbridge: %s\n", wrong);
  g_free(wrong);
  gtk_widget_show_all(shown->window);
  follow_state(shown);
  follow_drops(shown);
  webkit_web_view_load_uri(shown->view, shown->page);
}

int main(int count, char **words) {
  if (!read_settings() || !is_set("link") || !is_set("page") || !is_set("id")) {
    fprintf(stderr, "nbridge-window: nbridge window starts this program by itself\n");
    return 2;
  }
  home = g_strconcat("nbridge-app://", get("id"), "/", NULL);
  if (!gtk_init_check(&count, &words)) {
    fprintf(stderr, "nbridge: there is no desktop here to open a window on (no DISPLAY or WAYLAND_DISPLAY); nbridge serve needs none\n");
    return 1;
  }
  if (strcmp(get("sandbox"), "no") != 0 && !has_sandbox()) {
    fprintf(stderr,
      "nbridge: the page's process can't be put into a sandbox: bwrap does not work here (apt-get install bubblewrap; some containers "
      "forbid it); --no-sandbox goes on without\n");
    return 1;
  }
  if (!enter()) {
    fprintf(stderr, "nbridge: the program behind the window does not answer\n");
    return 1;
  }
  choose_way(home);
  make_context();
  g_signal_connect(context, "automation-started", G_CALLBACK(automation_started), NULL);
  make_window(1, said);
  follow_colours();
  listen_for(take_message);
  gtk_main();
  return 0;
}
