// SPDX-License-Identifier: MIT
//
// What the parts of nbridge-window know of each other.

#pragma once

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

/// The one window, and the page in it.
extern GtkWidget *window;
extern WebKitWebView *view;

// --- talk.c: lines NAME VALUE, with an empty one at the end, both ways ---

/// What the first message said.
extern GHashTable *said;
const char *get(const char *name);
gboolean is_set(const char *name);
/// A value of a message; "" where it has none.
const char *field(GHashTable *message, const char *name);

/// Reads the first message; answers false when there is none.
gboolean read_settings(void);
/// Calls `take` for each that follows, and ends the main loop behind the last.
void listen_for(void (*take)(GHashTable *message));

/// A message that is being written.
GString *message_new(void);
void message_add(GString *message, const char *name, const char *value);
void message_add_number(GString *message, const char *name, int value);
/// Sends it, and frees it.
void message_send(GString *message);
/// An answer to a question, to be added to.
GString *answer_to(GHashTable *message);
/// The same, why it can't be done; sent.
void refuse(GHashTable *message, const char *why);
/// An event that has an id, or NULL; sent.
void tell_event(const char *name, const char *id);

// --- state.c: how the window is ---

void change_window(GHashTable *message);
void add_state(GString *message);
/// Tells of changes from now on.
void follow_state(void);

// --- menu.c ---

/// Puts a menu bar over the page, by lines of depth, kind, id, key, whether it can be chosen, mark and label, by tabs. Answers why it can't.
char *set_menu(const char *lines);
/// Makes what the window shows: a menu bar, when there is one, over the page.
GtkWidget *make_content(void);
/// What a menu's item of a role does.
void do_role(const char *role);

// --- dialogs.c ---

void open_file(GHashTable *message);
void save_file(GHashTable *message);
void ask_question(GHashTable *message);
/// A question that nobody waits for any more.
void cancel_dialog(GHashTable *message);
