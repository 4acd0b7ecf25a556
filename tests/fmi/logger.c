/* The logger of an importer: formats like printf and collects lines "status|category|instance|message",
   with "|format: " and the format behind one that holds a per cent sign. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    size_t length;
    char text[65536];
} Buffer;

void collect(void *environment, const char *instance, int status, const char *category, const char *format, ...) {
    Buffer *buffer = environment;
    size_t room = sizeof buffer->text - buffer->length;
    va_list arguments;
    int written = snprintf(buffer->text + buffer->length, room, "%d|%s|%s|", status, category, instance);
    if (written < 0 || (size_t)written >= room) return;
    buffer->length += (size_t)written;
    room -= (size_t)written;
    va_start(arguments, format);
    written = vsnprintf(buffer->text + buffer->length, room, format, arguments);
    va_end(arguments);
    if (written < 0 || (size_t)written + 1 >= room) return;
    buffer->length += (size_t)written;
    room -= (size_t)written;
    if (strchr(format, '%')) {
        written = snprintf(buffer->text + buffer->length, room, "|format: %s", format);
        if (written < 0 || (size_t)written + 1 >= room) return;
        buffer->length += (size_t)written;
    }
    buffer->text[buffer->length++] = '\n';
}
