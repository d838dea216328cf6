// SPDX-License-Identifier: MIT
//
// The picture of an icon in the tray, from what a script gave: read with an end, whatever it says of its size, and as the bus has it.

#include "talk.h"

#include <string.h>

/// Of a picture that a tray shows, in pixels; more of one that is given are not read. Bytes that are read at once.
enum { LARGEST = 256, MOST_PIXELS = 64000000, PIECE = 4096 };

/// As the bus has it: red, green and blue behind their opacity.
static GVariant *picture_of(GdkPixbuf *icon, int size) {
  int width = gdk_pixbuf_get_width(icon), height = gdk_pixbuf_get_height(icon), longer = MAX(width, height);
  if (longer > size) {
    width = MAX(1, width * size / longer);
    height = MAX(1, height * size / longer);
  }
  GdkPixbuf *opaque = gdk_pixbuf_scale_simple(icon, width, height, GDK_INTERP_BILINEAR);
  GdkPixbuf *scaled = gdk_pixbuf_add_alpha(opaque, FALSE, 0, 0, 0);
  g_object_unref(opaque);
  const guint8 *from = gdk_pixbuf_read_pixels(scaled);
  int row = gdk_pixbuf_get_rowstride(scaled);
  guint8 *bytes = g_malloc((gsize)width * height * 4), *to = bytes;
  for (int y = 0; y < height; y++) {
    for (const guint8 *pixel = from + (gsize)y * row; pixel < from + (gsize)y * row + width * 4; pixel += 4, to += 4) {
      to[0] = pixel[3];
      memcpy(to + 1, pixel, 3);
    }
  }
  g_object_unref(scaled);
  GVariant *data = g_variant_new_from_data(G_VARIANT_TYPE("ay"), bytes, (gsize)width * height * 4, TRUE, g_free, bytes);
  return g_variant_new("(ii@ay)", width, height, data);
}

/// In the sizes of trays; one that is smaller stays so.
static GVariant *pictures_of(GdkPixbuf *icon) {
  static const int sizes[] = {22, 32, 64};
  GVariantBuilder made;
  g_variant_builder_init(&made, G_VARIANT_TYPE("a(iiay)"));
  int longer = MAX(gdk_pixbuf_get_width(icon), gdk_pixbuf_get_height(icon));
  for (size_t at = 0; at < G_N_ELEMENTS(sizes); at++) {
    g_variant_builder_add_value(&made, picture_of(icon, sizes[at]));
    if (longer <= sizes[at]) break;
  }
  return g_variant_ref_sink(g_variant_builder_end(&made));
}

/// The windows' own; what is wrong with that one has been said.
static GdkPixbuf *own_icon(void) { return is_set("icon") ? gdk_pixbuf_new_from_file(get("icon"), NULL) : NULL; }

/// A picture that can be made in any size is made as large as a tray shows one; another that is huge is none.
static void shrink(GdkPixbufLoader *loader, int width, int height, gpointer data) {
  int longer = MAX(width, height);
  if (longer <= LARGEST) return;
  GdkPixbufFormat *format = gdk_pixbuf_loader_get_format(loader);
  if ((format == NULL || !gdk_pixbuf_format_is_scalable(format)) && (gint64)width * height > MOST_PIXELS) *(gboolean *)data = TRUE;
  gdk_pixbuf_loader_set_size(loader, MAX(1, (gint64)width * LARGEST / longer), MAX(1, (gint64)height * LARGEST / longer));
}

/// NULL for what is no picture, with why.
static GdkPixbuf *icon_of(const char *text, GError **error) {
  gsize count;
  guchar *bytes = g_base64_decode(text, &count);
  GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
  gboolean is_huge = FALSE, is_read = TRUE;
  g_signal_connect(loader, "size-prepared", G_CALLBACK(shrink), &is_huge);
  // In pieces, since its size is known with the first of them.
  for (gsize at = 0; at < count && is_read && !is_huge; at += PIECE) {
    is_read = gdk_pixbuf_loader_write(loader, bytes + at, MIN(PIECE, count - at), error);
  }
  // It is closed in any case; what was wrong first is told.
  gboolean is_whole = gdk_pixbuf_loader_close(loader, is_read && !is_huge ? error : NULL);
  GdkPixbuf *icon = is_read && is_whole && !is_huge ? gdk_pixbuf_loader_get_pixbuf(loader) : NULL;
  const char *why = is_huge ? "it has more than 64 million pixels" : "it is empty, or ends too early";
  if (icon != NULL) g_object_ref(icon);
  else if (*error == NULL) g_set_error_literal(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_CORRUPT_IMAGE, why);
  g_object_unref(loader);
  g_free(bytes);
  return icon;
}

GVariant *tray_pictures(GHashTable *message, char **wrong) {
  GError *error = NULL;
  const char *text = field(message, "icon");
  GdkPixbuf *icon = *text == 0 ? own_icon() : icon_of(text, &error);
  if (error != NULL) {
    *wrong = g_strdup_printf("option.icon '%s' is no picture that can be shown: %s", field(message, "iconPath"), error->message);
    g_error_free(error);
  }
  if (icon == NULL) return NULL;
  GVariant *pictures = pictures_of(icon);
  g_object_unref(icon);
  return pictures;
}
