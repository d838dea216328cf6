// SPDX-License-Identifier: MIT
//
// The files of pages: the program that started this one has them, and lets it in by the link.

#include "talk.h"

#include <string.h>

static SoupSession *session;
static char *origin;

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

/// The program knows by it which window a page's calls are about. Nothing that a page asks by itself gets there.
static void name_window(WebKitURISchemeRequest *request, SoupMessage *message) {
  Shown *shown = shown_of_view(webkit_uri_scheme_request_get_web_view(request));
  if (shown == NULL) return;
  char *number = g_strdup_printf("%d", shown->number);
  soup_message_headers_append(soup_message_get_request_headers(message), "NBridge-Window", number);
  g_free(number);
}

void take_request(WebKitURISchemeRequest *request, gpointer data) {
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
  name_window(request, message);
  soup_session_send_async(session, message, G_PRIORITY_DEFAULT, NULL, fetched, g_object_ref(request));
  g_object_unref(message);
}

gboolean enter(void) {
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
