#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// A copy in the arena.
template <typename T>
std::span<const T> keep(json::Arena& arena, std::span<const T> items) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (items.empty()) return {};
  auto* place = static_cast<T*>(arena.allocate(items.size_bytes(), alignof(T)));
  std::uninitialized_copy(items.begin(), items.end(), place);
  return {place, items.size()};
}

// Builds the fields of a type. Names and referenced types must live as long as the arena, which
// holds the result; so must descriptions.
class TypeBuilder {
 public:
  explicit TypeBuilder(json::Arena& arena) : arena_(arena) {}

  void add(const Field& field, std::string_view description = {});
  void add_union(const Union& one) { unions_.push_back(one); }
  // A number that is no longer used and must not be reused.
  void remove_number(uint32_t number) { removed_.push_back(number); }

  // Fields up to the end of the group are in a nested message in protobuf.
  void begin_group(uint32_t number, std::string_view name);
  void end_group();

  // Sets fields, descriptions, by_name, unions and wire. Fails for duplicate names or numbers.
  // REQUIRES: all groups have ended.
  Result<void> finish(Type& type);

 private:
  struct Level {
    uint32_t number = 0;
    std::string_view name;
    std::vector<Wire::Entry> entries;
  };

  Wire seal(Level& level);

  json::Arena& arena_;
  std::vector<Field> fields_;
  std::vector<std::string_view> descriptions_;
  bool described_ = false;  // any field is
  std::vector<Union> unions_;
  std::vector<uint32_t> removed_;
  std::vector<Level> levels_{Level{}};
  std::string problem_;
};

}  // namespace proa::api
