#pragma once

#include <string>

#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "client/client.h"

namespace proa::client {

// Which objects of a resource a watch is about. Immutable.
class ObjectFilter {
 public:
  // kBadRequest for selectors that the resource does not have. REQUIRES: the place is a collection.
  static Result<ObjectFilter> make(const Place& place, const WatchQuery& query);

  bool matches(const api::Object& object) const;

 private:
  ObjectFilter() = default;

  const api::Resource* resource_ = nullptr;
  std::string name_space_;  // empty: all
  api::LabelSelector labels_;
  api::FieldSelector fields_;
};

}  // namespace proa::client
