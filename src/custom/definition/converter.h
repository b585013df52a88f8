#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::custom {

class Definition;

// Calls the webhooks that convert objects between the versions of their definitions.
class Converter {
 public:
  virtual ~Converter() = default;

  // The same objects in another version, "example.com/v2", by one call. Their metadata is that of
  // the originals, except for labels and annotations. REQUIRES: the thread may block, for as long
  // as a webhook takes; the definition converts by webhook, and `objects`, at least one and not too
  // many for a message, are in other versions of it.
  virtual Result<std::vector<json::Document>> convert(const Definition& definition,
                                                      std::span<const json::Value* const> objects,
                                                      std::string_view group_version) = 0;
};

}  // namespace proa::custom
