#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/admission/matching/subject.h"

namespace proa::apiserver {

// Resources that are other versions of each other: they share what is stored. Built once;
// immutable.
class Equivalents {
 public:
  // REQUIRES: the schema outlives it.
  explicit Equivalents(const api::Schema& builtin);

  // Other versions of the request's resource that have its subresource; most resources have none.
  std::vector<const api::Resource*> of(const Subject& subject) const;

 private:
  // By what they are stored as; only where there are several.
  std::map<std::string_view, std::vector<const api::Resource*>> by_prefix_;
};

}  // namespace proa::apiserver
