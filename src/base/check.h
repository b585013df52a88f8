#pragma once

// CHECK is for invariants of our own: when one is broken, the state can't be trusted, and going on
// could write that state down. Input, network, disk and peers get a Status instead.

namespace proa {

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace proa

#define CHECK(condition)                                    \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::proa::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
