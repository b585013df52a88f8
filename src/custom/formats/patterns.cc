#include "custom/formats/patterns.h"

#include <re2/re2.h>

#include <algorithm>

#include "cel/functions/standard/regex.h"

namespace proa::custom {
namespace patterns {

// Go's regexp: Perl's classes, UTF-8, and no messages on standard error.
RE2::Options options(size_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<int64_t>(memory));
  return options;
}

// Finding the pattern, and RE2's preparations.
constexpr size_t kStepsPerMatch = 10;
// At the speed of an automaton; those of large programs are often not complete.
constexpr size_t kBytesPerStep = 64;
constexpr size_t kFastInstructions = 256;

size_t matching_steps(const RE2& pattern, size_t bytes) {
  const auto instructions = static_cast<size_t>(std::max(pattern.ProgramSize(), 0));
  return kStepsPerMatch + bytes / kBytesPerStep * (1 + instructions / kFastInstructions);
}

}  // namespace patterns

Patterns::Patterns() = default;
Patterns::~Patterns() = default;

std::shared_ptr<const re2::RE2> Patterns::known(std::string_view pattern) {
  const MutexLock lock(mutex_);
  const auto found = by_text_.find(pattern);
  if (found == by_text_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->compiled;
}

std::shared_ptr<const re2::RE2> Patterns::find(std::string_view pattern, Budget& budget) {
  if (auto compiled = known(pattern)) return compiled;
  const std::string text = cel::go_pattern(pattern);
  size_t memory = kUsualMemory;
  auto compiled = std::make_shared<const re2::RE2>(text, patterns::options(memory));
  if (compiled->error_code() == RE2::ErrorPatternTooLarge) {
    memory = kMostMemory;
    compiled = std::make_shared<const re2::RE2>(text, patterns::options(memory));
  }
  budget.take_steps(cel::compilation_steps(*compiled));
  const MutexLock lock(mutex_);
  if (by_text_.contains(pattern)) return compiled;
  entries_.push_front({.text = std::string(pattern), .compiled = compiled, .memory = memory});
  by_text_.emplace(entries_.front().text, entries_.begin());
  memory_ += memory;
  while (memory_ > kAllMemory) {
    memory_ -= entries_.back().memory;
    by_text_.erase(entries_.back().text);
    entries_.pop_back();
  }
  return compiled;
}

Patterns::Answer Patterns::match(std::string_view pattern, std::string_view text, Budget& budget) {
  const std::shared_ptr<const re2::RE2> compiled = find(pattern, budget);
  if (!compiled->ok()) return {.matches = false, .problem = cel::regex_error(*compiled, pattern)};
  if (!budget.take_steps(patterns::matching_steps(*compiled, text.size()))) return {};
  return {.matches = RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled),
          .problem = {}};
}

std::string Patterns::problem(std::string_view pattern, Budget& budget) {
  const std::shared_ptr<const re2::RE2> compiled = find(pattern, budget);
  return compiled->ok() ? std::string() : cel::regex_error(*compiled, pattern);
}

}  // namespace proa::custom
