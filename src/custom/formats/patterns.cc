#include "custom/formats/patterns.h"

#include <re2/re2.h>

#include "cel/functions/standard/regex.h"

namespace proa::custom {
namespace patterns {

// Go's regexp: Perl's classes, UTF-8, and no messages on standard error.
RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<int64_t>(Patterns::kMostMemory));
  return options;
}

}  // namespace patterns

Patterns::Patterns() = default;
Patterns::~Patterns() = default;

std::shared_ptr<const re2::RE2> Patterns::find(std::string_view pattern) {
  {
    const MutexLock lock(mutex_);
    const auto found = by_text_.find(pattern);
    if (found != by_text_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->compiled;
    }
  }
  auto compiled = std::make_shared<const re2::RE2>(cel::go_pattern(pattern), patterns::options());
  const MutexLock lock(mutex_);
  if (by_text_.contains(pattern)) return compiled;
  entries_.push_front({.text = std::string(pattern), .compiled = compiled});
  by_text_.emplace(entries_.front().text, entries_.begin());
  if (entries_.size() > kMost) {
    by_text_.erase(entries_.back().text);
    entries_.pop_back();
  }
  return compiled;
}

Patterns::Answer Patterns::match(std::string_view pattern, std::string_view text) {
  const std::shared_ptr<const re2::RE2> compiled = find(pattern);
  if (!compiled->ok()) return {.matches = false, .problem = cel::regex_error(*compiled, pattern)};
  return {.matches = RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled),
          .problem = {}};
}

}  // namespace proa::custom
