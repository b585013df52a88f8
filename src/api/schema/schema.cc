#include "api/schema/schema.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace proa::api {
namespace schema {

constexpr std::string_view kMeta = "meta.k8s.io/v1";

auto kind_key(const Type* type) { return std::tie(type->group_version, type->name); }

auto path_key(const Resource* resource) {
  return std::tie(resource->group, resource->version, resource->name);
}

// The core, then high priorities first.
auto discovery_key(const Resource* resource) {
  return std::tuple(!resource->group.empty(), -resource->group_priority, resource->group,
                    -resource->version_priority, resource->version, resource->name);
}

// Which types are being looked at, or known to be finite; by position in a sorted list.
class FiniteCheck {
 public:
  explicit FiniteCheck(std::span<const Type* const> types)
      : types_(types.begin(), types.end()), states_(types.size(), State::kNew) {
    std::sort(types_.begin(), types_.end());
  }

  // A type that contains itself; null if there is none.
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

Resource& Schema::add(const Resource& resource) {
  auto* place = new (arena_.allocate(sizeof(Resource), alignof(Resource))) Resource(resource);
  resources_.push_back(place);
  return *place;
}

Result<void> Schema::seal() {
  TRY(seal_types());
  return seal_resources();
}

Result<void> Schema::seal_types() {
  by_openapi_ = types_;
  std::sort(by_openapi_.begin(), by_openapi_.end(),
            [](const Type* a, const Type* b) { return a->openapi < b->openapi; });
  const auto same =
      std::adjacent_find(by_openapi_.begin(), by_openapi_.end(),
                         [](const Type* a, const Type* b) { return a->openapi == b->openapi; });
  if (same != by_openapi_.end()) {
    return Status(Reason::kInternalError,
                  "type " + std::string((*same)->openapi) + " is defined twice");
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

Result<void> Schema::seal_resources() {
  const auto sort_by = [](std::vector<const Resource*>& list, auto key) {
    std::sort(list.begin(), list.end(),
              [&](const Resource* a, const Resource* b) { return key(a) < key(b); });
  };
  sort_by(resources_, schema::discovery_key);
  by_path_ = by_type_ = resources_;
  sort_by(by_path_, schema::path_key);
  sort_by(by_type_, [](const Resource* resource) { return resource->type; });
  const auto same = std::adjacent_find(by_path_.begin(), by_path_.end(),
                                       [](const Resource* a, const Resource* b) {
                                         return schema::path_key(a) == schema::path_key(b);
                                       });
  if (same == by_path_.end()) return {};
  return Status(Reason::kInternalError,
                "resource " + std::string((*same)->name) + " is defined twice in one version");
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

const Resource* Schema::find_resource(std::string_view group, std::string_view version,
                                      std::string_view name) const {
  const auto wanted = std::tie(group, version, name);
  const auto found = std::lower_bound(
      by_path_.begin(), by_path_.end(), wanted,
      [](const Resource* one, const auto& key) { return schema::path_key(one) < key; });
  return found == by_path_.end() || schema::path_key(*found) != wanted ? nullptr : *found;
}

const Resource* Schema::find_resource_of(const Type& type) const {
  const auto found =
      std::lower_bound(by_type_.begin(), by_type_.end(), &type,
                       [](const Resource* one, const Type* wanted) { return one->type < wanted; });
  return found == by_type_.end() || (*found)->type != &type ? nullptr : *found;
}

size_t Schema::memory() const {
  size_t indexes = 0;
  for (const auto* list : {&types_, &by_openapi_, &by_kind_})
    indexes += list->capacity() * sizeof(void*);
  for (const auto* list : {&resources_, &by_path_, &by_type_})
    indexes += list->capacity() * sizeof(void*);
  return sizeof(*this) + arena_.reserved() + indexes;
}

}  // namespace proa::api
