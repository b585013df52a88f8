#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa::custom {

// The latest answers of a definition's webhook, so that watchers and lists of the same objects ask
// once. Found by the text of the original: one that differs in anything is another. Soon forgotten,
// since the webhook may be another program the next time. Thread-safe.
class ConvertedObjects {
 public:
  static constexpr size_t kMostBytes = 4 * 1024 * 1024;
  static constexpr Duration kMostAge = std::chrono::seconds(1);

  // What an answer is found by.
  static std::string key_of(std::string_view text, std::string_view version);

  // Null if it is not known.
  api::ObjectPtr find(const std::string& key, Steady now) EXCLUDES(mutex_);
  // `asked`: when the webhook was. Drops the oldest.
  void keep(const std::string& key, api::ObjectPtr converted, Steady asked) EXCLUDES(mutex_);

 private:
  struct Kept {
    std::string key;
    api::ObjectPtr object;
    Steady asked;
  };
  using Order = std::list<Kept>;  // the newest in front

  void drop_last() REQUIRES(mutex_);

  Mutex mutex_;
  Order order_ GUARDED_BY(mutex_);
  std::map<std::string_view, Order::iterator> by_key_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::custom
