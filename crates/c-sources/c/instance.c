/* Instances of the FMU: see instance.h. They need memcpy, memmove, memset, setjmp and longjmp, a square root
   where the processor has none, and no operating system. */
#include "instance.h"

static Instance instances[BALLESTA_INSTANCES];

#define instance_of(m) ((Instance *)(void *)((m) - offsetof(Instance, memory.bytes)))

/* The floating-point environment: the default one within a call, that of the host afterwards, as in the library. */
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__SSE2__)
static environment read_environment(void) {
    u32 word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word;
}
static void write_environment(environment word) {
    const u32 low = (u32)word;
    __asm__ volatile("ldmxcsr %0" : : "m"(low) : "memory");
}
#define DEFAULT_ENVIRONMENT 0x1f80u
#elif defined(__GNUC__) && !defined(__TINYC__) && defined(__aarch64__)
static environment read_environment(void) {
    u64 control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}
static void write_environment(environment control) { __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory"); }
#define DEFAULT_ENVIRONMENT 0u
#elif defined(__GNUC__) && !defined(__TINYC__) && defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 8)
static environment read_environment(void) {
    u32 control;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(control));
    return control;
}
static void write_environment(environment control) { __asm__ volatile("vmsr fpscr, %0" : : "r"((u32)control) : "memory"); }
#define DEFAULT_ENVIRONMENT 0u
#else
/* Not known how: the test of the arithmetic refuses a host with another environment. */
static environment read_environment(void) { return 0; }
static void write_environment(environment word) { (void)word; }
#define DEFAULT_ENVIRONMENT 0u
#endif

int is_instance(const void *instance) {
    for (int i = 0; i < BALLESTA_INSTANCES; i++) {
        if (instance == &instances[i]) return instances[i].is_used;
    }
    return 0;
}

Instance *new_instance(void) {
    for (int i = 0; i < BALLESTA_INSTANCES; i++) {
        Instance *instance = &instances[i];
        if (instance->is_used) continue;
        memset(instance, 0, sizeof *instance);
        u8 *m = (u8 *)instance->memory.bytes;
        const u32 *words = memory_words;
        for (const u32 *run = memory_runs; run[1] != 0; run += 2) {
            memcpy(m + run[0], words, (size_t)run[1] * 4);
            words += run[1];
        }
        instance->memory.stack = STACK_BYTES;
        instance->next = BUFFER;
        instance->is_used = 1;
        return instance;
    }
    return NULL;
}

int begin(Call *call, void *instance) {
    if (!is_instance(instance)) return 0;
    Instance *i = instance;
    call->instance = i;
    call->m = (u8 *)i->memory.bytes;
    call->around = i->call;
    call->first = call->next = i->next;
    call->is_full = 0;
    call->host = read_environment();
    write_environment(DEFAULT_ENVIRONMENT);
    i->call = call;
    return 1;
}

void end(Call *call) {
    write_environment(call->host);
    call->instance->call = call->around;
    call->instance->next = call->first;
}

void core_trap(u8 *m) {
    Instance *instance = instance_of(m);
    instance->is_lost = 1;
    longjmp(instance->call->trap, 1);
}

/* Bytes of the buffer, aligned to 8. */
static u32 reserved(Call *call, size_t count, size_t size) {
    const size_t left = (size_t)(BUFFER + BUFFER_BYTES - call->next);
    if (count > left / size) {
        call->is_full = 1;
        return 0;
    }
    const u32 address = call->next;
    call->next += (u32)((count * size + 7) & ~(size_t)7);
    call->instance->next = call->next;
    return address;
}

u32 room(Call *call, const void *target, size_t count, size_t size) {
    return target == NULL || count == 0 ? 0 : reserved(call, count, size);
}

u32 given(Call *call, const void *data, size_t count, size_t size) {
    const u32 address = room(call, data, count, size);
    if (address != 0) memcpy(call->m + address, data, count * size);
    return address;
}

u32 given_text(Call *call, const char *text) {
    size_t length = 0;
    if (text == NULL) return 0;
    while (length < BUFFER_BYTES && text[length] != 0) length++;
    return given(call, text, length + 1, 1);
}

void taken(Call *call, void *target, u32 address, size_t count, size_t size) {
    if (address != 0) memcpy(target, call->m + address, count * size);
}

u32 word_at(const Call *call, u32 address) {
    u32 word;
    memcpy(&word, call->m + address, sizeof word);
    return word;
}

void set_word(Call *call, u32 address, u32 value) {
    memcpy(call->m + address, &value, sizeof value);
}

u32 count_of(Call *call, size_t count) {
    if (count > 0x7fffffff) call->is_full = 1;
    return (u32)count;
}

Instance *owner_of(const void *state, u32 *address) {
    for (int i = 0; i < BALLESTA_INSTANCES; i++) {
        const u8 *m = (const u8 *)instances[i].memory.bytes;
        if (instances[i].is_used && (const u8 *)state >= m && (const u8 *)state < m + MEMORY_BYTES) {
            *address = (u32)((const u8 *)state - m);
            return &instances[i];
        }
    }
    return NULL;
}

void leave(Call *call) {
    write_environment(call->host);
}

void enter(void) {
    write_environment(DEFAULT_ENVIRONMENT);
}

static const char *fault(void);

const char *fault_of_arithmetic(void) {
    const environment host = read_environment();
    write_environment(DEFAULT_ENVIRONMENT);
    const char *found = fault();
    write_environment(host);
    return found;
}

static const char *fault(void) {
    /* Volatile, so that nothing is computed by the compiler. */
    const volatile double one = 1.0, half = 0.5, zero = 0.0, two = 2.0;
    const volatile double step = 2.220446049250313080847e-16; /* 2^-52 */
    const volatile double above = 1.0 + 9.31322574615478515625e-10, below = 1.0 - 9.31322574615478515625e-10; /* 1 ± 2^-30 */
    const volatile double more = 1.1103585498967172e-16; /* 2^-53 + 2^-66 */
    const volatile double large = 9007199254740992.0, small = 2.2250738585072014e-308; /* 2^53, 2^-1022 */
    if (one + half * step != one || one + 0.75 * step != one + step || -one - half * step != -one)
        return "numbers are not rounded to nearest; the host has changed the rounding mode";
    if (above * below - one != zero) return "products and sums are contracted; compile with -ffp-contract=off";
    if (one + more != one + step) return "sums are rounded twice; compile for SSE2 (-msse2 -mfpmath=sse)";
    if ((large + one) - large != zero || !(zero / zero != zero / zero))
        return "arithmetic is not that of IEEE 754; compile without -ffast-math";
    if (small * half == zero || small * half * two != small) return "subnormal numbers are flushed to zero by the host";
    if (wasm_sqrt(two) * wasm_sqrt(two) != two + 2.0 * step) return "the square root is not exact";
    return NULL;
}

void core_log(u8 *m, u32 environment, u32 name, u32 status, u32 category, u32 message) {
    Instance *instance = instance_of(m);
    (void)environment;
    (void)name;
    leave(instance->call);
    send_message(instance, status, (const char *)m + category, (const char *)m + message);
    enter();
    /* A call from within the logger may have lost the instance. */
    if (instance->is_lost) core_trap(m);
}
