/* Instances of the FMU: copies of a prepared memory, and the way into the core. */
#ifndef BALLESTA_INSTANCE_H
#define BALLESTA_INSTANCE_H

#include <setjmp.h>
#include <stddef.h>

#include "model.h"

/* Number of instances that can exist at the same time. */
#ifndef BALLESTA_INSTANCES
#define BALLESTA_INSTANCES 4
#endif

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

/* Control word of the floating-point unit. */
typedef u64 environment;

/* A call into the core. */
typedef struct Call {
    struct Instance *instance;
    u8 *m;
    /* Where a trap returns to, and the call around this one. */
    jmp_buf trap;
    struct Call *around;
    environment host;
    /* Place in the buffer for arguments, before the call and now. */
    u32 first, next;
    /* The arguments do not fit into the buffer. */
    int is_full;
} Call;

typedef struct Instance {
    int is_used, is_lost;
    /* The core's name of this instance. */
    u32 component;
    Call *call;
    u32 next;
    /* The importer's functions, and what they get. */
    core_function logger, update;
    void *environment;
    const char *name;
    struct {
        u32 stack, unused;
        u64 bytes[MEMORY_BYTES / 8];
    } memory;
} Instance;

/* An instance with the prepared memory; NULL if BALLESTA_INSTANCES exist. */
Instance *new_instance(void);
/* Begins a call of an instance; 0 if there is no such instance. `instance` may come from the importer. */
int begin(Call *call, void *instance);
void end(Call *call);
/* Whether this is an instance in use. */
int is_instance(const void *instance);
/* Reads and writes arguments in the buffer: their addresses. NULL and empty arrays have the address 0. */
u32 given(Call *call, const void *data, size_t count, size_t size);
u32 given_text(Call *call, const char *text);
u32 room(Call *call, const void *target, size_t count, size_t size);
void taken(Call *call, void *target, u32 address, size_t count, size_t size);
u32 word_at(const Call *call, u32 address);
void set_word(Call *call, u32 address, u32 value);
u32 count_of(Call *call, size_t count);
/* The instance whose memory contains a stored state, and the address of that state. */
Instance *owner_of(const void *state, u32 *address);
/* Calls the importer's logger; in fmi2.c or fmi3.c. */
void send_message(Instance *instance, u32 status, const char *category, const char *message);
/* For a callback of the importer: the environment of the host, then the default one again. */
void leave(Call *call);
void enter(void);
/* Why results of this program would be wrong, or NULL. */
const char *fault_of_arithmetic(void);

#define IN(array, count) given(&call, array, count, sizeof *(array))
#define OUT(array, count) room(&call, array, count, sizeof *(array))
#define TAKE(array, address, count) taken(&call, array, address, count, sizeof *(array))
/* A result that the core may leave as it is. */
#define KEEP(address, value) (address == 0 || value == NULL ? (void)0 : (void)memcpy(call.m + address, value, sizeof *(value)))
#define N(count) count_of(&call, count)
#define HANDLE call.instance->component

#endif
