#include "custom/checks/schema_errors.h"

#include <unordered_set>

#include "base/text/seeded_hash.h"

namespace proa::custom {

void SchemaErrors::add(SchemaError error) {
  if (!full()) errors_.push_back(std::move(error));
}

void SchemaErrors::report(const api::Path& path, api::FieldErrors& errors) const {
  std::unordered_set<std::string_view, SeededHash> seen;
  for (const SchemaError& error : errors_) {
    if (!seen.insert(error.message).second) continue;
    if (error.field.empty()) {
      errors.worded(path, error.reason, error.body);
    } else {
      const api::Path inner = path.field(error.field);
      errors.worded(inner, error.reason, error.body);
    }
  }
}

}  // namespace proa::custom
