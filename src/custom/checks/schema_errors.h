#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/validation/field_errors.h"

namespace proa::custom {

// What is wrong with a value, as kube-openapi's validation says it, and as a field error.
struct SchemaError {
  std::string_view reason = "FieldValueInvalid";  // of the field error
  std::string field;                              // "spec.x"; empty: the object itself
  std::string body;                               // "Required value"
  std::string message;  // upstream's own; of several with the same one, only the first is reported
};

// Errors of one object. Bounded: those beyond are only counted.
class SchemaErrors {
 public:
  void add(SchemaError error);
  bool full() const { return errors_.size() >= api::FieldErrors::kMaxCauses; }
  size_t size() const { return errors_.size(); }
  // Forgets those after the first `size`.
  void truncate(size_t size) { errors_.resize(size); }

  // Adds them below `path`, each message once.
  void report(const api::Path& path, api::FieldErrors& errors) const;

 private:
  std::vector<SchemaError> errors_;
};

}  // namespace proa::custom
