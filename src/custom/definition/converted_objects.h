#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "base/threads/mutex.h"

namespace proa::custom {

// The latest answers of a definition's webhook, so that watchers and lists of the same objects ask
// once. Found by the text of the original: one that differs in anything is another. Thread-safe.
class ConvertedObjects {
 public:
  static constexpr size_t kMostBytes = 4 * 1024 * 1024;

  // What an answer is found by.
  static std::string key_of(std::string_view text, std::string_view version);

  // Null if it is not known.
  api::ObjectPtr find(const std::string& key) EXCLUDES(mutex_);
  // Drops what was not asked for longest.
  void keep(const std::string& key, api::ObjectPtr converted) EXCLUDES(mutex_);

 private:
  struct Kept {
    std::string key;
    api::ObjectPtr object;
  };
  using Order = std::list<Kept>;  // used last in front

  Mutex mutex_;
  Order order_ GUARDED_BY(mutex_);
  std::map<std::string_view, Order::iterator> by_key_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::custom
