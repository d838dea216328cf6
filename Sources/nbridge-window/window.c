// SPDX-License-Identifier: MIT
//
// A page in a window of its own: WebKitGTK, and nothing of nBridge's but the way to it. `nbridge window` starts this program with a socket as
// its stdin (talk.c), and says what to show: link, page, id, socket, extension, data, inspect, sandbox, automation, and what state.c and
// menu.c know; when that ends, so does the window. The page's files come from the program's server under a scheme of their own, so that what
// the page keeps stays its own; its calls go by extension.c.

#include "talk.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static SoupSession *session;
static char *origin, *home;
GtkWidget *window;
WebKitWebView *view;

// --- The page's files ----------------------------------------------------------------------------------------------------------------

static const char *const passed[] = {"Content-Type", "Content-Security-Policy", "Cache-Control", "X-Content-Type-Options"};

static void fetched(GObject *source, GAsyncResult *result, gpointer data) {
  WebKitURISchemeRequest *request = data;
  GError *error = NULL;
  SoupMessage *message = soup_session_get_async_result_message(SOUP_SESSION(source), result);
  GInputStream *stream = soup_session_send_finish(SOUP_SESSION(source), result, &error);
  if (stream == NULL) {
    webkit_uri_scheme_request_finish_error(request, error);
    g_error_free(error);
    g_object_unref(request);
    return;
  }
  SoupMessageHeaders *theirs = soup_message_get_response_headers(message);
  WebKitURISchemeResponse *response = webkit_uri_scheme_response_new(stream, soup_message_headers_get_content_length(theirs));
  webkit_uri_scheme_response_set_status(response, soup_message_get_status(message), NULL);
  webkit_uri_scheme_response_set_content_type(response, soup_message_headers_get_content_type(theirs, NULL));
  SoupMessageHeaders *headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE);
  for (size_t index = 0; index < G_N_ELEMENTS(passed); index++) {
    const char *value = soup_message_headers_get_one(theirs, passed[index]);
    if (value != NULL) soup_message_headers_append(headers, passed[index], value);
  }
  webkit_uri_scheme_response_set_http_headers(response, headers);
  webkit_uri_scheme_request_finish_with_response(request, response);
  g_object_unref(response);
  g_object_unref(stream);
  g_object_unref(request);
}

/// A file of the page is asked for: the program has it.
static void take_request(WebKitURISchemeRequest *request, gpointer data) {
  (void)data;
  const char *rest = strstr(webkit_uri_scheme_request_get_uri(request), "://");
  const char *path = rest == NULL ? NULL : strchr(rest + 3, '/');
  char *address = g_strconcat(origin, path == NULL ? "/" : path, NULL);
  SoupMessage *message = soup_message_new("GET", address);
  g_free(address);
  if (message == NULL || strcmp(webkit_uri_scheme_request_get_http_method(request), "GET") != 0) {
    GError *error = g_error_new(WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_FAILED, "a page's files are read with GET");
    webkit_uri_scheme_request_finish_error(request, error);
    g_error_free(error);
    if (message != NULL) g_object_unref(message);
    return;
  }
  soup_session_send_async(session, message, G_PRIORITY_DEFAULT, NULL, fetched, g_object_ref(request));
  g_object_unref(message);
}

/// Goes by the link, whose answer lets this program in. Answers false when it does not.
static gboolean enter(void) {
  session = soup_session_new();
  SoupCookieJar *jar = soup_cookie_jar_new();
  soup_session_add_feature(session, SOUP_SESSION_FEATURE(jar));
  g_object_unref(jar);
  SoupMessage *message = soup_message_new("GET", get("link"));
  if (message == NULL) return FALSE;
  soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT);
  GInputStream *stream = soup_session_send(session, message, NULL, NULL);
  gboolean is_in = stream != NULL && soup_message_get_status(message) == SOUP_STATUS_SEE_OTHER;
  GUri *uri = soup_message_get_uri(message);
  origin = g_strdup_printf("http://%s:%d", g_uri_get_host(uri), g_uri_get_port(uri));
  g_clear_object(&stream);
  g_object_unref(message);
  return is_in;
}

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

// --- The window ----------------------------------------------------------------------------------------------------------------------

static void show_title(GObject *from, GParamSpec *what, gpointer data) {
  (void)from, (void)what, (void)data;
  const char *title = webkit_web_view_get_title(view);
  gtk_window_set_title(GTK_WINDOW(window), is_set("title") || title == NULL || *title == 0 ? get("title") : title);
}

static void show_end(WebKitWebView *from, WebKitWebProcessTerminationReason reason, gpointer data) {
  (void)data;
  static const char *const reasons[] = {"It crashed.", "It used more memory than there is.", "It was ended."};
  const char *why = (unsigned)reason < G_N_ELEMENTS(reasons) ? reasons[reason] : "";
  fprintf(stderr, "nbridge: the page's process has ended: %s\n", why);
  char *text = g_strdup_printf(
    "<!doctype html><meta charset=utf-8><title>The page has ended</title><style>body{font:1em system-ui;margin:4em auto;max-width:30em}"
    "</style><h1>The page has ended</h1><p>%s What was saved is safe.</p><p><a href='%s'>Load it again</a></p>", why, get("page"));
  webkit_web_view_load_alternate_html(from, text, get("page"), NULL);
  g_free(text);
}

static gboolean ask_to_close(GtkWidget *from, GdkEvent *event, gpointer data) {
  (void)from, (void)event, (void)data;
  // A page with something unsaved asks first (beforeunload).
  webkit_web_view_try_close(view);
  return TRUE;
}

static void close_window(WebKitWebView *from, gpointer data) {
  (void)from, (void)data;
  // For the next start.
  GString *message = message_new();
  message_add(message, "event", "closed");
  add_state(message);
  message_send(message);
  gtk_main_quit();
}

static const char *role_of(GdkEventKey *event) {
  if (event->keyval == GDK_KEY_F12) return "inspect";
  if (event->keyval == GDK_KEY_F11) return "fullScreen";
  if ((event->state & gtk_accelerator_get_default_mod_mask()) != GDK_CONTROL_MASK) return NULL;
  switch (event->keyval) {
    case GDK_KEY_r: return "reload";
    case GDK_KEY_w: case GDK_KEY_q: return "close";
    case GDK_KEY_plus: case GDK_KEY_equal: return "zoomIn";
    case GDK_KEY_minus: return "zoomOut";
    case GDK_KEY_0: return "zoomReset";
    case GDK_KEY_p: return "print";
    default: return NULL;
  }
}

static gboolean take_key(GtkWidget *from, GdkEventKey *event, gpointer data) {
  (void)from, (void)data;
  // The app's own keys come first.
  if (gtk_window_activate_key(GTK_WINDOW(window), event)) return TRUE;
  const char *role = role_of(event);
  if (role != NULL) do_role(role);
  return role != NULL;
}

/// How the window is, some time after it was changed: the desktop has its say first.
static gboolean answer_later(gpointer data) {
  GString *answer = message_new();
  message_add(answer, "answer", data);
  add_state(answer);
  message_send(answer);
  g_free(data);
  return G_SOURCE_REMOVE;
}

enum { SETTLES = 60 };

/// What the program asks for.
static void take_message(GHashTable *message) {
  const char *what = field(message, "do");
  if (!strcmp(what, "openFile")) return open_file(message);
  if (!strcmp(what, "saveFile")) return save_file(message);
  if (!strcmp(what, "ask")) return ask_question(message);
  if (!strcmp(what, "cancel")) return cancel_dialog(message);
  if (!strcmp(what, "menu")) {
    char *wrong = set_menu(field(message, "menu"));
    if (wrong != NULL) {
      refuse(message, wrong);
      return g_free(wrong);
    }
  } else if (!strcmp(what, "set")) {
    change_window(message);
    g_timeout_add(SETTLES, answer_later, g_strdup(field(message, "number")));
    return;
  }
  else if (!strcmp(what, "focus")) gtk_window_present(GTK_WINDOW(window));
  else if (!strcmp(what, "close") || !strcmp(what, "print")) do_role(what);
  else if (strcmp(what, "state") != 0) return refuse(message, "a window does nothing by that name");
  GString *answer = answer_to(message);
  add_state(answer);
  message_send(answer);
}

// --- Setting up ----------------------------------------------------------------------------------------------------------------------

static void give_extension(WebKitWebContext *context, gpointer data) {
  (void)data;
  webkit_web_context_set_web_extensions_directory(context, get("extension"));
  webkit_web_context_set_web_extensions_initialization_user_data(context, g_variant_new("(ss)", get("socket"), home));
}

/// WebKit ends the whole program where its sandbox can't be made: it is tried before.
static gboolean has_sandbox(void) {
  char *words[] = {"bwrap", "--unshare-user", "--ro-bind", "/", "/", "true", NULL};
  int status = 1;
  GSpawnFlags quiet = G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
  return g_spawn_sync(NULL, words, NULL, quiet, NULL, NULL, NULL, NULL, &status, NULL) && status == 0;
}

static WebKitWebContext *make_context(void) {
  char *cache = g_build_filename(get("data"), "cache", NULL);
  WebKitWebsiteDataManager *data = is_set("data")
    ? webkit_website_data_manager_new("base-data-directory", get("data"), "base-cache-directory", cache, NULL)
    : webkit_website_data_manager_new_ephemeral();
  g_free(cache);
  WebKitWebContext *context = webkit_web_context_new_with_website_data_manager(data);
  if (strcmp(get("sandbox"), "no") != 0) {
    webkit_web_context_set_sandbox_enabled(context, TRUE);
    char *folder = g_path_get_dirname(get("socket"));
    webkit_web_context_add_path_to_sandbox(context, folder, TRUE);
    webkit_web_context_add_path_to_sandbox(context, get("extension"), TRUE);
    g_free(folder);
  }
  webkit_web_context_set_automation_allowed(context, is_set("automation"));
  g_signal_connect(context, "initialize-web-extensions", G_CALLBACK(give_extension), NULL);
  g_signal_connect(context, "download-started", G_CALLBACK(cancel_download), NULL);
  webkit_web_context_register_uri_scheme(context, "nbridge-app", take_request, NULL, NULL);
  WebKitSecurityManager *security = webkit_web_context_get_security_manager(context);
  webkit_security_manager_register_uri_scheme_as_secure(security, "nbridge-app");
  webkit_security_manager_register_uri_scheme_as_cors_enabled(security, "nbridge-app");
  return context;
}

static WebKitWebView *give_view(WebKitAutomationSession *from, gpointer data) {
  (void)from, (void)data;
  return view;
}

static void automation_started(WebKitWebContext *context, WebKitAutomationSession *from, gpointer data) {
  (void)context, (void)data;
  WebKitApplicationInfo *info = webkit_application_info_new();
  webkit_application_info_set_name(info, "nbridge-window");
  webkit_automation_session_set_application_info(from, info);
  webkit_application_info_unref(info);
  g_signal_connect(from, "create-web-view", G_CALLBACK(give_view), NULL);
}

static void show_icon(void) {
  GError *error = NULL;
  if (!is_set("icon") || gtk_window_set_icon_from_file(GTK_WINDOW(window), get("icon"), &error)) return;
  fprintf(stderr, "nbridge: the window's icon can't be shown: %s\n", error->message);
  g_error_free(error);
}

static void make_window(WebKitWebContext *context) {
  view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "is-controlled-by-automation", is_set("automation"), NULL);
  WebKitSettings *settings = webkit_web_view_get_settings(view);
  webkit_settings_set_enable_developer_extras(settings, is_set("inspect"));
  webkit_settings_set_enable_back_forward_navigation_gestures(settings, FALSE);
  webkit_settings_set_enable_page_cache(settings, FALSE);
  g_signal_connect(context, "automation-started", G_CALLBACK(automation_started), NULL);
  g_signal_connect(view, "decide-policy", G_CALLBACK(decide), NULL);
  g_signal_connect(view, "permission-request", G_CALLBACK(deny), NULL);
  g_signal_connect(view, "notify::title", G_CALLBACK(show_title), NULL);
  g_signal_connect(view, "web-process-terminated", G_CALLBACK(show_end), NULL);
  g_signal_connect(view, "close", G_CALLBACK(close_window), NULL);
  window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  g_signal_connect(window, "delete-event", G_CALLBACK(ask_to_close), NULL);
  g_signal_connect(window, "key-press-event", G_CALLBACK(take_key), NULL);
  gtk_container_add(GTK_CONTAINER(window), make_content());
  show_icon();
  change_window(said);
  show_title(NULL, NULL, NULL);
  char *wrong = set_menu(get("menu"));
  if (wrong != NULL) fprintf(stderr, "nbridge: %s\n", wrong);
  g_free(wrong);
  gtk_widget_show_all(window);
  follow_state();
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
  make_window(make_context());
  listen_for(take_message);
  webkit_web_view_load_uri(view, get("page"));
  gtk_main();
  return 0;
}
