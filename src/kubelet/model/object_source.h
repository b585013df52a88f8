#pragma once

#include <string_view>

#include "api/object/object.h"
#include "base/result.h"

namespace proa::kubelet {

// Objects that pods refer to: config maps, secrets, claims and others.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  // Of a resource ("", "configmaps"); kNotFound if it does not exist.
  virtual Result<api::ObjectPtr> get(std::string_view group, std::string_view resource,
                                     std::string_view name_space, std::string_view name) = 0;
};

}  // namespace proa::kubelet
