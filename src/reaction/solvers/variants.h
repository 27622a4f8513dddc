/* Kernels on vectors of eight doubles that are compiled for several processors; a call takes the one that fits this machine. What is installed
 * runs everywhere then, and wide vectors are used where they are. No product is fused with a sum (-ffp-contract=off): all give the same
 * bits. The build compiles *_kernels.c once for any processor and, where JN_VARIANTS is set, once with JN_LEVEL=_v3 (AVX2) and _v4
 * (AVX-512). */
#ifndef JN_REACTION_SOLVERS_VARIANTS_H
#define JN_REACTION_SOLVERS_VARIANTS_H

#ifndef JN_LEVEL
#define JN_LEVEL _any
#endif
#define JN_JOIN_NOW(name, level) name##level
#define JN_JOIN(name, level) JN_JOIN_NOW(name, level)

/* A function that is compiled anew for the constants among its arguments, which give its loops constant lengths. Without it clang shares one such function
 * among several calls and keeps vectors in memory: Newton's matrix of contacts took twice its time. */
#define JN_FOR_CONSTANTS static inline __attribute__((always_inline))

/* Name of a function in the variant that is being compiled. */
#define JN_VARIANT(name) JN_JOIN(name, JN_LEVEL)
/* Declares all variants of a function. */
#define JN_VARIANTS_OF(type, name, parameters)                                                                         \
    type name##_any parameters;                                                                                        \
    type name##_v3 parameters;                                                                                         \
    type name##_v4 parameters;
/* Calls the one that fits. Two loads and tests. */
#ifdef JN_VARIANTS
#define JN_CALL(name, arguments)                                                                                       \
    (__builtin_cpu_supports("x86-64-v4")   ? name##_v4 arguments                                                       \
     : __builtin_cpu_supports("x86-64-v3") ? name##_v3 arguments                                                       \
                                           : name##_any arguments)
#else
#define JN_CALL(name, arguments) (name##_any arguments)
#endif

#endif
