#pragma once

// What the programs of our images have instead of a C library: the kernel, and a start. x86_64 and
// aarch64. Included once by each program, which defines `program`.

#include <asm/unistd.h>

typedef unsigned long size_t;

// What a program begins with: argc, then argv and its null, then the environment and its null.
static void program(long* stack) __attribute__((noreturn, used));

static long call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long which __asm__("x8") = number;
  register long first __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  register long fifth __asm__("x4") = e;
  register long sixth __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(first)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory");
  return first;
#else
#error "no system calls for this processor"
#endif
}

#if defined(__x86_64__)
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call program\n");
#else
__asm__(
    ".globl _start\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  bl program\n");
#endif

static void leave(int code) __attribute__((noreturn));
static void leave(int code) {
  for (;;) call(__NR_exit_group, code, 0, 0, 0, 0, 0);
}

enum { kSigInt = 2, kSigTerm = 15, kSigChild = 17, kSignalSetBytes = 8 };

static unsigned long signal_bit(int signal) { return 1ul << (signal - 1); }

// Blocked signals are kept for whoever asks for them, also by the first process of a namespace,
// which the kernel spares all signals that it neither handles nor blocks.
static void block_signals(const unsigned long* signals) {
  const int kSigBlock = 0;
  call(__NR_rt_sigprocmask, kSigBlock, (long)signals, 0, kSignalSetBytes, 0, 0);
}
