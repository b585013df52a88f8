#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "api/object/edit.h"

namespace proa::apiserver {

// All lists of containers of a pod, in upstream's order. Checks that omit one can be bypassed.
inline constexpr std::array<std::string_view, 3> kContainerLists{"initContainers", "containers",
                                                                 "ephemeralContainers"};

// Calls `use(Edit)` for each object in a list, which may be absent. REQUIRES: `use` adds nothing to
// `owner` itself.
template <typename Use>
void each_object(api::Edit owner, std::string_view list, Use use) {
  if (!owner[list].is(json::Kind::kArray)) return;
  const api::Edit items = owner.existing(list);
  for (size_t i = 0; i < items.size(); ++i)
    if (items.item(i).view().is(json::Kind::kObject)) use(items.item(i));
}

// The names of all secrets that a pod spec references directly.
std::vector<std::string_view> secret_names(api::View pod_spec);

}  // namespace proa::apiserver
