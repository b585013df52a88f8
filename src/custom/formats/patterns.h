#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

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
  // Each has some kilobytes. kMostMemory at worst, as in rules: Go has no such limit.
  static constexpr size_t kMost = 128;
  static constexpr size_t kMostMemory = size_t{2} << 20;

  Patterns();
  ~Patterns();

  struct Answer {
    bool matches = false;
    std::string problem;  // why it is no pattern; empty: it is one
  };
  // Whether a part of the text matches.
  Answer match(std::string_view pattern, std::string_view text);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const re2::RE2> compiled;
  };
  std::shared_ptr<const re2::RE2> find(std::string_view pattern);

  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the one used last is first
  std::unordered_map<std::string_view, std::list<Entry>::iterator, SeededHash> by_text_
      GUARDED_BY(mutex_);
};

}  // namespace proa::custom
