#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/validation/field_errors.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::custom {

// Where the fields of the subresource scale are: ".spec.replicas". Simple paths only, as the
// definition's validation has it.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // empty: there is none
};

// The value at a path; null if it is not there. Fails if a part of the path is no object, in
// upstream's words.
Result<const json::Value*> find_at(const json::Value& object, std::string_view path);
// Nullopt if it is not there. Fails if it has another type.
Result<std::optional<int64_t>> integer_at(const json::Value& object, std::string_view path);
Result<std::optional<std::string_view>> text_at(const json::Value& object, std::string_view path);
// Objects on the way are added. Fails if a part of the path is there, but no object.
Result<void> set_at(json::Arena& arena, json::Value& object, std::string_view path,
                    json::Value value);

// What upstream checks on every write of an object that has a scale.
void validate_scale_spec(const json::Value& object, const ScalePaths& paths,
                         api::FieldErrors& errors);
void validate_scale_status(const json::Value& object, const ScalePaths& paths,
                           api::FieldErrors& errors);

}  // namespace proa::custom
