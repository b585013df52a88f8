#pragma once

// CHECK is for our own invariants: if one is broken, the state cannot be trusted, and continuing
// could persist it. Input, network, disk and peers get a Status instead.

namespace proa {

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace proa

#define CHECK(condition)                                    \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::proa::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
