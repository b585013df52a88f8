#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "client/key.h"

namespace proa::client {

// A change of one object: added (no `before`), updated, or deleted (no `after`).
struct Change {
  Key key;
  api::ObjectPtr before;
  api::ObjectPtr after;
};

// The index values of an object: its node, its owner's uid. Pure: always the same values for the
// same object.
using IndexFunction = std::function<std::vector<std::string>(const api::Object&)>;

// A cache of the objects of one resource, slightly behind the server. Holds the shared objects and
// trees of pointers to them. Thread-safe.
class Cache {
 public:
  // REQUIRES: the cache is empty.
  void add_index(std::string name, IndexFunction function) EXCLUDES(mutex_);

  // Null if there is none.
  api::ObjectPtr get(const Key& key) const EXCLUDES(mutex_);
  // All objects, or those of a namespace; sorted by namespace and name.
  std::vector<api::ObjectPtr> list() const EXCLUDES(mutex_);
  std::vector<api::ObjectPtr> list(std::string_view name_space) const EXCLUDES(mutex_);
  // REQUIRES: the index exists.
  std::vector<api::ObjectPtr> find(std::string_view index, const std::string& value) const
      EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);

  Change put(api::ObjectPtr object) EXCLUDES(mutex_);
  Change remove(const Key& key) EXCLUDES(mutex_);
  // Replaces the content. Returns the changes; objects with the same uid and resourceVersion are
  // unchanged.
  std::vector<Change> replace(std::vector<api::ObjectPtr> objects) EXCLUDES(mutex_);

 private:
  // Views into the text of the object with this name.
  struct Name {
    std::string_view name_space;
    std::string_view name;
    static Name of(const api::Object& object) {
      return {object.metadata().name_space, object.metadata().name};
    }
    auto operator<=>(const Name&) const = default;
  };
  using Objects = std::map<Name, api::ObjectPtr>;
  struct Index {
    std::string name;
    IndexFunction function;
    std::unordered_map<std::string, Objects> objects;
  };

  // Returns the previous object; null if there was none.
  api::ObjectPtr exchange(const Name& name, api::ObjectPtr object) REQUIRES(mutex_);

  mutable Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  std::vector<Index> indexes_ GUARDED_BY(mutex_);
};

}  // namespace proa::client
