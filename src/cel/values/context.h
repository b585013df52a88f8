#pragma once

#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

// What a function may use while an expression is evaluated: memory that lives as long as the
// result.
class Context {
 public:
  explicit Context(Arena& arena) : arena_(arena) {}

  Arena& arena() { return arena_; }
  Value string(std::string_view text) { return make_string(arena_, text); }
  Value error(std::string_view text) { return make_error(arena_, text); }

  // An object of a library's type, in the arena. REQUIRES: it owns nothing.
  template <typename T, typename... Args>
  Value opaque(Args&&... args) {
    return Value::opaque(new (arena_.allocate(sizeof(T), alignof(T)))
                             T(std::forward<Args>(args)...));
  }

 private:
  Arena& arena_;
};

}  // namespace proa::cel
