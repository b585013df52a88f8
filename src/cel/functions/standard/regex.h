#pragma once

#include <re2/re2.h>

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/context.h"

namespace proa::cel {

RE2::Options regex_options();
// What it took to compile a pattern, in steps of a Budget. A few characters can become a program of
// megabytes.
size_t compilation_steps(const RE2& pattern);

// A pattern of Go's regexp as one of RE2, which takes \C and refuses (?<name>x) and two groups of
// one name. Groups lose their names.
std::string go_pattern(std::string_view text);

// The pattern of a call: that of the program, or compiled now.
class CallPattern {
 public:
  CallPattern(Context& context, std::string_view text) : given_(context.pattern()) {
    if (given_ != nullptr) return;
    own_.emplace(go_pattern(text), regex_options());
    context.take_steps(compilation_steps(*own_));
  }
  const RE2& get() const { return given_ != nullptr ? *given_ : *own_; }

 private:
  const RE2* given_;
  std::optional<RE2> own_;
};

// In the words of Go's regexp. `text`: the pattern as it was before go_pattern().
std::string regex_error(const RE2& pattern, std::string_view text);

}  // namespace proa::cel
