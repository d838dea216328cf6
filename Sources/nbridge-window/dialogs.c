// SPDX-License-Identifier: MIT
//
// The desktop's own dialogs: none blocks the page, and each is answered once.

#include "talk.h"

#include <string.h>

/// What is open, by the number of its question.
static GHashTable *open_dialogs;

/// What a dialog has to know of its question.
typedef struct {
  char *number;
  Shown *shown;
  GtkNativeDialog *files;
  GtkWidget *question;
} Dialog;

static Dialog *dialog_new(Shown *shown, GHashTable *message) {
  if (open_dialogs == NULL) open_dialogs = g_hash_table_new(g_str_hash, g_str_equal);
  Dialog *dialog = g_new0(Dialog, 1);
  dialog->number = g_strdup(field(message, "number"));
  dialog->shown = shown;
  g_hash_table_insert(open_dialogs, dialog->number, dialog);
  return dialog;
}

static void dialog_free(Dialog *dialog) {
  g_hash_table_remove(open_dialogs, dialog->number);
  if (dialog->files != NULL) {
    gtk_native_dialog_destroy(dialog->files);
    g_object_unref(dialog->files);
  }
  if (dialog->question != NULL) gtk_widget_destroy(dialog->question);
  g_free(dialog->number);
  g_free(dialog);
}

static GString *answer_of(Dialog *dialog) {
  GString *answer = message_new();
  message_add(answer, "answer", dialog->number);
  return answer;
}

void cancel_dialog(GHashTable *message) {
  Dialog *dialog = open_dialogs == NULL ? NULL : g_hash_table_lookup(open_dialogs, field(message, "number"));
  if (dialog != NULL) dialog_free(dialog);
}

void end_dialogs(Shown *shown) {
  GList *dialogs = open_dialogs == NULL ? NULL : g_hash_table_get_values(open_dialogs);
  for (GList *dialog = dialogs; dialog != NULL; dialog = dialog->next) {
    if (((Dialog *)dialog->data)->shown == shown) dialog_free(dialog->data);
  }
  g_list_free(dialogs);
}

// --- Files ---------------------------------------------------------------------------------------------------------------------------

static void add_kinds(GtkFileChooser *chooser, const char *text) {
  if (*text == 0) return;
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char **parts = g_strsplit(*line, "\t", -1);
    GtkFileFilter *filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, parts[0]);
    for (char **ending = parts + 1; *ending != NULL; ending++) {
      char *pattern = g_strconcat("*.", *ending, NULL);
      gtk_file_filter_add_pattern(filter, pattern);
      g_free(pattern);
    }
    if (parts[1] == NULL) gtk_file_filter_add_pattern(filter, "*");
    gtk_file_chooser_add_filter(chooser, filter);
    g_strfreev(parts);
  }
  g_strfreev(lines);
}

static void files_chosen(GtkNativeDialog *from, int response, gpointer data) {
  (void)from;
  Dialog *dialog = data;
  GString *answer = answer_of(dialog);
  int count = 0;
  if (response == GTK_RESPONSE_ACCEPT) {
    GSList *names = gtk_file_chooser_get_filenames(GTK_FILE_CHOOSER(dialog->files));
    for (GSList *name = names; name != NULL; name = name->next) {
      char *key = g_strdup_printf("path%d", count++);
      message_add(answer, key, name->data);
      g_free(key);
    }
    g_slist_free_full(names, g_free);
  }
  message_send(answer);
  dialog_free(dialog);
}

static GtkFileChooser *show_files(Shown *shown, GHashTable *message, GtkFileChooserAction action, const char *title) {
  Dialog *dialog = dialog_new(shown, message);
  const char *told = field(message, "title");
  GtkWindow *parent = GTK_WINDOW(shown->window);
  dialog->files = GTK_NATIVE_DIALOG(gtk_file_chooser_native_new(*told == 0 ? title : told, parent, action, NULL, NULL));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog->files);
  gtk_file_chooser_set_local_only(chooser, TRUE);
  add_kinds(chooser, field(message, "kinds"));
  gtk_native_dialog_set_modal(dialog->files, TRUE);
  g_signal_connect(dialog->files, "response", G_CALLBACK(files_chosen), dialog);
  return chooser;
}

void open_file(Shown *shown, GHashTable *message) {
  gboolean is_folder = *field(message, "folder") != 0;
  GtkFileChooser *chooser = show_files(
    shown, message, is_folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN, is_folder ? "Open Folder" : "Open File");
  gtk_file_chooser_set_select_multiple(chooser, *field(message, "multiple") != 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

void save_file(Shown *shown, GHashTable *message) {
  GtkFileChooser *chooser = show_files(shown, message, GTK_FILE_CHOOSER_ACTION_SAVE, "Save File");
  gtk_file_chooser_set_do_overwrite_confirmation(chooser, TRUE);
  if (*field(message, "name") != 0) gtk_file_chooser_set_current_name(chooser, field(message, "name"));
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

// --- Questions -----------------------------------------------------------------------------------------------------------------------

static void question_answered(GtkDialog *from, int response, gpointer data) {
  (void)from;
  Dialog *dialog = data;
  GString *answer = answer_of(dialog);
  message_add_number(answer, "button", response < 0 ? -1 : response);
  message_send(answer);
  dialog_free(dialog);
}

void ask_question(Shown *shown, GHashTable *message) {
  Dialog *dialog = dialog_new(shown, message);
  dialog->question = gtk_message_dialog_new(
    GTK_WINDOW(shown->window), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s",
    field(message, "message"));
  if (*field(message, "detail") != 0)
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog->question), "%s", field(message, "detail"));
  char **buttons = g_strsplit(field(message, "buttons"), "\n", -1);
  int count = 0;
  for (; buttons[count] != NULL; count++) gtk_dialog_add_button(GTK_DIALOG(dialog->question), buttons[count], count);
  gtk_dialog_set_default_response(GTK_DIALOG(dialog->question), count - 1);
  g_strfreev(buttons);
  g_signal_connect(dialog->question, "response", G_CALLBACK(question_answered), dialog);
  gtk_widget_show_all(dialog->question);
}
