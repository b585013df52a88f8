#pragma once

#include <string_view>

#include "base/cost/budget.h"
#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace proa::cel {

// What a function may use while an expression is evaluated: memory that lives as long as the
// result.
class Context {
 public:
  explicit Context(Arena& arena, Budget* budget = nullptr) : arena_(arena), budget_(budget) {}

  Arena& arena() { return arena_; }
  Value string(std::string_view text) { return make_string(arena_, text); }
  Value error(std::string_view text) { return make_error(arena_, text); }

  // An object of a library's type, in the arena. REQUIRES: it owns nothing.
  template <typename T, typename... Args>
  Value opaque(Args&&... args) {
    return Value::opaque(new (arena_.allocate(sizeof(T), alignof(T)))
                             T(std::forward<Args>(args)...));
  }

  // Pays for work that the cost of a call does not tell. The rest of it is pointless if this
  // returns false: the request has no more steps, or has ended.
  bool take_steps(size_t count) { return budget_ == nullptr || budget_->take_steps(count); }

  // Looks whether the request has ended: for work that its cost pays for, but takes long.
  bool in_time() { return budget_ == nullptr || budget_->in_time(); }

  // The pattern of a call, if it is a constant: compiled once, with the program.
  const re2::RE2* pattern() const { return pattern_; }
  void set_pattern(const re2::RE2* pattern) { pattern_ = pattern; }

 private:
  const re2::RE2* pattern_ = nullptr;
  Arena& arena_;
  Budget* budget_;  // null: none
};

}  // namespace proa::cel
