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

// What happened to one object: it came (no `before`), changed, or went (no `after`).
struct Change {
  Key key;
  api::ObjectPtr before;
  api::ObjectPtr after;
};

// Under which values an object is found: its node, its owner's uid. Pure: the same values for the
// same object, always.
using IndexFunction = std::function<std::vector<std::string>(const api::Object&)>;

// The objects of one resource as they are now, nearly. Holds the objects it was given and nothing
// of its own but trees of pointers to them. Safe to use from any thread.
class Cache {
 public:
  // REQUIRES: nothing is in it yet.
  void add_index(std::string name, IndexFunction function) EXCLUDES(mutex_);

  // Null when there is none.
  api::ObjectPtr get(const Key& key) const EXCLUDES(mutex_);
  // All, or those of a namespace; by namespace and name.
  std::vector<api::ObjectPtr> list() const EXCLUDES(mutex_);
  std::vector<api::ObjectPtr> list(std::string_view name_space) const EXCLUDES(mutex_);
  // REQUIRES: there is such an index.
  std::vector<api::ObjectPtr> find(std::string_view index, const std::string& value) const
      EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);

  Change put(api::ObjectPtr object) EXCLUDES(mutex_);
  Change remove(const Key& key) EXCLUDES(mutex_);
  // What is not among `objects` goes. What differs from before; objects of the same uid and
  // resourceVersion don't.
  std::vector<Change> replace(std::vector<api::ObjectPtr> objects) EXCLUDES(mutex_);

 private:
  // Views into the text of the object that stands under it.
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

  // The object that stood there; null for none.
  api::ObjectPtr exchange(const Name& name, api::ObjectPtr object) REQUIRES(mutex_);

  mutable Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  std::vector<Index> indexes_ GUARDED_BY(mutex_);
};

}  // namespace proa::client
