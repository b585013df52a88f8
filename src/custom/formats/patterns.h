#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/cost/budget.h"
#include "base/text/seeded_hash.h"
#include "base/threads/mutex.h"

namespace re2 {
class RE2;
}

namespace proa::custom {

// The patterns of schemas, compiled when a value is first checked against them. Bounded: those that
// were not used for longest are forgotten, so that thousands of definitions do not hold memory for
// patterns that nobody uses. Shared by all threads.
class Patterns {
 public:
  // Of one pattern, with what it remembers while it matches. Nearly all have some kilobytes, and
  // kUsualMemory at worst; those that do not fit get kMostMemory, as in rules. Go has no such
  // limit.
  static constexpr size_t kUsualMemory = size_t{256} << 10;
  static constexpr size_t kMostMemory = size_t{2} << 20;
  // Of all, at worst.
  static constexpr size_t kAllMemory = size_t{256} << 20;

  Patterns();
  ~Patterns();

  struct Answer {
    bool matches = false;
    std::string problem;  // why it is no pattern; empty: it is one
  };
  // Whether a part of the text matches. The budget pays for compiling, which a few characters can
  // make long, and for matching; no answer counts once it is exceeded.
  Answer match(std::string_view pattern, std::string_view text, Budget& budget);
  // Why it is no pattern; empty: it is one.
  std::string problem(std::string_view pattern, Budget& budget);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const re2::RE2> compiled;
    size_t memory = 0;  // at worst
  };
  std::shared_ptr<const re2::RE2> find(std::string_view pattern, Budget& budget);
  std::shared_ptr<const re2::RE2> known(std::string_view pattern) EXCLUDES(mutex_);

  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the one used last is first
  size_t memory_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string_view, std::list<Entry>::iterator, SeededHash> by_text_
      GUARDED_BY(mutex_);
};

}  // namespace proa::custom
