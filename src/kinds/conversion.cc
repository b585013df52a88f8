#include "kinds/conversion.h"

#include <fmt/format.h>

#include "kinds/convert_with.h"
#include "kinds/kinds.h"

namespace proa::kinds {

Result<json::Document> convert(const json::Document& object, std::string_view from,
                               std::string_view to, std::string_view kind) {
  if (from == to) return object.copy();
  for (const Conversion& conversion : find_rules(from, kind).conversions) {
    if (conversion.to == to) return convert_with(conversion.fill, object, to, kind);
  }
  return Status(Reason::kBadRequest,
                fmt::format("converting {} from {} to {} is not supported", kind, from, to));
}

}  // namespace proa::kinds
