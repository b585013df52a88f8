#include "apiserver/objects/reader.h"

#include "apiserver/objects/keys.h"
#include "base/check.h"

namespace proa::apiserver {

const api::Resource& ObjectReader::stored(std::string_view group, std::string_view resource) const {
  for (const api::Resource* one : schema_.resources()) {
    if (one->name == resource && one->group == group) return *one->stored;
  }
  CHECK(!"a resource that there is");
  __builtin_unreachable();
}

Result<api::ObjectPtr> ObjectReader::find(std::string_view group, std::string_view resource,
                                          std::string_view name_space,
                                          std::string_view name) const {
  store::EntryPtr entry = TRY(store_.get(key_of(stored(group, resource), name_space, name)));
  if (entry == nullptr) return api::ObjectPtr();
  return object_of(std::move(entry));
}

Result<std::vector<api::ObjectPtr>> ObjectReader::list(std::string_view group,
                                                       std::string_view resource,
                                                       std::string_view name_space) const {
  const std::string prefix = prefix_of(stored(group, resource), name_space);
  store::RangeResult range = TRY(store_.range({.keys = store::KeyRange::prefix(prefix)}));
  std::vector<api::ObjectPtr> objects;
  objects.reserve(range.entries.size());
  for (store::EntryPtr& entry : range.entries) objects.push_back(object_of(std::move(entry)));
  return objects;
}

std::string ObjectReader::prefix(std::string_view group, std::string_view resource) const {
  return prefix_of(stored(group, resource), "");
}

}  // namespace proa::apiserver
