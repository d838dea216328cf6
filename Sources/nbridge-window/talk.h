// SPDX-License-Identifier: MIT
//
// What the parts of nbridge-window know of each other.

#pragma once

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

typedef struct Way Way;
typedef struct Drops Drops;

/// A window, and the page in it.
typedef struct {
  /// By which the program knows it: from 1 on, and none twice.
  int number;
  GtkWidget *window;
  WebKitWebView *view;
  /// Where its page lies.
  char *page;
  /// What it is called instead of as its page says; NULL for that.
  char *title;
  int least_width, least_height;
  // menu.c
  GtkWidget *content, *bar;
  GtkAccelGroup *keys;
  // messages.c: NULL where an extension is its page's way.
  Way *way;
  gboolean has_extension;
  // drops.c: NULL where nothing can be dropped.
  Drops *drops;
} Shown;

/// All that there are, the first of them in front.
extern GList *all_shown;
/// NULL where there is none of that number any more.
Shown *shown_of_number(int number);
Shown *shown_of_view(WebKitWebView *view);
/// The one that a message is about: its `window`.
Shown *shown_of(GHashTable *message);

// --- talk.c: lines NAME VALUE, with an empty one at the end, both ways ---

/// What the first message said: of the first window, and of all.
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
/// The same with another code than that of what is wrong with the question.
void refuse_as(GHashTable *message, const char *code, const char *why);
/// An event of a window that has an id, or NULL; sent.
void tell_event(Shown *shown, const char *name, const char *id);
/// What a message says of a window; to be added to.
GString *message_of(Shown *shown);

// --- files.c: the files of pages ---

/// Goes by the link, whose answer lets this program in. Answers false when it does not.
gboolean enter(void);
/// A file of a page is asked for: the program has it.
void take_request(WebKitURISchemeRequest *request, gpointer data);

// --- messages.c: which way pages go ---

/// Says whether pages can go by the extension, as far as this program sees it, for those whose addresses begin so.
void choose_way(const char *home);
gboolean uses_extension(void);
/// Hears of a window's page whether the extension is there, from now on.
void follow_way(Shown *shown);
/// The page's process has ended. Answers whether its page may be there when it is loaded again, another way.
gboolean goes_another_way(Shown *shown);
/// A window goes.
void end_way(Shown *shown);

// --- state.c: how a window is ---

void change_window(Shown *shown, GHashTable *message);
/// Its title, or the page's.
void show_title(Shown *shown);
void add_state(Shown *shown, GString *message);
/// Tells of changes of a window from now on.
void follow_state(Shown *shown);
/// Tells all windows of changes of the desktop's colours from now on.
void follow_colours(void);

// --- menu.c ---

/// The parts of a menu's line, by tabs.
enum { DEPTH, KIND, ID, KEY, ENABLED, MARK, LABEL, PARTS };
/// So many menus may open each other.
enum { DEEPEST = 8 };

/// Puts a menu bar over the page, by lines of depth, kind, id, key, whether it can be chosen, mark and label, by tabs. Answers why it can't.
char *set_menu(Shown *shown, const char *lines);
/// Makes what a window shows: a menu bar, when there is one, over the page.
GtkWidget *make_content(Shown *shown);
/// What a menu's item of a role does.
void do_role(Shown *shown, const char *role);

// --- dialogs.c ---

void open_file(Shown *shown, GHashTable *message);
void save_file(Shown *shown, GHashTable *message);
void ask_question(Shown *shown, GHashTable *message);
/// A window goes, and its dialogs with it: nobody waits for what they answer.
void end_dialogs(Shown *shown);
/// A question that nobody waits for any more.
void cancel_dialog(GHashTable *message);

// --- drops.c: files that are dropped on windows ---

/// Hears of what is dragged over a window from now on.
void follow_drops(Shown *shown);
/// So many more readers wait for files that are dropped on a window; fewer, below 0.
void count_drop_readers(Shown *shown, int more);
/// The page's process has ended: nobody waits for files any more.
void tell_page_gone(Shown *shown);
/// A window goes.
void end_drops(Shown *shown);

// --- tray.c: an icon in the desktop's tray, by its number ---

/// Puts one there, whose menu is about a window, and answers when it is; the one before it goes then.
void open_tray(Shown *shown, GHashTable *message);
void set_tray(GHashTable *message);
void close_tray(GHashTable *message);
/// A window, or its page, goes, and its icon with it.
void end_trays(Shown *shown);
/// An event of one, with an id or NULL; sent.
void tell_tray(int number, const char *event, const char *id);

// --- trayicon.c: the picture of one ---

/// In the sizes of trays, as IconPixmap has it, of what a message names, or of the windows' icon where it names none; the caller's. NULL
/// for none; `wrong` says why, the caller's, too, where what it names is no picture.
GVariant *tray_pictures(GHashTable *message, char **wrong);

// --- traymenu.c: the menu of one ---

#define TRAY_MENU_PATH "/StatusNotifierItem/Menu"
typedef struct TrayMenu TrayMenu;

/// One without items, that nobody can see yet.
TrayMenu *tray_menu_new(Shown *shown, int tray);
/// Puts it on the bus, at `TRAY_MENU_PATH`; answers false when it can't.
gboolean tray_menu_export(TrayMenu *menu, GDBusConnection *bus);
/// Gives it other items, by lines as `set_menu` has them. Answers why it can't.
char *tray_menu_set(TrayMenu *menu, const char *lines);
gboolean tray_menu_is_empty(TrayMenu *menu);
void tray_menu_free(TrayMenu *menu);
