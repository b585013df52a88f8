#include "api/schema/schema.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace proa::api {
namespace schema {

constexpr std::string_view kMeta = "meta.k8s.io/v1";

auto kind_key(const Type* type) { return std::tie(type->group_version, type->name); }

// Which types are being looked at, or known to be finite; by position in a sorted list.
class FiniteCheck {
 public:
  explicit FiniteCheck(std::span<const Type* const> types)
      : types_(types.begin(), types.end()), states_(types.size(), State::kNew) {
    std::sort(types_.begin(), types_.end());
  }

  // The first type found that contains itself; null when there is none.
  const Type* find_endless() {
    for (const Type* type : types_) {
      if (const Type* endless = visit(type)) return endless;
    }
    return nullptr;
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kFinite };

  const Type* visit(const Type* type) {
    const auto at = std::lower_bound(types_.begin(), types_.end(), type);
    if (at == types_.end() || *at != type) return nullptr;  // a scalar, or of another schema
    State& state = states_[static_cast<size_t>(at - types_.begin())];
    if (state == State::kOpen) return type;
    if (state == State::kFinite) return nullptr;
    state = State::kOpen;
    for (const Field& field : type->fields) {
      if (field.shape != Shape::kSingle || field.pointer) continue;
      if (const Type* endless = visit(field.type)) return endless;
    }
    state = State::kFinite;
    return nullptr;
  }

  std::vector<const Type*> types_;
  std::vector<State> states_;
};

}  // namespace schema

Type& Schema::add() {
  auto* type = new (arena_.allocate(sizeof(Type), alignof(Type))) Type;
  types_.push_back(type);
  return *type;
}

Result<void> Schema::seal() {
  by_openapi_ = types_;
  std::sort(by_openapi_.begin(), by_openapi_.end(),
            [](const Type* a, const Type* b) { return a->openapi < b->openapi; });
  const auto same =
      std::adjacent_find(by_openapi_.begin(), by_openapi_.end(),
                         [](const Type* a, const Type* b) { return a->openapi == b->openapi; });
  if (same != by_openapi_.end()) {
    return Status(Reason::kInternalError,
                  "type " + std::string((*same)->openapi) + " is there twice");
  }
  by_kind_.clear();
  std::copy_if(types_.begin(), types_.end(), std::back_inserter(by_kind_),
               [](const Type* type) { return type->is_message(); });
  std::sort(by_kind_.begin(), by_kind_.end(),
            [](const Type* a, const Type* b) { return schema::kind_key(a) < schema::kind_key(b); });
  if (const Type* endless = schema::FiniteCheck(types_).find_endless()) {
    return Status(Reason::kInternalError,
                  "type " + std::string(endless->openapi) + " contains itself");
  }
  return {};
}

const Type* Schema::find_openapi(std::string_view name) const {
  const auto found = std::lower_bound(
      by_openapi_.begin(), by_openapi_.end(), name,
      [](const Type* type, std::string_view wanted) { return type->openapi < wanted; });
  return found == by_openapi_.end() || (*found)->openapi != name ? nullptr : *found;
}

const Type* Schema::find_own_kind(std::string_view group_version, std::string_view kind) const {
  const auto wanted = std::tie(group_version, kind);
  const auto found = std::lower_bound(
      by_kind_.begin(), by_kind_.end(), wanted,
      [](const Type* type, const auto& key) { return schema::kind_key(type) < key; });
  if (found == by_kind_.end() || schema::kind_key(*found) != wanted) return nullptr;
  return (*found)->is_kind || kind == "WatchEvent" ? *found : nullptr;
}

const Type* Schema::find_kind(std::string_view group_version, std::string_view kind) const {
  if (const Type* type = find_own_kind(group_version, kind)) return type;
  return find_own_kind(schema::kMeta, kind);
}

size_t Schema::memory() const {
  size_t indexes = 0;
  for (const auto* list : {&types_, &by_openapi_, &by_kind_})
    indexes += list->capacity() * sizeof(void*);
  return sizeof(*this) + arena_.reserved() + indexes;
}

}  // namespace proa::api
