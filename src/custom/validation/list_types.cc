#include "custom/validation/list_types.h"

#include <string>
#include <unordered_map>

#include "base/text/seeded_hash.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace list_types {

constexpr std::string_view kDuplicate = "FieldValueDuplicate";

// Equal for equal values: 1 and 1.0 are not, as scalars; inside of lists and maps they are printed
// alike.
std::string identity(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kArray:
    case json::Kind::kObject:
      return "c" + sorted_json(value);
    case json::Kind::kDouble:
      return "f" + sorted_json(value);
    default:
      return "v" + sorted_json(value);
  }
}

// Counts identities; the second of each is reported.
class Seen {
 public:
  bool is_second(std::string identity) { return ++counts_[std::move(identity)] == 2; }

 private:
  std::unordered_map<std::string, size_t, SeededHash> counts_;
};

class Lists {
 public:
  explicit Lists(api::FieldErrors& errors) : errors_(errors) {}

  void visit(const json::Value& value, const api::Structure& structure, const api::Path& path) {
    if (!structure.has_list_types) return;
    if (value.is(json::Kind::kArray)) {
      visit_list(value, structure, path);
    } else if (value.is(json::Kind::kObject)) {
      visit_members(value, structure, path);
    }
  }

 private:
  // Additional properties apply to all members here, also to those that the schema names.
  void visit_members(const json::Value& object, const api::Structure& structure,
                     const api::Path& path) {
    for (const json::Member& member : object.members()) {
      if (structure.additional != nullptr) {
        const api::Path inner = path.key(member.key);
        visit(member.value, *structure.additional, inner);
      }
      if (const api::Property* property = structure.find(member.key)) {
        const api::Path inner = path.field(member.key);
        visit(member.value, *property->structure, inner);
      }
    }
  }

  void visit_list(const json::Value& list, const api::Structure& structure, const api::Path& path) {
    if (structure.list_type == api::ListType::kSet) check_set(list, path);
    if (structure.list_type == api::ListType::kMap) check_map(list, structure, path);
    if (structure.items == nullptr || !structure.items->has_list_types) return;
    for (size_t i = 0; i < list.size(); ++i) {
      const api::Path inner = path.index(i);
      visit(list.items()[i], *structure.items, inner);
    }
  }

  void check_set(const json::Value& list, const api::Path& path) {
    if (list.size() <= 1) return;
    Seen seen;
    for (size_t i = 0; i < list.size(); ++i) {
      const json::Value& item = list.items()[i];
      if (!seen.is_second(identity(item))) continue;
      const api::Path inner = path.index(i);
      errors_.worded(inner, kDuplicate, "Duplicate value: " + shown(item));
    }
  }

  void check_map(const json::Value& list, const api::Structure& structure, const api::Path& path) {
    for (size_t i = 0; i < list.size(); ++i) {
      const json::Value& item = list.items()[i];
      if (item.is_null() || item.is(json::Kind::kObject)) continue;
      const api::Path inner = path.index(i);
      return errors_.worded(
          inner, "FieldValueInvalid",
          "Invalid value: " + shown(item) + ": must be an object for an array of list-type map");
    }
    if (list.size() <= 1) return;
    Seen seen;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string keys = keys_of(list.items()[i], structure.keys());
      if (!seen.is_second(keys)) continue;
      const api::Path inner = path.index(i);
      errors_.worded(inner, kDuplicate,
                     "Duplicate value: " + shown_keys(list.items()[i], structure));
    }
  }

  static std::string keys_of(const json::Value& item, std::span<const std::string_view> names) {
    std::string keys;
    for (const std::string_view name : names) {
      const json::Value* value = item.find(name);
      // Several keys are compared as they are printed.
      if (value == nullptr) {
        keys += "-;";
      } else {
        keys += (names.size() == 1 ? identity(*value) : sorted_json(*value)) + ";";
      }
    }
    return keys;
  }

  static std::string shown_keys(const json::Value& item, const api::Structure& structure) {
    json::Document keys;
    keys.root() = json::Value::object();
    for (const std::string_view name : structure.keys()) {
      if (const json::Value* value = item.find(name)) {
        keys.root().set(keys.arena(), name, value->copy(keys.arena()));
      }
    }
    return sorted_json(keys.root());
  }

  api::FieldErrors& errors_;
};

}  // namespace list_types

void validate_list_types(const json::Value& object, const api::Structure& structure,
                         api::FieldErrors& errors) {
  // Upstream begins with the members, so a list at the root is not checked.
  if (!object.is(json::Kind::kObject)) return;
  const api::Path root;
  list_types::Lists(errors).visit(object, structure, root);
}

bool has_valid_lists(const json::Value& object, const api::Structure& structure) {
  if (!structure.has_list_types) return true;
  api::FieldErrors errors;
  validate_list_types(object, structure, errors);
  return errors.empty();
}

}  // namespace proa::custom
