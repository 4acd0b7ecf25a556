/* What the functions of the core are written in. They compute in the memory `m` of one instance; addresses are offsets into it. */
#ifndef BALLESTA_CORE_H
#define BALLESTA_CORE_H

#include <stdint.h>
#include <string.h>

/* Results have the bits of the library in binaries/ only if the compiler keeps to IEEE 754. */
#if defined(__FAST_MATH__)
#error "Compile without -ffast-math: it changes results."
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "Compile for a unit that computes in double precision (x86: -msse2 -mfpmath=sse)."
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "The memory of an instance is little-endian; this processor is big-endian."
#endif
/* No product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef void (*core_function)(void);

/* Ends the call: the instance is lost. */
#if defined(__GNUC__) && !defined(__TINYC__)
__attribute__((noreturn))
#elif defined(_MSC_VER)
__declspec(noreturn)
#endif
void core_trap(u8 *m);

/* The end of the stack of the core is kept in front of the memory. */
#define SP (*(u32 *)(void *)(m - 8))
#define UNREACHABLE core_trap(m)
/* A function that is not part of the sources: it reports an error of the solver, or does what an FMU with constants never does. */
#define CUT(...) core_cut(m)
#define ICALL(type, index) ((type)core_table[index])
/* Memory has a fixed size. */
#define GROW(m, pages) 0xffffffffu

static inline u32 core_cut(u8 *m) {
    core_trap(m);
#if defined(__TINYC__) || !(defined(__GNUC__) || defined(_MSC_VER))
    return 0;
#endif
}

#if defined(__GNUC__) && !defined(__TINYC__)
/* Values of any type at any address. */
typedef u16 __attribute__((may_alias, aligned(1))) m_u16;
typedef u32 __attribute__((may_alias, aligned(1))) m_u32;
typedef u64 __attribute__((may_alias, aligned(1))) m_u64;
typedef f32 __attribute__((may_alias, aligned(1))) m_f32;
typedef f64 __attribute__((may_alias, aligned(1))) m_f64;
#elif defined(__TINYC__) || defined(_MSC_VER)
typedef u16 m_u16;
typedef u32 m_u32;
typedef u64 m_u64;
typedef f32 m_f32;
typedef f64 m_f64;
#endif

#if defined(__GNUC__) || defined(__TINYC__) || defined(_MSC_VER)
#define READ(type, a, o) (*(const m_##type *)(m + (size_t)(u32)(a) + (size_t)(o)))
#define WRITE(type, a, o, value) ((void)(*(m_##type *)(m + (size_t)(u32)(a) + (size_t)(o)) = (type)(value)))
#else
/* Any compiler of C99. */
#define BY_COPY(type)                                                                                                  \
    static inline type read_##type(const u8 *from) {                                                                   \
        type value;                                                                                                    \
        memcpy(&value, from, sizeof value);                                                                            \
        return value;                                                                                                  \
    }                                                                                                                  \
    static inline void write_##type(u8 *to, type value) { memcpy(to, &value, sizeof value); }
BY_COPY(u16)
BY_COPY(u32)
BY_COPY(u64)
BY_COPY(f32)
BY_COPY(f64)
#define READ(type, a, o) read_##type(m + (size_t)(u32)(a) + (size_t)(o))
#define WRITE(type, a, o, value) write_##type(m + (size_t)(u32)(a) + (size_t)(o), (type)(value))
#endif
#define BYTE(a, o) (m[(size_t)(u32)(a) + (size_t)(o)])

#define i32_load(a, o) READ(u32, a, o)
#define i64_load(a, o) READ(u64, a, o)
#define f32_load(a, o) READ(f32, a, o)
#define f64_load(a, o) READ(f64, a, o)
#define i32_load8_u(a, o) ((u32)BYTE(a, o))
#define i32_load8_s(a, o) ((u32)(s32)(s8)BYTE(a, o))
#define i32_load16_u(a, o) ((u32)READ(u16, a, o))
#define i32_load16_s(a, o) ((u32)(s32)(s16)READ(u16, a, o))
#define i64_load8_u(a, o) ((u64)BYTE(a, o))
#define i64_load8_s(a, o) ((u64)(s64)(s8)BYTE(a, o))
#define i64_load16_u(a, o) ((u64)READ(u16, a, o))
#define i64_load16_s(a, o) ((u64)(s64)(s16)READ(u16, a, o))
#define i64_load32_u(a, o) ((u64)READ(u32, a, o))
#define i64_load32_s(a, o) ((u64)(s64)(s32)READ(u32, a, o))
#define i32_store(a, o, value) WRITE(u32, a, o, value)
#define i64_store(a, o, value) WRITE(u64, a, o, value)
#define f32_store(a, o, value) WRITE(f32, a, o, value)
#define f64_store(a, o, value) WRITE(f64, a, o, value)
#define i32_store8(a, o, value) ((void)(BYTE(a, o) = (u8)(value)))
#define i64_store8(a, o, value) ((void)(BYTE(a, o) = (u8)(value)))
#define i32_store16(a, o, value) WRITE(u16, a, o, value)
#define i64_store16(a, o, value) WRITE(u16, a, o, value)
#define i64_store32(a, o, value) WRITE(u32, a, o, value)
#define memory_copy(to, from, count) ((void)memmove(m + (size_t)(u32)(to), m + (size_t)(u32)(from), (u32)(count)))
#define memory_fill(to, value, count) ((void)memset(m + (size_t)(u32)(to), (int)((value) & 255u), (u32)(count)))

/* Functions of one value that is used several times. */
#define VALUE(result, name, type) static inline result name(type x)
static inline u32 I32_ROTL(u32 x, u32 n) { return n & 31 ? x << (n & 31) | x >> (32 - (n & 31)) : x; }
static inline u32 I32_ROTR(u32 x, u32 n) { return n & 31 ? x >> (n & 31) | x << (32 - (n & 31)) : x; }
static inline u64 I64_ROTL(u64 x, u64 n) { return n & 63 ? x << (n & 63) | x >> (64 - (n & 63)) : x; }
static inline u64 I64_ROTR(u64 x, u64 n) { return n & 63 ? x >> (n & 63) | x << (64 - (n & 63)) : x; }
VALUE(u64, i64_reinterpret_f64, f64) {
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
VALUE(f64, f64_reinterpret_i64, u64) {
    f64 value;
    memcpy(&value, &x, sizeof value);
    return value;
}
VALUE(u32, i32_reinterpret_f32, f32) {
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
VALUE(f32, f32_reinterpret_i32, u32) {
    f32 value;
    memcpy(&value, &x, sizeof value);
    return value;
}
#define INFINITY f64_reinterpret_i64(0x7ff0000000000000ull)
#if defined(__GNUC__) && !defined(__TINYC__)
#define wasm_fabs __builtin_fabs
#define copysign __builtin_copysign
#else
VALUE(f64, wasm_fabs, f64) { return f64_reinterpret_i64(i64_reinterpret_f64(x) & 0x7fffffffffffffffull); }
static inline f64 core_copysign(f64 x, f64 sign) {
    const u64 top = 0x8000000000000000ull;
    return f64_reinterpret_i64((i64_reinterpret_f64(x) & ~top) | (i64_reinterpret_f64(sign) & top));
}
#define copysign core_copysign
#endif
/* The instruction of the processor where there is one, so that no mathematical library is needed. */
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__SSE2__)
#define SQUARE_ROOT __asm__("sqrtsd %1, %0" : "=x"(root) : "x"(x))
#elif defined(__GNUC__) && !defined(__TINYC__) && defined(__aarch64__)
#define SQUARE_ROOT __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(x))
#elif defined(__GNUC__) && !defined(__TINYC__) && defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 8)
#define SQUARE_ROOT __asm__("vsqrt.f64 %P0, %P1" : "=w"(root) : "w"(x))
#else
double sqrt(double x);
#define SQUARE_ROOT root = sqrt(x)
#endif
VALUE(f64, wasm_sqrt, f64) {
    f64 root;
    SQUARE_ROOT;
    return root;
}
#define wasm_quiet(x) (x)
/* Whole numbers: beyond 2^52 every double is one. The sign of zero is kept. */
VALUE(f64, wasm_trunc, f64) { return wasm_fabs(x) < 4503599627370496.0 ? copysign((f64)(s64)x, x) : x; }
VALUE(f64, wasm_floor, f64) {
    const f64 whole = wasm_trunc(x);
    return whole > x ? copysign(whole - 1.0, x) : whole;
}
VALUE(f64, wasm_ceil, f64) {
    const f64 whole = wasm_trunc(x);
    return whole < x ? copysign(whole + 1.0, x) : whole;
}
VALUE(u32, I32_TRUNC_SAT_U_F64, f64) { return !(x > -1.0) ? 0u : !(x < 4294967296.0) ? 0xffffffffu : (u32)x; }
VALUE(u32, I32_TRUNC_SAT_S_F64, f64) {
    return x != x ? 0u : !(x > -2147483649.0) ? 0x80000000u : !(x < 2147483648.0) ? 0x7fffffffu : (u32)(s32)x;
}
VALUE(u64, I64_TRUNC_SAT_S_F64, f64) {
    return x != x                           ? 0u
           : !(x >= -9223372036854775808.0) ? 0x8000000000000000ull
           : !(x < 9223372036854775808.0)   ? 0x7fffffffffffffffull
                                            : (u64)(s64)x;
}
VALUE(u64, I64_TRUNC_SAT_U_F64, f64) {
    return !(x > -1.0) ? 0u : !(x < 18446744073709551616.0) ? 0xffffffffffffffffull : (u64)x;
}
VALUE(u32, I32_CLZ, u32) {
    u32 n = 32;
    for (; x != 0; x >>= 1) n--;
    return n;
}
VALUE(u64, I64_CLZ, u64) {
    u64 n = 64;
    for (; x != 0; x >>= 1) n--;
    return n;
}
VALUE(u32, I32_CTZ, u32) {
    u32 n = 0;
    for (; n < 32 && !(x & 1); x >>= 1) n++;
    return n;
}
VALUE(u64, I64_CTZ, u64) {
    u64 n = 0;
    for (; n < 64 && !(x & 1); x >>= 1) n++;
    return n;
}
VALUE(u32, I32_POPCNT, u32) {
    u32 n = 0;
    for (; x != 0; x &= x - 1) n++;
    return n;
}
VALUE(u64, I64_POPCNT, u64) {
    u64 n = 0;
    for (; x != 0; x &= x - 1) n++;
    return n;
}
/* Divisions with the checks of WebAssembly. */
#define DIV_U(x, y) ((y) ? (x) / (y) : (core_trap(m), 0))
#define REM_U(x, y) ((y) ? (x) % (y) : (core_trap(m), 0))
#define I32_DIV_S(x, y) ((y) && !((s32)(y) == -1 && (x) == 0x80000000u) ? (u32)((s32)(x) / (s32)(y)) : (core_trap(m), 0))
#define I32_REM_S(x, y) ((y) ? (s32)(y) == -1 ? 0u : (u32)((s32)(x) % (s32)(y)) : (core_trap(m), 0))
#define I64_DIV_S(x, y)                                                                                                \
    ((y) && !((s64)(y) == -1 && (x) == 0x8000000000000000ull) ? (u64)((s64)(x) / (s64)(y)) : (core_trap(m), 0))
#define I64_REM_S(x, y) ((y) ? (s64)(y) == -1 ? 0u : (u64)((s64)(x) % (s64)(y)) : (core_trap(m), 0))

/* The importer's functions, as the core calls them. */
void core_log(u8 *m, u32 environment, u32 name, u32 status, u32 category, u32 message);
void core_update(u8 *m, u32 environment, f64 time, u32 set, u32 get, u32 finished, u32 can_return, u32 early, u32 early_time);
#define host_log core_log
#define host_update core_update

#endif
