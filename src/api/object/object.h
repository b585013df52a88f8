#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/model.h"
#include "base/bytes.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// Commonly used metadata: views into the object's text.
struct Metadata {
  struct Owner {
    std::string_view api_version;
    std::string_view kind;
    std::string_view name;
    std::string_view uid;
    bool controller = false;
  };
  using Pair = std::pair<std::string_view, std::string_view>;

  std::string_view name;
  std::string_view name_space;
  std::string_view uid;
  std::string_view resource_version;
  int64_t generation = 0;
  bool being_deleted = false;  // has a deletionTimestamp
  bool has_finalizers = false;
  std::vector<Pair> labels;
  std::vector<Owner> owners;

  // Null if there is no such label.
  const std::string_view* label(std::string_view key) const;
};

class Object;
using ObjectPtr = std::shared_ptr<const Object>;

// An API object as its JSON text, canonical and with its resourceVersion: what is stored and what
// is served. Immutable and shared by readers on any thread. Derived data is computed on first use
// and cached.
class Object {
 public:
  // REQUIRES: the text outlives the object.
  explicit Object(std::string_view json) : json_(json) {}
  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // An object that owns its text.
  static ObjectPtr make(std::string json);

  std::string_view json() const { return json_; }
  const Metadata& metadata() const;

  // A new tree, to read or to edit.
  Result<json::Document> document() const;

  // The protobuf message without envelope. REQUIRES: the object's type.
  Result<Bytes> protobuf(const Type& type) const;

  // Values of selectable fields, in an order that the caller defines; null until cached.
  using FieldValues = std::vector<std::string>;
  const FieldValues* field_values() const { return fields_.load(std::memory_order_acquire); }
  const FieldValues& keep_field_values(std::unique_ptr<const FieldValues> values) const;

  // Caches data derived from the object: `make()` is called the first time. One value per type T.
  template <typename T, typename Make>
  const T& kept(Make make) const {
    if (const T* found = find_kept<T>(kept_.load(std::memory_order_acquire))) return *found;
    auto* added = new KeptValue<T>(make());
    added->type = &kept_type_tag<T>;
    added->next = kept_.load(std::memory_order_acquire);
    while (!kept_.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
      // Another thread was faster, perhaps with the same type.
      if (const T* found = find_kept<T>(added->next)) {
        delete added;
        return *found;
      }
    }
    return added->value;
  }

 private:
  struct Kept {
    virtual ~Kept() = default;
    const void* type = nullptr;
    Kept* next = nullptr;
  };
  template <typename T>
  struct KeptValue final : Kept {
    explicit KeptValue(T made) : value(std::move(made)) {}
    const T value;
  };
  template <typename T>
  static inline char kept_type_tag = 0;  // its address identifies the type
  template <typename T>
  static const T* find_kept(const Kept* first) {
    for (; first != nullptr; first = first->next) {
      if (first->type == &kept_type_tag<T>) return &static_cast<const KeptValue<T>*>(first)->value;
    }
    return nullptr;
  }

  const std::string_view json_;
  mutable std::atomic<const Metadata*> metadata_ = nullptr;
  mutable std::atomic<const FieldValues*> fields_ = nullptr;
  mutable std::atomic<std::shared_ptr<const std::string>> protobuf_;
  mutable std::atomic<Kept*> kept_ = nullptr;
};

// The metadata of an object's text. Cheap: it is at the front.
Metadata read_metadata(std::string_view json);

// The offset of the digits of a resourceVersion in a text from print(): right after the opening
// quote. REQUIRES: metadata.resourceVersion is present.
size_t resource_version_position(std::string_view json);
// The same object at another revision.
std::string with_resource_version(std::string_view json, std::string_view resource_version);

}  // namespace proa::api
